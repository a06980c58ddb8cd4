"""What is printed about a location before anything runs."""

from dataclasses import replace

import pytest

from cloze_gen.corpus.collect import InputSettings
from cloze_gen.corpus.inspect import inspection, summary
from tests.support.books import collection, zipped

HEADER = "*** START OF THE PROJECT GUTENBERG EBOOK EMMA ***"


@pytest.fixture
def books(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "emma.txt").write_text(
        f"Title: Emma\n{HEADER}\n\n\nIt was a fine\nday. " + "Go. " * 99
    )
    (tmp_path / "x" / "evil.txt").write_text("A \x1b[2J\u202eword.")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "notes.md").write_text("mine")
    (tmp_path / "manifest.tsv").write_text(
        "file\ttitle\tauthor\tlicense\nemma.txt\tEmma\tJane Austen\tCC0-1.0\nx/evil.txt\tEvil\x1b\t\t\n"
    )
    return tmp_path


def test_the_page_of_a_location(books):
    """Formats, metadata, what is skipped, the first words of the text itself, and what to type."""
    words = "It was a fine day. " + "Go. " * 20
    assert inspection(collection(books), InputSettings()).splitlines() == [
        f"{books}: 2 books, 493 bytes",
        "",
        "formats      text file: 2 files",
        "unreadable   'empty.txt': there is no text (add the text to the files, or remove them)",
        "metadata     books that have it: title 2, author 1, year 0, genre 0, language 0, license 1",
        "skipped      1 path (not a format of books): 'notes.md'",
        "examples     emma  Emma, by Jane Austen",
        f"                 {words[:97]}...",
        "             evil  Evil",
        "                 A [2Jword.",
        f"next         cloze-gen run holmes-style --source {books}",
    ]


def test_the_first_lines_of_a_run(books):
    assert summary(collection(books)) == [
        f"2 books in {books}, 493 bytes (text file: 2 files)",
        "metadata (books that have it): title 2, author 1, license 1",
        "1 book cannot be read: 'empty.txt'",
        "skipped 1 path (not a format of books): 'notes.md'",
    ]


def test_a_run_names_only_some_of_much_that_is_skipped(tmp_path):
    """The rest is counted, with the command that prints it."""
    (tmp_path / "a b.txt").write_text("A.")
    found = collection(tmp_path)
    many = replace(found, skipped=tuple(map(str, range(9))), notes=("odd",))
    assert summary(many)[1:] == [
        *(f"skipped {n}" for n in range(5)),
        f"5 more lines: cloze-gen corpus inspect {tmp_path}",
    ]
    page = inspection(many, InputSettings())
    assert "             8" in page.splitlines()
    assert "warnings     odd" in page.splitlines()


def test_advice_depends_on_what_is_there(tmp_path):
    """Sentences are background only; options and quoted paths are in the next command."""
    place = tmp_path / "my books"
    place.mkdir()
    (place / "a.txt").write_text("A.")
    (place / "b.txt").write_text("B.")
    found = collection(place)
    book = replace(found.books[0], format="sentences")
    sentences = replace(found, books=(book,))
    page = inspection(sentences, InputSettings())
    assert "background only" in page
    assert page.endswith(
        f"next         cloze-gen run holmes-style --source BOOKS --train '{place}'"
    )
    settings = InputSettings(text_column="the text", keep_splits=True)
    assert inspection(found, settings).endswith(
        f"run holmes-style --train '{place}' --source '{place}' --keep-splits --text-column 'the text'"
        f"\n             cloze-gen run lambada-style --books '{place}' --keep-splits --text-column 'the text'"
    )


@pytest.mark.parametrize(
    ("count", "commands"),
    [
        (
            1,
            [
                "for a quiz, one book is enough (scs-style); to compare models, give three or more",
                "cloze-gen run scs-style --source {0}",
            ],
        ),
        (2, ["cloze-gen run holmes-style --source {0}"]),
        (
            10,
            ["cloze-gen run holmes-style --source {0}", "cloze-gen run lambada-style --books {0}"],
        ),
    ],
)
def test_the_next_command_depends_on_the_number_of_books(tmp_path, count, commands):
    for number in range(count):
        (tmp_path / f"b{number}.txt").write_text(f"Book {number}.")
    lines = inspection(collection(tmp_path), InputSettings()).splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("next"))
    assert [line[13:] for line in lines[at:]] == [one.format(tmp_path) for one in commands]


def test_unreadable_files_are_named_and_are_no_books(tmp_path, cli):
    """With the reason and what to do; status 1 only where no book is readable."""
    (tmp_path / "bad.parquet").write_text("no table")
    outcome = cli("corpus", "inspect", tmp_path)
    assert outcome.status == 1
    assert f"{tmp_path}: 0 books, 0 bytes" in outcome.out
    (tmp_path / "a.txt").write_text("A.")
    found = collection(tmp_path)
    page = inspection(found, InputSettings()).splitlines()
    assert page[0] == f"{tmp_path}: 1 book, 2 bytes"
    assert page[3].startswith(
        "unreadable   'bad.parquet': a damaged Parquet file: Parquet magic bytes not found"
    )
    assert page[3].endswith("(make the files readable, download them again, or remove them)")
    assert not any("bad" in line for line in page[4:])
    assert summary(found)[0] == f"1 book in {tmp_path}, 2 bytes (text file: 1 file)"
    assert summary(found)[1] == "1 book cannot be read: 'bad.parquet'"
    assert cli("corpus", "inspect", tmp_path).status == 0


def test_only_the_books_that_are_read_are_counted(tmp_path):
    names = [f"{etext}-{kind}.txt" for etext in (158, 1342) for kind in (0, 8)]
    (tmp_path / "x.zip").write_bytes(zipped({f"{n[:-6]}/{n}": n.encode() for n in names}))
    assert summary(collection(tmp_path))[0].endswith("(zip archive: 1 file, 2 books)")


def test_rows_of_a_named_column_are_books(tmp_path):
    rows = "".join(f'{{"story": "A {number}", "n": {number}}}\n' for number in range(2))
    (tmp_path / "x.jsonl").write_text(rows)
    found = collection(tmp_path, text_column="story")
    assert [book.book_id for book in found.books] == ["x-0", "x-1"]
    assert [book.member for book in found.books] == ["0", "1"]
