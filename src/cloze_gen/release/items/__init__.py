"""The kinds of items that a release can hold."""
