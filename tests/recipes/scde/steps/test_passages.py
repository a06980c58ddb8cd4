"""Every sentence of a book lies in one window or in one stretch with its reason, and a window is what a passage must be."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.scde.steps.passages import CutBook, PassagesSettings, Window, chapter_numbers, cut_windows
from cloze_gen.text.book_text import BookText, book_text

RAIN, TORN, DAMN, OPEN, MORE, LEADS = (
    "It rained hard .",
    "and it rained",
    "Damn the rain .",
    '" Come in .',
    '" Sit down . "',
    "He said this :",
)
SMALL = PassagesSettings(min_sentences=3, max_sentences=6, min_aimed_words=8, max_aimed_words=20)
KINDS = st.sampled_from(["prose", "prose", "prose", "prose", "verse", "heading"])
SENTENCES = st.sampled_from([RAIN] * 8 + [TORN, DAMN, OPEN, MORE, LEADS])
PARAGRAPHS = st.lists(st.tuples(KINDS, st.lists(SENTENCES, min_size=1, max_size=8), st.integers(1, 8).map(lambda n: 2 if n == 8 else 1)))


def made(paragraphs: Sequence[tuple[str, Sequence[str], int]]) -> BookText:
    """A book of paragraphs: kind, sentences, and how far its number is from that of the one before."""
    numbers = list(itertools.accumulate(step for _, _, step in paragraphs))
    lines = [line for _, sentences, _ in paragraphs for line in sentences]
    kinds = [kind for kind, sentences, _ in paragraphs for _ in sentences]
    number = [n for n, (_, sentences, _) in zip(numbers, paragraphs, strict=True) for _ in sentences]
    return book_text(lines, kinds=kinds, paragraph=number)


def cut(*sentences: int | str | Sequence[str], settings: PassagesSettings = SMALL, seed: int = 1) -> CutBook:
    """A book of prose: a number is a paragraph of so many sentences, `#` a heading, `*` a row of stars, other text one sentence."""
    paragraphs: list[tuple[str, Sequence[str], int]] = []
    step = 1
    for one in sentences:
        if one == "*":
            step = 2
            continue
        lines = [RAIN] * one if isinstance(one, int) else [one] if isinstance(one, str) else one
        paragraphs.append(("heading" if one == "#" else "prose", ["CHAPTER I"] if one == "#" else lines, step))
        step = 1
    return cut_windows(made(paragraphs), book_id="b", offensive={"damn"}, settings=settings, seed=seed)


def spans(found: CutBook) -> list[tuple[int, int]]:
    return [(window.first, window.last) for window in found.windows]


def reasons(found: CutBook) -> list[tuple[int, str]]:
    return [(int(one.id.removeprefix("b:")), one.reason) for one in found.rejected]


@given(PARAGRAPHS, st.integers(0, 3), st.integers(1, 4))
def test_every_sentence_is_told_of_once(paragraphs: list[tuple[str, list[str], int]], seed: int, per_book: int) -> None:
    """Windows and stretches side by side are the book, in order, so no window overlaps another; and the words are all its words."""
    book = made(paragraphs)
    found = cut_windows(book, book_id="b", offensive={"damn"}, settings=SMALL.model_copy(update={"per_book": per_book}), seed=seed)
    told = [(window.first, window.last - window.first + 1, window.words) for window in found.windows]
    told += [
        (at, *(int(part.split()[0]) for part in one.detail.split(", ")))
        for (at, _), one in zip(reasons(found), found.rejected, strict=True)
    ]
    told.sort()
    assert [first for first, _, _ in told] == [0, *itertools.accumulate(count for _, count, _ in told)][:-1] if told else not paragraphs
    assert sum(count for _, count, _ in told) == book.sentence_count
    assert sum(words for _, _, words in told) == sum(word[0].isalpha() for i in range(book.sentence_count) for word in book.tokens(i))


@given(PARAGRAPHS, st.integers(0, 3))
def test_a_window_is_a_passage(paragraphs: list[tuple[str, list[str], int]], seed: int) -> None:
    """Whole paragraphs of prose, unbroken, in one chapter, within the bounds; nothing torn or offensive; no speech over its ends."""
    book = made(paragraphs)
    chapters = chapter_numbers(book.kinds)
    marks = [sum(token == '"' for token in book.tokens(i)) for i in range(book.sentence_count)]
    for window in cut_windows(book, book_id="b", offensive={"damn"}, settings=SMALL, seed=seed).windows:
        own = range(window.first, window.last + 1)
        lines = [" ".join(book.tokens(i)) for i in own]
        assert 3 <= len(own) <= 6
        assert {book.kinds[i] for i in own} == {"prose"}
        assert len({chapters[i] for i in own}) == 1
        assert not {TORN, DAMN} & set(lines)
        assert max(np.diff(book.paragraph[window.first : window.last + 1])) <= 1
        for edge in (window.first, window.last + 1):
            if 0 < edge < book.sentence_count:
                before = book.paragraph[edge - 1]
                assert book.paragraph[edge] != before
                left_open = sum(n for n, of in zip(marks, book.paragraph, strict=True) if of == before) % 2
                assert not (left_open and book.tokens(edge)[0] == '"')
                assert book.tokens(edge - 1)[-1] != ":"


@given(PARAGRAPHS, st.integers(1, 4))
def test_thinning_takes_windows_away_and_moves_none(paragraphs: list[tuple[str, list[str], int]], per_book: int) -> None:
    """Those that are kept are those of a book that is not thinned out, and the others are told as such."""
    every, few = (
        cut_windows(made(paragraphs), book_id="b", offensive={"damn"}, settings=SMALL.model_copy(update={"per_book": most}), seed=1)
        for most in (1000, per_book)
    )
    assert set(few.windows) <= set(every.windows)
    assert len(few.windows) == min(per_book, len(every.windows))
    thinned = {window.first for window in every.windows} - {window.first for window in few.windows}
    assert {at for at, reason in reasons(few) if reason == "thinned_out"} == thinned


@given(PARAGRAPHS, PARAGRAPHS)
def test_a_window_knows_nothing_of_what_follows_its_chapter(
    before: list[tuple[str, list[str], int]], behind: list[tuple[str, list[str], int]]
) -> None:
    """Another chapter behind changes no window before it."""
    heading = ("heading", ["CHAPTER II"], 1)
    alone, followed = (
        cut_windows(made(text), book_id="b", offensive=(), settings=SMALL, seed=1)
        for text in ([*before, heading], [*before, heading, *behind])
    )
    count = sum(len(sentences) for _, sentences, _ in before)
    assert alone.windows == [window for window in followed.windows if window.last < count]


@pytest.mark.parametrize(
    ("sentences", "windows", "rejected"),
    [
        (["#", 2, 1], [(1, 3)], [(0, "not_prose")]),
        (["#", 2, "#", 4], [(4, 7)], [(0, "not_prose"), (1, "cut_short_by_chapter"), (3, "not_prose")]),
        ([2, "*", 4], [(2, 5)], [(0, "cut_short_by_break")]),
        ([7, 4], [(7, 10)], [(0, "paragraph_long")]),
        ([2, TORN, 4], [(3, 6)], [(0, "cut_short_by_break"), (2, "holds_torn_sentence")]),
        ([DAMN, DAMN, 4], [(2, 5)], [(0, "offensive")]),
        ([2, 5, 1], [(2, 7)], [(0, "no_end_within_bounds")]),
        ([2, LEADS, 3, "#"], [(0, 5)], [(6, "not_prose")]),
        ([2, 2, LEADS, "*", 3], [(0, 3)], [(4, "cut_short_by_break"), (5, "led_to_by_what_precedes")]),
        (["*", LEADS, "#", 4], [(2, 5)], [(0, "cut_short_by_chapter"), (1, "not_prose")]),
        ([], [], []),
    ],
)
def test_cases(sentences: list[int | str], windows: list[tuple[int, int]], rejected: list[tuple[int, str]]) -> None:
    """What becomes of small books, and why."""
    found = cut(*sentences, settings=SMALL.model_copy(update={"min_aimed_words": 24, "max_aimed_words": 24}))
    assert (spans(found), reasons(found)) == (windows, rejected)


def test_a_speech_of_several_paragraphs_is_not_parted() -> None:
    """Each of its paragraphs opens anew, only the last is closed: no window begins at one of them, and none ends before one."""
    assert spans(cut(TORN, OPEN, OPEN, OPEN, MORE, 4)) == [(1, 4), (5, 8)]
    too_long = cut(TORN, *[OPEN] * 6, MORE, 4)
    assert reasons(too_long) == [(0, "holds_torn_sentence"), (1, "no_end_within_bounds"), (2, "begins_within_speech")]
    assert spans(too_long) == [(8, 11)]


def test_the_aim_is_each_windows_own() -> None:
    """Windows of one book differ in length over the whole range, another seed draws others, and the same seed the same."""
    settings = PassagesSettings(per_book=1000)
    book = [["The rain of that long night was harder than any that he had known in all his years at sea ."] * 2] * 2000
    first, again, other = (cut(*book, settings=settings, seed=seed) for seed in (1, 1, 2))
    assert spans(first) == spans(again) != spans(other)
    words = np.array([window.words for window in first.windows])
    assert {10, 20} <= {window.last - window.first + 1 for window in first.windows}
    assert abs(words.mean() - 300) < 15
    assert words.std() > 50


def test_the_nearest_end_is_taken() -> None:
    """Of the paragraph ends within the bounds the one whose words come nearest the aim, of two as near the first."""
    aimed = {words: SMALL.model_copy(update={"min_aimed_words": words, "max_aimed_words": words}) for words in (9, 13, 14, 100)}
    assert {words: spans(cut(1, 1, 1, 1, 1, 1, settings=one))[0] for words, one in aimed.items()} == {
        9: (0, 2),
        13: (0, 3),
        14: (0, 4),
        100: (0, 5),
    }


def test_an_article_within_the_bounds_is_one_window() -> None:
    """Whatever is aimed at; a longer one is cut as a book is, and a title before it is no part of it."""
    articles = SMALL.model_copy(update={"source": "jsonl"})
    assert spans(cut("#", 1, 1, 1, 1, 1, 1, settings=articles)) == [(1, 6)]
    assert len(spans(cut(1, 1, 1, 1, 1, 1, 1, 1, 1, settings=articles))) > 1


def test_a_window_has_its_words_counted() -> None:
    """Words alone, no marks."""
    assert cut([RAIN, OPEN, MORE]).windows == [Window(0, 2, 7)]
