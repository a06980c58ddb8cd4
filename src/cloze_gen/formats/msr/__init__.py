"""The three published files of the MSR Sentence Completion Challenge."""
