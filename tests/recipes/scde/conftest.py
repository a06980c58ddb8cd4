"""The corpus of small novels, that of the embedded sample, and the stages of the recipe over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from cloze_gen.corpus.offensive_words import offensive_words
from cloze_gen.corpus.partition import write_part
from cloze_gen.corpus.training_text import write_training_text
from cloze_gen.recipes.scde.blanked_passages import AssemblySettings, write_blanked_passages
from cloze_gen.recipes.scde.blanks import BlanksSettings, write_blanks
from cloze_gen.recipes.scde.coherence import CoherenceSettings, write_coherence
from cloze_gen.recipes.scde.distractors import DistractorsSettings, write_distractors
from cloze_gen.recipes.scde.passages import (
    ANSWERS,
    CONSIDERED,
    DISTRACTORS,
    PASSAGES,
    PROPENSITY,
    PassagesSettings,
    write_passages,
)
from cloze_gen.recipes.scde.rivals import RivalsSettings, write_rivals
from cloze_gen.records.passage import Part
from cloze_gen.rng import stable_fraction
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.store.tables import read_parquet, read_tsv, write_parquet
from tests.conftest import make_novels
from tests.corpus.conftest import Novels as NovelsInParts
from tests.corpus.conftest import write_novels

SMALL = PassagesSettings(min_sentences=3, max_sentences=9, min_words=20, max_words=60, per_book=5)
FEW_DIRECTIONS = CoherenceSettings(dimensions=20)
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

    def coherence(self, partition, settings=FEW_DIRECTIONS):
        text, counts = self.training_text(partition), self.counts(partition)
        return self.stage(
            "coherence", write_coherence, text=text, counts=counts, settings=settings, seed=1
        )


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
            passages=self.passages,
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


def book(part, number, half=None):
    """The name of a training novel of one half, or of another novel."""
    names = (f"{part}{number}-{i}" for i in range(99))
    return next(
        name
        for name in names
        if half is None or int(stable_fraction("scde.propensity", name) >= 0.5) == half
    )


def planted(*, books=16, rivals=24, often=0.6):
    """Passages, six a book; a trait has a given share of the answers and 20 % of the rivals."""
    of_half = [(book("train", number, number % 2), "train") for number in range(books)]
    every = [*of_half, *((book("test", number), "test") for number in range(books))]
    passages = []
    answers = []
    considered = []
    for book_id, part in every:
        for first in range(0, 600, 100):
            name = f"{book_id}:{first}"
            rng = np.random.default_rng([1, *name.encode()])
            passages.append(
                {
                    "id": name,
                    "book_id": book_id,
                    "part": part,
                    "domain": "",
                    "first": first,
                    "last": first + 9,
                }
            )

            def shows(often, rng=rng):
                found = [
                    trait
                    for trait, share in {"planted": often, "noise": 0.5}.items()
                    if rng.random() < share
                ]
                return {"characters": int(rng.integers(40, 200)), "traits": found}

            answers += [
                {"id": name, "blank": k, "sentence": first + 1 + k, **shows(often)}
                for k in range(5)
            ]
            for k in range(rivals):
                measured = {"verdict": "rival"} | {
                    name: float(rng.normal()) for name in ("fit", "topic", "hardness")
                }
                considered.append(
                    {"id": name, "sentence": first + 20 + k, **measured, **shows(0.2)}
                )
    return passages, answers, considered


def table(some):
    return {name: [row[name] for row in some] for name in some[0]}


def write_planted_passages(writer, ctx, *, passages):
    write_parquet(writer.path(PASSAGES), table(passages))


def write_planted_rivals(writer, ctx, *, answers, considered):
    write_parquet(writer.path(ANSWERS), table(answers))
    write_parquet(writer.path(CONSIDERED), table(considered))


def only(given, names):
    """The given passages with these ids."""
    passages, answers, considered = ([row for row in some if row["id"] in names] for some in given)
    return passages, answers, considered


def half_of(passages):
    """Half of the training novels that has each of their passages."""
    return {
        row["id"]: int(stable_fraction("scde.propensity", row["book_id"]) >= 0.5)
        for row in passages
        if row["part"] == "train"
    }


@pytest.fixture
def distract(tmp_path):
    """The distractors of planted passages."""
    novels = Novels(tmp_path, Store(tmp_path / "out"))

    def made(given, **settings):
        passages = novels.stage("passages", write_planted_passages, passages=given[0])
        rivals = novels.stage("rivals", write_planted_rivals, answers=given[1], considered=given[2])
        of = DistractorsSettings(**settings)
        return novels.stage(
            "distractors", write_distractors, passages=passages, rivals=rivals, settings=of, seed=1
        )

    return made


# ---- what became of them


def rows(artifact, name=DISTRACTORS):
    return read_parquet(artifact.path(name)).to_pylist()


def drawn(artifact):
    """Of each passage the books and places of its distractors."""
    return {
        row["id"]: list(zip(row["books"], row["distractors"], strict=True))
        for row in rows(artifact)
    }


def share_planted(artifact, considered, part):
    """How many of the distractors of one part show what was planted."""
    shows = {(row["id"], row["sentence"]): "planted" in row["traits"] for row in considered}
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


def changed(given, whose):
    """The same passages, with answers of some that never show what was planted."""
    passages, answers, considered = given
    return (
        passages,
        [row | {"traits": ["noise"]} if whose(row["id"]) else row for row in answers],
        considered,
    )


def tempts(given, artifact):
    """Of each passage the mean of fit and topic together over its distractors."""
    value = {(row["id"], row["sentence"]): row["fit"] + row["topic"] for row in given[2]}
    return {
        row["id"]: float(np.mean([value[row["id"], sentence] for sentence in row["distractors"]]))
        for row in rows(artifact)
    }
