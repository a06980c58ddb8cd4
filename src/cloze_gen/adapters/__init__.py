"""The only rooms that know a big dependency."""
