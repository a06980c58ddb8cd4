"""Baselines and measures of blanked passages: sentences to be put back, all blanks of a passage answered from one list of candidates."""
