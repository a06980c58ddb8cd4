"""Statistics of a corpus: counts and frequencies, the eligible vocabulary, context vectors, book similarity."""
