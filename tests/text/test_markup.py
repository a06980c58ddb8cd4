"""Markup under a plain text's name is told by its content."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cloze_gen.adapters.spacy_tokenizer import chunk_tokenizer
from cloze_gen.text.audit import BookReason
from cloze_gen.text.markup import find_markup
from cloze_gen.text.parse_book import IngestSettings, parse_book
from cloze_gen.text.tokens import ChunkMemo

CASES = json.loads((Path(__file__).parents[1] / "cases" / "ingest_markup.json").read_text(encoding="utf-8"))
FILLER = "It was a dark and stormy night, and the rain fell in torrents upon the roofs of the town. " * 300


def cases(*groups: str) -> list[pytest.ParameterSet]:
    return [pytest.param(text, id=name) for group in groups for name, text in CASES[group].items()]


@pytest.mark.parametrize("text", cases("markup once"))
def test_what_opens_as_markup_is_markup(text: str) -> None:
    """However long the book behind it is."""
    assert find_markup(text + FILLER)


@pytest.mark.parametrize("text", cases("markup when repeated"))
def test_many_tags_are_markup_and_few_are_not(text: str) -> None:
    """A page's tags all through the text; one such passage in a book is a passage."""
    assert find_markup(text * 20)
    assert not find_markup(text)
    assert not find_markup(text + FILLER)


@pytest.mark.parametrize("text", cases("plain"))
def test_plain_texts_stay_plain(text: str) -> None:
    """Italics, side notes, addresses and signs of all sorts stand in plain e-texts, however often."""
    assert find_markup(text * 200) == ""


def test_the_limits() -> None:
    """Ten tags, and one in 2,000 characters, both inclusive."""
    assert find_markup("<p>" * 10)
    assert not find_markup("<p>" * 9)
    assert find_markup("<p>" * 10 + "x" * (20_000 - 30))
    assert not find_markup("<p>" * 10 + "x" * (20_000 - 29))


def test_what_is_told_fits_a_line() -> None:
    """The first tag is shown on one line, cut where it is long."""
    told = find_markup(f'<p\n class="{"x" * 500}">' * 10)
    assert "\n" not in told
    assert len(told) < 140


def test_a_page_is_dropped_and_its_encoding_still_told() -> None:
    """No sentence with tags in it comes out; the audit row says what was found."""
    page = '<p class="a">It was a dark and stormy night, and the café was shut.</p>\n' * 100
    book = parse_book(page.encode(), book_id="b", settings=IngestSettings(), memo=ChunkMemo(chunk_tokenizer()))
    assert (book.audit.reason, book.audit.encoding, book.text) == (BookReason.MARKUP, "utf-8", [])
    assert '<p class="a">' in book.audit.detail
