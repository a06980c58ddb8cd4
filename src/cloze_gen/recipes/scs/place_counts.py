"""The `places` stage: how often each word of the vocabulary has each place in the training books."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.corpus.books import SENTENCES, book_folder, kept_books
from cloze_gen.corpus.counts import Pair
from cloze_gen.corpus.normalization import LINE_END_HYPHEN
from cloze_gen.corpus.tagging import TAGS, lemma_pair, tag_folders
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.penn_tags import CONTENT_CLASSES, coarse_class
from cloze_gen.recipes.scs.places import N_USES, find_places, use_of
from cloze_gen.recipes.scs.token_kinds import N_KINDS, Kind, kind_of
from cloze_gen.recipes.scs.vocabulary import read_vocabulary
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact
from cloze_gen.store.tables import read_parquet, write_parquet

PLACES = "places.parquet"
_MERGED_AT_ONCE = 24  # books' counts, held until they are summed


@dataclass(frozen=True, slots=True)
class BookPlaces:
    folder: Path
    tags: Path
    vocabulary: Path


@functools.lru_cache(maxsize=1)
def _rows(folder: Path) -> dict[Pair, int]:
    return {pair: row for row, pair in enumerate(read_vocabulary(open_artifact(folder)))}


def count_book(shard: BookPlaces) -> tuple[np.ndarray, np.ndarray]:
    """Distinct keys of the places in one book, and their counts."""
    book = read_parquet(shard.folder / SENTENCES, columns=["tokens", "kind"])
    prose = pc.not_equal(book["kind"], "heading")
    words, word_at = _numbered(
        pc.replace_substring(book["tokens"].filter(prose), LINE_END_HYPHEN, "")
    )
    names, name_at = _numbered(read_parquet(shard.tags / TAGS)["tags"].filter(prose))
    types, at = np.unique(word_at * len(names) + name_at, return_inverse=True)
    pairs = [(words[i], names[j]) for i, j in zip(*np.divmod(types, len(names)), strict=True)]
    facts = np.array([_facts(word, tag, shard.vocabulary) for word, tag in pairs], np.int64)[at]
    return count_places(*facts[facts[:, 0] != Kind.UNPRINTED].T)


def _numbered(lines: pa.ChunkedArray) -> tuple[list[str], np.ndarray]:
    """Types and the type of each token; a full stop between sentences gets the kind `END`, like the
    end of a text.
    """
    split = pc.split_pattern(lines.combine_chunks(), " ")
    coded = split.flatten().dictionary_encode()
    types = [*coded.dictionary.to_pylist(), "."]
    starts = split.offsets.to_numpy()
    codes = np.insert(coded.indices.to_numpy().astype(np.int64), starts - starts[0], len(types) - 1)
    return types, codes


@functools.lru_cache(maxsize=500_000)  # most pairs are in many books
def _facts(token: str, tag: str, vocabulary: Path) -> tuple[int, int, int, int]:
    """Kind of a token, and class, use and row of a vocabulary word; otherwise -1, 0, -1."""
    kind = kind_of(token, tag)
    name = coarse_class(tag)
    row = _rows(vocabulary).get(lemma_pair(token, tag), -1) if name in CONTENT_CLASSES else -1
    if row < 0:
        return kind, -1, 0, -1
    return kind, CONTENT_CLASSES.index(name), use_of(tag, 0), row


def count_places(
    kinds: np.ndarray, classes: np.ndarray, uses: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Distinct keys (`split_keys`), ascending, of the places of a text's words, and their counts.

    Args:
        kinds: of the printed tokens.
        classes: index in `CONTENT_CLASSES` of a word of the vocabulary, else -1.
        uses: `use_of` words that are no verbs.
        rows: number of a word in the vocabulary.
    """
    places = find_places(kinds)
    at = np.flatnonzero(classes >= 0)
    classes = classes[at]
    uses = np.where(classes == CONTENT_CLASSES.index("verb"), places.voice[at], uses[at])
    keys = join_keys(rows[at], uses, places.left[classes, at], places.right[classes, at])
    return np.unique(keys, return_counts=True)


def join_keys(row: np.ndarray, use: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return ((row.astype(np.int64) * N_USES + use) * N_KINDS + left) * N_KINDS**2 + right


def split_keys(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(row, use, left, right) of every key; int64."""
    rest, right = np.divmod(keys, N_KINDS**2)
    rest, left = np.divmod(rest, N_KINDS)
    row, use = np.divmod(rest, N_USES)
    return row, use, left, right


def sum_counts(parts: Iterable[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Sum the (keys, counts) of several texts; keys ascending.

    >>> [array.tolist() for array in sum_counts([(np.array([3, 5]), np.array([1, 1])), (np.array([5]), np.array([2]))])]
    [[3, 5], [1, 3]]
    """
    held = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    for part in parts:
        held.append(part)
        if len(held) == _MERGED_AT_ONCE:
            held = [_summed(held)]
    return _summed(held)


def _summed(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    keys, inverse = np.unique(np.concatenate([keys for keys, _ in parts]), return_inverse=True)
    counts = np.concatenate([counts for _, counts in parts])
    return keys, np.bincount(inverse, counts, len(keys)).astype(np.int64)


def write_places(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    corpus: Artifact,
    tagging: Artifact,
    vocabulary: Artifact,
) -> None:
    """Write `places.parquet`; `use`, `left` and `right` are codes (`places.py`)."""
    folders = tag_folders(tagging)
    shards = [
        BookPlaces(book_folder(corpus, row), folders[row["book_id"]], vocabulary.folder)
        for row in kept_books(corpus)
    ]
    keys, counts = sum_counts(ctx.map(count_book, shards, unit="books"))
    row, use, left, right = split_keys(keys)
    writer.rows[PLACES] = write_parquet(writer.path(PLACES), {
        "row": pa.array(row, pa.int32()),
        "use": pa.array(use, pa.int32()),
        "left": pa.array(left, pa.int32()),
        "right": pa.array(right, pa.int32()),
        "count": pa.array(counts, pa.int64()),
    })  # fmt: skip
    writer.versions |= {"numpy": np.__version__, "pyarrow": pa.__version__}
    ctx.say(f"{int(counts.sum()):,} content words in {len(keys):,} (word, place) pairs")
