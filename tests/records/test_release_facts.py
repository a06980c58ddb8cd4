"""What a release says of itself."""

from dataclasses import replace

import pytest
from pydantic import TypeAdapter

from cloze_gen.records.release_facts import ReleaseFacts
from tests.cases.releases import BOOKS, FACTS, HOSTILE, TOLD, hostile_facts


@pytest.mark.parametrize(
    "facts", [FACTS, TOLD, *map(hostile_facts, HOSTILE)], ids=range(2 + len(HOSTILE))
)
def test_facts_come_back_from_json(facts):
    """As they were, whatever their strings hold: a release keeps them in a file."""
    kept = TypeAdapter(ReleaseFacts)
    assert kept.validate_json(kept.dump_json(facts)) == facts


def test_items_are_of_the_books_that_gave_some():
    """Others of their side count only where nobody counted; a dropped book never does."""
    assert [book.book_id for book in FACTS.item_books] == ["one", "two"]
    uncounted = tuple(replace(book, items=0) for book in BOOKS)
    assert [book.book_id for book in replace(FACTS, books=uncounted).item_books] == ["one", "two"]
    assert replace(FACTS, books=()).item_books == ()


@pytest.mark.parametrize(
    "date", ["", "2026", "2026-13-01", "2026-11-22 ", "22.11.2026", "2026-11-22\n"]
)
def test_what_is_no_date_is_not_told(date):
    """Only a whole day, year first."""
    assert replace(FACTS, date=date).published == ""
    assert TOLD.published == "2026-11-22"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "javascript:alert(1)",
        "https://a b",
        'https://a"b',
        "ftp://a",
        "https://a\n",
    ],
)
def test_what_opens_no_page_is_not_told(url):
    """An address begins with http and holds no space and no mark that ends it."""
    assert replace(FACTS, url=url).address == ""
    assert TOLD.address == "https://example.org/sets/mine"
