"""The records that pass from step to step, a file a shape: frozen, identified by provenance, able to rebuild their source."""
