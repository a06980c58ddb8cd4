"""Studies: items drawn from a run, judges asked about them, and what they said made the run's own."""
