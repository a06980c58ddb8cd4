"""From bytes to sentences of tokens: readers, boilerplate, sentences, counts, tags."""
