"""The only room that opens files: artifacts and their manifests, corpora, tables, locks."""
