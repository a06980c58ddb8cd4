"""Bytes and str in, plain records out: one book from raw file to sentences of tokens."""
