"""Every sentence of a book is in one window or in one rejected stretch."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.corpus.arrays import book_text
from cloze_gen.corpus.books import kept_books
from cloze_gen.corpus.hyphens import HYPHENS
from cloze_gen.recipes.scde.passages import (
    PASSAGES,
    PassagesSettings,
    Stretch,
    cut_book,
    novels_of,
    read_novel,
    write_passages,
)
from cloze_gen.store.tables import REJECTED, read_parquet
from tests.corpus.conftest import novel
from tests.recipes.scde.conftest import SMALL

RAIN, TORN, DAMN, OPEN, MORE, LEADS = (
    "It rained hard .",
    "and it rained",
    "Damn the rain .",
    '" Come in .',
    '" Sit down . "',
    "He said this :",
)
SHORT = PassagesSettings(min_sentences=3, max_sentences=6, mean_words=14)
KINDS = st.sampled_from(["prose", "prose", "prose", "prose", "verse", "heading"])
SENTENCES = st.sampled_from([RAIN] * 8 + [TORN, DAMN, OPEN, MORE, LEADS])
PARAGRAPHS = st.lists(
    st.tuples(
        KINDS,
        st.lists(SENTENCES, min_size=1, max_size=8),
        st.integers(1, 8).map(lambda n: 2 if n == 8 else 1),
    )
)


def made(paragraphs):
    """A book of paragraphs: kind, sentences, and how far its number is from that of the one before."""
    numbers = list(itertools.accumulate(step for _, _, step in paragraphs))
    lines = [line for _, sentences, _ in paragraphs for line in sentences]
    kinds = [kind for kind, sentences, _ in paragraphs for _ in sentences]
    number = [
        n for n, (_, sentences, _) in zip(numbers, paragraphs, strict=True) for _ in sentences
    ]
    return book_text(lines, kinds=kinds, paragraph=number)


def cut(*sentences, settings=SHORT, seed=1):
    """A book: a number is a paragraph's sentences, `#` a heading, `*` stars, other a sentence."""
    paragraphs = []
    step = 1
    for one in sentences:
        if one == "*":
            step = 2
            continue
        lines = [RAIN] * one if isinstance(one, int) else [one] if isinstance(one, str) else one
        paragraphs.append(
            ("heading" if one == "#" else "prose", ["CHAPTER I"] if one == "#" else lines, step)
        )
        step = 1
    return cut_book(made(paragraphs), book_id="b", offensive={"damn"}, settings=settings, seed=seed)


def windows(stretches):
    return [stretch for stretch in stretches if stretch.reason is None]


def spans(stretches):
    return [(window.first, window.last) for window in windows(stretches)]


def reasons(stretches):
    return [(stretch.first, stretch.reason) for stretch in stretches if stretch.reason is not None]


@given(PARAGRAPHS, st.integers(0, 3), st.integers(1, 4))
def test_every_sentence_is_in_one_stretch(paragraphs, seed, per_book):
    book = made(paragraphs)
    stretches = cut_book(
        book,
        book_id="b",
        offensive={"damn"},
        settings=SHORT.model_copy(update={"per_book": per_book}),
        seed=seed,
    )
    sentences = [i for stretch in stretches for i in range(stretch.first, stretch.last + 1)]
    assert sentences == list(range(book.sentence_count))
    assert sum(stretch.words for stretch in stretches) == sum(
        word[0].isalpha() for i in range(book.sentence_count) for word in book.tokens(i)
    )


@given(PARAGRAPHS, st.integers(0, 3))
def test_a_window_is_a_passage(paragraphs, seed):
    book = made(paragraphs)
    marks = [sum(token == '"' for token in book.tokens(i)) for i in range(book.sentence_count)]
    for window in windows(
        cut_book(book, book_id="b", offensive={"damn"}, settings=SHORT, seed=seed)
    ):
        own = range(window.first, window.last + 1)
        lines = [" ".join(book.tokens(i)) for i in own]
        assert 3 <= len(own) <= 6
        assert {book.kinds[i] for i in own} == {"prose"}
        assert not {TORN, DAMN} & set(lines)
        assert max(np.diff(book.paragraph[window.first : window.last + 1])) <= 1
        for edge in (window.first, window.last + 1):
            if 0 < edge < book.sentence_count:
                before = book.paragraph[edge - 1]
                assert book.paragraph[edge] != before
                left_open = (
                    sum(n for n, of in zip(marks, book.paragraph, strict=True) if of == before) % 2
                )
                assert not (left_open and book.tokens(edge)[0] == '"')
                assert book.tokens(edge - 1)[-1] != ":"


@given(PARAGRAPHS, st.integers(1, 4))
def test_thinning_takes_windows_away_and_moves_none(paragraphs, per_book):
    every, few = (
        cut_book(
            made(paragraphs),
            book_id="b",
            offensive={"damn"},
            settings=SHORT.model_copy(update={"per_book": most}),
            seed=1,
        )
        for most in (1000, per_book)
    )
    assert set(spans(few)) <= set(spans(every))
    assert len(spans(few)) == min(per_book, len(spans(every)))
    thinned = {first for first, _ in {*spans(every)} - {*spans(few)}}
    assert {at for at, reason in reasons(few) if reason == "not_sampled"} == thinned


@given(PARAGRAPHS, PARAGRAPHS)
def test_a_window_knows_nothing_of_what_follows_its_chapter(before, after):
    """Another chapter after changes no window before it."""
    heading = ("heading", ["CHAPTER II"], 1)
    alone, followed = (
        cut_book(made(text), book_id="b", offensive=(), settings=SHORT, seed=1)
        for text in ([*before, heading], [*before, heading, *after])
    )
    count = sum(len(sentences) for _, sentences, _ in before)
    assert spans(alone) == [(first, last) for first, last in spans(followed) if last < count]


@pytest.mark.parametrize(
    ("sentences", "spanned", "rejected"),
    [
        (["#", 2, 1], [(1, 3)], [(0, "not_prose")]),
        (
            ["#", 2, "#", 4],
            [(4, 7)],
            [(0, "not_prose"), (1, "cut_short"), (3, "not_prose")],
        ),
        ([2, "*", 4], [(2, 5)], [(0, "cut_short")]),
        ([7, 4], [(7, 10)], [(0, "no_end_within_bounds")]),
        ([2, TORN, 4], [(3, 6)], [(0, "cut_short"), (2, "has_split_sentence")]),
        ([DAMN, DAMN, 4], [(2, 5)], [(0, "offensive")]),
        ([2, 5, 1], [(2, 7)], [(0, "no_end_within_bounds")]),
        ([2, LEADS, 3, "#"], [(0, 5)], [(6, "not_prose")]),
        (
            [2, 2, LEADS, "*", 3],
            [(0, 3)],
            [(4, "cut_short"), (5, "preceding_text_unfinished")],
        ),
        (["*", LEADS, "#", 4], [(2, 5)], [(0, "cut_short"), (1, "not_prose")]),
        ([], [], []),
    ],
)
def test_cases(sentences, spanned, rejected):
    """What becomes of small books, and why."""
    found = cut(*sentences, settings=SHORT.model_copy(update={"mean_words": 10_000}))
    assert (spans(found), reasons(found)) == (spanned, rejected)


def test_a_speech_of_several_paragraphs_is_not_parted():
    """Each of its paragraphs opens anew, only the last is closed."""
    assert spans(cut(TORN, OPEN, OPEN, OPEN, MORE, 4)) == [(1, 4), (5, 8)]
    too_long = cut(TORN, *[OPEN] * 6, MORE, 4)
    assert reasons(too_long) == [
        (0, "has_split_sentence"),
        (1, "no_end_within_bounds"),
        (2, "begins_within_speech"),
    ]
    assert spans(too_long) == [(8, 11)]


def test_the_aim_is_each_windows_own():
    settings = PassagesSettings(per_book=1000)
    book = [
        [
            "The rain of that long night was harder than any that he had known in all his "
            "years at sea ."
        ]
        * 2
    ] * 2000
    first, again, other = (cut(*book, settings=settings, seed=seed) for seed in (1, 1, 2))
    assert spans(first) == spans(again) != spans(other)
    words = np.array([window.words for window in windows(first)])
    assert {10, 20} <= {window.last - window.first + 1 for window in windows(first)}
    assert abs(words.mean() - 300) < 15
    assert words.std() > 50


@given(st.integers(1, 40), st.integers(0, 20))
def test_the_end_nearest_to_the_drawn_length_is_taken(mean, seed):
    """A draw of 60 to 140 % of the mean; paragraphs of three words, windows of 9 to 18."""
    found = cut(1, 1, 1, 1, 1, 1, settings=SHORT.model_copy(update={"mean_words": mean}), seed=seed)
    words = found[0].words
    assert min(18, max(9, 0.6 * mean - 2)) <= words <= min(18, max(9, 1.4 * mean + 2))


def test_a_window_has_its_words_counted():
    """Words alone, no marks."""
    assert cut([RAIN, OPEN, MORE]) == [Stretch(0, 2, 7)]


def test_a_novel_is_its_sentences(novels):
    """A word that a line end breaks is mended."""
    partition = novels.partition()
    novel = next(novel for novel in novels_of(partition) if novel.id == "novel2")
    book = read_novel(novel, novels.passages(partition).path(HYPHENS))
    assert len(book.texts) == book.text.sentence_count
    for i, text in enumerate(book.texts):
        assert "".join(book.text.tokens(i)) == text.replace(" ", "")
    assert any("candlelight" in text for text in book.texts)


def rows(artifact):
    return read_parquet(artifact.path(PASSAGES.name)).to_pylist()


def test_rows_are_spans_of_the_books(novels):
    partition = novels.partition()
    artifact = novels.passages(partition)
    books = {row["book_id"]: row for row in kept_books(partition)}
    found = rows(artifact)
    assert found == sorted(found, key=lambda row: (row["book_id"], row["first"]))
    assert {row["domain"] for row in found} == {"Romance", ""}
    for row in found:
        of = books[row["book_id"]]
        assert row["id"] == f"{of['book_id']}:{row['first']}"
        assert (row["part"], row["domain"]) == (of["part"], of["domain"])
        assert row["sentences"] == row["last"] - row["first"] + 1
        raw = (novels.books / of["file"]).read_text()[row["start"] : row["end"]]
        words = re.findall(r"[\w'-]*\w", raw.replace("candle-\n", "candle").replace("--", " "))
        assert row["words"] == len(words)


def test_the_funnel_is_the_tables(novels):
    artifact = novels.passages(novels.partition())
    found = rows(artifact)
    reasons = read_parquet(artifact.path(REJECTED))["reason"].to_pylist()
    assert artifact.funnel["kept"] == len(found)
    assert artifact.funnel["rejected"] == Counter(reasons)


def test_a_book_more_changes_no_other_books_windows(novels):
    """Given the same counts; every row of the others is there as it was."""
    before = novels.partition()
    counts = novels.counts(before)
    few = rows(novels.passages(before, counts=counts))
    (novels.books / "more.txt").write_text(novel(11))
    many = rows(novels.passages(novels.partition(), counts=counts))
    assert [row for row in many if row["book_id"] != "more"] == few
    assert len(many) > len(few)


@pytest.mark.slow
def test_workers_change_no_byte(novels):
    partition = novels.partition()
    given = {"partition": partition, "counts": novels.counts(partition), "settings": SMALL}
    one, two = (
        novels.stage(
            "passages", write_passages, **given, offensive="builtin", seed=1, workers=workers
        )
        for workers in (1, 2)
    )
    assert one.manifest["files"] == two.manifest["files"]
