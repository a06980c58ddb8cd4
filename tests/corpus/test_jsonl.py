"""JSON lines, a book a line: equal to the plain files, line by line where they are broken."""

import gzip
import hashlib
import json

import pytest

from cloze_gen.corpus.books import SENTENCES, book_folder, read_books
from cloze_gen.corpus.ingest import write_ingest
from cloze_gen.corpus.location import Location
from cloze_gen.corpus.parse_book import IngestSettings
from cloze_gen.corpus.readers import book_digest, jsonl, list_file, read_book
from cloze_gen.corpus.readers.compressed import zstd
from cloze_gen.corpus.readers.reader import InputSettings
from cloze_gen.corpus.scan import scan
from cloze_gen.engine.local import InProcessEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import BookError
from cloze_gen.records.release_facts import ReleasedBook
from cloze_gen.release.books import BooksFound, OpenedBooks
from cloze_gen.release.trace import raw_text
from cloze_gen.store.artifacts import Store
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.tables import read_parquet
from tests.corpus.test_archives import FORMS as ARCHIVES
from tests.support.books import scan_corpus

TEXTS = ["Emma Woodhouse, handsome.\r\n", "\ufeff\u201cMy dear,\u201d\n", "Call me Ishmael."]


def zst_of_frames(data):
    return b"".join(zstd.compress(data[at : at + 50]) for at in range(0, len(data), 50))


FORMS = {
    "x.jsonl": bytes,
    "x.ndjson": bytes,
    "x.JSONL.GZ": gzip.compress,
    "x.json.gz": gzip.compress,
    "x.jsonl.zst": zst_of_frames,
    "x.json.zst": zstd.compress,
    "misnamed.jsonl": zstd.compress,
    "misnamed.jsonl.gz": bytes,
}


def lines(*records):
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def names(path, settings=None):
    return [member.name for member in list_file(path, settings or InputSettings()).members]


@pytest.mark.parametrize("form", FORMS)
def test_a_row_equals_the_plain_file(form, tmp_path):
    """In bytes, digest and text, in any order of reading; blank lines count as rows."""
    data = lines({"text": TEXTS[0]}) + b" \r\n" + lines(*({"text": text} for text in TEXTS[1:]))
    path, plain = tmp_path / form, tmp_path / "plain.txt"
    path.write_bytes(FORMS[form](data))
    assert names(path) == ["0", "2", "3"]
    for row, text in (("0", TEXTS[0]), ("3", TEXTS[2]), ("2", TEXTS[1]), ("2", TEXTS[1])):
        plain.write_bytes(text.encode())
        digest = book_digest(path, row)
        assert digest == book_digest(plain) == hashlib.sha256(text.encode()).hexdigest()
        assert read_book(path, row, digest=digest).decode() == read_book(plain).decode()


def test_facts_and_ids_of_dolma(tmp_path):
    record = {
        "id": "1342",
        "text": "It is a truth.",
        "source": "gutenberg",
        "added": "2024-05-01",
        "metadata": {"title": "Pride and Prejudice", "language": "en", "license": "Public Domain"},
    }
    (tmp_path / "gutenberg_0.jsonl.zst").write_bytes(zstd.compress(lines(record)))
    found = scan(tmp_path)
    (book,) = found.books
    assert found.shapes == {"JSON lines, one book per row, columns as in Dolma": (1, 1)}
    assert (book.book_id, book.member, dict(book.facts)) == (
        "1342",
        "0",
        {
            "title": "Pride and Prejudice",
            "etext": "1342",
            "language": "en",
            "license": "Public Domain",
        },
    )


def test_a_named_column_is_part_of_the_name(tmp_path):
    """So trace and workers read it without the settings; pages are joined."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(lines({"text": "no", "story": "yes"}, {"text": "no", "story": ["a", "b"]}))
    assert names(path, InputSettings(text_column="story")) == ["0:story", "1:story"]
    assert read_book(path, "0:story").data == b"yes"
    assert read_book(path, "0").data == b"no"
    assert read_book(path, "1:story").data == b"a\nb"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"text": ', r"line 2: not JSON \(Expecting value at column 10\)"),
        (b'["text"]', r"line 2: expected an object \{…\}, found \['text'\]"),
        (b"7", r"line 2: expected an object \{…\}, found 7"),
        (b'{"text": 7}', "line 2: 'text' is 7, not text"),
        (b'{"text": ["a", 1]}', r"line 2: 'text' is \['a', 1\], not text"),
        (b'{"text": "\xff"}', "line 2: .*not UTF-8"),
        (b"{" + b" " * 3000, "line 2: more than 0 MiB"),
    ],
    ids=range(7),
)
def test_a_broken_line_is_one_dropped_book(line, why, tmp_path, monkeypatch):
    """With its number; the lines before and after it are read."""
    if b"   " in line:
        monkeypatch.setattr(jsonl, "MAX_BOOK_BYTES", 2000)
    path = tmp_path / "x.jsonl"
    path.write_bytes(lines({"text": "one"}) + line + b"\n" + lines({"text": "three"}))
    assert names(path) == ["0", "1", "2"]
    assert [book_digest(path, row)[:10] for row in "02"] == [
        hashlib.sha256(text).hexdigest()[:10] for text in (b"one", b"three")
    ]
    with pytest.raises(BookError, match=why):
        read_book(path, "1", digest=book_digest(path, "1"))


def test_no_text_is_an_empty_book(tmp_path):
    """As in a Parquet table."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(lines({"text": None}, {"id": 7}, {"text": "one"}))
    assert [read_book(path, row).data for row in names(path)] == [b"", b"", b"one"]


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("x.jsonl", b"", "no line with a JSON object"),
        ("x.jsonl", b"no\nJSON\n", "line 1: not JSON"),
        ("x.jsonl", '{"text": "x"}\n'.encode("utf-16"), "line 1: not JSON .*not UTF-8, byte 0"),
        ("x.json.gz", gzip.compress(b'[{"text": "x"}]', mtime=0), r"expected an object"),
        ("x.jsonl.gz", b"\x1f\x8b", "line 1: the data is damaged or incomplete"),
        ("x.jsonl.zst", b"\x28\xb5\x2f\xfd\xff\xff", "line 1: the data is damaged"),
    ],
)
def test_a_file_without_an_object_is_one_dropped_book(name, data, why, tmp_path):
    path = tmp_path / name
    path.write_bytes(data)
    assert names(path) == [""]
    with pytest.raises(BookError, match=why):
        read_book(path, "", digest=book_digest(path))


@pytest.mark.parametrize("pack", [lambda data: gzip.compress(data, 0), zst_of_frames])
def test_a_file_that_is_cut_off_drops_the_line_where_it_ends(pack, tmp_path):
    data = lines(*({"text": text * 40} for text in "abc"))
    path = tmp_path / "x.jsonl"
    path.write_bytes(pack(data)[:-10])
    *whole, cut = names(path)
    assert whole == ["0", "1"]
    assert [read_book(path, row).data for row in whole] == [b"a" * 40, b"b" * 40]
    with pytest.raises(BookError, match="line 3: the data is damaged or incomplete"):
        read_book(path, cut, digest=book_digest(path, cut))


def test_unknown_columns_are_one_message(tmp_path):
    """It lists them and names the option; other files of the folder are read."""
    (tmp_path / "a.jsonl").write_bytes(lines({"story": "x", "n": 1}))
    (tmp_path / "b.txt").write_text("Call me Ishmael.")
    found = scan(tmp_path)
    assert [book.book_id for book in found.books] == ["b"]
    (line,) = found.skipped
    assert "a.jsonl: no column is known to be the text" in line
    assert "'story' (string), 'n' (number)" in line
    assert "e.g. --text-column story" in line


def test_one_sentence_a_row_is_no_book(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(lines({"text": "`` i do n't know , '' he said ."}) * 200)
    found = list_file(path, InputSettings())
    assert found.sentences
    with pytest.raises(BookError, match="one sentence per row"):
        read_book(path)


def test_the_number_of_books_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonl, "_MAX_BOOKS", 2)
    path = tmp_path / "x.jsonl"
    path.write_bytes(lines({"text": "x"}) * 3)
    assert names(path) == [""]


@pytest.mark.parametrize("form", ["x.jsonl.zst", "x.tar.gz"])
def test_spans_lead_back_into_the_file(form, tmp_path):
    """Ingest, trace and the search for a release's books read a member that a name leads to."""
    folder, lamp, name = tmp_path / "corpus-source", "The lamp was out. " * 9, "two\tlines.txt"
    folder.mkdir()
    record = {"id": "lamp", "text": lamp}
    data = (
        zstd.compress(lines(record))
        if form == "x.jsonl.zst"
        else ARCHIVES[form]({name: lamp.encode()})
    )
    (folder / form).write_bytes(data)
    (book,) = scan_corpus(folder)
    store, key = Store(tmp_path / "out"), StageKey("ingest", 1)
    with store.writing(key) as writer:
        assert writer is not None
        write_ingest(
            writer,
            StageContext(store, InProcessEngine(), "ingest"),
            books=[(book, book.digest())],
            settings=IngestSettings(min_word_tokens=5, min_function_word_share=0),
        )
    artifact = store.open(key)
    (row,) = read_books(artifact)
    assert row["digest"] == hashlib.sha256(lamp.encode()).hexdigest()
    sentence = read_parquet(book_folder(artifact, row) / SENTENCES).to_pylist()[1]
    span = (sentence["start"], sentence["end"])
    assert raw_text(tmp_path / "corpus-source", row)[slice(*span)] == "The lamp was out."
    released = ReleasedBook(side="source", book_id="x", file="y", sha256=row["digest"])
    opened = OpenedBooks.from_found(BooksFound.below(Location(tmp_path)), [released])
    assert opened.text_of(("x", *span)) == "The lamp was out."
