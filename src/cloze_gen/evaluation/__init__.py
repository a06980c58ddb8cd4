"""Evaluation of a finished set: baselines, adversaries, user models and people."""
