"""The manifest of a folder of books: each slip named by its line."""

import os

import pytest

from cloze_gen.errors import UsageError
from tests.support.books import collection


def corpus_with(folder, manifest):
    """Two books and this manifest."""
    for name in ("a.txt", "b b.txt"):
        (folder / name).write_text(name)
    (folder / "manifest.tsv").write_bytes(
        manifest.encode() if isinstance(manifest, str) else manifest
    )
    return folder


def notices(folder):
    """What a look at the folder says."""
    found = collection(folder)
    return [*found.skipped, *found.notes]


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        (b"name\tx\na.txt\ty\n", "no column 'file'"),
        (b"file,title\na.txt,A\n", "columns are separated by tabs"),
        (b"file\ttitle\ttitle\na.txt\tA\tB\n", "line 1: 2 columns are called 'title'"),
        (b"file\tbook_id\n\na.txt\tbad id\n", "line 3: book_id 'bad id' of 'a.txt' may only have"),
        (b"file\tbook_id\na.txt\t..\n", "line 2: book_id '..'"),
        (b"file\tbook_id\na.txt\t.\n", "line 2: book_id '.'"),
        (b"file\ttitle\na.txt\t\xe9\n", "not UTF-8"),
        (bytes(range(256)), "not UTF-8"),
        (b"file\tbook_id\na.txt\tone\nb b.txt\tone\n", "share the id 'one'"),
        (
            b"file\ttitle\na.txt\tA\nb b.txt\tB\na.txt\tA\n",
            "line 4: 'a.txt' is already in line 2",
        ),
        (b"file\ttitle\na.txt\tA\tB\n", "line 2: more cells than the header has columns"),
        (b"file\ttitle\n\tA\n", "line 2: the cell `file` is empty"),
        (b"file\t" + b"n" * 140_000 + b"\n", "line 1: field larger than"),
        (b"file\tx\na.txt\t\na.txt\t" + b"n" * 140_000, "line 3: field larger than"),
        (b"file\tsha256\na.txt\tx\n", "line 2: 'x' is not a sha256"),
    ],
)
def test_broken_manifests(tmp_path, manifest, said):
    """Each mistake is named with the manifest's path and its line."""
    with pytest.raises(UsageError) as caught:
        collection(corpus_with(tmp_path, manifest))
    assert said in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_long_cells_are_cut(tmp_path):
    """A title, an author or a licence is printed in reports and cards."""
    folder = corpus_with(tmp_path, f"file\ttitle\t{'n' * 9000}\na.txt\t{'x' * 9000}\t\n")
    assert dict(collection(folder).books[0].facts) == {"title": "x" * 2000}
    (notice,) = notices(folder)
    assert "n" * 80 in notice
    assert "n" * 81 not in notice


def test_a_manifest_that_is_no_file_is_refused(tmp_path):
    """A pipe does not make the run wait; a link to nowhere is no manifest left out."""
    (tmp_path / "a.txt").write_text("a")
    os.mkfifo(tmp_path / "manifest.tsv")
    with pytest.raises(
        UsageError, match=r"cannot be read as a manifest \(a named pipe, not a file\)"
    ):
        collection(tmp_path)
    (tmp_path / "manifest.tsv").unlink()
    (tmp_path / "manifest.tsv").symlink_to("gone")
    with pytest.raises(UsageError, match=r"cannot be read as a manifest \(No such file"):
        collection(tmp_path)


def test_rows_without_a_file_and_columns_without_a_meaning_are_said(tmp_path):
    corpus_with(tmp_path, "file\tTitle\nA.TXT\tA\ngone.txt\n")
    assert notices(tmp_path) == [
        "manifest.tsv lists what does not exist: line 2 'A.TXT', line 3 'gone.txt'",
        "manifest.tsv has columns that are not used: 'Title' "
        "(known: file, member, book_id, title, author, genre, year, etext, language, license, role, bytes, sha256)",
    ]


def test_many_rows_without_a_file_are_counted(tmp_path):
    """A manifest of both sides lists the other side's books too."""
    corpus_with(tmp_path, "file\n" + "".join(f"gone{n}.txt\n" for n in range(500)))
    (said,) = notices(tmp_path)
    assert "line 11 'gone9.txt' and 490 more" in said


def test_a_manifest_that_holds_says_nothing(tmp_path):
    """Windows line ends, a byte-order mark, blank lines and short rows are no slips."""
    corpus_with(
        tmp_path, b"\xef\xbb\xbffile\ttitle\tyear\r\n\r\nb b.txt\tB\r\na.txt\tA\t1900\t\r\n"
    )
    assert notices(tmp_path) == []
    assert [book.facts for book in collection(tmp_path).books] == [
        {"title": "A", "year": "1900"},
        {"title": "B"},
    ]


def test_rows_of_files_that_were_not_asked_for_are_no_slip(tmp_path):
    """Beside a file or a pattern; a file that does not exist still is."""
    folder = corpus_with(tmp_path, "file\ttitle\na.txt\tA\nb b.txt\tB\nc.txt\tC\n")
    found = collection(folder / "a.txt")
    assert found.books[0].facts == {"title": "A"}
    assert found.notes == ("manifest.tsv lists what does not exist: line 4 'c.txt'",)
