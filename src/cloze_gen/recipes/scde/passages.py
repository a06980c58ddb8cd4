"""Windows: whole paragraphs of one chapter, of 10 to 30 sentences, that become passages (SCDE 5.7).

Novels have no passages, so we cut them. A window is prose without wrongly split sentences and
offensive words, it does not begin or end inside a speech, and the text before it does not lead into
it. Each window draws a target length in words, so that lengths vary around the published mean of
319.6 (Table 3).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import Field

from cloze_gen.corpus.arrays import (
    BookText,
    SentenceTraits,
    book_text,
    sentence_traits,
    whole_sentences,
)
from cloze_gen.corpus.books import SENTENCES, book_folder, kept_books
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.hyphens import HYPHENS, mend_text, read_hyphen_forms, write_hyphens
from cloze_gen.corpus.normalization import LINE_END_HYPHEN
from cloze_gen.corpus.paragraphs import PROSE
from cloze_gen.corpus.source_sentences import hyphen_evidence
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.recipes.tables import rejection_table, write_pieces
from cloze_gen.records.rejection import Reason, Rejection, first_reason
from cloze_gen.rng import derive_rng, stable_fraction
from cloze_gen.settings import MOST_COUNTED, MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.schema import CODED, Column, Table
from cloze_gen.store.tables import read_parquet
from cloze_gen.word_tokens import is_word

_LEADS_ON = frozenset((",", ";", ":", "-", "--", "---"))
_SHORTEST = 0.6  # drawn length, as a share of the mean
_LONGEST = 1.4


class PassagesSettings(SettingsGroup):
    min_sentences: int = Field(10, ge=1, le=MOST_EACH, description="least number of sentences; 5.7")
    max_sentences: int = Field(
        30, ge=1, le=MOST_EACH, description="greatest number of sentences; 5.7"
    )
    # Whole paragraphs and the bounds in sentences make windows longer: 319.6 words in Table 3.
    mean_words: int = Field(
        300,
        ge=1,
        le=MOST_COUNTED,
        description="mean of the lengths that are drawn, in words; mean in Table 3: 319.6",
    )
    per_book: int = Field(
        40,
        ge=1,
        le=MOST_COUNTED,
        description="most passages of a book",
    )


class PassageReason(Reason):
    NOT_PROSE = ("not_prose", "verse, a heading or not text")
    TORN = ("has_split_sentence", "a sentence is not whole, a heading or has odd marks")
    OFFENSIVE = ("offensive", "it contains a listed offensive word")
    IN_SPEECH = ("begins_within_speech", "it begins inside a speech")
    LED_TO = ("preceding_text_unfinished", "the text before it ends in a comma, a colon or a dash")
    NO_END = (
        "no_end_within_bounds",
        "no paragraph ends between passages.min_sentences and passages.max_sentences",
    )
    CUT_SHORT = (
        "cut_short",
        "a chapter, a break or other text ends it before passages.min_sentences",
    )
    THINNED = ("not_sampled", "passages.per_book other passages of the book were sampled")


PASSAGES = Table(
    "passages.parquet",
    "One row a passage, in the order of books and places. The text is in the ingested book.",
    Column("id", pa.string(), "id of the passage"),
    Column("book_id", CODED, "id of the book"),
    Column("part", CODED, "`train`, `development` or `test`"),
    Column("domain", CODED, "genre of the book"),
    Column("first", pa.int32(), "index of its first sentence in the book"),
    Column("last", pa.int32(), "index of its last sentence"),
    Column("sentences", pa.int32(), "number of sentences"),
    Column("words", pa.int32(), "tokens with a letter or a digit"),
    Column("start", pa.int32(), "first character in the text of the book"),
    Column("end", pa.int32(), "character after the last one"),
    example='{"id": "the-affair-of-the-green-umbrella:105", '
    '"book_id": "the-affair-of-the-green-umbrella", "part": "development", '
    '"domain": "Mystery", "first": 105, "last": 130, "sentences": 26, ...}',
)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Sentences of a book, both ends inclusive: a window, or the reason why they are none.

    `words` counts word tokens.
    """

    first: int
    last: int
    words: int
    reason: PassageReason | None = None


def cut_book(
    book: BookText,
    *,
    book_id: str,
    offensive: Container[str],
    settings: PassagesSettings,
    seed: int,
) -> list[Stretch]:
    """The windows and the other stretches of a book; each sentence is in one of them.

    >>> from cloze_gen.corpus.arrays import book_text
    >>> lines, kinds = ["CHAPTER I", "It rained .", "We slept .", "Someone came ."], ["heading", "prose", "prose", "prose"]
    >>> book = book_text(lines, kinds=kinds, paragraph=[0, 1, 1, 2])
    >>> small = PassagesSettings(min_sentences=2, max_sentences=2)
    >>> stretches = cut_book(book, book_id="emma", offensive=(), settings=small, seed=1)
    >>> [(stretch.first, stretch.last, stretch.reason and str(stretch.reason)) for stretch in stretches]
    [(0, 0, 'not_prose'), (1, 2, None), (3, 3, 'cut_short')]
    """
    paragraphs = _paragraphs(book, sentence_traits(book, offensive=offensive))
    stretches: list[Stretch] = []
    begin = 0
    while begin < len(paragraphs) - 1:
        ends, reason = _ends(paragraphs, begin, settings)
        end = begin + 1
        first = paragraphs[begin].first
        if reason is None:
            rng = derive_rng(seed, "scde.passages", f"{book_id}:{first}")
            end = _nearest_end(paragraphs, begin, ends, settings.mean_words, rng)
        words = paragraphs[end].words_before - paragraphs[begin].words_before
        if reason is not None and stretches and stretches[-1].reason == reason:
            earlier = stretches.pop()
            first = earlier.first
            words += earlier.words
        stretches.append(Stretch(first, paragraphs[end].first - 1, words, reason))
        begin = end
    windows = [stretch.first for stretch in stretches if stretch.reason is None]
    windows.sort(key=lambda first: stable_fraction("scde.thinning", f"{book_id}:{first}"))
    thinned = frozenset(windows[settings.per_book :])
    return [
        replace(stretch, reason=PassageReason.THINNED) if stretch.first in thinned else stretch
        for stretch in stretches
    ]


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """A paragraph.

    Attributes:
        first: its first sentence.
        words_before: words of the book before it.
        fault: why it is in no window.
        bound_to_previous: why no window begins at it or ends before it.
        after_break: something that is no sentence precedes it, such as a row of stars.
    """

    first: int
    words_before: int
    fault: PassageReason | None
    bound_to_previous: PassageReason | None
    after_break: bool


def _paragraphs(book: BookText, traits: SentenceTraits) -> list[_Paragraph]:
    """The paragraphs, and one of no sentence after the last."""
    counted = np.array([is_word(word) for word in book.types], dtype=np.bool_)[book.codes]
    words_before = np.concatenate(([0], np.cumsum(counted)))[book.bounds].tolist()
    whole = whole_sentences(book).tolist()
    offensive = traits.offensive.tolist()
    marks = traits.speech_marks.tolist()
    paragraphs: list[_Paragraph] = []
    end = 0
    number = -1
    left_open = False
    for next_number, sentences in itertools.groupby(book.paragraph.tolist()):
        first, end = end, end + len(list(sentences))
        against = {  # in order of precedence
            PassageReason.NOT_PROSE: book.kinds[first] != PROSE,
            PassageReason.TORN: not all(whole[first:end]),
            PassageReason.OFFENSIVE: any(offensive[first:end]),
        }
        bound_to_previous = None
        if left_open and traits.begins_with_mark[first]:
            bound_to_previous = PassageReason.IN_SPEECH
        elif first and book.types[book.codes[book.bounds[first] - 1]] in _LEADS_ON:
            bound_to_previous = PassageReason.LED_TO
        paragraphs.append(
            _Paragraph(
                first,
                words_before[first],
                first_reason(against),
                bound_to_previous,
                after_break=next_number > number + 1,
            )
        )
        # each paragraph of a speech opens with a mark, and only the last one closes it
        left_open = sum(marks[first:end]) % 2 == 1
        number = next_number
    behind = _Paragraph(end, words_before[end], PassageReason.NOT_PROSE, None, after_break=False)
    return [*paragraphs, behind]


def _ends(
    paragraphs: Sequence[_Paragraph], begin: int, settings: PassagesSettings
) -> tuple[list[int], PassageReason | None]:
    """Paragraphs before which a window from `begin` may end; if there are none, why."""
    first = paragraphs[begin]
    if first.fault:
        return [], first.fault
    ends: list[int] = []
    for end in range(begin + 1, len(paragraphs)):
        following = paragraphs[end]
        sentences = following.first - first.first
        stops = following.fault is not None or following.after_break
        if sentences < settings.min_sentences:
            if stops:
                return [], PassageReason.CUT_SHORT
            continue
        if sentences > settings.max_sentences:
            break
        if not following.bound_to_previous:
            ends.append(end)
        if stops:
            break
    if first.bound_to_previous or not ends:
        return [], first.bound_to_previous or PassageReason.NO_END
    return ends, None


def _nearest_end(
    paragraphs: Sequence[_Paragraph],
    begin: int,
    ends: Sequence[int],
    mean_words: int,
    rng: np.random.Generator,
) -> int:
    """The end that is nearest to a drawn length in words."""
    shortest = round(_SHORTEST * mean_words)
    longest = round(_LONGEST * mean_words)
    target = paragraphs[begin].words_before + int(rng.integers(shortest, longest, endpoint=True))
    return min(ends, key=lambda end: abs(paragraphs[end].words_before - target))


# ---- novels and their windows, as the stages read them


@dataclass(frozen=True, slots=True)
class Novel:
    id: str
    folder: Path
    part: str
    domain: str


def novels_of(partition: Artifact) -> list[Novel]:
    return [
        Novel(row["book_id"], book_folder(partition, row), row["part"], row["domain"])
        for row in kept_books(partition)
    ]


_COLUMNS = ["start", "end", "paragraph", "kind", "text", "tokens"]


@dataclass(frozen=True, slots=True)
class ReadNovel:
    """A novel's sentences, without words broken at line ends; `start`, `end`: characters."""

    text: BookText
    texts: list[str]
    start: NDArray[np.int32]
    end: NDArray[np.int32]


def read_novel(novel: Novel, hyphens: Path) -> ReadNovel:
    # As arrays: a `Sentence` each would take twice the time, in three stages.
    table = read_parquet(novel.folder / SENTENCES, columns=_COLUMNS)
    forms = read_hyphen_forms(hyphens)
    lines = table["tokens"].combine_chunks()
    texts = table["text"].to_pylist()
    for i, text in enumerate(texts):
        if LINE_END_HYPHEN in text:
            texts[i] = mend_text(text, lines[i].as_py(), forms)
    return ReadNovel(
        book_text(
            lines,
            kinds=table["kind"].to_pylist(),
            paragraph=table["paragraph"].to_numpy(),
            forms=forms,
        ),
        texts,
        table["start"].to_numpy(),
        table["end"].to_numpy(),
    )


@dataclass(frozen=True, slots=True)
class Window:
    """A row of `passages.parquet`; first and last are sentences of the book, inclusive."""

    id: str
    book_id: str
    part: str
    domain: str
    first: int
    last: int

    @property
    def sentences(self) -> range:
        return range(self.first, self.last + 1)


@functools.lru_cache(maxsize=1)
def windows_by_book(passages: Artifact) -> Mapping[str, list[Window]]:
    windows: dict[str, list[Window]] = {}
    names = ["id", "book_id", "part", "domain", "first", "last"]
    for row in PASSAGES.read(passages.path(PASSAGES.name), names).to_pylist():
        windows.setdefault(row["book_id"], []).append(Window(**row))
    return windows


def cut_novel(
    novel: Novel, *, hyphens: Path, offensive: frozenset[str], settings: PassagesSettings, seed: int
) -> tuple[pa.Table, pa.Table]:
    """Rows of `PASSAGES`, and of the other stretches as rejections."""
    book = read_novel(novel, hyphens)
    rows: list[dict[str, Any]] = []
    rejected: list[Rejection] = []
    for stretch in cut_book(
        book.text, book_id=novel.id, offensive=offensive, settings=settings, seed=seed
    ):
        passage_id = f"{novel.id}:{stretch.first}"
        sentences = stretch.last - stretch.first + 1
        if stretch.reason is not None:
            detail = f"sentences: {sentences:,}, words: {stretch.words:,}"
            rejected.append(Rejection(passage_id, stretch.reason, detail))
            continue
        row = {
            "id": passage_id,
            "book_id": novel.id,
            "part": novel.part,
            "domain": novel.domain,
            "first": stretch.first,
            "last": stretch.last,
            "sentences": sentences,
            "words": stretch.words,
            "start": book.start[stretch.first],
            "end": book.end[stretch.last],
        }
        rows.append(row)
    return PASSAGES.of_records(rows), rejection_table(rejected)


def write_passages(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    partition: Artifact,
    counts: Artifact,
    settings: PassagesSettings,
    offensive: frozenset[str],
    seed: int,
) -> None:
    write_hyphens(writer, hyphen_evidence(partition, read_counts(counts)))
    novels = novels_of(partition)
    cut = functools.partial(
        cut_novel,
        hyphens=writer.path(HYPHENS),
        offensive=offensive,
        settings=settings,
        seed=seed,
    )
    rejected = write_pieces(writer, ctx.map(cut, novels, unit="books"), PASSAGES)
    kept = writer.rows[PASSAGES.name]
    writer.funnel = funnel("stretches", kept=kept, rejected=rejected)
    ctx.say(f"{kept:,} passages from {len(novels):,} books")
