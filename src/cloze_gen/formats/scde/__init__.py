"""Files of SCDE: the published layout, passages as JSON lines, feature tables, harness tasks."""
