"""The corpus of small novels, and the windows of the recipe over it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cloze_gen.recipes.scde.stages.passages import write_passages
from cloze_gen.recipes.scde.steps.passages import PassagesSettings
from cloze_gen.store.artifacts import Artifact, Store
from tests.stages.corpus.conftest import Novels as NovelsInParts
from tests.stages.corpus.conftest import write_novels

SMALL = PassagesSettings(min_sentences=3, max_sentences=9, min_aimed_words=20, max_aimed_words=60, per_book=5)


class Novels(NovelsInParts):
    """And the windows of the recipe."""

    def passages(self, partition: Artifact, settings: PassagesSettings = SMALL, *, counts: Artifact | None = None) -> Artifact:
        counts = counts or self.counts(partition)
        given = {"partition": partition, "counts": counts, "settings": settings, "offensive": "builtin", "seed": 1}
        return self.stage("passages", write_passages, **given)


@pytest.fixture
def novels(tmp_path: Path) -> Novels:
    """Eight novels that a test may change."""
    write_novels(tmp_path / "books")
    return Novels(tmp_path / "books", Store(tmp_path / "out"))
