"""The Python API: what `cloze_gen` exports and the command line calls."""
