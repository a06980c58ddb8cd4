"""Passages: a minimal context of whole sentences and a target sentence (LAMBADA 3.1).

"The context size is the minimum number of complete sentences before the target sentence such that
they cumulatively contain at least 50 tokens": treebank tokens (``do | n't``) and punctuation. Found
in the 4,869 development passages: targets of letters only, target sentences of 10 to 71 tokens with
their final marks, contexts of at most 155. Our additions: a passage is prose of one chapter, has no
wrongly split sentence and does not begin inside a speech.
"""

from __future__ import annotations

import functools
import itertools
import shutil
from collections import Counter
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pydantic import Field

from cloze_gen.corpus.arrays import (
    BookText,
    book_text,
    least_context,
    sentence_traits,
    whole_sentences,
)
from cloze_gen.corpus.books import SENTENCES, book_folder, kept_books
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.hyphens import HYPHENS, mend_text, write_hyphens
from cloze_gen.corpus.normalization import LINE_END_HYPHEN
from cloze_gen.corpus.paragraphs import HEADING, PROSE
from cloze_gen.corpus.source_sentences import book_parts, decided_hyphens, hyphen_evidence
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.treebank import treebank_split
from cloze_gen.records.passage import Part, Passage
from cloze_gen.records.rejection import Reason
from cloze_gen.settings import MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel, open_artifact
from cloze_gen.store.tables import (
    REJECTED,
    SOURCE_SENTENCES,
    join_parquet,
    memory_mapped,
    read_parquet,
    write_parquet,
)


class PassagesSettings(SettingsGroup):
    min_context_tokens: int = Field(
        50,
        ge=1,
        le=MOST_EACH,
        description="least tokens of the context; 3.1",
    )
    max_context_tokens: int = Field(
        160,
        ge=1,
        le=MOST_EACH,
        description="most tokens of the context; published: 155",
    )
    min_target_sentence_tokens: int = Field(
        10,
        ge=2,
        le=MOST_EACH,
        description="least tokens of the last sentence; published: 10",
    )
    max_target_sentence_tokens: int = Field(
        71,
        ge=2,
        le=MOST_EACH,
        description="most tokens of the last sentence; published: 71",
    )


class PassageReason(Reason):
    NOT_PROSE = ("sentence_not_prose", "the sentence is verse, a heading or not text")
    WITHOUT_FINAL_MARK = ("sentence_without_final_mark", "the sentence does not end with . ? or !")
    TARGET_NOT_LETTERS = ("target_not_alphabetic", "the last word is not written with letters only")
    SHORT = ("target_sentence_short", "fewer tokens than passages.min_target_sentence_tokens")
    LONG = ("target_sentence_long", "more tokens than passages.max_target_sentence_tokens")
    CHAPTER_BEGINS = (
        "context_cut_by_chapter",
        "too few sentences before it in the chapter (passages.min_context_tokens)",
    )
    CONTEXT_NOT_PROSE = ("context_not_prose", "the context contains verse, a table or a break")
    CONTEXT_LONG = ("context_long", "the context has more tokens than passages.max_context_tokens")
    BEGINS_IN_SPEECH = ("passage_begins_within_speech", "the context begins inside a speech")
    TORN = (
        "passage_has_split_sentence",
        "a sentence of the passage is not whole, a heading or has odd marks",
    )
    OFFENSIVE = ("passage_offensive", "the passage contains a listed offensive word")
    PARAGRAPH_ENDLESS = (
        "paragraph_endless",
        "a paragraph of more than 1,000 sentences: the book lost its paragraphs and chapters",
    )


REASONS = tuple(PassageReason)
KEPT = -1
_MOST_IN_PARAGRAPH = 1_000  # sentences; the longest paragraph of 605 books has 324


@dataclass(frozen=True, slots=True)
class CutPassages:
    """The verdict on each sentence of a book; arrays have shape (sentences,).

    Attributes:
        verdict: `KEPT`, or the index of the reason in `REASONS`.
        first, target: index of the first sentence; of the target among the book's tokens; or -1.
        context_tokens, sentence_tokens: treebank tokens.
    """

    verdict: NDArray[np.int8]
    first: NDArray[np.int64]
    target: NDArray[np.int64]
    context_tokens: NDArray[np.int64]
    sentence_tokens: NDArray[np.int64]

    @property
    def kept(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.verdict == KEPT)

    def reason(self, sentence: int) -> PassageReason | None:
        verdict = int(self.verdict[sentence])
        return None if verdict == KEPT else REASONS[verdict]


def cut_passages(
    book: BookText, *, offensive: Container[str], settings: PassagesSettings
) -> CutPassages:
    """The passages of a book; `offensive` words are case-folded.

    >>> from cloze_gen.corpus.arrays import book_text
    >>> book = book_text(["Who was it ?", "I saw someone .", "It was only Jane ."])
    >>> small = PassagesSettings(min_context_tokens=4, min_target_sentence_tokens=4)
    >>> cut = cut_passages(book, offensive=(), settings=small)
    >>> cut.kept.tolist(), cut.first.tolist(), [book.types[book.codes[place]] for place in cut.target[cut.kept]], str(cut.reason(0))
    ([1, 2], [-1, 0, 1], ['someone', 'Jane'], 'context_cut_by_chapter')
    """
    traits = sentence_traits(book, offensive=offensive)
    first, context_tokens = least_context(traits.tokens, settings.min_context_tokens)
    opening = np.maximum(first, 0)
    own = np.arange(book.sentence_count)
    may_be_target = (
        target_types(book)[book.codes][traits.last_word]
        if len(book.codes)
        else np.zeros(0, np.bool_)
    )
    kinds = np.array(book.kinds, dtype=object)
    prose = kinds == PROSE
    endless = np.bincount(book.paragraph)[book.paragraph] > _MOST_IN_PARAGRAPH
    against = {  # in order of precedence
        PassageReason.NOT_PROSE: ~prose,
        PassageReason.WITHOUT_FINAL_MARK: ~traits.closed,
        PassageReason.TARGET_NOT_LETTERS: ~may_be_target,
        PassageReason.SHORT: traits.tokens < settings.min_target_sentence_tokens,
        PassageReason.LONG: traits.tokens > settings.max_target_sentence_tokens,
        PassageReason.CHAPTER_BEGINS: (first < 0) | _any_of(kinds == HEADING, opening, own),
        PassageReason.CONTEXT_NOT_PROSE: _interrupted(prose, book.paragraph, opening, own),
        PassageReason.CONTEXT_LONG: context_tokens > settings.max_context_tokens,
        PassageReason.BEGINS_IN_SPEECH: traits.in_speech[opening],
        PassageReason.TORN: _any_of(~whole_sentences(book), opening, own),
        PassageReason.OFFENSIVE: _any_of(traits.offensive, opening, own),
        PassageReason.PARAGRAPH_ENDLESS: endless,
    }
    verdict = np.full(book.sentence_count, KEPT, dtype=np.int8)
    for reason, holds in against.items():
        verdict[holds & (verdict == KEPT)] = REASONS.index(reason)
    return CutPassages(verdict, first, traits.last_word, context_tokens, traits.tokens)


def target_types(book: BookText) -> NDArray[np.bool_]:
    """bool, shape (types,): letters only, and no contraction that a treebank splits.

    >>> from cloze_gen.corpus.arrays import book_text
    >>> book = book_text(["I cannot say it isn't so ."])
    >>> [word for word, may in zip(book.types, target_types(book), strict=True) if may]
    ['I', 'say', 'it', 'so']
    """
    return np.array(
        [word.isalpha() and len(treebank_split(word)) == 1 for word in book.types], dtype=np.bool_
    )


def count_in_context(book: BookText, cut: CutPassages) -> NDArray[np.int64]:
    """Shape (passages,): how often each target occurs in its context, in any case."""
    folded: dict[str, int] = {}
    words = np.array(
        [folded.setdefault(word.casefold(), len(folded)) for word in book.types], dtype=np.int64
    )[book.codes]
    places = len(words) + 1
    # every word's positions, one word after the other
    keys = np.sort(words * places + np.arange(len(words)))
    of_target = words[cut.target[cut.kept]] * places
    edges = (of_target + book.bounds[sentence] for sentence in (cut.first[cut.kept], cut.kept))
    first, last = (np.searchsorted(keys, edge) for edge in edges)
    return last - first


def _interrupted(
    prose: NDArray[np.bool_],
    paragraph: NDArray[np.int32],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
) -> NDArray[np.bool_]:
    gap = np.concatenate(([False], np.diff(paragraph) > 1))
    return _any_of(~prose, first, last) | _any_of(gap, first + 1, last)


def _any_of(
    holds: NDArray[np.bool_], first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.bool_]:
    sums = np.concatenate((np.zeros(1, np.int64), np.cumsum(holds, dtype=np.int64)))
    return sums[last + 1] - sums[np.minimum(first, last + 1)] > 0


PASSAGES, TOKENS = "passages.parquet", "tokens.npy"
_ROWS_AT_ONCE = 1 << 15
_PARTS = (Part.DEVELOPMENT, Part.TEST)


def passage_columns(
    book: BookText,
    cut: CutPassages,
    *,
    book_id: str,
    part: str,
    place: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
) -> dict[str, pa.Array]:
    """`place` and `*_number` are indices in `tokens.npy`; `start` and `end` in characters."""
    last, first, target = cut.kept, cut.first[cut.kept], cut.target[cut.kept]
    target_position = target - book.bounds[last]
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
        "target_position": pa.array(target_position.astype(np.int16)),
        "context_tokens": pa.array(cut.context_tokens[last].astype(np.int16)),
        "sentence_tokens": pa.array(cut.sentence_tokens[last].astype(np.int16)),
        "in_context": pa.array(count_in_context(book, cut).astype(np.int16)),
        "first_token_index": pa.array(place[first].astype(np.int64)),
        "target_token_index": pa.array((place[last] + target_position).astype(np.int64)),
    }


def verdict_columns(cut: CutPassages, book_id: str) -> dict[str, pa.Array]:
    rejected = np.flatnonzero(cut.verdict != KEPT)
    reasons = pa.array([str(reason) for reason in REASONS], pa.string())
    return {
        "id": _ids(book_id, rejected),
        "reason": reasons.take(pa.array(cut.verdict[rejected])).dictionary_encode(),
        "detail": pa.array([""] * len(rejected), pa.string()),
    }


def _ids(book_id: str, sentences: np.ndarray) -> pa.Array:
    return pc.binary_join_element_wise(
        pa.scalar(book_id), pa.array(sentences).cast(pa.string()), ":"
    )


def read_passages(
    artifact: Artifact, *, which: Callable[[str], bool] = lambda passage_id: True
) -> Iterator[Passage]:
    """Passages as records, in order; holds the sentences of one novel in memory at a time."""
    sentences = by_book(artifact.path(SOURCE_SENTENCES), ["book_id", "index", "text", "tokens"])
    columns = [
        "id",
        "book_id",
        "part",
        "first_sentence",
        "sentence",
        "target_position",
        "start",
        "end",
    ]
    for (book_id, table), (_, of_sentences) in zip(
        by_book(artifact.path(PASSAGES), columns), sentences, strict=True
    ):
        selected = pa.array(map(which, table["id"].to_pylist()), pa.bool_())
        if not pc.any(selected).as_py():
            continue
        row = {index: i for i, index in enumerate(of_sentences["index"].to_pylist())}
        texts, lines = of_sentences["text"].to_pylist(), of_sentences["tokens"].to_pylist()
        for passage_id, _, part, first, last, target_position, start, end in zip(
            *table.filter(selected).to_pydict().values(), strict=True
        ):
            rows = range(row[first], row[last] + 1)
            tokens = tuple(tuple(lines[i].split(" ")) for i in rows)
            yield Passage(
                passage_id,
                book_id,
                Part(part),
                tokens,
                tuple(texts[i] for i in rows),
                target_position,
                start,
                end,
            )


def batches(passages: Iterator[Passage], size: int) -> Iterator[tuple[Passage, ...]]:
    while batch := tuple(itertools.islice(passages, size)):
        yield batch


def by_book(path: Path, columns: list[str]) -> Iterator[tuple[str, pa.Table]]:
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
    """All passages as spans of one memory-mapped array of word numbers (`write_passages`)."""

    ids: pa.ChunkedArray
    numbers: np.ndarray
    first: np.ndarray
    target: np.ndarray


def read_numbered(artifact: Artifact) -> NumberedPassages:
    table = read_parquet(
        artifact.path(PASSAGES), columns=["id", "first_token_index", "target_token_index"]
    )
    spans = (table[name].to_numpy() for name in ("first_token_index", "target_token_index"))
    return NumberedPassages(table["id"], memory_mapped(artifact.path(TOKENS)), *spans)


_COLUMNS = ["start", "end", "paragraph", "kind", "text", "tokens"]


@dataclass(frozen=True, slots=True)
class NovelShard:
    """One novel for a worker; `place` is the index of its first token in `tokens.npy`."""

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
    passages: int
    reasons: Counter[str]
    context_sentences: int
    context_tokens: int


def cut_novel(shard: NovelShard) -> CutNovel:
    table = read_parquet(shard.folder / SENTENCES, columns=_COLUMNS)
    kinds = table["kind"].to_pylist()
    forms = decided_hyphens(shard.hyphens)
    book = book_text(
        table["tokens"].combine_chunks(),
        kinds=kinds,
        paragraph=table["paragraph"].to_numpy(),
        forms=forms,
    )
    cut = cut_passages(book, offensive=shard.offensive, settings=shard.settings)
    kept = cut.kept
    shown = _within(cut.first[kept], kept, book.sentence_count)
    place = shard.place + book.bounds + np.arange(len(book.bounds))
    span = {"start": table["start"].to_numpy(), "end": table["end"].to_numpy()}
    columns = passage_columns(
        book, cut, book_id=shard.book_id, part=shard.part, place=place, **span
    )
    write_parquet(shard.out / PASSAGES, columns)
    write_parquet(
        shard.out / SOURCE_SENTENCES,
        _sentence_columns(table, book, shown, book_id=shard.book_id, forms=forms),
    )
    write_parquet(shard.out / REJECTED, verdict_columns(cut, shard.book_id))
    (shard.out / TOKENS).write_bytes(numbered(book, _word_numbers(shard.counts)).tobytes())
    codes, counts = np.unique(cut.verdict[cut.verdict != KEPT], return_counts=True)
    reasons = Counter(
        {
            str(REASONS[code]): count
            for code, count in zip(codes.tolist(), counts.tolist(), strict=True)
        }
    )
    return CutNovel(
        len(kept),
        reasons,
        int((kept - cut.first[kept]).sum()),
        int(cut.context_tokens[kept].sum()),
    )


def write_passages(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    partition: Artifact,
    counts: Artifact,
    settings: PassagesSettings,
    offensive: frozenset[str],
) -> None:
    """Write the passages of the development and test novels, in order of book and sentence.

    `tokens.npy` (uint32) has for each token its row in the training counts, from 1. An unknown token
    has the number of rows plus 1. A 0 follows each sentence.
    """
    write_hyphens(writer, hyphen_evidence(partition, read_counts(counts)))
    hyphens = writer.path(HYPHENS)
    books = [row for row in kept_books(partition) if row["part"] in _PARTS]
    lengths = [int(row["tokens"]) + int(row["sentences"]) for row in books]
    places = np.concatenate(([0], np.cumsum(lengths))).tolist()
    with book_parts(writer, len(books)) as folders:
        shards = [
            NovelShard(
                row["book_id"],
                row["part"],
                book_folder(partition, row),
                counts.folder,
                hyphens,
                out,
                place,
                offensive,
                settings,
            )
            for row, out, place in zip(books, folders, places[:-1], strict=True)
        ]
        found = list(ctx.map(cut_novel, shards, unit="novels"))
        reasons = sum((one.reasons for one in found), Counter[str]())
        n_passages = sum(one.passages for one in found)
        for name in (PASSAGES, SOURCE_SENTENCES, REJECTED):
            writer.rows[name] = join_parquet(
                writer.path(name), [folder / name for folder in folders]
            )
        writer.rows[TOKENS] = _join_numbers(
            writer.path(TOKENS), [folder / TOKENS for folder in folders], places[-1]
        )
    writer.funnel = funnel("sentences", kept=n_passages, rejected=reasons)
    writer.facts |= {
        "passages": {
            part: sum(
                one.passages for row, one in zip(books, found, strict=True) if row["part"] == part
            )
            for part in _PARTS
        },
        "mean_context_sentences": round(
            sum(one.context_sentences for one in found) / max(1, n_passages), 4
        ),
        "mean_context_tokens": round(
            sum(one.context_tokens for one in found) / max(1, n_passages), 4
        ),
    }
    ctx.say(f"{n_passages:,} passages from {n_passages + reasons.total():,} sentences")


@functools.lru_cache(maxsize=1)
def _word_numbers(counts: Path) -> dict[str, int]:
    table = read_counts(open_artifact(counts))
    return {word: i + 1 for i, word in enumerate(table.words)}


def numbered(book: BookText, numbers: dict[str, int]) -> np.ndarray:
    """uint32, shape (tokens + sentences,): a book's tokens as numbers, 0 after each sentence.

    >>> numbered(book_text(["the sea .", "the"]), {"the": 1, ".": 2}).tolist()
    [1, 3, 2, 0, 1, 0]
    """
    unknown = len(numbers) + 1
    of_type = np.array([numbers.get(word, unknown) for word in book.types], dtype="<u4")
    return np.insert(of_type[book.codes], book.bounds[1:], 0)


def _within(first: np.ndarray, last: np.ndarray, count: int) -> np.ndarray:
    edges = np.bincount(first, minlength=count + 1) - np.bincount(last + 1, minlength=count + 1)
    return np.flatnonzero(np.cumsum(edges[:count]) > 0)


def _sentence_columns(
    table: pa.Table, book: BookText, shown: np.ndarray, *, book_id: str, forms: dict[str, str]
) -> dict[str, pa.Array]:
    """The columns of sentences; words hyphenated at a line end are in their chosen form."""
    words = pa.array(book.types, pa.string()).take(pa.array(book.codes))
    lines = pc.binary_join(
        pa.ListArray.from_arrays(pa.array(book.bounds.astype(np.int32)), words), " "
    )
    taken = table.take(pa.array(shown))
    texts = zip(taken["text"].to_pylist(), taken["tokens"].to_pylist(), strict=True)
    return {
        "book_id": pa.array([book_id] * len(shown), pa.string()).dictionary_encode(),
        "index": pa.array(shown.astype(np.int32)),
        **{name: taken[name].combine_chunks() for name in ("start", "end", "paragraph")},
        "text": pa.array(
            [mend_text(*one, forms) if LINE_END_HYPHEN in one[0] else one[0] for one in texts],
            pa.string(),
        ),
        "tokens": lines.take(pa.array(shown)),
    }


def _join_numbers(path: Path, parts: list[Path], count: int) -> int:
    """Concatenate the parts into one file; a memory map would kill the process on a full disk."""
    with open(path, "wb") as joined:
        np.lib.format.write_array_header_1_0(
            joined, {"descr": "<u4", "fortran_order": False, "shape": (count,)}
        )
        for part in parts:
            with open(part, "rb") as handle:
                shutil.copyfileobj(handle, joined, 1 << 20)
    return count
