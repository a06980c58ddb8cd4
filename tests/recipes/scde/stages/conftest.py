"""The corpus of small novels, that of the embedded sample, and the stages of the recipe over them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.recipes.scde.stages.blanked_passages import write_blanked_passages
from cloze_gen.recipes.scde.stages.blanks import write_blanks
from cloze_gen.recipes.scde.stages.coherence import write_coherence
from cloze_gen.recipes.scde.stages.distractors import write_distractors
from cloze_gen.recipes.scde.stages.passages import write_passages
from cloze_gen.recipes.scde.stages.rivals import write_rivals
from cloze_gen.recipes.scde.steps.assembly import AssemblySettings
from cloze_gen.recipes.scde.steps.blanks import BlanksSettings
from cloze_gen.recipes.scde.steps.coherence import CoherenceSettings
from cloze_gen.recipes.scde.steps.distractors import DistractorsSettings
from cloze_gen.recipes.scde.steps.passages import PassagesSettings
from cloze_gen.recipes.scde.steps.rivals import RivalsSettings
from cloze_gen.records.passage import Part
from cloze_gen.stages.corpus.partition import write_part
from cloze_gen.stages.corpus.training_text import write_training_text
from cloze_gen.store.artifacts import Artifact, Store
from tests.conftest import make_novels
from tests.stages.corpus.conftest import Novels as NovelsInParts
from tests.stages.corpus.conftest import write_novels

SMALL = PassagesSettings(min_sentences=3, max_sentences=9, min_aimed_words=20, max_aimed_words=60, per_book=5)
FEW_DIRECTIONS = CoherenceSettings(dimensions=20)


class Novels(NovelsInParts):
    """And what the recipe makes of them."""

    def passages(self, partition: Artifact, settings: PassagesSettings = SMALL, *, counts: Artifact | None = None) -> Artifact:
        counts = counts or self.counts(partition)
        given = {"partition": partition, "counts": counts, "settings": settings, "offensive": "builtin", "seed": 1}
        return self.stage("passages", write_passages, **given)

    def training_text(self, partition: Artifact) -> Artifact:
        corpus = self.stage("novels", write_part, partition=partition, part=Part.TRAIN)
        return self.stage("text", write_training_text, corpus=corpus, counts=self.counts(partition))

    def coherence(self, partition: Artifact, settings: CoherenceSettings = FEW_DIRECTIONS) -> Artifact:
        text, counts = self.training_text(partition), self.counts(partition)
        return self.stage("coherence", write_coherence, text=text, counts=counts, settings=settings, seed=1)


@dataclass
class Blanked:
    """Novels whose passages are blanked, stage by stage, each made where it is not there yet.

    Attributes:
        counts, coherence: of the training novels.
    """

    novels: Novels
    partition: Artifact
    counts: Artifact
    coherence: Artifact

    @property
    def passages(self) -> Artifact:
        return self.novels.passages(self.partition, PassagesSettings(), counts=self.counts)

    @property
    def _books(self) -> dict[str, Artifact]:
        return {"partition": self.partition, "passages": self.passages}

    def blanks(self, **settings: Any) -> Artifact:
        given: dict[str, Any] = self._books | {"coherence": self.coherence}
        return self.novels.stage("blanks", write_blanks, **given, settings=BlanksSettings(**settings), seed=1)

    def rivals(self, **settings: Any) -> Artifact:
        given: dict[str, Any] = self._books | {"coherence": self.coherence, "blanks": self.blanks()}
        return self.novels.stage("rivals", write_rivals, **given, settings=RivalsSettings(**settings), of_blanks=BlanksSettings())

    def distractors(self, **settings: Any) -> Artifact:
        made = DistractorsSettings(**settings)
        return self.novels.stage("distractors", write_distractors, passages=self.passages, rivals=self.rivals(), settings=made, seed=1)

    def blanked_passages(self, n_passages: int = 2000, **settings: Any) -> Artifact:
        given: dict[str, Any] = self._books | {"blanks": self.blanks(), "distractors": self.distractors(**settings)}
        return self.novels.stage("set", write_blanked_passages, **given, settings=AssemblySettings(n_passages=n_passages), seed=1)


@pytest.fixture
def novels(tmp_path: Path) -> Novels:
    """Eight novels that a test may change."""
    write_novels(tmp_path / "books")
    return Novels(tmp_path / "books", Store(tmp_path / "out"))


def _sample(folder: Path) -> Blanked:
    novels = Novels(make_novels(folder / "books").books, Store(folder / "out"))
    partition = novels.partition(development_share=0.25)
    return Blanked(novels, partition, novels.counts(partition), novels.coherence(partition))


@pytest.fixture
def own_sample(tmp_path: Path) -> Blanked:
    """The eight novels of the embedded sample, that a test may change."""
    return _sample(tmp_path)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Blanked:
    """The same for tests that only look."""
    return _sample(tmp_path_factory.mktemp("sample"))
