"""The candidate pool: all that can become a question, as flat arrays."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.corpus.counts import CountTable
from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.recipes.msr.focus import FOCUS_WORDS
from cloze_gen.recipes.msr.forward import SCORED, SCORED_ITEMS
from cloze_gen.recipes.msr.grooming.candidates import DECISIONS, GROOMED_ITEMS
from cloze_gen.recipes.msr.tables import FIT, SCORES
from cloze_gen.store.artifacts import Artifact


@dataclass(frozen=True, slots=True, eq=False)
class CandidatePool:
    """Focus words with their fit candidates. The rows of an item follow each other, the answer first.

    Attributes:
        id, sentence, word_class: objects, shape (items,); the class is ``other`` if untagged.
        item: int64, shape (rows,): index of the item of each row, ascending.
        word: objects, shape (rows,).
        scores: float64, shape (rows, scores): `SCORES`, log10 frequency and length of the word.
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
    def answers(self) -> np.ndarray:
        """The row of each item's answer, shape (items,)."""
        return np.searchsorted(self.item, np.arange(len(self)))

    @property
    def n_candidates(self) -> np.ndarray:
        """Fit candidates of each item, shape (items,)."""
        return np.bincount(self.item) - 1

    def rows(self) -> list[slice]:
        """The rows of each item."""
        edges = [*self.answers.tolist(), len(self.item)]
        return [slice(*ends) for ends in itertools.pairwise(edges)]

    def only(self, rows: np.ndarray) -> CandidatePool:
        """The pool of some rows, and of the items that have any of them; bool, shape (rows,)."""
        items, item = np.unique(self.item[rows], return_inverse=True)
        return CandidatePool(
            id=self.id[items],
            sentence=self.sentence[items],
            word_class=self.word_class[items],
            item=item,
            word=self.word[rows],
            scores=self.scores[rows],
            fits_as_well=self.fits_as_well[rows],
            plausible=self.plausible[rows],
            topicality=self.topicality[rows],
        )


def read_items(focus: Artifact, forward: Artifact, grooming: Artifact) -> pa.Table:
    """The groomed focus words without a fault, with their scores, in the order of sentences and ids.

    `item` numbers them.
    """
    groomed = GROOMED_ITEMS.read(grooming.path(GROOMED_ITEMS.name))
    items = groomed.filter(pc.field("verdict") == FIT)
    for table, artifact in ((FOCUS_WORDS, focus), (SCORED_ITEMS, forward)):
        items = items.join(table.read(artifact.path(table.name)), "id", join_type="inner")
    items = items.sort_by([("sentence_id", "ascending"), ("id", "ascending")])
    return items.append_column("item", pa.array(np.arange(len(items))))


def read_candidates(items: pa.Table, forward: Artifact, grooming: Artifact) -> pa.Table:
    """The retained candidates of these items with scores and verdicts, `item` by `item`, the best
    forward score first.
    """
    keys = ["id", "word"]
    scored = SCORED.read(forward.path(SCORED.folder)).filter(pc.field("kept"))
    for key in keys:  # a join needs plain texts
        texts = scored[key].cast(pa.string())
        scored = scored.drop_columns(key).append_column(key, texts)
    decided = DECISIONS.read(grooming.path(DECISIONS.folder))
    candidates = decided.join(scored, keys, join_type="inner")
    candidates = candidates.join(items.select(["id", "item"]), "id", join_type="inner")
    return candidates.sort_by([("item", "ascending"), ("forward_rank", "ascending")])


def pool_of(items: pa.Table, candidates: pa.Table, counts: CountTable) -> CandidatePool:
    """The pool of items and their candidates that are fit."""
    answers = items.select(["item", "word", *SCORES, "topicality"])
    fit = candidates.filter(pc.field("verdict") == FIT)
    rows = pa.concat_tables([answers, fit], promote_options="permissive")
    rows = rows.take(np.argsort(rows["item"], kind="stable"))  # every answer before its candidates
    words = rows["word"].to_pylist()
    row_of_word = counts.index()
    scores = [
        *(rows[name].to_numpy() for name in SCORES),
        np.log10(counts.freq[[row_of_word[word] for word in words]]),
        np.array([len(word) for word in words]),
    ]
    return CandidatePool(
        id=items["id"].to_numpy(),
        sentence=items["sentence_id"].to_numpy(),
        word_class=np.array(list(map(coarse_class, items["answer_tag"].to_pylist())), object),
        item=rows["item"].to_numpy(),
        word=rows["word"].to_numpy(),
        scores=np.column_stack(scores),
        fits_as_well=rows["fits_as_well"].to_numpy(),
        plausible=rows["plausible"].to_numpy(),
        topicality=rows["topicality"].to_numpy(),
    )
