"""Tables in parts: how the middle stages cut the focus words into work, and write and read rows of candidates.

A part is a fixed number of focus words, in their order, or what is left of those of one model, so the bytes of a table do not depend on
the workers.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cloze_gen.lm.arpa import word_ids
from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.stages.corpus.held_out import read_groups
from cloze_gen.stages.tables import FOCUS
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import read_parquet, write_parquet

ITEMS_A_PART = 2048


@dataclass(frozen=True, slots=True)
class Part:
    """Some consecutive focus words, for a worker.

    Attributes:
        first, last: their rows in their table, `last` exclusive.
        out: where the part's own table goes.
        number: of the part, from 0.
        model: of the language model that makes their questions (`stages.corpus.held_out`); 0 where one makes them all.
    """

    first: int
    last: int
    out: Path
    number: int = 0
    model: int = 0

    @property
    def name(self) -> str:
        return _part_name(self.number)


def _part_name(number: int) -> str:
    return f"part-{number:05}.parquet"


def count_focus_words(focus: Artifact) -> int:
    return int(focus.manifest["files"][FOCUS]["rows"])


def focus_parts(focus: Artifact, index: Artifact, out: Path) -> list[Part]:
    """The focus words in parts, none of which has words of two models; makes the folder of their tables."""
    groups = read_groups(index)
    if not groups:
        return cut_in_parts([(count_focus_words(focus), 0)], out)
    ids = read_parquet(focus.path(FOCUS), columns=["id"])["id"].to_pylist()
    models = (groups[item_id.rsplit(":", 2)[0]] for item_id in ids)
    return cut_in_parts([(len(list(run)), model) for model, run in itertools.groupby(models)], out)


def cut_in_parts(runs: Iterable[tuple[int, int]], out: Path) -> list[Part]:
    """Cut runs of (items, their model), one after the other, into parts of at most a fixed size; makes the folder of their tables."""
    out.mkdir(parents=True, exist_ok=True)
    parts: list[Part] = []
    start = 0
    for n_items, model in runs:
        for first in range(start, start + n_items, ITEMS_A_PART):
            parts.append(Part(first, min(first + ITEMS_A_PART, start + n_items), out, len(parts), model))
        start += n_items
    return parts


def note_parts(writer: ArtifactWriter, folder: str, counts: Sequence[int]) -> None:
    """Tell the manifest of the rows of each part of a table."""
    writer.rows |= {f"{folder}/{_part_name(i)}": count for i, count in enumerate(counts)}


def part_paths(artifact: Artifact, folder: str) -> list[Path]:
    """The files of a table, in the order of the focus words."""
    return sorted(artifact.path(folder).glob("part-*.parquet"))


def item_slices(ids: np.ndarray) -> Iterator[slice]:
    """Runs of equal values: the rows of one item after the other.

    >>> [(s.start, s.stop) for s in item_slices(np.array([4, 4, 7]))]
    [(0, 2), (2, 3)]
    """
    if len(ids) == 0:
        return
    cuts = np.flatnonzero(np.diff(ids)) + 1
    edges = [0, *cuts.tolist(), len(ids)]
    yield from (slice(a, b) for a, b in itertools.pairwise(edges))


def write_rows(path: Path, *, ids: Sequence[str], item: np.ndarray, words: Sequence[str], word: np.ndarray, **columns: Any) -> int:
    """Write a part, a row a candidate: `id` and `word` spelt out as dictionary columns, then the other columns. Returns the rows.

    Args:
        ids: all item ids; `item` holds positions in it, shape (rows,).
        words: the vocabulary; `word` holds positions in it, shape (rows,).
    """
    table = {"id": _spelt(item, ids), "word": _spelt(word, words), **columns}
    return write_parquet(path, table)


def _spelt(codes: np.ndarray, values: Sequence[str]) -> pa.DictionaryArray:
    used, indices = np.unique(codes, return_inverse=True)
    return pa.DictionaryArray.from_arrays(pa.array(indices.astype(np.int32)), pa.array([values[i] for i in used.tolist()], pa.string()))


def read_rows(path: Path, index: ForwardIndex) -> tuple[np.ndarray, np.ndarray, pa.Table]:
    """A part back: run-length item numbers (0, 0, ..., 1, ...), vocabulary ids, both of shape (rows,), and the whole table."""
    table = read_parquet(path)
    words, ids = dictionary_column(table, "word"), dictionary_column(table, "id")
    return ids.indices.to_numpy(), word_ids(words, index.vocabulary), table


def dictionary_column(table: pa.Table, name: str) -> pa.DictionaryArray:
    """A dictionary column of a table as one array."""
    combined = table[name].combine_chunks()
    if isinstance(combined, pa.ChunkedArray):
        combined = combined.chunk(0) if combined.num_chunks else pa.array([], combined.type)
    return combined if isinstance(combined, pa.DictionaryArray) else combined.dictionary_encode()


def columns_of(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> dict[str, list[Any]]:
    """Rows as columns, in the order of the names.

    >>> columns_of([{"id": "b:1:2", "rank": 3}], ("rank", "id"))
    {'rank': [3], 'id': ['b:1:2']}
    """
    rows = list(rows)
    return {name: [row[name] for row in rows] for name in names}
