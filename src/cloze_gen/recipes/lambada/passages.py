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
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
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
from cloze_gen.corpus.books import book_folder, kept_books
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.hyphens import HYPHENS, read_hyphen_forms, write_hyphens
from cloze_gen.corpus.paragraphs import HEADING, PROSE
from cloze_gen.corpus.source_sentences import hyphen_evidence, read_sentences
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.treebank import host, treebank_split
from cloze_gen.recipes.tables import SENTENCES, rejection_table, sentence_table, write_pieces
from cloze_gen.records.passage import Part, Passage
from cloze_gen.records.rejection import Reason, Rejection
from cloze_gen.records.sentence import Sentence
from cloze_gen.records.spans import TakenSpans
from cloze_gen.settings import MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.schema import CODED, Column, Table


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


_MOST_IN_PARAGRAPH = 1_000  # sentences; the longest paragraph of 605 books has 324


@dataclass(frozen=True, slots=True)
class CutPassages:
    """The verdict on each sentence of a book; arrays have shape (sentences,).

    Attributes:
        reason: of rejection; empty for a sentence that ends a passage.
        first, target: index of the first sentence; of the target among the book's tokens; or -1.
        context_tokens, sentence_tokens: treebank tokens.
    """

    reason: NDArray[np.str_]
    first: NDArray[np.int64]
    target: NDArray[np.int64]
    context_tokens: NDArray[np.int64]
    sentence_tokens: NDArray[np.int64]

    @property
    def kept(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.reason == "")


def cut_passages(
    book: BookText, *, offensive: Container[str], settings: PassagesSettings
) -> CutPassages:
    """The passages of a book; `offensive` words are case-folded.

    >>> from cloze_gen.corpus.arrays import book_text
    >>> book = book_text(["Who was it ?", "I saw someone .", "It was only Jane ."])
    >>> small = PassagesSettings(min_context_tokens=4, min_target_sentence_tokens=4)
    >>> cut = cut_passages(book, offensive=(), settings=small)
    >>> cut.first.tolist(), cut.reason.tolist()
    ([-1, 0, 1], ['context_cut_by_chapter', '', ''])
    >>> [book.types[book.codes[place]] for place in cut.target[cut.kept]]
    ['someone', 'Jane']
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
    against: dict[str, NDArray[np.bool_]] = {  # in order of precedence
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
    reason = np.select(list(against.values()), list(map(str, against)), default="")
    return CutPassages(reason, first, traits.last_word, context_tokens, traits.tokens)


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


def count_in_context(book: BookText, cut: CutPassages) -> list[int]:
    """How often the target of each passage occurs in its context, in any case, as a word or before
    a clitic: `Joe's` contains *Joe*.
    """
    _, folded = np.unique([host(word).casefold() for word in book.types], return_inverse=True)
    words = folded[book.codes]
    counts = []
    for last in cut.kept:
        context = words[book.bounds[cut.first[last]] : book.bounds[last]]
        counts.append(int(np.count_nonzero(context == words[cut.target[last]])))
    return counts


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


PASSAGES = Table(
    "passages.parquet",
    "One row a passage, in the order of books and sentences. Passages overlap, so they are stored "
    "as spans.",
    Column("id", pa.string(), "id of the passage"),
    Column("book_id", CODED, "id of the book"),
    Column("part", CODED, "`development` or `test`"),
    Column("first_sentence", pa.int32(), "index of the first sentence of the context"),
    Column("sentence", pa.int32(), "index of the target's sentence"),
    Column("start", pa.int32(), "first character of the passage in the text of the book"),
    Column("end", pa.int32(), "character after its last one"),
    Column("target", pa.string(), "the target"),
    Column("target_position", pa.int16(), "index of the target among the tokens of its sentence"),
    Column("context_tokens", pa.int16(), "treebank tokens of the context"),
    Column(
        "sentence_tokens",
        pa.int16(),
        "treebank tokens of the target's sentence, final marks included",
    ),
    Column(
        "in_context",
        pa.int16(),
        "how often the target occurs in the context, in any letter case, also before a clitic",
    ),
    example='{"id": "aunt-sabinas-goose:8", "book_id": "aunt-sabinas-goose", "part": "test", '
    '"first_sentence": 6, "sentence": 8, "start": 249, "end": 767, "target": "Gubbin", '
    '"target_position": 14, "context_tokens": 97, "sentence_tokens": 16, "in_context": 1}',
)


SPAN = ["id", "book_id", "start", "end"]
Row = Mapping[str, Any]


def first_apart(rows: Iterable[Row], *, most: int, taken: Iterable[Row] = ()) -> list[str]:
    """Ids of the first `most` rows of `PASSAGES` that overlap neither each other nor `taken`."""
    spans = TakenSpans((row["book_id"], row["start"], row["end"]) for row in taken)
    chosen: list[str] = []
    for row in rows:
        span = (row["book_id"], row["start"], row["end"])
        if len(chosen) < most and not spans.overlaps(*span):
            spans.add(*span)
            chosen.append(row["id"])
    return chosen


def cut_novel(
    novel: dict[str, str],
    *,
    partition: Artifact,
    hyphens: Path,
    offensive: frozenset[str],
    settings: PassagesSettings,
) -> tuple[pa.Table, pa.Table, pa.Table]:
    """The passages of a row of the partition, their sentences, and all other sentences: rows of
    `PASSAGES`, `SENTENCES` and `REJECTIONS`.
    """
    forms = read_hyphen_forms(hyphens)
    folder = book_folder(partition, novel)
    sentences = list(read_sentences(folder, novel["book_id"], forms))
    book = book_text(
        [" ".join(sentence.tokens) for sentence in sentences],
        kinds=[sentence.kind for sentence in sentences],
        paragraph=[sentence.paragraph for sentence in sentences],
    )
    cut = cut_passages(book, offensive=offensive, settings=settings)
    passages = _passage_rows(sentences, book, cut, novel["part"])
    shown: set[int] = set()
    for row in passages:
        shown.update(range(row["first_sentence"], row["sentence"] + 1))
    rejected = [
        Rejection(sentence.id, reason)
        for sentence, reason in zip(sentences, cut.reason.tolist(), strict=True)
        if reason
    ]
    return (
        PASSAGES.of_records(passages),
        sentence_table([sentences[index] for index in sorted(shown)]),
        rejection_table(rejected),
    )


def _passage_rows(
    sentences: Sequence[Sentence], book: BookText, cut: CutPassages, part: str
) -> list[dict[str, Any]]:
    rows = []
    for last, in_context in zip(cut.kept.tolist(), count_in_context(book, cut), strict=True):
        sentence = sentences[last]
        first = sentences[cut.first[last]]
        position = int(cut.target[last] - book.bounds[last])
        row = {
            "id": sentence.id,
            "book_id": sentence.book_id,
            "part": part,
            "first_sentence": first.index,
            "sentence": sentence.index,
            "start": first.start,
            "end": sentence.end,
            "target": sentence.tokens[position],
            "target_position": position,
            "context_tokens": int(cut.context_tokens[last]),
            "sentence_tokens": int(cut.sentence_tokens[last]),
            "in_context": in_context,
        }
        rows.append(row)
    return rows


def write_passages(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    partition: Artifact,
    counts: Artifact,
    settings: PassagesSettings,
    offensive: frozenset[str],
) -> None:
    """Write the passages of the development and test novels, in order of book and sentence."""
    write_hyphens(writer, hyphen_evidence(partition, read_counts(counts)))
    novels = [row for row in kept_books(partition) if row["part"] != Part.TRAIN]
    cut = functools.partial(
        cut_novel,
        partition=partition,
        hyphens=writer.path(HYPHENS),
        offensive=offensive,
        settings=settings,
    )
    tables = ctx.map(cut, novels, unit="novels")
    rejected = write_pieces(writer, tables, PASSAGES, SENTENCES)
    kept = writer.rows[PASSAGES.name]
    writer.funnel = funnel("sentences", kept=kept, rejected=rejected)
    ctx.say(f"{kept:,} passages from {writer.funnel['seen']:,} sentences")


# ---- the passages of an artifact


class _Shown(NamedTuple):
    """A stored sentence; its place is its book and its index there."""

    place: tuple[str, int]
    tokens: tuple[str, ...]
    text: str


def read_passages(
    artifact: Artifact, *, which: Callable[[str], bool] = lambda passage_id: True
) -> Iterator[Passage]:
    """The passages with a wanted id, in order; memory holds the sentences of one passage."""
    sentences = _read_sentences(artifact)
    shown: deque[_Shown] = deque()  # of the passage: both tables have the same order
    for row in _read_rows(artifact, PASSAGES, _PASSAGE_COLUMNS):
        book_id = row["book_id"]
        while not shown or shown[-1].place != (book_id, row["sentence"]):
            shown.append(next(sentences))
        while shown[0].place != (book_id, row["first_sentence"]):
            shown.popleft()
        if which(row["id"]):
            yield Passage(
                row["id"],
                book_id,
                Part(row["part"]),
                tuple(sentence.tokens for sentence in shown),
                tuple(sentence.text for sentence in shown),
                row["target_position"],
                row["start"],
                row["end"],
            )


_PASSAGE_COLUMNS = [
    "id",
    "book_id",
    "part",
    "first_sentence",
    "sentence",
    "start",
    "end",
    "target_position",
]


def _read_sentences(artifact: Artifact) -> Iterator[_Shown]:
    for row in _read_rows(artifact, SENTENCES, ["book_id", "index", "text", "tokens"]):
        tokens = tuple(row["tokens"].split(" "))
        yield _Shown((row["book_id"], row["index"]), tokens, row["text"])


def _read_rows(artifact: Artifact, table: Table, columns: list[str]) -> Iterator[dict[str, Any]]:
    for batch in pq.ParquetFile(artifact.path(table.name)).iter_batches(columns=columns):
        yield from batch.to_pylist()


def batches(passages: Iterator[Passage], size: int) -> Iterator[tuple[Passage, ...]]:
    while batch := tuple(itertools.islice(passages, size)):
        yield batch
