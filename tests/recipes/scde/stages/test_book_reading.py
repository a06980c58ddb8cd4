"""A book as it is read: sentences, places, chapters, all of one length."""

from __future__ import annotations

from cloze_gen.recipes.scde.stages.book_reading import read_book
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from tests.recipes.scde.stages.conftest import Novels


def test_a_book_is_its_sentences(novels: Novels) -> None:
    """Every third scene opens a chapter; words broken at a line end are mended in the text and in the tokens; spans are the file's."""
    corpus = novels.corpus()
    row = next(row for row in kept_books(corpus) if row["book_id"] == "novel2")
    book = read_book(book_folder(corpus, row), {"candle\xadlight": "candlelight"})
    count = book.text.sentence_count
    assert {len(one) for one in (book.texts, book.start, book.end, book.paragraph, book.kinds, book.chapter)} == {count}
    raw = (novels.books / row["file"]).read_text()
    for i, text in enumerate(book.texts):
        assert raw[book.start[i] : book.end[i]].replace("candle-\nlight", "candlelight").split() == text.replace(" -- ", "--").split()
        assert "".join(book.text.tokens(i)) == text.replace(" ", "")
    assert any("candlelight" in text for text in book.texts)
    assert book.chapter.tolist() == [sum(kind == "heading" for kind in book.kinds[: i + 1]) for i in range(count)]
    assert book.chapter[-1] == 10


def test_unknown_broken_words_keep_their_hyphen(novels: Novels) -> None:
    """Where nobody decided them."""
    corpus = novels.corpus()
    book = read_book(book_folder(corpus, kept_books(corpus)[0]), {})
    assert any("candle-light" in text for text in book.texts)
