"""Focus words and their alternates as tables of numbers: how the middle stages hand items to workers and to one another.

The tables lie in parts of a fixed number of items, in the order of the focus words, so their bytes do not depend on the workers.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from cloze_gen.lm.arpa import word_ids
from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.recipes.msr.steps.alternates import AlternatesSettings
from cloze_gen.recipes.msr.steps.focus import FocusSettings
from cloze_gen.recipes.msr.steps.forward import ForwardSettings
from cloze_gen.recipes.msr.steps.screening import ScreeningSettings
from cloze_gen.stages.models.index import open_index
from cloze_gen.stages.tables import FOCUS, read_source_sentences
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact
from cloze_gen.store.tables import read_parquet, write_parquet

ITEMS_A_PART = 2048


@dataclass(frozen=True, slots=True)
class Part:
    """Some consecutive items of a table, for a worker: rows `first` to `last` of the focus table."""

    first: int
    last: int
    out: Path

    @property
    def name(self) -> str:
        return f"part-{self.first // ITEMS_A_PART:05}.parquet"


class ItemSettings(Protocol):
    """The settings that the middle stages read."""

    focus: FocusSettings
    alternates: AlternatesSettings
    screening: ScreeningSettings
    forward: ForwardSettings


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of the items, and the folders and settings a worker needs for it."""

    part: Part
    focus: Path
    index: Path
    counts: Path
    upstream: Path
    settings: ItemSettings
    passed: Path = Path()
    seed: int = 0


def first_shard(settings: ItemSettings, seed: int, *, focus: Artifact, index: Artifact, counts: Artifact,
                upstream: Artifact | None = None, passed: Artifact | None = None) -> tuple[Shard, int]:  # fmt: skip
    """What every shard of a stage shares, and the number of focus words."""
    n_items = int(focus.manifest["files"][FOCUS]["rows"])
    shard = Shard(
        part=Part(0, 0, Path()),
        focus=focus.folder,
        index=index.folder,
        counts=counts.folder,
        upstream=upstream.folder if upstream else Path(),
        settings=settings,
        passed=passed.folder if passed else Path(),
        seed=seed,
    )
    return shard, n_items


def shards(shard: Shard, n_items: int, out: Path) -> list[Shard]:
    """The same shard for every part of n items."""
    return [replace(shard, part=part) for part in parts(n_items, out)]


def focus_slice(shard: Shard) -> dict[str, list[Any]]:
    """The shard's own focus words, column by column."""
    return focus_rows(shard.focus).slice(shard.part.first, shard.part.last - shard.part.first).to_pydict()


@functools.lru_cache(maxsize=1)
def sentence_ids(focus_folder: Path, index_folder: Path) -> dict[str, np.ndarray]:
    """The sentences as vocabulary ids, `<s>` first and `</s>` last."""
    index = worker_index(index_folder)
    sentences = read_source_sentences(open_artifact(focus_folder))
    return {key: np.array([index.start, *index.ids(s.tokens), index.end], np.int64) for key, s in sentences.items()}


@functools.lru_cache(maxsize=1)
def worker_index(folder: Path) -> ForwardIndex:
    """The forward index, opened once a worker; its arrays are shared through the page cache."""
    return open_index(open_artifact(folder))


@functools.lru_cache(maxsize=2)
def focus_rows(folder: Path) -> pa.Table:
    return read_parquet(folder / FOCUS)


def parts(n_items: int, out: Path) -> list[Part]:
    """Cut n items into parts of a fixed size."""
    out.mkdir(parents=True, exist_ok=True)
    return [Part(first, min(first + ITEMS_A_PART, n_items), out) for first in range(0, n_items, ITEMS_A_PART)]


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


def write_rows(path: Path, *, ids: Any, item: np.ndarray, words: list[str], word: np.ndarray, **columns: Any) -> int:
    """Write a part: one row a candidate, with its item's id and its word spelt out.

    Args:
        ids: all item ids; `item` holds positions in it.
        words: the vocabulary; `word` holds positions in it.
    """
    table = {"id": _spelt(item, ids), "word": _spelt(word, words), **columns}
    return write_parquet(path, table)


def _spelt(codes: np.ndarray, values: Any) -> pa.DictionaryArray:
    used, indices = np.unique(codes, return_inverse=True)
    return pa.DictionaryArray.from_arrays(pa.array(indices.astype(np.int32)), pa.array([values[i] for i in used.tolist()], pa.string()))


def read_rows(path: Path, index: ForwardIndex) -> tuple[np.ndarray, np.ndarray, pa.Table]:
    """A part back: run-length item numbers (0, 0, ..., 1, ...), vocabulary ids, and the whole table."""
    table = read_parquet(path)
    words = column(table, "word")
    ids = column(table, "id")
    return ids.indices.to_numpy(), word_ids(words, index.vocabulary), table


def column(table: pa.Table, name: str) -> pa.DictionaryArray:
    """A dictionary column of a table as one array."""
    combined = table[name].combine_chunks()
    if isinstance(combined, pa.ChunkedArray):
        combined = combined.chunk(0) if combined.num_chunks else pa.array([], combined.type)
    return combined if isinstance(combined, pa.DictionaryArray) else combined.dictionary_encode()


def write_parts(writer: ArtifactWriter, folder: str, counts: list[int]) -> None:
    for i, count in enumerate(counts):
        writer.rows[f"{folder}/part-{i:05}.parquet"] = count


def part_paths(artifact: Artifact, folder: str) -> list[Path]:
    return sorted(artifact.path(folder).glob("part-*.parquet"))
