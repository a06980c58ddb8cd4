"""Artifacts and their manifests, runs, tables, locks."""
