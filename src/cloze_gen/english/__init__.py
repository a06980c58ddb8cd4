"""English only: word lists, spelling, and grammar by tags. Pure functions of words and tags."""
