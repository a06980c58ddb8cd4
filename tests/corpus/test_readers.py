"""The readers of book files, and what a new one needs."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
from typing import ClassVar

import pytest

from cloze_gen.corpus import readers
from cloze_gen.corpus.books import SENTENCES, book_folder, read_books
from cloze_gen.corpus.decoding import Decoded
from cloze_gen.corpus.ingest import write_ingest
from cloze_gen.corpus.parse_book import IngestSettings
from cloze_gen.corpus.readers import READERS, book_digest, read_book
from cloze_gen.corpus.readers.reader import Listing, Member
from cloze_gen.corpus.readers.rows import RowReader
from cloze_gen.engine.local import InProcessEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import BookError, CorpusError
from cloze_gen.records.release_facts import ReleasedBook
from cloze_gen.release.books import BooksFound, OpenedBooks
from cloze_gen.release.trace import raw_text
from cloze_gen.store.artifacts import Store
from cloze_gen.store.files import GZIP_MAGIC
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.tables import read_parquet
from tests.support.books import scan_corpus


@pytest.mark.parametrize("name", ["a.txt", "a.TXT.GZ", "b.txt.gz"])
@pytest.mark.parametrize("head", [b"", b"Call me", GZIP_MAGIC])
def test_one_reader_takes_each_book_file(name, head):
    """By name and first bytes; no reader takes a file of another kind."""
    assert sum(reader.takes(name.lower(), head) for reader in READERS) == 1
    assert not any(reader.takes(f"{name}.bak", head) for reader in READERS)


@pytest.mark.parametrize("name", ["a.TXT.GZ", "a.txt"])
@pytest.mark.parametrize(
    "data", [gzip.compress(b"some text", mtime=0), b"some text"], ids=["packed", "plain"]
)
def test_bytes_say_whether_a_book_is_packed(tmp_path, name, data):
    """A book is known by its bytes, so one that is renamed stays the book it was."""
    (tmp_path / name).write_bytes(data)
    assert read_book(tmp_path / name).data == b"some text"


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("cut.txt.gz", gzip.compress(random.Random(1).randbytes(5000))[:-900], "truncated_gzip"),
        ("false.txt", gzip.compress(b"x")[:9], "truncated_gzip"),
        (
            "flipped.txt.gz",
            gzip.compress(b"x" * 9000)[:12] + b"\xff\xff\xff" + gzip.compress(b"x" * 9000)[15:],
            "truncated_gzip",
        ),
        ("empty.txt.gz", gzip.compress(b"x")[:4], "truncated_gzip"),
        ("big.txt", b"x" * 1001, "too_large"),
        ("bomb.txt.gz", gzip.compress(b"x" * 10**6), "too_large"),
    ],
    # gzip writes the time, and every process must name the tests alike
    ids=lambda value: "bytes" if isinstance(value, bytes) else None,
)
def test_unreadable_books_have_a_reason(tmp_path, monkeypatch, name, data, reason):
    """Damage is named; nothing above the limit is unpacked."""
    if reason == "too_large":
        monkeypatch.setattr(readers, "MAX_BOOK_BYTES", 1000)
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BookError) as caught:
        read_book(tmp_path / name)
    assert caught.value.reason == reason
    assert name in str(caught.value)


def test_no_more_than_the_limit_is_unpacked():
    """One byte more, by which it is known that there is more."""
    (packed,) = (reader for reader in READERS if reader.takes("a.txt.gz", GZIP_MAGIC))
    assert packed.unpack(gzip.compress(b"x" * 10**6), limit=5000) == b"x" * 5001


def test_the_digest_is_of_all_bytes(tmp_path, monkeypatch):
    """Those beyond the limit too, although they are never held."""
    monkeypatch.setattr(readers, "MAX_BOOK_BYTES", 3)
    (tmp_path / "a.txt").write_bytes(b"Call me Ishmael.")
    assert book_digest(tmp_path / "a.txt") == hashlib.sha256(b"Call me Ishmael.").hexdigest()


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
@pytest.mark.parametrize("planned", ["other bytes", "unreadable", "then gone", "too large"])
def test_a_book_that_changed_is_not_read(tmp_path, monkeypatch, name, planned):
    path = tmp_path / name
    data = b"one book" if name == "a.txt" else gzip.compress(b"one book")
    if planned != "unreadable":
        path.write_bytes(data)
    digest = book_digest(path)
    if planned != "unreadable":
        assert read_book(path, digest=digest).data == b"one book"
    if planned == "then gone":
        path.unlink()
    elif planned == "too large":
        monkeypatch.setattr(readers, "MAX_BOOK_BYTES", 100)
        path.write_bytes(data + os.urandom(200))
    else:
        path.write_bytes(data + b" and more")
    with pytest.raises(CorpusError, match=f"{name}: changed while it was read.*run again"):
        read_book(path, digest=digest)


class Rows(RowReader):
    """A toy format: many books a file, a JSON object a line, with a mark before each text."""

    endings: ClassVar[tuple[str, ...]] = (".rows",)
    shape: ClassVar[str] = "file of rows"

    def takes(self, name, head):
        return name.endswith(self.endings) and head.startswith(b"{")

    def listing(self, file, settings):
        titles = [json.loads(line).get("title", "") for line in file]
        members = [
            Member(str(number), facts=(("title", title),), kind="rows")
            for number, title in enumerate(titles, 1)
        ]
        return Listing(self.shape, members)

    def rows(self, file, member):
        for number, line in enumerate(file, 1):
            yield str(number), json.loads(line)["text"].encode()

    def decode(self, raw, encoding=""):
        return Decoded(raw.decode().removeprefix("%%"), "utf-8", "rows")


def test_a_new_reader_is_a_class_and_a_line_of_the_registry(tmp_path, monkeypatch):
    """Scan, ingest, trace and the search for a release's books read the new format."""
    monkeypatch.setattr(readers, "READERS", (*READERS, Rows()))
    books, lamp, sea = tmp_path / "corpus-source", "The lamp was out. " * 9, "It rained. " * 9
    books.mkdir()
    rows = [
        {"title": "The Lamp", "text": f"%%{lamp}"},
        {"text": f"%%{sea}"},
    ]
    (books / "shelf.rows").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (books / "plain.txt").write_text("He slept there. " * 9)
    found = scan_corpus(books)
    assert [(book.book_id, dict(book.facts)) for book in found] == [
        ("plain", {}),
        ("shelf-1", {"title": "The Lamp"}),
        ("shelf-2", {}),
    ]
    store, key = Store(tmp_path / "out"), StageKey("ingest", 1)
    with store.writing(key) as writer:
        assert writer is not None
        write_ingest(
            writer,
            StageContext(store, InProcessEngine(), "ingest"),
            books=[(book, book.digest()) for book in found],
            settings=IngestSettings(min_word_tokens=5, min_function_word_share=0),
        )
    artifact = store.open(key)
    plain, one, two = read_books(artifact)
    assert [row["member"] for row in (plain, one, two)] == ["", "1", "2"]
    assert one["digest"] == hashlib.sha256(f"%%{lamp}".encode()).hexdigest()
    sentence = read_parquet(book_folder(artifact, one) / SENTENCES).to_pylist()[1]
    span = (sentence["start"], sentence["end"])
    assert raw_text(tmp_path / "corpus-source", one)[slice(*span)] == "The lamp was out."
    released = ReleasedBook(side="source", book_id="x", file="y", sha256=one["digest"])
    opened = OpenedBooks.from_found(BooksFound.below(tmp_path), [released])
    assert opened.text_of(("x", *span)) == "The lamp was out."


def test_a_damaged_file_of_many_books_is_one_dropped_book(tmp_path, monkeypatch):
    """What no reader takes is one book that cannot be read, so that it is counted and named."""
    monkeypatch.setattr(readers, "READERS", (*READERS, Rows()))
    (tmp_path / "shelf.rows").write_text("no rows")
    (book,) = scan_corpus(tmp_path)
    assert book.digest() == "unreadable: not a file of books"
    with pytest.raises(BookError, match=r"'shelf\.rows': cannot be read \(not a file of books\)"):
        read_book(book.path, book.member, digest=book.digest())
