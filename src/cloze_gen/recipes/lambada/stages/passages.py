"""Passages of the novels: cut book by book, kept as spans of the books' own sentences."""

from __future__ import annotations

import functools
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.errors import CorpusError
from cloze_gen.recipes.lambada.stages.tables import PASSAGES, TOKENS, passage_columns, verdict_columns
from cloze_gen.recipes.lambada.steps.passages import KEPT, REASONS, PassagesSettings, cut_passages
from cloze_gen.records.passage import Part
from cloze_gen.stages.corpus.book_files import SENTENCES
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.hyphens import HYPHENS, mend_text, write_hyphens
from cloze_gen.stages.offensive_words import offensive_words
from cloze_gen.stages.room import Room
from cloze_gen.stages.source_books import book_parts, decided_hyphens, hyphen_evidence
from cloze_gen.stages.tables import REJECTED, SOURCE_SENTENCES
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel, open_artifact
from cloze_gen.store.tables import join_parquet, read_parquet, write_parquet
from cloze_gen.text.book_text import BookText, book_text
from cloze_gen.text.normalize import LINE_END_HYPHEN

_COLUMNS = ["start", "end", "paragraph", "kind", "text", "tokens"]


@dataclass(frozen=True, slots=True)
class NovelShard:
    """One novel to be cut by a worker, which reads what all share once, from disk.

    Attributes:
        folder: the ingested book.
        counts: folder of the training counts, by whose rows words are numbered.
        hyphens: the decided line-end hyphens (`write_hyphens`).
        out: where the worker leaves its part of each table.
        place: where the novel's tokens begin in `tokens.npy`.
    """

    book_id: str
    part: str
    folder: Path
    counts: Path
    hyphens: Path
    out: Path
    place: int
    offensive: frozenset[str]
    settings: PassagesSettings


@dataclass(frozen=True, slots=True)
class CutNovel:
    """What a worker reports of its novel: sums, from which the stage's funnel and facts are made."""

    passages: int
    reasons: Counter[str]
    context_sentences: int
    context_tokens: int
    numbers: int


def cut_novel(shard: NovelShard) -> CutNovel:
    """Write every verdict of one novel, and the sentences and numbers that its passages are spans of."""
    table = read_parquet(shard.folder / SENTENCES, columns=_COLUMNS)
    kinds = table["kind"].to_pylist()
    forms = decided_hyphens(shard.hyphens)
    book = book_text(table["tokens"].combine_chunks(), kinds=kinds, paragraph=table["paragraph"].to_numpy(), forms=forms)
    cut = cut_passages(book, book_id=shard.book_id, offensive=shard.offensive, settings=shard.settings)
    kept = cut.kept
    shown = _within(cut.first[kept], kept, book.sentence_count)
    place = shard.place + book.bounds + np.arange(len(book.bounds))  # a separator behind each sentence
    span = {"start": table["start"].to_numpy(), "end": table["end"].to_numpy()}
    columns = passage_columns(book, cut, book_id=shard.book_id, part=shard.part, place=place, **span)
    write_parquet(shard.out / PASSAGES, columns)
    write_parquet(shard.out / SOURCE_SENTENCES, _sentence_columns(table, book, shown, book_id=shard.book_id, forms=forms))
    write_parquet(shard.out / REJECTED, verdict_columns(cut, shard.book_id))
    (shard.out / TOKENS).write_bytes(numbered(book, _word_numbers(shard.counts)).tobytes())
    codes, counts = np.unique(cut.verdict[cut.verdict != KEPT], return_counts=True)
    reasons = Counter({str(REASONS[code]): count for code, count in zip(codes.tolist(), counts.tolist(), strict=True)})
    return CutNovel(
        len(kept), reasons, int((kept - cut.first[kept]).sum()), int(cut.context_tokens[kept].sum()), len(book.codes) + book.sentence_count
    )


def write_passages(
    writer: ArtifactWriter,
    room: Room,
    *,
    partition: Artifact,
    counts: Artifact,
    settings: PassagesSettings,
    offensive: str,
    parts: Sequence[Part] = (Part.DEVELOPMENT, Part.TEST),
) -> None:
    """Write the passages of the novels of some parts, in order of book and sentence.

    Files: `passages.parquet`, a row a passage (`passage_columns`). `sentences.parquet`, each sentence that a passage holds once: `book_id`,
    `index` in the book, `start`, `end` (characters of the decoded file), `paragraph`, `text`, `tokens` joined by spaces. `tokens.npy`
    (uint32), all sentences of these novels as numbers: each token's row in the training counts, from 1, one more than their rows for
    a word that the training novels do not have, and 0 after each sentence. `rejected.parquet`, every other sentence: `id`, `reason`,
    `detail` (empty). `hyphens.tsv` (`write_hyphens`), how words that a line end broke were decided.

    Passages overlap, so they are kept as spans; workers write them book by book, and the parts are joined a row group at a time.

    Args:
        counts: of the training novels.
        offensive: names the list of words that no passage may hold (`stages.offensive_words`).
        parts: of whose novels; a model that learns from passages asks for those of the training novels, as an artifact of their own.

    Raises:
        CorpusError: no novel has a passage.
        UsageError: the list of offensive words cannot be read.
    """
    write_hyphens(writer, hyphen_evidence(partition, read_counts(counts)))
    hyphens, words = writer.path(HYPHENS), offensive_words(offensive)
    books = [row for row in kept_books(partition) if row["part"] in parts]
    lengths = [int(row["tokens"]) + int(row["sentences"]) for row in books]
    places = np.concatenate(([0], np.cumsum(lengths))).tolist()
    with book_parts(writer, len(books)) as folders:
        shards = [
            NovelShard(row["book_id"], row["part"], book_folder(partition, row), counts.folder, hyphens, out, place, words, settings)
            for row, out, place in zip(books, folders, places[:-1], strict=True)
        ]
        found = list(room.map(cut_novel, shards, unit="novels"))
        if [one.numbers for one in found] != lengths:
            raise CorpusError("the table of books and the books differ in their tokens. This is a fault of cloze-gen, please report it.")
        reasons = sum((one.reasons for one in found), Counter[str]())
        n_passages = sum(one.passages for one in found)
        if not n_passages:
            _refuse(parts, reasons)
        for name in (PASSAGES, SOURCE_SENTENCES, REJECTED):
            writer.rows[name] = join_parquet(writer.path(name), [folder / name for folder in folders])
        writer.rows[TOKENS] = _join_numbers(writer.path(TOKENS), [folder / TOKENS for folder in folders], places[-1])
    writer.funnel = funnel("sentences", kept=n_passages, rejected=reasons)
    writer.facts |= {
        "passages": {part: sum(one.passages for row, one in zip(books, found, strict=True) if row["part"] == part) for part in parts},
        "mean_context_sentences": round(sum(one.context_sentences for one in found) / n_passages, 4),
        "mean_context_tokens": round(sum(one.context_tokens for one in found) / n_passages, 4),
    }
    room.say(f"{n_passages:,} of {n_passages + reasons.total():,} sentences end a passage")


def _refuse(parts: Sequence[Part], reasons: Counter[str]) -> NoReturn:
    told = ", ".join(f"{reason} {count:,}" for reason, count in sorted(reasons.items()))
    raise CorpusError(
        f"no sentence of the {' and '.join(parts)} novels ends a passage ({told}). Lower passages.min_context_tokens or "
        "passages.min_target_sentence_tokens, raise their upper bounds, or give more novels."
    )


@functools.lru_cache(maxsize=1)
def _word_numbers(counts: Path) -> dict[str, int]:
    table = read_counts(open_artifact(counts))
    return {word: i + 1 for i, word in enumerate(table.words)}


def numbered(book: BookText, numbers: dict[str, int]) -> np.ndarray:
    """A book's tokens as numbers, 0 after each sentence.

    Args:
        numbers: of each known word, from 1; one that is missing has the next number after the last.
    Returns:
        uint32, shape (tokens + sentences,).

    >>> numbered(book_text(["the sea .", "the"]), {"the": 1, ".": 2}).tolist()
    [1, 3, 2, 0, 1, 0]
    """
    unknown = len(numbers) + 1
    of_type = np.array([numbers.get(word, unknown) for word in book.types], dtype="<u4")
    return np.insert(of_type[book.codes], book.bounds[1:], 0)


def _within(first: np.ndarray, last: np.ndarray, count: int) -> np.ndarray:
    """Which of `count` sentences lie in any of the spans, `last` among them: their places in order."""
    edges = np.bincount(first, minlength=count + 1) - np.bincount(last + 1, minlength=count + 1)
    return np.flatnonzero(np.cumsum(edges[:count]) > 0)


def _sentence_columns(table: pa.Table, book: BookText, shown: np.ndarray, *, book_id: str, forms: dict[str, str]) -> dict[str, pa.Array]:
    """The columns of the shown sentences, words that a line end broke in their decided form."""
    words = pa.array(book.types, pa.string()).take(pa.array(book.codes))
    lines = pc.binary_join(pa.ListArray.from_arrays(pa.array(book.bounds.astype(np.int32)), words), " ")
    taken = table.take(pa.array(shown))
    texts = zip(taken["text"].to_pylist(), taken["tokens"].to_pylist(), strict=True)
    return {
        "book_id": pa.array([book_id] * len(shown), pa.string()).dictionary_encode(),
        "index": pa.array(shown.astype(np.int32)),
        **{name: taken[name].combine_chunks() for name in ("start", "end", "paragraph")},
        "text": pa.array([mend_text(*one, forms) if LINE_END_HYPHEN in one[0] else one[0] for one in texts], pa.string()),
        "tokens": lines.take(pa.array(shown)),
    }


def _join_numbers(path: Path, parts: list[Path], count: int) -> int:
    """The parts' numbers one after another as one array; not a memory map, for on a full disk that ends the process without a word."""
    with open(path, "wb") as joined:
        np.lib.format.write_array_header_1_0(joined, {"descr": "<u4", "fortran_order": False, "shape": (count,)})
        for part in parts:
            with open(part, "rb") as handle:
                shutil.copyfileobj(handle, joined, 1 << 20)
    return count
