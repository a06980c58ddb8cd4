"""The built-in configs, one TOML file a dataset."""
