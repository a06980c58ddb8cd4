"""The corpus of small novels, that of the embedded sample, and the stages of the recipe over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from cloze_gen.corpus.offensive_words import offensive_words
from cloze_gen.corpus.partition import write_part
from cloze_gen.corpus.training_text import write_training_text
from cloze_gen.recipes.scde import distractors
from cloze_gen.recipes.scde.blanked_passages import AssemblySettings, write_blanked_passages
from cloze_gen.recipes.scde.blanks import BlanksSettings, write_blanks
from cloze_gen.recipes.scde.coherence import write_coherence
from cloze_gen.recipes.scde.distractors import (
    DISTRACTORS,
    PROPENSITY,
    DistractorsSettings,
    write_distractors,
)
from cloze_gen.recipes.scde.passages import PassagesSettings, write_passages
from cloze_gen.recipes.scde.rivals import CANDIDATES, RivalsSettings, write_rivals
from cloze_gen.records.passage import Part
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.store.tables import read_parquet, read_tsv
from tests.conftest import make_novels
from tests.corpus.conftest import Novels as NovelsInParts
from tests.corpus.conftest import write_novels

SMALL = PassagesSettings(min_sentences=3, max_sentences=9, mean_words=40, per_book=5)
Rows = list[dict[str, Any]]


class Novels(NovelsInParts):
    """And what the recipe makes of them."""

    def passages(
        self,
        partition,
        settings=SMALL,
        *,
        counts=None,
    ):
        counts = counts or self.counts(partition)
        given = {
            "partition": partition,
            "counts": counts,
            "settings": settings,
            "offensive": offensive_words("builtin"),
            "seed": 1,
        }
        return self.stage("passages", write_passages, **given)

    def training_text(self, partition):
        corpus = self.stage("novels", write_part, partition=partition, part=Part.TRAIN)
        return self.stage("text", write_training_text, corpus=corpus, counts=self.counts(partition))

    def coherence(self, partition):
        text, counts = self.training_text(partition), self.counts(partition)
        return self.stage("coherence", write_coherence, text=text, counts=counts, seed=1)


@dataclass
class Blanked:
    """Novels with blanked passages; `counts` and `coherence` are of the training novels."""

    novels: Novels
    partition: Artifact
    counts: Artifact
    coherence: Artifact

    @property
    def passages(self):
        return self.novels.passages(self.partition, PassagesSettings(), counts=self.counts)

    @property
    def _books(self):
        return {"partition": self.partition, "passages": self.passages}

    def blanks(self, **settings):
        given = self._books | {"coherence": self.coherence}
        return self.novels.stage(
            "blanks", write_blanks, **given, settings=BlanksSettings(**settings), seed=1
        )

    def rivals(self, **settings):
        given = self._books | {"coherence": self.coherence, "blanks": self.blanks()}
        return self.novels.stage(
            "rivals",
            write_rivals,
            **given,
            settings=RivalsSettings(**settings),
            of_blanks=BlanksSettings(),
        )

    def distractors(self, **settings):
        made = DistractorsSettings(**settings)
        return self.novels.stage(
            "distractors",
            write_distractors,
            rivals=self.rivals(),
            settings=made,
            seed=1,
        )

    def blanked_passages(self, n_passages=2000, **settings):
        given = self._books | {
            "blanks": self.blanks(),
            "distractors": self.distractors(**settings),
        }
        return self.novels.stage(
            "set",
            write_blanked_passages,
            **given,
            settings=AssemblySettings(n_passages=n_passages),
            seed=1,
        )


@pytest.fixture
def novels(tmp_path):
    """Eight novels that a test may change."""
    write_novels(tmp_path / "books")
    return Novels(tmp_path / "books", Store(tmp_path / "out"))


def _sample(folder):
    return sample_of(Novels(make_novels(folder / "books").books, Store(folder / "out")))


def sample_of(novels):
    """What the recipe makes of novels as they now are."""
    partition = novels.partition(development_share=0.25)
    return Blanked(novels, partition, novels.counts(partition), novels.coherence(partition))


@pytest.fixture
def own_sample(tmp_path):
    """The eight novels of the embedded sample, that a test may change."""
    return _sample(tmp_path)


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The same for tests that only look."""
    return _sample(tmp_path_factory.mktemp("sample"))


# ---- planted: books whose answers show what their rivals seldom do


def planted(*, books=16, rivals=24, often=0.6):
    """Candidates of six passages a book; a trait has a share of the answers and 20 % of the rivals."""
    candidates = []
    for book_id in (f"{part}{number}" for part in ("train", "test") for number in range(books)):
        for first in range(0, 600, 100):
            name = f"{book_id}:{first}"
            rng = np.random.default_rng([1, *name.encode()])
            verdicts = ["answer"] * 5 + ["rival"] * rivals
            for k, verdict in enumerate(verdicts):
                shares = {"planted": often if verdict == "answer" else 0.2, "noise": 0.5}
                row = dict.fromkeys(CANDIDATES.names) | {
                    "id": name,
                    "book_id": book_id,
                    "part": book_id.rstrip("0123456789"),
                    "sentence": first + 1 + k,
                    "text": "It rained.",
                    "characters": int(rng.integers(40, 200)),
                    "verdict": verdict,
                    "traits": [trait for trait, share in shares.items() if rng.random() < share],
                }
                if verdict == "rival":
                    row |= {name: float(rng.normal()) for name in ("fit", "topic", "hardness")}
                candidates.append(row)
    return candidates


def write_planted(writer, ctx, *, candidates):
    CANDIDATES.write_records(writer, candidates)


def rivals_of(candidates):
    return [row for row in candidates if row["verdict"] == "rival"]


@pytest.fixture
def distract(tmp_path, monkeypatch):
    """The distractors of planted passages."""
    novels = Novels(tmp_path, Store(tmp_path / "out"))

    def made(given, strength=8.0, rounds=7, **settings):
        monkeypatch.setattr(distractors, "_HARDNESS_WEIGHT", strength)
        monkeypatch.setattr(distractors, "_ROUNDS", rounds)
        rivals = novels.stage("rivals", write_planted, candidates=given)
        return novels.stage(
            f"distractors-{strength:g}-{rounds}",
            write_distractors,
            rivals=rivals,
            settings=DistractorsSettings(**settings),
            seed=1,
        )

    return made


# ---- what became of them


def rows(artifact, table=DISTRACTORS):
    return read_parquet(artifact.path(table.name)).to_pylist()


def drawn(artifact):
    """Of each passage the books and places of its distractors."""
    return {
        row["id"]: list(zip(row["books"], row["distractors"], strict=True))
        for row in rows(artifact)
    }


def share_planted(artifact, candidates, part):
    """How many of the distractors of one part show what was planted."""
    shows = {(row["id"], row["sentence"]): "planted" in row["traits"] for row in candidates}
    found = [
        shows[row["id"], sentence]
        for row in rows(artifact)
        for sentence in row["distractors"]
        if row["id"].startswith(part)
    ]
    return float(np.mean(found))


def log_odds(artifact):
    """By trait."""
    return {row["trait"]: float(row["log_odds"]) for row in read_tsv(artifact.path(PROPENSITY))}
