"""Baselines that score the options of a question, words in a blank."""
