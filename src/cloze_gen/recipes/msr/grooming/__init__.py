"""Grooming (MSR 2.3): predicates, reader models, the machine's and the judges' verdicts."""
