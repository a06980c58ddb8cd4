"""What is printed about a location before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from cloze_gen.corpus.inspect import inspection, summary
from cloze_gen.corpus.readers.reader import InputSettings
from cloze_gen.corpus.scan import scan
from tests.conftest import SAMPLE

HEADER = "*** START OF THE PROJECT GUTENBERG EBOOK EMMA ***"


@pytest.fixture
def books(tmp_path: Path) -> Path:
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


def test_the_page_of_a_location(books: Path) -> None:
    """Formats, metadata, what is skipped, the first words of the text itself, and what to type."""
    words = "It was a fine day. " + "Go. " * 20
    assert inspection(scan(books), InputSettings()).splitlines() == [
        f"{books}: 3 books, 493 bytes",
        "",
        "shapes     text file: 3 files",
        "metadata   title 2, author 1, year 0, genre 0, language 0, licence 1",
        "skipped    1 of other kinds (1 .md)",
        "examples   emma  Emma, by Jane Austen",
        f"               {words[:97]}...",
        "           empty",
        "               cannot be read (empty): the file is empty",
        "           evil  Evil",
        "               A [2J word.",
        f"next       cloze-gen run holmes-style --source {books}",
    ]


def test_the_first_lines_of_a_run(books: Path) -> None:
    assert summary(scan(books)) == [
        f"3 books in {books}, 493 bytes (text file: 3 files)",
        "metadata: title 2, author 1, licence 1",
        "skipped 1 of other kinds (1 .md)",
    ]
    assert summary(scan(SAMPLE / "train"), place="the sample")[0].startswith(
        "8 books in the sample, "
    )


def test_a_run_names_only_some_of_much_that_is_skipped(tmp_path: Path) -> None:
    """The rest is counted, with the command that prints it."""
    (tmp_path / "a b.txt").write_text("A.")
    found = scan(tmp_path)
    many = type(found)(
        found.location,
        found.books,
        found.shapes,
        2,
        tuple(f"skipped {n}" for n in range(9)),
        ("odd",),
    )
    assert summary(many)[1:] == [
        *(f"skipped {n}" for n in range(5)),
        f"5 more lines: cloze-gen corpus inspect {tmp_path}",
    ]
    page = inspection(many, InputSettings())
    assert "           8" in page.splitlines()
    assert "warnings   odd" in page.splitlines()


def test_advice_depends_on_what_is_there(tmp_path: Path) -> None:
    """Sentences are background only; options and quoted paths are in the next command."""
    place = tmp_path / "my books"
    place.mkdir()
    (place / "a.txt").write_text("A.")
    found = scan(place)
    sentences = type(found)(found.location, (), found.shapes, 2, (), (), sentences=True)
    page = inspection(sentences, InputSettings())
    assert "background only" in page
    assert page.endswith(f"next       cloze-gen run holmes-style --source BOOKS --train '{place}'")
    settings = InputSettings(text_column="the text", keep_splits=True)
    assert inspection(found, settings).endswith(
        f"run holmes-style --train '{place}' --source '{place}' --keep-splits --text-column 'the text'"
    )
