"""`cloze-gen corpus rank`: the books of a folder beside a reference question set, before any run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cloze_gen.engine.local import make_engine
from cloze_gen.pipelines.build import given_back
from cloze_gen.recipes.scs.stages.books import BookChoiceSettings, rank_folder
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Store
from cloze_gen.text.parse_book import IngestSettings


def rank_books(folder: Path, *, reference: Path, out: Path, tagger: str, workers: int) -> Iterator[str]:
    """The table, line by line. Books read and tagged for it stay in `out` and serve later runs on them."""
    engine = make_engine("local", workers=workers)
    room = Room(Store(out), engine, "corpus rank")
    with given_back(engine):
        yield from rank_folder(room, folder, settings=BookChoiceSettings(reference=str(reference)), tagger=tagger, ingest=IngestSettings())
