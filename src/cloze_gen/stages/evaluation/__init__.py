"""Baselines on a finished set: the questions read, the models fitted, the options scored."""
