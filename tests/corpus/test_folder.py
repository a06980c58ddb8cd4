"""Reading a folder of books."""

import os
from pathlib import Path

import pytest

from cloze_gen.corpus import folder as corpus_folder
from cloze_gen.corpus.folder import Location
from cloze_gen.errors import UsageError
from tests.support.books import collection, put


def test_books_of_all_spellings_are_found(tmp_path):
    """`.txt` and `.txt.gz` in any letter case, in subfolders; nothing hidden and nothing else."""
    put(
        tmp_path,
        "B.TXT",
        "a.txt",
        "sub/C.txt.GZ",
        "d.Txt.gz",
        "e.md",
        ".hidden.txt",
        "notes.txt.bak",
        "f.gz",
    )
    assert [book.file for book in collection(tmp_path).books] == [
        "B.TXT",
        "sub/C.txt.GZ",
        "a.txt",
        "d.Txt.gz",
    ]


def test_the_order_of_listing_does_not_count(tmp_path, monkeypatch):
    """Books come sorted by id, however the file system lists them."""
    put(tmp_path, "b.txt", "a.txt", "z/c.txt", "y/d.txt")
    expected = collection(tmp_path).books
    walk = os.walk

    def backwards(root, **options):
        for folder, folders, names in walk(root, **options):
            folders.sort(reverse=True)
            yield folder, folders, sorted(names, reverse=True)

    monkeypatch.setattr(corpus_folder.os, "walk", backwards)
    assert collection(tmp_path).books == expected


def test_missing_and_empty_folders(tmp_path):
    """Each is one message with the folder in it."""
    with pytest.raises(UsageError, match="none: no such file or folder"):
        collection(tmp_path / "none")
    with pytest.raises(UsageError, match="no file of books in this folder"):
        collection(tmp_path)
    put(tmp_path, "a.txt")
    with pytest.raises(UsageError, match=r"b: no such file or folder"):
        collection(tmp_path / "a.txt" / "b")


def test_manifest_gives_ids_and_facts(tmp_path):
    """A manifest may name a book otherwise and say who wrote it; files it does not list stay."""
    put(tmp_path, "a.txt", "b.txt")
    (tmp_path / "manifest.tsv").write_text(
        'file\tbook_id\ttitle\tsha256\na.txt\tone\tFirst "Book"\n'
    )
    one, b = sorted(collection(tmp_path).books, key=lambda book: book.file)
    assert (one.book_id, dict(one.facts)) == ("one", {"title": 'First "Book"'})
    assert (b.book_id, b.facts) == ("b", {})


def test_a_manifest_tells_what_a_book_may_be_copied_under(tmp_path):
    """In the user's words, and not of a book whose cell is empty."""
    put(tmp_path, "a.txt", "b.txt")
    (tmp_path / "manifest.tsv").write_text("file\tlicense\na.txt\tCC0-1.0\nb.txt\t\n")
    assert [book.facts for book in collection(tmp_path).books] == [{"license": "CC0-1.0"}, {}]


def test_what_is_not_read_is_named(tmp_path):
    put(
        tmp_path,
        "a.txt",
        "b.md",
        "c.mobi",
        "d.md",
        "LICENSE",
        ".hidden.txt",
        ".git/x.txt",
        ".gitignore",
        "old/store/.locks/run-x",
    )
    put(tmp_path, "old/store/text-1/sentences.txt", "manifest.tsv.bak")
    (tmp_path / "manifest.tsv").write_text("file\na.txt\n")
    (tmp_path / "more").symlink_to(tmp_path)
    found = collection(tmp_path)
    assert [book.file for book in found.books] == ["a.txt"]
    assert found.skipped == (
        "2 paths (hidden): '.git', '.hidden.txt'",
        "1 path (linked folder, not followed): 'more'",
        "5 paths (not a format of books): 'LICENSE', 'b.md', 'c.mobi', 'd.md', 'manifest.tsv.bak'",
        "1 path (output folder of cloze-gen): 'old'",
    )


def test_a_folder_of_other_files_says_what_they_are(tmp_path):
    """No book at all: of many names only some are printed."""
    put(tmp_path, *(f"book.x{n:02}" for n in range(30)), *(f".h{n:02}.txt" for n in range(30)))
    with pytest.raises(
        UsageError,
        match=r"no file of books .* 30 paths \(hidden\).*and 20 more"
        r".* 30 paths \(not a format of books\).*x09' and 20 more",
    ) as caught:
        collection(tmp_path)
    assert len(str(caught.value)) < 700


def test_a_folder_that_cannot_be_read_ends_the_run(tmp_path, monkeypatch):
    """The system's refusal is mocked, because root can read every folder."""
    put(tmp_path, "a.txt", "closed/b.txt")
    scandir = os.scandir

    def refusing(path):
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(
        UsageError, match=r"closed: this folder cannot be read \(Permission denied\)"
    ):
        collection(tmp_path)


@pytest.mark.parametrize(
    ("out", "books", "refused"),
    [
        ("books/artifacts", "books", True),
        ("books", "books", True),
        ("link/artifacts", "books", True),
        ("books/../artifacts", "books", False),
        (".", "books", False),
        ("books-too", "books", False),
        ("out", "out/store/text-1", True),
        ("out", "out/runs/one/release", True),
        ("out", "out/books", False),
    ],
)
def test_output_and_books_lie_apart(tmp_path, monkeypatch, out, books, refused):
    """Links are resolved."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "books/a.txt", f"{books}/a.txt")
    (tmp_path / "link").symlink_to("books")
    if not refused:
        corpus_folder.check_apart(Path(out), Location(Path(books)))
        return
    with pytest.raises(UsageError, match="is inside"):
        corpus_folder.check_apart(Path(out), Location(Path(books)))


FILES = ("a.txt", "b.txt", "c.md", "x/e.txt", "x/y/d.txt", "x/y/[1].txt", "z*/a.txt")


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("a.txt", ["a.txt"]),
        ("x/y", ["x/y/[1].txt", "x/y/d.txt"]),
        ("*.txt", ["a.txt", "b.txt"]),
        ("[!a].txt", ["b.txt"]),
        ("**/[bd].txt", ["b.txt", "x/y/d.txt"]),
        ("x/**/*", ["x/e.txt", "x/y/[1].txt", "x/y/d.txt"]),
        ("*/*/d.txt", ["x/y/d.txt"]),
        ("x/y/[1].txt", ["x/y/[1].txt"]),
        ("x/y/[[]1].txt", ["x/y/[1].txt"]),
        ("z*/*.txt", ["z*/a.txt"]),
    ],
)
def test_a_file_a_folder_and_a_pattern(tmp_path, place, expected):
    """An existing path wins over the pattern that it could be; brackets escape."""
    put(tmp_path, *FILES)
    books = collection(tmp_path / place).books
    assert sorted(str(book.path.relative_to(tmp_path)) for book in books) == expected


def test_a_pattern_enters_no_linked_folder_and_no_output(tmp_path):
    put(tmp_path, "x/a.txt", "out/store/.locks/in-use", "out/store/text-1/b.txt", ".git/c.txt")
    (tmp_path / "x" / "again").symlink_to(tmp_path)
    assert [book.file for book in collection(tmp_path / "**" / "*.txt").books] == ["x/a.txt"]


def test_a_pattern_without_matches_has_a_remedy(tmp_path):
    put(tmp_path, "a.txt", "b.txt", "x/c.md")
    with pytest.raises(UsageError, match=r"no file matches\. `\*` does not search subfolders"):
        collection(tmp_path / "*.parquet")
    with pytest.raises(UsageError, match=r"no file of books matches\. Not read: .*'c\.md'"):
        collection(tmp_path / "x" / "*.md")
    with pytest.raises(UsageError, match=r"`\*\*` is a whole folder name; use `\*\*/\*\.txt`"):
        collection(tmp_path / "**.txt")


def test_the_catalogue_beside_a_pattern_is_read(tmp_path):
    put(tmp_path, "84.txt", "85.md")
    (tmp_path / "pg_catalog.csv").write_text("Text#,Title\n84,Frankenstein\n")
    (book,) = collection(tmp_path / "*.txt").books
    assert (book.book_id, book.facts["title"]) == ("pg84", "Frankenstein")
