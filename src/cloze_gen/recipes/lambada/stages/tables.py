"""The tables of passages: a row a passage, a span of its book's sentences; and the records back from them, a book at a time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cloze_gen.recipes.lambada.steps.passages import KEPT, REASONS, CutPassages, count_in_context
from cloze_gen.records.passage import Part, Passage
from cloze_gen.stages.tables import SOURCE_SENTENCES
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import memory_mapped, read_parquet
from cloze_gen.text.book_text import BookText

PASSAGES, TOKENS = "passages.parquet", "tokens.npy"
_ROWS_AT_ONCE = 1 << 15


def passage_columns(
    book: BookText, cut: CutPassages, *, book_id: str, part: str, place: np.ndarray, start: np.ndarray, end: np.ndarray
) -> dict[str, pa.Array]:
    """The columns of passages.

    `id` of the target sentence, `book_id`, `part`, `first_sentence` and `sentence` (the first and the last, as they stand in the book),
    `start` and `end` (characters of the decoded file), `target`, `target_at` (its index in the last sentence), `context_tokens` and
    `sentence_tokens` (of the context and of the target sentence with its final marks, as a treebank cuts them), `in_context` (how often the
    target stands in the context, in any letter case), and where in `tokens.npy` the passage begins and its target stands: `first_number`,
    `target_number`.

    Args:
        place: where each sentence begins in `tokens.npy`, shape (sentences + 1,).
        start, end: of each sentence, shape (sentences,).
    """
    last, first, target = cut.kept, cut.first[cut.kept], cut.target[cut.kept]
    target_at = target - book.bounds[last]
    types = np.array(book.types, dtype=object)
    return {
        "id": _ids(book_id, last),
        "book_id": pa.array([book_id] * len(last), pa.string()).dictionary_encode(),
        "part": pa.array([part] * len(last), pa.string()).dictionary_encode(),
        "first_sentence": pa.array(first.astype(np.int32)),
        "sentence": pa.array(last.astype(np.int32)),
        "start": pa.array(start[first].astype(np.int32)),
        "end": pa.array(end[last].astype(np.int32)),
        "target": pa.array(types[book.codes[target]].tolist(), pa.string()),
        "target_at": pa.array(target_at.astype(np.int16)),
        "context_tokens": pa.array(cut.context_tokens[last].astype(np.int16)),
        "sentence_tokens": pa.array(cut.sentence_tokens[last].astype(np.int16)),
        "in_context": pa.array(count_in_context(book, cut).astype(np.int16)),
        "first_number": pa.array(place[first].astype(np.int64)),
        "target_number": pa.array((place[last] + target_at).astype(np.int64)),
    }


def verdict_columns(cut: CutPassages, book_id: str) -> dict[str, pa.Array]:
    """The columns of the sentences that end no passage: `id`, `reason`, `detail`, as `stages.tables.rejection_columns` has them."""
    rejected = np.flatnonzero(cut.verdict != KEPT)
    reasons = pa.array([str(reason) for reason in REASONS], pa.string())
    return {
        "id": _ids(book_id, rejected),
        "reason": reasons.take(pa.array(cut.verdict[rejected])).dictionary_encode(),
        "detail": pa.array([""] * len(rejected), pa.string()),
    }


def _ids(book_id: str, sentences: np.ndarray) -> pa.Array:
    return pc.binary_join_element_wise(pa.scalar(book_id), pa.array(sentences).cast(pa.string()), ":")


def read_passages(artifact: Artifact, *, which: Callable[[str], bool] = lambda passage_id: True) -> Iterator[Passage]:
    """The passages as records, in their order; one novel's sentences are held at a time.

    Args:
        which: whether a passage is asked for, by its id.
    """
    sentences = by_book(artifact.path(SOURCE_SENTENCES), ["book_id", "index", "text", "tokens"])
    columns = ["id", "book_id", "part", "first_sentence", "sentence", "target_at", "start", "end"]
    for (book_id, table), (_, shown) in zip(by_book(artifact.path(PASSAGES), columns), sentences, strict=True):
        asked = pa.array(map(which, table["id"].to_pylist()), pa.bool_())
        if not pc.any(asked).as_py():
            continue
        row = {index: i for i, index in enumerate(shown["index"].to_pylist())}
        texts, lines = shown["text"].to_pylist(), shown["tokens"].to_pylist()
        for passage_id, _, part, first, last, target_at, start, end in zip(*table.filter(asked).to_pydict().values(), strict=True):
            rows = range(row[first], row[last] + 1)
            tokens = tuple(tuple(lines[i].split(" ")) for i in rows)
            yield Passage(passage_id, book_id, Part(part), tokens, tuple(texts[i] for i in rows), target_at, start, end)


def by_book(path: Path, columns: list[str]) -> Iterator[tuple[str, pa.Table]]:
    """The rows of each book of a table that is sorted by `book_id`, one book at a time."""
    waiting: list[pa.RecordBatch] = []
    for batch in pq.ParquetFile(path).iter_batches(batch_size=_ROWS_AT_ONCE, columns=columns):
        books = batch.column("book_id").cast(pa.string()).to_numpy(zero_copy_only=False)
        cuts = [0, *(np.flatnonzero(books[1:] != books[:-1]) + 1).tolist(), len(books)]
        for begin, stop in itertools.pairwise(cuts):
            if waiting and waiting[0].column("book_id")[0].as_py() != books[begin]:
                yield _one_book(waiting)
                waiting = []
            waiting.append(batch.slice(begin, stop - begin))
    if waiting:
        yield _one_book(waiting)


def _one_book(batches: list[pa.RecordBatch]) -> tuple[str, pa.Table]:
    return batches[0].column("book_id")[0].as_py(), pa.Table.from_batches(batches)


@dataclass(frozen=True, slots=True)
class NumberedPassages:
    """All passages as spans of one array of word numbers, for what scores them.

    Attributes:
        ids: the passages' ids, shape (passages,).
        numbers: uint32, memory-mapped: a word's row in the training counts, from 1; one more than their rows for an unknown word; 0 behind
            each sentence.
        first: int64, shape (passages,): where each passage begins in `numbers`.
        target: int64, shape (passages,): where its target stands.
    """

    ids: pa.ChunkedArray
    numbers: np.ndarray
    first: np.ndarray
    target: np.ndarray

    def before_target(self, passage: int) -> np.ndarray:
        """The numbers of a passage's words up to its target, 0 between sentences, shape (words,)."""
        return self.numbers[self.first[passage] : self.target[passage]]


def read_numbered(artifact: Artifact) -> NumberedPassages:
    """The passages as `write_passages` numbered them."""
    table = read_parquet(artifact.path(PASSAGES), columns=["id", "first_number", "target_number"])
    spans = (table[name].to_numpy() for name in ("first_number", "target_number"))
    return NumberedPassages(table["id"], memory_mapped(artifact.path(TOKENS)), *spans)
