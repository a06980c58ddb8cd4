"""A user's copies of books."""

import gzip
import hashlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze_gen.corpus.books import SENTENCES
from cloze_gen.corpus.collect import InputSettings, read_text
from cloze_gen.corpus.folder import Location
from cloze_gen.corpus.normalization import LINE_END_HYPHEN
from cloze_gen.corpus.source_sentences import read_sentences
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.records.release_facts import ReleasedBook
from cloze_gen.release import books
from cloze_gen.release.books import BooksFound, OpenedBooks
from cloze_gen.store.artifacts import Store


def below(folder):
    """The books of a folder, whose texts are stored beside it."""
    return BooksFound.below(Location(folder), Store(folder.parent / "texts"), InputSettings())


TEXT = b"It was _very_\r\ndark by candle-\r\nlight.  No one came."


def book(name, data):
    return ReleasedBook(
        side="source", book_id=name, file=f"{name}.txt", sha256=hashlib.sha256(data).hexdigest()
    )


def test_books_are_known_by_their_bytes(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "other.txt.gz").write_bytes(gzip.compress(TEXT, mtime=0))
    (tmp_path / "edited.txt").write_bytes(TEXT + b"\n")
    wanted = [book("a", TEXT), book("b", TEXT), book("c", TEXT + b" ")]
    opened = OpenedBooks.from_found(below(tmp_path), wanted)
    assert set(opened.books) == {"a", "b"}
    with pytest.raises(UsageError, match=r"no file has the same bytes as 'c\.txt' \(sha256 "):
        opened.require_all(wanted)
    assert (
        opened.text_of(("a", 0, 39))
        == opened.text_of(("b", 0, 39))
        == "It was very dark by candle\xadlight."
    )


def test_no_more_books_are_kept_than_fit(tmp_path, monkeypatch):
    texts = {name: f"It was {name}. No one came.".encode() for name in "abc"}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_bytes(text)
    read = []

    def noted(book):
        read.append(book.path.stem)
        return read_text(book)

    monkeypatch.setattr(books, "read_text", noted)
    monkeypatch.setattr(books, "_MOST_CHARS", 2 * len(texts["a"]))
    opened = OpenedBooks.from_found(
        below(tmp_path), [book(name, text) for name, text in texts.items()]
    )
    for name in "abcba":
        assert opened.text_of((name, 0, 9)) == f"It was {name}."
    assert read == ["a", "b", "c", "a"]
    monkeypatch.setattr(books, "_MOST_CHARS", 1)
    assert [opened.text_of((name, 0, 9)) for name in "bb"] == ["It was b."] * 2
    assert read == ["a", "b", "c", "a", "b"]


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (5, 5), (7, 3), (0, 10_000)])
def test_a_span_of_another_book_is_refused(start, end, tmp_path):
    """By its book and its figures."""
    (tmp_path / "a.txt").write_bytes(TEXT)
    with pytest.raises(FormatError, match=f"book a: characters {start} to"):
        OpenedBooks.from_found(below(tmp_path), [book("a", TEXT)]).text_of(("a", start, end))


def test_a_missing_book_is_reported(tmp_path):
    """And a book that is not there is named."""
    (tmp_path / "a.txt").write_bytes(TEXT)
    opened = OpenedBooks.from_found(below(tmp_path), [book("a", TEXT)])
    with pytest.raises(UsageError, match="book z"):
        opened.text_of(("z", 0, 1))


# ---- source books as the stages read them


def test_a_broken_word_inside_another_is_left_to_it(tmp_path):
    """Each is mended as it was decided for itself, whichever of the two comes first."""
    short, long = f"out{LINE_END_HYPHEN}side", f"throughout{LINE_END_HYPHEN}side"
    forms = {short: "outside", long: "throughout-side"}
    for index, words in enumerate(((short, long), (long, short))):
        line = " ".join(words)
        row = {
            "index": index,
            "start": 0,
            "end": 9,
            "paragraph": 0,
            "kind": "prose",
            "text": line,
            "tokens": line,
        }
        pq.write_table(
            pa.table({name: [value] for name, value in row.items()}), tmp_path / SENTENCES
        )
        (sentence,) = read_sentences(tmp_path, "b", forms)
        assert sentence.text.split() == list(sentence.tokens) == [forms[word] for word in words]
