"""Parquet tables of books: their columns, rows, and what is damaged."""

import datetime
import hashlib
import random
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze_gen.corpus.books import SENTENCES, book_folder, read_books
from cloze_gen.corpus.ingest import write_ingest
from cloze_gen.corpus.parse_book import IngestSettings
from cloze_gen.corpus.readers import book_digest, list_file, parquet, read_book
from cloze_gen.corpus.readers.reader import InputSettings, UnknownTableError
from cloze_gen.corpus.readers.table_columns import OCR_NOTE
from cloze_gen.corpus.scan import read_digests, scan
from cloze_gen.engine.local import InProcessEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import BookError, UsageError
from cloze_gen.records.release_facts import ReleasedBook
from cloze_gen.release.books import BooksFound, OpenedBooks
from cloze_gen.release.trace import raw_text
from cloze_gen.store.artifacts import Store
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.tables import read_parquet
from tests.corpus.conftest import novel

NOVELS = [novel(number) for number in range(5)]


def table(path, columns, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), path, **options)
    return path


def listing(path, **settings):
    return list_file(path, InputSettings(**settings))


def read(path, member):
    return read_book(path, member).data


def ids_and_facts(found):
    return {book.book_id: dict(book.facts) for book in found.books}


# ---- schemas

DOLMA = {"title": "Emma", "author": "Jane Austen", "language": "en", "license": "Public Domain"}
SCHEMAS = {
    "BookCorpusOpen": (
        {"title": ["the-old-mill.epub.txt"], "text": [NOVELS[0]]},
        "",
        "the-old-mill",
        {"title": "the-old-mill"},
    ),
    "PG-19": (
        {
            "short_book_title": ["Emma by Jane Austen"],
            "publication_date": [datetime.date(1815, 12, 23)],
            "url": ["http://www.gutenberg.org/ebooks/158"],
            "text": [NOVELS[0]],
        },
        ", columns as in PG-19",
        "158",
        {"title": "Emma by Jane Austen", "year": "1815", "etext": "158"},
    ),
    "manu": (
        {"id": ["1234-0"], "text": [NOVELS[0]]},
        "",
        "1234-0",
        {"etext": "1234"},
    ),
    "sedthh": (
        {
            "TEXT": [NOVELS[0]],
            "SOURCE": ["gutenberg"],
            "METADATA": [
                '{"text_id": 158, "title": "Emma", "authors": "Austen, Jane", "language": "en"}'
            ],
        },
        ", columns as in sedthh/gutenberg_english",
        "158",
        {"title": "Emma", "author": "Austen, Jane", "etext": "158", "language": "en"},
    ),
    "Dolma": (
        {
            "id": ["158"],
            "text": [NOVELS[0]],
            "source": ["project_gutenberg"],
            "added": ["2024-05-01T00:00:00"],
            "metadata": [DOLMA | {"url": "https://www.gutenberg.org/ebooks/158"}],
        },
        ", columns as in Dolma",
        "158",
        DOLMA | {"etext": "158"},
    ),
    "generic": (
        {"Author": [["Ann", "Bea"]], "Content": [NOVELS[0]], "pages": [12], "book_id": [7]},
        "",
        "7",
        {"author": "Ann; Bea"},
    ),
    "no id": ({"body": [NOVELS[0]]}, "", "shelf-0", {}),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_columns_of_known_collections_give_ids_and_facts(tmp_path, name):
    columns, source, book_id, facts = SCHEMAS[name]
    path = table(tmp_path / "shelf.parquet", columns)
    found = scan(tmp_path)
    assert ids_and_facts(found) == {book_id: facts}
    assert found.shapes == {f"Parquet table, one book per row{source}": (1, 1)}
    assert read(path, "0") == NOVELS[0].encode()


def test_a_table_of_unknown_columns_is_one_message(tmp_path):
    """It lists the columns with their types, and the option."""
    table(tmp_path / "a.parquet", {"prose\n": ["x"], "n": [1], "text": [2]})
    with pytest.raises(UsageError) as caught:
        scan(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / 'a.parquet'}: no column is known to be the text. The columns are "
        "'prose\\n' (string), 'n' (int64), 'text' (int64). Name one with --text-column, e.g. --text-column prose."
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"text_column": "gone"}, "'gone' does not exist. The columns are 'text' (string), 'n'"),
        ({"text_column": "n"}, "'n' contains numbers (int64), not text.*--text-column text"),
    ],
)
def test_a_named_column_must_be_there(tmp_path, settings, message):
    path = table(tmp_path / "a.parquet", {"text": ["x"], "n": [1]})
    with pytest.raises(UnknownTableError, match=message.replace("(", r"\(").replace(")", r"\)")):
        listing(path, **settings)


def test_named_columns_may_be_nested_and_are_part_of_the_member(tmp_path):
    """So trace and workers find the text without settings."""
    rows = [{"text": text, "n": n} for n, text in enumerate(NOVELS)]
    path = table(tmp_path / "a.parquet", {"doc": rows, "text": ["x"] * 5})
    found = listing(path, text_column="doc.text").members
    assert [member.name for member in found] == [f"{n}:doc.text" for n in range(5)]
    assert [read(path, member.name) for member in found] == [text.encode() for text in NOVELS]
    assert read(path, "3") == b"x"


@pytest.mark.parametrize(
    "kind",
    [pa.large_string(), pa.binary(), pa.large_binary(), pa.dictionary(pa.int32(), pa.string())],
    ids=str,
)
def test_text_may_have_any_type_of_text(tmp_path, kind):
    path = table(tmp_path / "a.parquet", {"text": pa.array(["a", None, "b"], kind)})
    assert [read(path, member.name) for member in listing(path).members] == [b"a", b"", b"b"]


@pytest.mark.parametrize("column", ["text_by_page_src", "text"])
def test_pages_are_joined_and_ocr_is_noted(tmp_path, column):
    columns = {"barcode_src": ["B1"], "title_src": ["Emma"], column: [["One.", None, "Two."]]}
    path = table(tmp_path / "a.parquet", columns)
    found = listing(path)
    assert found.notes == [OCR_NOTE]
    assert dict(found.members[0].facts) == {"title": "Emma"}
    assert found.members[0].book_id == "B1"
    assert read(path, "0") == b"One.\n\nTwo."


def test_a_score_of_ocr_is_noted(tmp_path):
    assert listing(table(tmp_path / "a.parquet", {"text": ["x"], "mean_wc_ocr": [0.9]})).notes
    assert not listing(table(tmp_path / "b.parquet", {"text": ["x"], "mediocre": [1]})).notes


def test_a_page_a_row_is_refused(tmp_path):
    """Unless the user names the text column."""
    path = table(
        tmp_path / "a.parquet", {"record_id": ["r", "r"], "pg": [1, 2], "text": ["a", "b"]}
    )
    with pytest.raises(UnknownTableError, match=r"a row is a page, not a book \(column 'pg'\)"):
        listing(path)
    assert len(listing(path, text_column="text").members) == 2


# ---- sentences


def test_bookcorpus_sentences_are_no_books(tmp_path):
    """They are known by their rows: the columns are those of a table of books."""
    rows = [f"`` i do n't know , '' he said to number {n} ." for n in range(1500)]
    path = table(tmp_path / "train-00000-of-00010.parquet", {"text": rows}, row_group_size=400)
    found = listing(path)
    assert (found.shape, found.sentences) == (
        "Parquet table, one sentence per row (background only)",
        True,
    )
    with pytest.raises(BookError, match="one sentence per row"):
        read_book(path)
    assert not listing(table(tmp_path / "b.parquet", {"text": NOVELS * 30})).sentences
    assert not listing(table(tmp_path / "c.parquet", {"text": [""] * 300})).sentences


def test_a_row_of_sentences_is_one_line(tmp_path):
    """Also one with line ends in it; one without text is an empty line."""
    rows = ["he sat\ndown .", None, *(f"`` yes , '' said number {n} ." for n in range(300))]
    path = table(tmp_path / "a.parquet", {"text": rows}, row_group_size=100)
    (part,) = listing(path).members
    lines = read(path, part.name).decode().split("\n")
    assert lines == ["he sat down .", "", *rows[2:], ""]


# ---- rows


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """23 books in row groups of five."""
    texts = [f"{novel(number)} é" for number in range(23)]
    path = tmp_path_factory.mktemp("shelf") / "shelf.parquet"
    return table(path, {"text": texts}, row_group_size=5)


@pytest.mark.parametrize("order", ["forward", "backward", "random", "with gaps"])
@pytest.mark.parametrize("batch_bytes", [1, 100_000, 1 << 30])
def test_any_order_reads_the_same_bytes(shelf, monkeypatch, order, batch_bytes):
    monkeypatch.setattr(parquet, "_BATCH_BYTES", batch_bytes)
    numbers = list(range(23))
    if order == "backward":
        numbers.reverse()
    elif order == "random":
        random.Random(3).shuffle(numbers)
    elif order == "with gaps":
        numbers = [1, 2, 9, 22]
    for number in numbers:
        assert read(shelf, str(number)) == f"{novel(number)} é".encode()


@pytest.fixture
def fresh_shelf(shelf, tmp_path):
    """The same books, of which none was read before."""
    return Path(shutil.copy(shelf, tmp_path))


def test_reading_starts_at_the_row_group(fresh_shelf, monkeypatch):
    """No row group before that of the wanted row is read, so a killed run resumes there."""
    groups = []
    whole = parquet._Table.texts

    def texts(self, group, columns):
        groups.append(group)
        return whole(self, group, columns)

    monkeypatch.setattr(parquet._Table, "texts", texts)
    read(fresh_shelf, "22")
    read(fresh_shelf, "11")
    assert groups == [4, 2]


def test_batches_are_bounded_by_the_size_of_the_row_group(fresh_shelf, monkeypatch):
    """No row is larger than its row group."""
    sizes = []
    whole = pq.ParquetFile.iter_batches

    def batches(self, batch_size, **options):
        sizes.append(batch_size)
        return whole(self, batch_size=batch_size, **options)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", batches)
    chunk = pq.read_metadata(fresh_shelf).row_group(0).total_byte_size
    for at, batch_bytes in enumerate((2 * chunk, chunk, chunk - 1)):
        monkeypatch.setattr(parquet, "_BATCH_BYTES", batch_bytes)
        read(fresh_shelf, str(3 - at))
    assert sizes == [2, 1, 1]


def test_rows_that_are_not_there_are_named(shelf):
    for member in ("23", "-1", "1e3", "9" * 30, "1:gone"):
        with pytest.raises(BookError):
            read_book(shelf, member)


def test_a_row_has_the_digest_of_a_text_file(shelf, tmp_path):
    """So both are one stored book."""
    (tmp_path / "a.txt").write_bytes(f"{novel(7)} é".encode())
    assert book_digest(shelf, "7") == book_digest(tmp_path / "a.txt")


def test_trace_and_search_find_the_text_of_a_row(tmp_path):
    """A span leads to the row, and a release's books are found by their bytes in a table."""
    books = tmp_path / "corpus-source"
    table(books / "shelf.parquet", {"title": list("abcde"), "text": NOVELS}, row_group_size=2)
    found = scan(books).books
    store, key = Store(tmp_path / "out"), StageKey("ingest", 1)
    with store.writing(key) as writer:
        assert writer is not None
        write_ingest(
            writer,
            StageContext(store, InProcessEngine(), "ingest"),
            books=zip(found, read_digests(found), strict=True),
            settings=IngestSettings(min_word_tokens=5, min_function_word_share=0),
        )
    artifact = store.open(key)
    row = read_books(artifact)[3]
    assert (row["file"], row["member"], row["title"]) == ("shelf.parquet", "3", "d")
    sentence = read_parquet(book_folder(artifact, row) / SENTENCES).to_pylist()[4]
    span = (sentence["start"], sentence["end"])
    text = NOVELS[3][slice(*span)]
    assert raw_text(tmp_path / "corpus-source", row)[slice(*span)] == text
    released = ReleasedBook(side="source", book_id="x", file="y", sha256=row["digest"])
    opened = OpenedBooks.from_found(BooksFound.below(tmp_path), [released])
    assert opened.text_of(("x", *span)) == " ".join(text.split())


# ---- ids


def test_rows_that_repeat_id_and_text_are_one_book(tmp_path):
    """In one file and across shards; the first stays."""
    table(tmp_path / "a.parquet", {"id": ["1", "1", "2"], "text": ["one", "one", "two"]})
    table(tmp_path / "b.parquet", {"id": ["2", "3"], "text": ["two", "three"]})
    found = scan(tmp_path)
    assert [(book.book_id, book.place) for book in found.books] == [
        ("1", "a.parquet/0"),
        ("2", "a.parquet/2"),
        ("3", "b.parquet/1"),
    ]
    assert found.skipped == (
        "skipped 2 books identical to another book: 'a.parquet/1' (as 'a.parquet/0'), "
        "'b.parquet/0' (as 'a.parquet/2')",
    )


def test_different_rows_with_one_id_get_an_id_of_file_and_row(tmp_path):
    """A file of its own keeps its id."""
    (tmp_path / "1.txt").write_text("none")
    table(tmp_path / "en" / "a.parquet", {"id": ["1", "1"], "text": ["one", "another"]})
    found = scan(tmp_path)
    assert {book.book_id: book.place for book in found.books} == {
        "1": "1.txt",
        "en-a-0": "en/a.parquet/0",
        "en-a-1": "en/a.parquet/1",
    }
    assert found.notes == (
        "2 books share an id with another book and get a new id from file name and row: 'en/a.parquet/0' (1), "
        "'en/a.parquet/1' (1)",
    )


def test_shards_of_one_name_have_different_ids(tmp_path):
    for folder, text in (("train", "one"), ("test", "two")):
        table(tmp_path / folder / "0000.parquet", {"text": [text]})
    assert {book.book_id for book in scan(tmp_path).books} == {"0000-0", "train-0000-0"}


def test_hostile_values_are_bounded_and_stay_on_one_line(tmp_path):
    columns = {
        "id": ["../../x", "y" * 10**5, None, "\0"],
        "title": ["a\n---\x1b[1m", "x" * 10**5, None, "\ud7ff"],
        "year": ["circa 1850-51", "18500", "-1", ""],
        "text": ["a", "b", "c", "d"],
    }
    table(tmp_path / "a.parquet", columns)
    facts = ids_and_facts(scan(tmp_path))
    assert all(len(book_id) < 100 and book_id.strip(".-") == book_id for book_id in facts)
    assert facts["a-1"] == {"title": "x" * 2000}
    assert {"title": "a --- [1m", "year": "1850"} in facts.values()


# ---- damage


def damaged(path):
    """Why the file is not read; its listing is one book, which is dropped."""
    (member,) = listing(path).members
    with pytest.raises(BookError) as caught:
        read_book(path, member.name, digest=book_digest(path, member.name))
    assert "\n" not in str(caught.value)
    return caught.value


def test_large_row_groups_are_noted(shelf, monkeypatch):
    assert not listing(shelf).notes
    monkeypatch.setattr(parquet, "_LARGE_GROUP_BYTES", 1000)
    assert "use fewer --workers" in listing(shelf).notes[0]


def test_too_many_rows_are_no_books(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "_MAX_BOOKS", 3)
    error = damaged(table(tmp_path / "a.parquet", {"text": NOVELS}))
    assert "5 rows, more than 3. If each row is a book, split the table" in str(error)


def test_a_damaged_row_group_loses_its_own_rows_only(tmp_path):
    path = table(
        tmp_path / "a.parquet",
        {"id": list("abcde"), "text": NOVELS},
        row_group_size=2,
        use_dictionary=False,
        compression="snappy",
    )
    chunk = pq.read_metadata(path).row_group(1).column(1)
    data = bytearray(path.read_bytes())
    start = chunk.data_page_offset
    data[start : start + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    path.write_bytes(data)
    digests = [book.digest() for book in scan(tmp_path).books]
    assert [digest.startswith("unreadable: a damaged Parquet file") for digest in digests] == [
        *(False, False),
        *(True, True),
        False,
    ]
    assert digests[4] == hashlib.sha256(NOVELS[4].encode()).hexdigest()


def test_damaged_titles_are_noted_and_the_books_read(tmp_path):
    path = table(
        tmp_path / "a.parquet", {"id": list("abcde"), "text": NOVELS}, use_dictionary=False
    )
    chunk = pq.read_metadata(path).row_group(0).column(0)
    data = bytearray(path.read_bytes())
    start = chunk.data_page_offset
    data[start : start + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    path.write_bytes(data)
    found = scan(tmp_path)
    assert [book.book_id for book in found.books] == [f"a-{n}" for n in range(5)]
    assert found.notes[0].startswith("row group 0 is read without all ids and titles: a damaged")
    assert read(path, "4") == NOVELS[4].encode()
