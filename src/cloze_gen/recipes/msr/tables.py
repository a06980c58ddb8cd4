"""Tables in parts, and what the workers of this recipe read.

A part holds consecutive focus words of one model. Its size is fixed, so bytes do not depend on the
number of workers.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from cloze_gen.corpus.cross_fitting import of_model, read_groups
from cloze_gen.models.contexts import read_word_knowledge
from cloze_gen.models.language_model import open_index
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.models.word_knowledge import WordKnowledge
from cloze_gen.records.sentence import Sentence
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact
from cloze_gen.store.schema import CODED, Column
from cloze_gen.store.tables import FOCUS, read_parquet, read_source_sentences

Opened = TypeVar("Opened")

# log10 scores of an option: given the two-word history; of the next token; of the whole sentence.
HISTORY_SCORE = "history_log10_prob"
FORWARD_SCORE = "forward_log10_prob"
SENTENCE_SCORE = "sentence_log10_prob"
SCORES = (HISTORY_SCORE, FORWARD_SCORE, SENTENCE_SCORE)

ITEM_ID = Column("id", CODED, "id of the item")
WORD = Column("word", CODED, "the candidate")
HISTORY = Column(HISTORY_SCORE, pa.float32(), "log10 P(word | two tokens before)")

FIT = "fit"  # verdict of an item or a candidate without faults
ITEMS_A_PART = 2048


@dataclass(frozen=True, slots=True)
class Part:
    """Rows `first` to `last`, exclusive, of the focus words; `model` made their questions."""

    first: int
    last: int
    number: int = 0
    model: int = 0

    @property
    def file(self) -> str:
        return f"part-{self.number:05}.parquet"


def count_focus_words(focus: Artifact) -> int:
    return int(focus.manifest["files"][FOCUS]["rows"])


def focus_parts(focus: Artifact, index: Artifact) -> list[Part]:
    groups = read_groups(index)
    if not groups:
        return cut_in_parts([(count_focus_words(focus), 0)])
    ids = read_parquet(focus.path(FOCUS), columns=["id"])["id"].to_pylist()
    models = (groups[item_id.rsplit(":", 2)[0]] for item_id in ids)
    return cut_in_parts((len(list(run)), model) for model, run in itertools.groupby(models))


def cut_in_parts(runs: Iterable[tuple[int, int]]) -> list[Part]:
    """Cut runs of (items, model) into parts of at most a fixed size.

    >>> [(part.first, part.last, part.model) for part in cut_in_parts([(3000, 1), (10, 2)])]
    [(0, 2048, 1), (2048, 3000, 1), (3000, 3010, 2)]
    """
    parts: list[Part] = []
    start = 0
    for n_items, model in runs:
        end = start + n_items
        for first in range(start, end, ITEMS_A_PART):
            parts.append(Part(first, min(first + ITEMS_A_PART, end), len(parts), model))
        start = end
    return parts


def note_parts(
    writer: ArtifactWriter, folder: str, parts: Sequence[Part], counts: Sequence[int]
) -> None:
    """Note the number of rows of each part for the manifest."""
    for part, count in zip(parts, counts, strict=True):
        writer.rows[f"{folder}/{part.file}"] = count


def part_paths(artifact: Artifact, folder: str) -> list[Path]:
    return sorted(artifact.path(folder).glob("part-*.parquet"))


def item_slices(ids: np.ndarray) -> Iterator[slice]:
    """Slices of equal values: the rows of one item after the other.

    >>> [(s.start, s.stop) for s in item_slices(np.array([4, 4, 7]))]
    [(0, 2), (2, 3)]
    """
    if len(ids) == 0:
        return
    cuts = np.flatnonzero(np.diff(ids)) + 1
    edges = [0, *cuts.tolist(), len(ids)]
    yield from (slice(a, b) for a, b in itertools.pairwise(edges))


def coded(codes: np.ndarray, values: Sequence[str]) -> pa.DictionaryArray:
    """A column of texts, from an index into `values` a row; shape (rows,)."""
    used, indices = np.unique(codes, return_inverse=True)
    return pa.DictionaryArray.from_arrays(
        pa.array(indices.astype(np.int32)),
        pa.array([values[i] for i in used.tolist()], pa.string()),
    )


def coded_column(table: pa.Table, name: str) -> pa.DictionaryArray:
    """A column as one dictionary array."""
    column = table[name].combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks else pa.array([], column.type)
    return column if isinstance(column, pa.DictionaryArray) else column.dictionary_encode()


@dataclass(frozen=True, slots=True)
class Inputs:
    """The folders of the artifacts that workers read; cheap to send to them."""

    focus: Path
    index: Path
    contexts: Path = Path()

    def open(self) -> Reader:
        """The reader of this process."""
        return _reader(self)


class Reader:
    """Opens each input once a process, and of models only the latest."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self._latest: dict[str, tuple[int, Any]] = {}

    def index(self, model: int) -> ForwardIndex:
        return self._of_model("index", model, self._open_index)

    def space(self, model: int) -> WordKnowledge:
        return self._of_model("space", model, self._open_space)

    def sentence_ids(self, model: int) -> dict[str, np.ndarray]:
        """Vocabulary ids of each sentence, int64, shape (tokens + 2,), with `<s>` and `</s>`."""
        return self._of_model("sentence_ids", model, self._read_sentence_ids)

    @functools.cached_property
    def sentences(self) -> dict[str, Sentence]:
        return read_source_sentences(open_artifact(self._inputs.focus))

    def focus(self, part: Part) -> dict[str, list[Any]]:
        """The columns of the part's focus words."""
        rows = self._focus_words.slice(part.first, part.last - part.first)
        return rows.to_pydict()

    @functools.cached_property
    def _focus_words(self) -> pa.Table:
        return read_parquet(self._inputs.focus / FOCUS)

    def _of_model(self, kind: str, model: int, make: Callable[[int], Opened]) -> Opened:
        if kind not in self._latest or self._latest[kind][0] != model:
            self._latest[kind] = model, make(model)
        return self._latest[kind][1]

    def _open_index(self, model: int) -> ForwardIndex:
        return open_index(of_model(open_artifact(self._inputs.index), model))

    def _open_space(self, model: int) -> WordKnowledge:
        return read_word_knowledge(of_model(open_artifact(self._inputs.contexts), model))

    def _read_sentence_ids(self, model: int) -> dict[str, np.ndarray]:
        index = self.index(model)
        ids = {}
        for key, sentence in self.sentences.items():
            ids[key] = np.array([index.start, *index.ids(sentence.tokens), index.end], np.int64)
        return ids


_reader = functools.lru_cache(maxsize=1)(Reader)
