"""Studies as they leave for judges elsewhere, and their verdicts as they come back: JSON lines, tables, Label Studio, a model's chat."""
