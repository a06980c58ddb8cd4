"""The stages: each reads artifacts, maps a step of the core over shards, and writes one artifact. Called by the Luigi tasks."""
