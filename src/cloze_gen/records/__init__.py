"""Records that pass from step to step: frozen, with provenance."""
