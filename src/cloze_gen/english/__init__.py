"""What is true of English only: lists of words, spelling, grammar by tags. Pure: words and tags in, verdicts out."""
