"""Windows: whole paragraphs of one chapter, of 10 to 30 sentences, that become passages (SCDE 5.7).

The paper: "we extract all passages from RACE ... and filter out passages which have less than 10 sentences or more than 30 sentences". A
novel has no passages, so we cut it: from the first paragraph on, window behind window, none overlapping another. What the paper does not
say: a window is of whole paragraphs and of prose alone, unbroken by a heading, by verse or by what is no text (a row of stars); it holds no
sentence that the book's typist left torn, and no offensive word; no speech is under way where it begins or ends, and what it begins with
is not led to by what precedes ("*he answered in these words:*").

Where a window ends is drawn from its own record: an aim, in words, and of the paragraph ends within the bounds the one nearest the aim. So
windows vary in length, and their mean is near the published passages' 319.6 words (Table 3; it is above the mean aim, for ten sentences may
be more words than were aimed at). A count of sentences alone would make windows of dialogue half as long as those of narrative.

An article (`source = jsonl`) is a passage already: what of it nothing breaks and lies within the bounds is one window, and only longer ones
are cut.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from cloze_gen.records.rejection import Rejection
from cloze_gen.rng import derive_rng, stable_fraction
from cloze_gen.settings import MOST_COUNTED, MOST_EACH, SettingsGroup
from cloze_gen.text.book_text import BookText
from cloze_gen.text.paragraphs import HEADING, PROSE
from cloze_gen.text.sentence_traits import SentenceTraits, sentence_traits
from cloze_gen.words import is_word

_LEADS_ON = frozenset((",", ";", ":", "-", "--", "---"))


class PassagesSettings(SettingsGroup):
    """Settings of the cutting of windows."""

    source: Literal["books", "jsonl"] = Field("books", description="what --books holds: novels, or articles as JSON (RACE)")
    min_sentences: int = Field(10, ge=1, le=MOST_EACH, description="inclusive; 5.7")
    max_sentences: int = Field(30, ge=1, le=MOST_EACH, description="inclusive; 5.7")
    min_aimed_words: int = Field(180, ge=1, le=MOST_COUNTED, description="inclusive; each window draws an aim between the two")
    max_aimed_words: int = Field(420, ge=1, le=MOST_COUNTED, description="inclusive; with 180 a window has some 320 words, Table 3: 319.6")
    per_book: int = Field(40, ge=1, le=MOST_COUNTED, description="windows of a book at most, by each window's own hash")


class PassageReason(StrEnum):
    """Why a stretch of a book is no window."""

    NOT_PROSE = "not_prose"
    LONG = "paragraph_long"
    TORN = "holds_torn_sentence"
    OFFENSIVE = "offensive"
    IN_SPEECH = "begins_within_speech"
    LED_TO = "led_to_by_what_precedes"
    NO_END = "no_end_within_bounds"
    CHAPTER_ENDS = "cut_short_by_chapter"
    BREAK = "cut_short_by_break"
    THINNED = "thinned_out"


@dataclass(frozen=True, slots=True)
class Window:
    """A span of a book's sentences; first and last are both within. `words` counts word tokens."""

    first: int
    last: int
    words: int


@dataclass(frozen=True, slots=True)
class CutBook:
    """The windows of a book in order, and every stretch of it that gave none."""

    windows: list[Window]
    rejected: list[Rejection]


def cut_windows(book: BookText, *, book_id: str, offensive: Container[str], settings: PassagesSettings, seed: int) -> CutBook:
    """The windows of a book; every sentence lies in one, or in a stretch that was rejected.

    A rejection's id is that of the stretch's first sentence. Stretches side by side with one reason are told as one, but each window that
    was thinned out is told alone.

    Args:
        offensive: words in small letters that no window may hold.

    >>> from cloze_gen.text.book_text import book_text
    >>> lines, kinds = ["CHAPTER I", "It rained .", "We slept .", "Nobody came ."], ["heading", "prose", "prose", "prose"]
    >>> book = book_text(lines, kinds=kinds, paragraph=[0, 1, 1, 2])
    >>> small = PassagesSettings(min_sentences=2, max_sentences=2)
    >>> cut = cut_windows(book, book_id="emma", offensive=(), settings=small, seed=1)
    >>> cut.windows, [(found.id, found.reason) for found in cut.rejected]
    ([Window(first=1, last=2, words=4)], [('emma:0', 'not_prose'), ('emma:3', 'cut_short_by_chapter')])
    """
    paragraphs = _paragraphs(book, sentence_traits(book, offensive=offensive), settings)
    stretches = list(_stretches(paragraphs, book_id, settings, seed))
    windows = [stretch for stretch in stretches if not stretch.reason]
    by_hash = sorted(windows, key=lambda one: (stable_fraction("scde.thinning", f"{book_id}:{paragraphs.starts[one.begin]}"), one.begin))
    thinned = {one.begin for one in by_hash[settings.per_book :]}
    kept = [paragraphs.window(one) for one in windows if one.begin not in thinned]
    told = [_Stretch(one.begin, one.end, PassageReason.THINNED) if one.begin in thinned else one for one in stretches]
    return CutBook(kept, [paragraphs.rejection(one, book_id) for one in _joined(told) if one.reason])


def chapter_numbers(kinds: Sequence[str]) -> NDArray[np.int32]:
    """The number of each sentence's chapter: how many headings stand before it, lines of one heading counted once; shape (sentences,).

    >>> chapter_numbers(["prose", "heading", "heading", "prose", "verse", "heading"]).tolist()
    [0, 1, 1, 1, 1, 2]
    """
    heading = np.array([kind == HEADING for kind in kinds], dtype=np.bool_)
    begins = heading & ~np.concatenate((np.zeros(1, np.bool_), heading))[:-1]
    return np.cumsum(begins, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Some paragraphs, `end` exclusive; a window where there is no reason against it."""

    begin: int
    end: int
    reason: PassageReason | None = None


@dataclass(frozen=True, slots=True)
class _Paragraphs:
    """The paragraphs of a book, as lists, for they are walked one by one.

    Attributes:
        starts: first sentence of each, and the number of sentences behind the last.
        words: word tokens before each, and of the whole book.
        faults: why a paragraph can be in no window, None where it can.
        parted: whether something that is no text lies before each.
        headings: whether each is a heading.
        ties: why the text may not be parted before a paragraph; behind the last too, where nothing is against it.
    """

    starts: list[int]
    words: list[int]
    faults: list[PassageReason | None]
    parted: list[bool]
    headings: list[bool]
    ties: list[PassageReason | None]

    def window(self, one: _Stretch) -> Window:
        return Window(self.starts[one.begin], self.starts[one.end] - 1, self.words[one.end] - self.words[one.begin])

    def rejection(self, one: _Stretch, book_id: str) -> Rejection:
        sentences, words = (values[one.end] - values[one.begin] for values in (self.starts, self.words))
        detail = f"{sentences:,} sentence{'s' * (sentences != 1)}, {words:,} word{'s' * (words != 1)}"
        return Rejection(f"{book_id}:{self.starts[one.begin]}", str(one.reason), detail)


def _paragraphs(book: BookText, traits: SentenceTraits, settings: PassagesSettings) -> _Paragraphs:
    if not book.sentence_count:
        return _Paragraphs([0], [0], [], [], [], [None])
    step = np.concatenate(([1], np.diff(book.paragraph)))
    starts = np.flatnonzero(step)
    kinds = np.array(book.kinds, dtype=object)[starts]
    sentences = np.diff(np.append(starts, book.sentence_count))
    is_one = np.array([is_word(word) for word in book.types], dtype=np.bool_)[book.codes]
    words = np.concatenate(([0], np.cumsum(is_one)))[book.bounds[np.append(starts, book.sentence_count)]]
    against = {  # in the order in which they are asked; the first that holds is the reason
        PassageReason.NOT_PROSE: kinds != PROSE,
        PassageReason.LONG: sentences > settings.max_sentences,
        PassageReason.TORN: np.logical_or.reduceat(~traits.whole, starts),
        PassageReason.OFFENSIVE: np.logical_or.reduceat(traits.offensive, starts),
    }
    asked = list(zip(*(holds.tolist() for holds in against.values()), strict=True))
    faults = [next(itertools.compress(against, row), None) for row in asked]
    first, last = [*starts.tolist(), book.sentence_count], words.tolist()
    return _Paragraphs(first, last, faults, (step[starts] > 1).tolist(), (kinds == HEADING).tolist(), _ties(book, traits, starts))


def _ties(book: BookText, traits: SentenceTraits, starts: NDArray[np.int64]) -> list[PassageReason | None]:
    """Why the text may not be parted before each paragraph, and behind the last.

    A speech of several paragraphs opens anew with each and closes with the last; what ends in a comma, a colon or a dash leads to the next.
    """
    left_open = np.add.reduceat(traits.speech_marks, starts) % 2 == 1
    goes_on = left_open[:-1] & traits.begins_with_mark[starts[1:]]
    leads = np.array([word in _LEADS_ON for word in book.types], dtype=np.bool_)[book.codes[book.bounds[starts[1:]] - 1]]
    ties = [
        PassageReason.IN_SPEECH if speech else PassageReason.LED_TO if led else None for speech, led in zip(goes_on, leads, strict=True)
    ]
    return [None, *ties, None]


def _stretches(paragraphs: _Paragraphs, book_id: str, settings: PassagesSettings, seed: int) -> Iterator[_Stretch]:
    """All paragraphs in order: a window, or one or more with the reason why they are none."""
    begin, count = 0, len(paragraphs.faults)
    while begin < count:
        if fault := paragraphs.faults[begin]:
            yield _Stretch(begin, begin + 1, fault)
            begin += 1
            continue
        end = begin + 1
        while end < count and not paragraphs.faults[end] and not paragraphs.parted[end]:
            end += 1
        yield from _cut_run(paragraphs, begin, end, book_id, settings, seed)
        begin = end


def _cut_run(paragraphs: _Paragraphs, begin: int, stop: int, book_id: str, settings: PassagesSettings, seed: int) -> Iterator[_Stretch]:
    """A run of paragraphs that nothing breaks, cut from its beginning on."""
    starts, words = paragraphs.starts, paragraphs.words
    while begin < stop:
        if starts[stop] - starts[begin] < settings.min_sentences:
            ends_chapter = stop == len(paragraphs.faults) or paragraphs.headings[stop]
            yield _Stretch(begin, stop, PassageReason.CHAPTER_ENDS if ends_chapter else PassageReason.BREAK)
            return
        nearest = bisect_left(starts, starts[begin] + settings.min_sentences, begin + 1, stop + 1)
        farthest = bisect_right(starts, starts[begin] + settings.max_sentences, begin + 1, stop + 1)
        ends = [end for end in range(nearest, farthest) if not paragraphs.ties[end]]
        if paragraphs.ties[begin] or not ends:
            yield _Stretch(begin, begin + 1, paragraphs.ties[begin] or PassageReason.NO_END)
            begin += 1
            continue
        if settings.source == "jsonl" and ends[-1] == stop:
            end = stop
        else:
            rng = derive_rng(seed, "scde.passages", f"{book_id}:{starts[begin]}")
            aim = words[begin] + int(rng.integers(settings.min_aimed_words, settings.max_aimed_words, endpoint=True))
            end = min(ends, key=lambda one: (abs(words[one] - aim), one))
        yield _Stretch(begin, end)
        begin = end


def _joined(stretches: Sequence[_Stretch]) -> Iterator[_Stretch]:
    """Those of one reason side by side as one, but for what was a window."""
    for reason, group in itertools.groupby(stretches, key=lambda one: one.reason):
        found = list(group)
        if reason in {None, PassageReason.THINNED}:
            yield from found
        else:
            yield _Stretch(found[0].begin, found[-1].end, reason)
