"""Locations: files, folders and patterns."""

from pathlib import Path

import pytest

from cloze_gen.corpus.folder import check_apart
from cloze_gen.corpus.location import Location
from cloze_gen.corpus.scan import scan
from cloze_gen.errors import UsageError

FILES = ("a.txt", "b.txt", "c.md", "x/e.txt", "x/y/d.txt", "x/y/[1].txt", "z*/a.txt")


@pytest.fixture
def books(tmp_path):
    for file in FILES:
        (tmp_path / "books" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "books" / file).write_text(file)
    return tmp_path / "books"


def found(place):
    """The files of a location, by their paths below the folder of the test."""
    location = Location.parse(place)
    books = scan(location).books
    return sorted(str(book.path) for book in books)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("a.txt", ["a.txt"]),
        ("x/y", ["x/y/[1].txt", "x/y/d.txt"]),
        ("*.txt", ["a.txt", "b.txt"]),
        ("?.txt", ["a.txt", "b.txt"]),
        ("[!a].txt", ["b.txt"]),
        ("**/[bd].txt", ["b.txt", "x/y/d.txt"]),
        ("x/**", ["x/e.txt", "x/y/[1].txt", "x/y/d.txt"]),
        ("*/*/d.txt", ["x/y/d.txt"]),
        ("x/y/[1].txt", ["x/y/[1].txt"]),
        ("x/y/[[]1].txt", ["x/y/[1].txt"]),
        ("x/y/[[]*.txt", ["x/y/[1].txt"]),
        ("z*", ["z*/a.txt"]),
        ("z[*]/*.txt", ["z*/a.txt"]),
    ],
)
def test_a_file_a_folder_and_a_pattern(books, place, expected):
    """An existing path wins over the pattern that it could be; brackets escape."""
    assert found(f"{books}/{place}") == [f"{books}/{file}" for file in expected]


@pytest.mark.parametrize(
    "pattern", ["*", "**", "**/a*", "x/*", "x/**/b*", "*/y/*", "x/y/?*.txt", "**/y/**", "[a-x]/*"]
)
def test_a_location_is_read_back_and_enters_the_folders_of_its_files(books, pattern):
    """`parse` reads what `str` writes; no folder of a matching file is left out."""
    location = Location.parse(f"{books}/{pattern}")
    assert (location.root / location.pattern, Location.parse(str(location))) == (
        books / pattern, location
    )  # fmt: skip
    for path in books.rglob("*.txt"):
        file = (
            path.relative_to(location.root).as_posix() if path.is_relative_to(location.root) else ""
        )
        if file and location.matches(file):
            folders = file.split("/")[:-1]
            assert all(
                location.enters("/".join(folders[: count + 1])) for count in range(len(folders))
            )


def test_a_pattern_of_one_folder_leaves_other_folders_unread(books):
    """A file in a large folder costs no walk through it."""
    assert not Location.parse(f"{books}/*.txt").enters("x")
    assert not Location.parse(f"{books}/a.txt").enters("x")
    assert not Location.parse(f"{books}/x*/y/*").enters("z")
    assert not Location.parse(f"{books}/x*/y/*").enters("x1/z")


def test_a_folder_of_wildcards_is_written_so_that_it_is_read_back(books):
    for location in (Location(books / "z*", "*.txt"), Location(books / "x/y", "[[]1].txt")):
        assert Location.parse(str(location)) == location


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("*.parquet", r"no file matches\. .*books has 2 folders \('x', 'z\*'\) and 3 files \(2 \.txt, 1 \.md\).* use `\*\*/\*\.txt`"),
        ("*.md", r"no file of books matches, only 1 other file \(1 \.md\)"),
        ("c.md", r"c\.md: not a file of books\. Books are files with the ending \.txt"),
        ("gone.txt", r"gone\.txt: no such file or folder\. Give a file of books, a folder"),
        ("gone/*.txt", r"gone: no such folder"),
        ("a.txt/*.txt", r"a\.txt: a file, not a folder"),
        ("x/*", None),
        ("[z-a].txt", r"not a pattern of files \(bad character range z-a"),
    ],
)  # fmt: skip
def test_what_matches_nothing_says_what_is_there(books, place, said):
    if said is None:
        assert found(f"{books}/{place}") == [f"{books}/x/e.txt"]
        return
    with pytest.raises(UsageError, match=said):
        found(f"{books}/{place}")


@pytest.mark.parametrize(
    ("place", "refused"),
    [("books", True), ("books/**/*.txt", True), ("books/*.txt", False), ("books/a.txt", False),
     ("books/x/*.txt", False)],
)  # fmt: skip
def test_the_output_folder_may_lie_beside_files_that_a_pattern_names(
    books, monkeypatch, place, refused
):
    """Only where the pattern could read the output as books."""
    monkeypatch.chdir(books.parent)
    location = Location.parse(place)
    if refused:
        with pytest.raises(UsageError, match="is inside the folder of books"):
            check_apart(Path("books/artifacts"), location)
    else:
        check_apart(Path("books/artifacts"), location)


def test_linked_files_are_read_and_linked_folders_are_not(books):
    (books / "x" / "link.txt").symlink_to(books / "a.txt")
    (books / "x" / "folder").symlink_to(books / "x" / "y")
    assert found(f"{books}/x/**") == [
        f"{books}/x/{file}" for file in ("e.txt", "link.txt", "y/[1].txt", "y/d.txt")
    ]
