"""Baselines and measures of passages whose last word is to be predicted from a whole vocabulary."""
