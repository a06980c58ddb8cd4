"""The readers of book files: the same book in every shape, and what is wrong with a file."""

import bz2
import gzip
import io
import json
import random
import tarfile
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze_gen.corpus import readers
from cloze_gen.corpus.readers.archive import read_tar
from cloze_gen.corpus.readers.compressed import zstd
from cloze_gen.corpus.readers.reader import FileReport, Text
from cloze_gen.corpus.readers.rows import row_facts
from cloze_gen.errors import BookError, UsageError
from tests.support.books import collection, facts, put, tarred, texts, zipped

EMMA = "Emma Woodhouse, handsome, clever, and rich, with a \u201chappy\u201d home.\r\nShe lived.\n"
SUSAN = "My dear Brother,\u2014I can no longer.\n"
BOOKS = {"emma": EMMA, "susan": SUSAN}
FILES = {f"{name}.txt": text.encode() for name, text in BOOKS.items()}


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


ROWS = [{"id": name, "text": text} for name, text in BOOKS.items()]


def parquet(rows, **options):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows), sink, **options)
    return sink.getvalue().to_pybytes()


SHAPES = {
    "x.zip": zipped(FILES),
    "packed.zip": zipped(
        {f"{name}.gz": gzip.compress(data, mtime=0) for name, data in FILES.items()}
    ),
    "x.tar": tarred(FILES),
    "gnu.TAR": tarred(FILES, tarfile.GNU_FORMAT),
    "ustar.tar": tarred(FILES, tarfile.USTAR_FORMAT),
    "x.tar.gz": gzip.compress(tarred(FILES), mtime=0),
    "x.tgz": gzip.compress(tarred(FILES), mtime=0),
    "x.tar.zst": zstd.compress(tarred(FILES)[:700]) + zstd.compress(tarred(FILES)[700:]),
    "x.tar.bz2": bz2.compress(tarred(FILES)),
    "txt-files.tar.zip": zipped({"txt-files.tar": tarred(FILES)}),
    "x.jsonl": lines(ROWS),
    "blank.ndjson": lines(ROWS).replace(b"\n", b"\n\n"),
    "x.jsonl.gz": gzip.compress(lines(ROWS), mtime=0),
    "x.jsonl.zst": zstd.compress(lines(ROWS)),
    "array.json": json.dumps(ROWS).encode(),
    "x.parquet": parquet(ROWS),
    "groups.parquet": parquet(ROWS, row_group_size=1),
    "dictionary.parquet": parquet(ROWS, use_dictionary=True, compression="zstd"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_book_is_the_same_in_every_shape(name, tmp_path):
    """In text, id and digest."""
    plain = put(tmp_path / "plain", "emma.txt").parent
    for file, data in FILES.items():
        (plain / "plain" / file).write_bytes(data)
    (tmp_path / name).write_bytes(SHAPES[name])
    expected = {book.book_id: book.sha256 for book in collection(plain / "plain").books}
    assert {book.book_id: book.sha256 for book in collection(tmp_path / name).books} == expected
    assert texts(tmp_path / name) == BOOKS


@pytest.mark.parametrize("name", ["a.txt", "a.TXT.GZ"])
@pytest.mark.parametrize("packed", [True, False])
def test_bytes_say_whether_a_book_is_packed(name, packed, tmp_path):
    (tmp_path / name).write_bytes(
        gzip.compress(EMMA.encode(), mtime=0) if packed else EMMA.encode()
    )
    assert texts(tmp_path) == {"a": EMMA}


@pytest.mark.parametrize(
    ("name", "data", "reason", "detail"),
    [
        ("cut.txt.gz", gzip.compress(random.Random(1).randbytes(5000))[:-900], "unreadable", "incomplete"),
        ("false.txt", gzip.compress(b"x")[:9], "unreadable", "incomplete"),
        ("empty.txt", b" \n", "empty", "there is no text"),
        ("program.txt", bytes(range(32)) * 40, "binary", "not a text file"),
        ("no.zip", b"no zip", "unreadable", "not a zip file"),
        ("cut.zip", SHAPES["x.zip"][:-30], "unreadable", "not a zip file"),
        ("no.parquet", b"no table", "unreadable", "Parquet"),
        ("no.epub", b"<html>404</html>", "damaged_epub", "a web page"),
        ("no.epub", b"", "damaged_epub", "the file is empty"),
        ("no.html", b"<html></html>", "empty", "no text"),
    ],
    ids=range(10),
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_one_dropped_book(name, data, reason, detail, tmp_path):
    (tmp_path / name).write_bytes(data)
    (book,) = collection(tmp_path).books
    assert book.fault is not None
    assert book.fault[0] == reason
    assert detail in book.fault[1]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.tar", tarred(FILES | {"long.txt": b"x" * 9000})[:4000]),
        ("x.tar.gz", gzip.compress(tarred(FILES | {"long.txt": b"x" * 9000})[:4000], mtime=0)),
        ("x.tar.zip", zipped({"x.tar": tarred(FILES | {"long.txt": b"x" * 9000})[:4000]})),
    ],
    ids=["tar", "tar.gz", "tar.zip"],
)
def test_the_books_before_the_end_of_a_file_that_is_cut_off_are_read(name, data, tmp_path):
    (tmp_path / name).write_bytes(data)
    found = collection(tmp_path)
    assert {book.book_id for book in found.readable} == set(BOOKS)
    assert "damaged or incomplete" in "".join(
        [*found.skipped, *(book.fault[1] for book in found.books if book.fault)]
    )


def test_what_is_no_book_in_an_archive_is_named(tmp_path):
    others = {
        "cover.jpg": b"\xff\xd8",
        "old/more.zip": b"PK",
        ".hidden.txt": b"x",
        "__MACOSX/._emma.txt": b"x",
        f"{'n' * 1001}.txt": b"x",
    }
    (tmp_path / "x.zip").write_bytes(zipped(FILES | others))
    said = "\n".join(collection(tmp_path).skipped)
    assert "1 path (not a format that is read inside an archive): 'x.zip/cover.jpg'" in said
    assert "1 path (an archive in an archive; unpack it): 'x.zip/old/more.zip'" in said
    assert "2 paths (hidden): 'x.zip/.hidden.txt', 'x.zip/__MACOSX/._emma.txt'" in said
    assert "a name of more than 1,000 characters" in said


def test_of_two_files_of_one_name_the_first_is_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as out:
        out.writestr("a.txt", b"The first.")
        with pytest.warns(UserWarning, match="Duplicate name"):
            out.writestr("a.txt", b"The second.")
    assert texts(tmp_path) == {"a": "The first."}
    assert "a second file with the same name" in collection(tmp_path).skipped[0]


def test_a_broken_line_is_one_dropped_book(tmp_path):
    bad = b'{"id": "x", "text": \n[1]\n{"id": "y", "text": null}\n{"id": "z", "text": 7}\n'
    (tmp_path / "x.jsonl").write_bytes(lines(ROWS) + bad)
    found = collection(tmp_path)
    assert {book.book_id for book in found.readable} == set(BOOKS)
    faults = {book.book_id: book.fault for book in found.books if book.fault}
    assert faults["x-2"][1].startswith("line 3: not JSON")
    assert faults["x-3"][1].startswith("line 4: expected an object")
    assert faults["y"] == ("empty", "the row has no text in its column 'text'")
    assert faults["z"] == ("unreadable", "'text' is 7, not text")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"title": "the-mill.epub.txt", "text": "x"}, {"the-mill": {"title": "the-mill"}}),
        (
            {
                "short_book_title": "Emma",
                "publication_date": 1815,
                "url": "http://www.gutenberg.org/ebooks/158",
                "text": "x",
            },
            {"158": {"title": "Emma", "year": "1815", "etext": "158"}},
        ),
        (
            {
                "TEXT": "x",
                "SOURCE": "gutenberg",
                "METADATA": '{"title": "Emma", "text_id": 158, "authors": "Jane"}',
            },
            {"158": {"title": "Emma", "author": "Jane", "etext": "158"}},
        ),
        (
            {"id": "b/1", "text": "x", "metadata": {"title": "Emma", "language": ["en", "fr"]}},
            {"b-1-4fa8": {"title": "Emma", "language": "en; fr"}},
        ),
        ({"barcode": "HV1", "text_by_page_src": ["x", "y"]}, {"HV1": {}}),
        ({"id": 7, "split": "test", "text": "x"}, {"7": {"role": "test"}}),
        ({"title": 7231563412345678901, "text": "x"}, {"x-0": {"title": "7231563412345678901"}}),
        ({"title": 1.0, "text": "x"}, {"x-0": {"title": "1"}}),
        ({"title": "\x1b[2J a\n\tb", "text": "x"}, {"x-0": {"title": "[2J a b"}}),
    ],
)
@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
def test_the_columns_of_known_collections_give_ids_and_facts(row, expected, kind, tmp_path):
    (tmp_path / f"x.{kind}").write_bytes(parquet([row]) if kind == "parquet" else lines([row]))
    found = facts(tmp_path)
    assert list(found.values()) == list(expected.values())
    assert [name.partition("-")[0] for name in found] == [
        name.partition("-")[0] for name in expected
    ]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"title": 10**400}, {"title": f"1{'0' * 400}"}),
        ({"etext": 158, "url": "https://a.org"}, {"etext": "158", "book_id": "158"}),
    ],
)
def test_only_known_facts_are_kept_and_numbers_lose_no_digits(row, expected):
    assert row_facts(row, "text") == expected


@pytest.mark.parametrize("empty", [None, []])
@pytest.mark.parametrize("text", ["A lamp.", ["A lamp.", "A boat."]])
def test_a_row_without_text_decides_no_type(empty, text, tmp_path):
    (tmp_path / "x.jsonl").write_bytes(lines([{"text": empty}, {"text": text}]))
    (book,) = collection(tmp_path).readable
    assert book.book_id == "x-1"


def test_an_error_of_the_program_is_no_damage(tmp_path, monkeypatch):
    def fail(*_):
        raise LookupError("a bug")

    monkeypatch.setattr("cloze_gen.corpus.readers.parquet.texts_of_rows", fail)
    (tmp_path / "x.parquet").write_bytes(parquet(ROWS))
    with pytest.raises(LookupError, match="a bug"):
        collection(tmp_path)


@pytest.mark.parametrize(
    ("rows", "column", "said"),
    [
        ([{"story": "x"}], "", "no column is known to be the text. The columns are 'story' (text). Name one with --text-column, e.g. --text-column story"),
        ([{"text": "x", "page": 1}], "", "a row is a page, not a book (column 'page')"),
        ([{"text": 7}], "", "no column is known to be the text. The columns are 'text' (number)"),
        ([{"text": "x"}], "body", "the column 'body' does not exist"),
        ([{"text": "x", "n": 7}], "n", "the column 'n' holds no text"),
    ],
)  # fmt: skip
def test_unknown_columns_are_one_message(rows, column, said, tmp_path):
    (tmp_path / "x.jsonl").write_bytes(lines(rows))
    with pytest.raises(UsageError) as caught:
        collection(tmp_path, text_column=column)
    assert said in str(caught.value)


def test_a_named_column_is_the_text(tmp_path):
    (tmp_path / "x.jsonl").write_bytes(lines([{"story": "A lamp.", "text": "no", "page": 3}]))
    assert texts(tmp_path, text_column="story") == {"x-0": "A lamp."}


def test_a_book_above_the_limit_is_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr("cloze_gen.corpus.readers.reader.MAX_BOOK_BYTES", 1000)
    monkeypatch.setattr("cloze_gen.corpus.collect.MAX_BOOK_BYTES", 1000)
    monkeypatch.setattr("cloze_gen.corpus.readers.json_rows.MAX_BOOK_BYTES", 1000)
    (tmp_path / "a.txt").write_bytes(b"x" * 1001)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"x" * 10**6))
    (tmp_path / "c.zip").write_bytes(zipped({"c.txt": b"x" * 1001, "d.txt": b"fine"}))
    long, short = [{"text": "x" * 5000}], [{"text": "fine"}]
    (tmp_path / "e.jsonl").write_bytes(lines(long + short + long + short))
    (tmp_path / "f.json").write_text("[" + "x" * 5000)
    assert texts(tmp_path) == {
        **dict.fromkeys(["a", "b", "c", "e-0", "e-2"], "too_large"),
        **dict.fromkeys(["d", "e-1", "e-3"], "fine"),
    }


def test_a_new_kind_of_file_is_a_function_and_an_entry(tmp_path, monkeypatch):
    def read_rows(file, report, text_column):
        report.shape = "file of rows"
        for number, line in enumerate(file):
            yield (
                Text(line.strip(), str(number)) if line.strip() else Text(BookError("empty", "no"))
            )

    monkeypatch.setattr(readers, "READERS", {**readers.READERS, (".rows",): read_rows})
    monkeypatch.setattr(readers, "ENDINGS", (*readers.ENDINGS, ".rows"))
    (tmp_path / "shelf.rows").write_text("The lamp was out.\nIt rained.\n")
    assert texts(tmp_path) == {"shelf-0": "The lamp was out.", "shelf-1": "It rained."}
    assert collection(tmp_path).shapes == {"file of rows": (1, 2)}


def test_names_of_skipped_entries_are_short_and_utf8():
    """A name in another encoding, and a long one."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.GNU_FORMAT, encoding="latin-1") as tar:
        for name in ("café.jpg", f"{'a' * 900}.jpg"):
            tar.addfile(tarfile.TarInfo(name))
    data.seek(0)
    report = FileReport()
    assert list(read_tar(data, report, "")) == []
    (names,) = report.skipped.values()
    assert [len(name.encode()) for name in names] == [8, 200]
