"""Baselines and audits: a score for every option first, choices and accuracies after. Pure: arrays and records in, arrays out."""
