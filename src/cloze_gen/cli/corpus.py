"""`cloze-gen corpus inspect`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import typer

from cloze_gen.adapters.terminal import show
from cloze_gen.corpus.collect import InputSettings, collect
from cloze_gen.corpus.folder import Location
from cloze_gen.corpus.inspect import inspection
from cloze_gen.store.artifacts import Store


def inspect_books(place: str, *, settings: InputSettings) -> None:
    """Print the page of `cloze-gen corpus inspect`; exit with status 1 without a readable book."""
    with tempfile.TemporaryDirectory(prefix="cloze-gen-inspect-") as scratch:
        found = collect(Location.parse(place), Store(Path(scratch)), settings=settings, workers=2)
        show(inspection(found, settings))
    if not found.readable:
        raise typer.Exit(1)
