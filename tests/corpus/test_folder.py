"""Reading a folder of books."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.corpus import folder as corpus_folder
from cloze_gen.corpus.location import Location
from cloze_gen.corpus.scan import scan_corpus, verify_corpus
from cloze_gen.errors import UsageError


def put(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)


def test_books_of_all_spellings_are_found(tmp_path: Path) -> None:
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
    assert [book.file for book in scan_corpus(tmp_path)] == [
        "B.TXT",
        "sub/C.txt.GZ",
        "a.txt",
        "d.Txt.gz",
    ]


def test_the_order_of_listing_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Books come sorted by id, however the file system lists them."""
    put(tmp_path, "b.txt", "a.txt", "z/c.txt", "y/d.txt")
    expected = scan_corpus(tmp_path)
    walk = os.walk

    def backwards(root: Path, **options: Any) -> Iterator[tuple[str, list[str], list[str]]]:
        for folder, folders, names in walk(root, **options):
            folders.sort(reverse=True)
            yield folder, folders, sorted(names, reverse=True)

    monkeypatch.setattr(corpus_folder.os, "walk", backwards)
    assert scan_corpus(tmp_path) == expected


def test_missing_and_empty_folders(tmp_path: Path) -> None:
    """Each is one message with the folder in it."""
    with pytest.raises(UsageError, match="none: no such file or folder"):
        scan_corpus(tmp_path / "none")
    with pytest.raises(UsageError, match="no file of books in this folder"):
        scan_corpus(tmp_path)
    put(tmp_path, "a.txt")
    with pytest.raises(UsageError, match=r"b: no such file or folder"):
        scan_corpus(tmp_path / "a.txt" / "b")


def test_manifest_gives_ids_and_facts(tmp_path: Path) -> None:
    """A manifest may name a book otherwise and say who wrote it; files it does not list stay."""
    put(tmp_path, "a.txt", "b.txt")
    (tmp_path / "manifest.tsv").write_text(
        'file\tbook_id\ttitle\tsha256\na.txt\tone\tFirst "Book"\n'
    )
    one, b = sorted(scan_corpus(tmp_path), key=lambda book: book.file)
    assert (one.book_id, dict(one.facts)) == ("one", {"title": 'First "Book"'})
    assert (b.book_id, b.facts) == ("b", ())


def test_a_manifest_tells_what_a_book_may_be_copied_under(tmp_path: Path) -> None:
    """In the user's words, and not of a book whose cell is empty."""
    put(tmp_path, "a.txt", "b.txt")
    (tmp_path / "manifest.tsv").write_text("file\tlicense\na.txt\tCC0-1.0\nb.txt\t\n")
    assert [dict(book.facts) for book in scan_corpus(tmp_path)] == [{"license": "CC0-1.0"}, {}]


def test_what_is_not_read_is_said_in_one_line(tmp_path: Path) -> None:
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
    notices: list[str] = []
    assert [book.file for book in scan_corpus(tmp_path, notice=notices.append)] == ["a.txt"]
    assert notices == [
        f"{tmp_path}: skipped 5 other files "
        "(2 .md, 1 without an ending, 1 .bak, 1 .mobi); "
        "2 hidden ('.git', '.hidden.txt'); 1 linked folder, not followed ('more'); 1 output "
        "folder of cloze-gen ('old')"
    ]


def test_a_folder_of_other_files_says_what_they_are(tmp_path: Path) -> None:
    """No book at all: the kinds found are told, and of many kinds and names only some."""
    put(tmp_path, *(f"book.x{n:02}" for n in range(30)), *(f".h{n:02}.txt" for n in range(30)))
    with pytest.raises(
        UsageError,
        match=r"no file of books .* 30 other files .*"
        r".*1 \.x09 and 20 more.*30 hidden .* and 20 more",
    ) as caught:
        scan_corpus(tmp_path)
    assert len(str(caught.value)) < 600


def test_many_books_of_one_id_are_not_all_listed(tmp_path: Path) -> None:
    """Ten names say it."""
    put(tmp_path, *(f"{n:02}/emma.txt" for n in range(30)))
    with pytest.raises(
        UsageError, match=r"30 books share the id 'emma' .*'09/emma\.txt' and 20 more"
    ):
        scan_corpus(tmp_path)


def test_a_folder_that_cannot_be_read_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's refusal is mocked, because root can read every folder."""
    put(tmp_path, "a.txt", "closed/b.txt")
    scandir = os.scandir

    def refusing(path: Any) -> Any:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(
        UsageError, match=r"closed: this folder cannot be read \(Permission denied\)"
    ):
        scan_corpus(tmp_path)


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
def test_output_and_books_lie_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str, books: str, refused: bool
) -> None:
    """Links are resolved; the advice in the message is accepted."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "books/a.txt", f"{books}/a.txt")
    (tmp_path / "link").symlink_to("books")
    if not refused:
        corpus_folder.check_apart(Path(out), Location(Path(books)))
        return
    with pytest.raises(UsageError, match="is inside") as caught:
        corpus_folder.check_apart(Path(out), Location(Path(books)))
    if "--out" in str(caught.value):
        corpus_folder.check_apart(
            Path(str(caught.value).split("--out ")[1].split(",")[0]), Location(Path(books))
        )


def test_verify_finds_what_is_missing_and_what_differs(tmp_path: Path) -> None:
    """A copy is compared by content; letter case and folders of the copy do not matter."""
    put(tmp_path, "in/A.TXT", "b.txt")
    rows = [
        ("a.txt", hashlib.sha256(b"in/A.TXT").hexdigest()),
        ("b.txt", "0" * 64),
        ("c.txt", "1" * 64),
    ]
    manifest = tmp_path / "m.tsv"
    manifest.write_text(
        "file\tsha256\tbytes\n" + "".join(f"{file}\t{sha}\t9\n" for file, sha in rows)
    )
    assert verify_corpus(tmp_path, manifest) == [
        ("b.txt", "differs: 5 bytes here, 9 in the manifest"),
        ("c.txt", "missing"),
    ]
    manifest.write_text("name\na.txt\n")
    with pytest.raises(UsageError, match="no column 'file'"):
        verify_corpus(tmp_path, manifest)
    manifest.write_text("file\na.txt\n")
    with pytest.raises(UsageError, match="needs the columns"):
        verify_corpus(tmp_path, manifest)
    with pytest.raises(UsageError, match=r"gone\.tsv: cannot be read as a manifest \(No such file"):
        verify_corpus(tmp_path, tmp_path / "gone.tsv")


def test_verify_reads_no_pipe(tmp_path: Path) -> None:
    """What bears a listed name and is no file is a finding; checksums may stand in capitals."""
    put(tmp_path, "b.txt")
    os.mkfifo(tmp_path / "a.txt")
    (tmp_path / "m.tsv").write_text(
        f"file\tsha256\na.txt\t{'0' * 64}\nb.txt\t{hashlib.sha256(b'b.txt').hexdigest().upper()}\n"
    )
    assert verify_corpus(tmp_path, tmp_path / "m.tsv") == [
        ("a.txt", "unreadable: a named pipe, not a file")
    ]


def test_verify_passes_a_link_to_nowhere(tmp_path: Path) -> None:
    """Of two files of a name the one that can be read is compared, and its size told."""
    put(tmp_path, "one/.keep", "two/a.txt")
    (tmp_path / "one" / "a.txt").symlink_to(tmp_path / "gone")
    (tmp_path / "m.tsv").write_text(f"file\tsha256\tbytes\na.txt\t{'0' * 64}\t7\n")
    assert verify_corpus(tmp_path, tmp_path / "m.tsv") == [
        ("a.txt", "differs: 9 bytes here, 7 in the manifest")
    ]


def test_verify_looks_at_one_role_when_asked(tmp_path: Path) -> None:
    put(tmp_path, "in/a.txt", "in/b.txt")
    manifest = tmp_path / "m.tsv"
    sides = (("a", "train"), ("b", "source"))
    rows = [
        (f"{name}.txt", hashlib.sha256(f"in/{name}.txt".encode()).hexdigest(), role)
        for name, role in sides
    ]
    manifest.write_text(
        "file\tsha256\trole\n"
        + "".join("\t".join(row) + "\n" for row in rows)
        + "c.txt\tx\tsource\n"
    )
    assert verify_corpus(tmp_path / "in", manifest, role="train") == []
    assert (
        verify_corpus(tmp_path / "in", manifest, role="source")
        == verify_corpus(tmp_path / "in", manifest)
        == [("c.txt", "missing")]
    )
    with pytest.raises(
        UsageError, match=r"no file has the role 'sauce'. Roles there: source, train"
    ):
        verify_corpus(tmp_path / "in", manifest, role="sauce")


def test_verify_takes_the_copy_that_agrees(tmp_path: Path) -> None:
    """Another folder may hold a file of the same name; a full path is unambiguous."""
    put(tmp_path, "one/a.txt", "two/a.txt")
    manifest = tmp_path / "m.tsv"
    digest = hashlib.sha256(b"two/a.txt").hexdigest()
    manifest.write_text(f"file\tsha256\na.txt\t{digest}\n")
    assert verify_corpus(tmp_path, manifest) == []
    manifest.write_text(f"file\tsha256\tbytes\none/a.txt\t{digest}\t9\n")
    assert verify_corpus(tmp_path, manifest) == [
        ("one/a.txt", "differs: its checksum is not the one in the manifest")
    ]


def test_verify_compares_rows_with_their_own_checksums(tmp_path: Path) -> None:
    """As a run does; a row that does not exist is a finding."""
    (tmp_path / "a.jsonl").write_text('{"text": "One."}\n{"text": "Two."}\n')
    digests = [hashlib.sha256(text).hexdigest() for text in (b"One.", b"2.", b"Three.")]
    rows = "".join(f"a.jsonl\t{at}\t{digest}\n" for at, digest in enumerate(digests))
    (tmp_path / "m.tsv").write_text(f"file\tmember\tsha256\n{rows}")
    assert verify_corpus(tmp_path, tmp_path / "m.tsv") == [
        ("a.jsonl/1", "differs: its checksum is not the one in the manifest"),
        ("a.jsonl/2", "unreadable: no book '2' in this file"),
    ]


def test_verify_needs_a_folder(tmp_path: Path) -> None:
    """A wrong path is told once, not once a book."""
    (tmp_path / "m.tsv").write_text("file\tsha256\na.txt\tx\n")
    with pytest.raises(UsageError, match="no such folder"):
        verify_corpus(tmp_path / "none", tmp_path / "m.tsv")
