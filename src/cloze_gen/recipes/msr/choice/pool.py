"""The candidate pool: all that can become a question, as flat arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.corpus.counts import CountTable
from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.errors import StoreError
from cloze_gen.recipes.msr.choice.settings import N_IMPOSTORS
from cloze_gen.recipes.msr.forward import SCORED, SCORED_ITEMS
from cloze_gen.recipes.msr.grooming.candidates import DECISIONS, GROOMED_ITEMS
from cloze_gen.recipes.msr.tables import FIT, FORWARD_SCORE, SCORES, SENTENCE_SCORE, part_paths
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import FOCUS, read_parquet

# Scores that the choice balances and its classifiers use.
SCORE_NAMES = (*SCORES, "freq", "length")


@dataclass(frozen=True, slots=True, eq=False)
class CandidatePool:
    """Focus words with their fit candidates. The rows of an item follow each other, the answer first.

    Attributes:
        id, sentence, word_class: objects, shape (items,); the class is ``other`` if untagged.
        first: int64, shape (items + 1,): the first row of each item; at the end the number of rows.
        word: objects, shape (rows,).
        scores: float64, shape (rows, `SCORE_NAMES`).
        fits_as_well, plausible: float64, shape (rows,): shares of readers; NaN for answers.
        topicality: float64, shape (rows,): association with the sentence, in nats; NaN if unknown.
    """

    id: np.ndarray
    sentence: np.ndarray
    word_class: np.ndarray
    first: np.ndarray
    word: np.ndarray
    scores: np.ndarray
    fits_as_well: np.ndarray
    plausible: np.ndarray
    topicality: np.ndarray

    def __len__(self) -> int:
        return len(self.id)

    @property
    def n_candidates(self) -> np.ndarray:
        """Fit candidates of each item, shape (items,)."""
        return np.diff(self.first) - 1

    @property
    def can_be_asked(self) -> np.ndarray:
        """Whether an item has enough candidates, shape (items,)."""
        return self.n_candidates >= N_IMPOSTORS

    @property
    def answer(self) -> np.ndarray:
        return self.word[self.first[:-1]]

    def candidates(self, item: int) -> slice:
        return slice(int(self.first[item]) + 1, int(self.first[item + 1]))

    def take(self, items: np.ndarray) -> CandidatePool:
        """Some of the items, in this order."""
        sizes = np.diff(self.first)[items]
        first = np.concatenate([[0], np.cumsum(sizes)])
        within = np.arange(first[-1]) - np.repeat(first[:-1], sizes)
        rows = np.repeat(self.first[:-1][items], sizes) + within
        return replace(
            self._rows(rows),
            id=self.id[items],
            sentence=self.sentence[items],
            word_class=self.word_class[items],
            first=first,
        )

    def only(self, words: Mapping[str, frozenset[str]]) -> CandidatePool:
        """The same items with only these candidates; `words`: id -> words."""
        kept = np.ones(len(self.word), bool)
        for item, item_id in enumerate(self.id.tolist()):
            rows = self.candidates(item)
            kept[rows] = [word in words[item_id] for word in self.word[rows].tolist()]
        before = np.concatenate([[0], np.cumsum(kept)])
        return replace(self._rows(np.flatnonzero(kept)), first=before[self.first])

    def _rows(self, rows: np.ndarray) -> CandidatePool:
        return replace(
            self,
            word=self.word[rows],
            scores=self.scores[rows],
            fits_as_well=self.fits_as_well[rows],
            plausible=self.plausible[rows],
            topicality=self.topicality[rows],
        )


def read_pool(
    counts: CountTable, *, focus: Artifact, forward: Artifact, grooming: Artifact
) -> tuple[CandidatePool, pa.Table]:
    """The pool, and the retained candidates of its items with scores and verdicts.

    Raises:
        StoreError: the candidates of grooming are not those of forward.
    """
    groomed = GROOMED_ITEMS.read(grooming.path(GROOMED_ITEMS.name)).filter(
        pc.field("verdict") == FIT
    )
    ids = groomed["id"].combine_chunks()
    words = _rows_of(read_parquet(focus.path(FOCUS)), ids)
    answers = _rows_of(SCORED_ITEMS.read(forward.path(SCORED_ITEMS.name)), ids)
    retained = read_retained(forward, grooming)
    fit = retained.filter(pc.field("verdict") == FIT)

    item = pc.index_in(fit["id"], ids).to_numpy()
    sizes = 1 + np.bincount(item, minlength=len(ids))
    first = np.concatenate([[0], np.cumsum(sizes)])
    is_answer = np.zeros(first[-1], bool)
    is_answer[first[:-1]] = True

    def column(of_answers: Any, of_candidates: Any, kind: Any = np.float64) -> np.ndarray:
        values = np.empty(len(is_answer), kind)
        values[is_answer] = of_answers
        values[~is_answer] = of_candidates
        return values

    word = column(_objects(words["word"]), _objects(fit["word"]), object)
    freq = dict(zip(counts.words, counts.freq.tolist(), strict=True))
    scores = [
        column(answers["answer_log10_prob"].to_numpy(), fit[SCORES[0]].to_numpy()),
        column(answers[FORWARD_SCORE].to_numpy(), fit[FORWARD_SCORE].to_numpy()),
        column(answers[SENTENCE_SCORE].to_numpy(), fit[SENTENCE_SCORE].to_numpy()),
        np.array([freq[one] for one in word.tolist()]),
        np.array([len(one) for one in word.tolist()], np.float64),
    ]
    pool = CandidatePool(
        id=_objects(groomed["id"]),
        sentence=_objects(words["sentence_id"]),
        word_class=np.array(list(map(coarse_class, groomed["answer_tag"].to_pylist())), object),
        first=first,
        word=word,
        scores=np.column_stack(scores),
        fits_as_well=column(np.nan, fit["fits_as_well"].to_numpy()),
        plausible=column(np.nan, fit["plausible"].to_numpy()),
        topicality=column(groomed["answer_topicality"].to_numpy(), fit["topicality"].to_numpy()),
    )
    return pool, retained


def _objects(column: pa.ChunkedArray) -> np.ndarray:
    return np.array(column.to_pylist(), object)


def _rows_of(table: pa.Table, ids: pa.Array) -> pa.Table:
    """The rows of these ids, in their order."""
    return table.take(pc.index_in(ids, table["id"].combine_chunks()))


def read_retained(forward: Artifact, grooming: Artifact) -> pa.Table:
    """The retained candidates of the items without a fault, the best forward score of each first."""
    tables = []
    for path in part_paths(grooming, DECISIONS.folder):
        decided = DECISIONS.read(path)
        scored = SCORED.read(forward.path(SCORED.folder) / path.name).filter(pc.field("kept"))
        for name in ("id", "word"):
            decoded = scored[name].cast(pa.string())
            scored = scored.set_column(scored.column_names.index(name), name, decoded)
        place = pc.index_in(scored["id"], decided["id"].combine_chunks().unique())
        scored = scored.append_column("place", place).filter(pc.field("place").is_valid())
        scored = scored.sort_by([("place", "ascending"), ("forward_rank", "ascending")])
        same = scored.select(["id", "word"]).equals(decided.select(["id", "word"]))
        if not same:
            raise StoreError(
                f"{grooming.folder}: its candidates differ from those of {forward.folder}. Move "
                "both folders away and run again."
            )
        for name in (*SCORES, "forward_rank"):
            decided = decided.append_column(name, scored[name])
        tables.append(decided)
    return pa.concat_tables(tables)


def rows_by_item(retained: pa.Table, ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The rows of each of these items."""
    rows: dict[str, list[dict[str, Any]]] = {item_id: [] for item_id in ids}
    for row in retained.filter(pc.is_in(retained["id"], pa.array(list(ids)))).to_pylist():
        rows[row["id"]].append(row)
    return rows
