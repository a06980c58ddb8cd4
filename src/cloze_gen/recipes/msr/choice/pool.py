"""The candidate pool: all that can become a question, as flat arrays."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.recipes.msr.focus import FOCUS_WORDS
from cloze_gen.recipes.msr.forward import SCORED, SCORED_ITEMS
from cloze_gen.recipes.msr.grooming.candidates import DECISIONS, GROOMED_ITEMS
from cloze_gen.recipes.msr.tables import FIT, FORWARD_SCORE, SCORES, SENTENCE_SCORE
from cloze_gen.store.artifacts import Artifact

# Scores that the choice balances and its classifiers use.
SCORE_NAMES = (*SCORES, "freq", "length")


@dataclass(frozen=True, slots=True, eq=False)
class CandidatePool:
    """Focus words with their fit candidates. The rows of an item follow each other, the answer first.

    Attributes:
        id, sentence, word_class: objects, shape (items,); the class is ``other`` if untagged.
        item: int64, shape (rows,): index of the item of each row, ascending.
        word: objects, shape (rows,).
        scores: float64, shape (rows, `SCORE_NAMES`).
        fits_as_well, plausible: float64, shape (rows,): shares of readers; NaN for answers.
        topicality: float64, shape (rows,): association with the sentence, in nats; NaN if unknown.
    """

    id: np.ndarray
    sentence: np.ndarray
    word_class: np.ndarray
    item: np.ndarray
    word: np.ndarray
    scores: np.ndarray
    fits_as_well: np.ndarray
    plausible: np.ndarray
    topicality: np.ndarray

    def __len__(self) -> int:
        return len(self.id)

    @property
    def first(self) -> np.ndarray:
        """The row of each item's answer, and at the end the number of rows, shape (items + 1,)."""
        return np.searchsorted(self.item, np.arange(len(self) + 1))

    @property
    def n_candidates(self) -> np.ndarray:
        """Fit candidates of each item, shape (items,)."""
        return np.diff(self.first) - 1

    def rows(self) -> list[slice]:
        """The rows of each item."""
        return [slice(*ends) for ends in itertools.pairwise(self.first.tolist())]

    def only(self, items: np.ndarray) -> CandidatePool:
        """The pool of some items; `items`: bool, shape (items,)."""
        number = np.cumsum(items) - 1
        kept = self.only_rows(items[self.item])
        return replace(
            kept,
            id=self.id[items],
            sentence=self.sentence[items],
            word_class=self.word_class[items],
            item=number[kept.item],
        )

    def only_rows(self, rows: np.ndarray) -> CandidatePool:
        """The same items with some of their rows; `rows`: bool, shape (rows,)."""
        names = ("item", "word", "scores", "fits_as_well", "plausible", "topicality")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})


def read_items(focus: Artifact, forward: Artifact, grooming: Artifact) -> pa.Table:
    """The groomed focus words without a fault, with their scores, in the order of sentences and ids."""
    groomed = GROOMED_ITEMS.read(grooming.path(GROOMED_ITEMS.name))
    items = groomed.filter(pc.field("verdict") == FIT)
    for table, artifact in ((FOCUS_WORDS, focus), (SCORED_ITEMS, forward)):
        items = items.join(table.read(artifact.path(table.name)), "id", join_type="inner")
    return items.sort_by([("sentence_id", "ascending"), ("id", "ascending")])


def read_candidates(items: pa.Table, forward: Artifact, grooming: Artifact) -> pa.Table:
    """The retained candidates of these items with scores and verdicts, `item` by `item`, the best
    forward score first.
    """
    scored = SCORED.read(forward.path(SCORED.folder)).filter(pc.field("kept"))
    schema = pa.schema(
        [(name, _plain(scored.schema.field(name).type)) for name in scored.column_names]
    )
    decided = DECISIONS.read(grooming.path(DECISIONS.folder))
    joined = decided.join(scored.cast(schema), ["id", "word"], join_type="inner")
    place = pc.index_in(joined["id"], items["id"].combine_chunks())
    joined = joined.append_column("item", place).filter(pc.field("item").is_valid())
    return joined.sort_by([("item", "ascending"), ("forward_rank", "ascending")])


def _plain(kind: pa.DataType) -> pa.DataType:
    """The type of the values of a coded column."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def pool_of(items: pa.Table, candidates: pa.Table, freq: Mapping[str, float]) -> CandidatePool:
    """The pool of items and their candidates that are fit; `freq`: of every word."""
    fit = candidates.filter(pc.field("verdict") == FIT)
    item = np.concatenate([np.arange(len(items)), fit["item"].to_numpy()])
    order = np.argsort(item, kind="stable")  # every answer before its candidates

    def column(of_answers: str, of_candidates: str) -> np.ndarray:
        values = [items[of_answers].to_numpy(), fit[of_candidates].to_numpy()]
        return np.concatenate(values)[order]

    word = column("word", "word")
    scores = [
        column("answer_log10_prob", SCORES[0]),
        column(FORWARD_SCORE, FORWARD_SCORE),
        column(SENTENCE_SCORE, SENTENCE_SCORE),
        np.array([freq[text] for text in word.tolist()]),
        np.array([len(text) for text in word.tolist()]),
    ]
    unread = np.full(len(items), np.nan)
    return CandidatePool(
        id=items["id"].to_numpy(),
        sentence=items["sentence_id"].to_numpy(),
        word_class=np.array(list(map(coarse_class, items["answer_tag"].to_pylist())), object),
        item=item[order],
        word=word,
        scores=np.column_stack(scores),
        fits_as_well=np.concatenate([unread, fit["fits_as_well"].to_numpy()])[order],
        plausible=np.concatenate([unread, fit["plausible"].to_numpy()])[order],
        topicality=column("answer_topicality", "topicality"),
    )
