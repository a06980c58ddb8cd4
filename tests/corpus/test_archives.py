"""Zip and tar archives of books: equal to the plain files, and harmless where they are hostile."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from cloze_gen.corpus.location import Location
from cloze_gen.corpus.readers import archive, book_digest, compressed, list_file, read_book
from cloze_gen.corpus.readers.compressed import zstd
from cloze_gen.corpus.readers.reader import InputSettings
from cloze_gen.corpus.scan import scan, scan_corpus
from cloze_gen.errors import BookError
from cloze_gen.release.books import BooksFound

FILES = {
    "emma.txt": b"Emma Woodhouse, handsome.\r\n",
    "sub/lady susan.TXT": "My dear Brother,\u2014I can no longer.\n".encode(),
    "sub/packed.txt.gz": gzip.compress(b"Call me Ishmael.", mtime=0),
}


def tar(files: Mapping[str, bytes], mode: int = tarfile.PAX_FORMAT) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=mode) as out:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            out.addfile(info, io.BytesIO(content))
    return data.getvalue()


def zipped(files: Mapping[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in files.items():
            out.writestr(name, content)
    return data.getvalue()


FORMS: Mapping[str, Callable[[Mapping[str, bytes]], bytes]] = {
    "x.zip": zipped,
    "x.tar": tar,
    "gnu.TAR": lambda files: tar(files, tarfile.GNU_FORMAT),
    "v7.tar": lambda files: tar(files, tarfile.USTAR_FORMAT),
    "x.tar.gz": lambda files: gzip.compress(tar(files), mtime=0),
    "x.tgz": lambda files: gzip.compress(tar(files), mtime=0),
    "x.tar.zst": lambda files: zstd.compress(tar(files)[:700]) + zstd.compress(tar(files)[700:]),
    "x.tar.bz2": lambda files: bz2.compress(tar(files)),
    "txt-files.tar.zip": lambda files: zipped({"txt-files.tar": tar(files)}),
}


def members(path: Path) -> list[str]:
    return [member.name for member in list_file(path, InputSettings()).members]


def skipped(path: Path) -> dict[str, str]:
    return dict(list_file(path, InputSettings()).skipped)


@pytest.mark.parametrize("form", FORMS)
def test_a_member_equals_the_plain_file(form: str, tmp_path: Path) -> None:
    """In bytes, digest and text, in any order of reading; names are those in the archive."""
    path = tmp_path / form
    long_name = f"{'d' * 90}/{'n' * 60}.txt"
    files = FILES | {long_name: b"A long name.", "cover.jpg": b"\xff\xd8", "old/more.zip": b"PK"}
    path.write_bytes(FORMS[form](files))
    assert members(path) == [*FILES, long_name]
    for name in (*FILES, long_name, "emma.txt"):
        (tmp_path / "plain").mkdir(exist_ok=True)
        plain = tmp_path / "plain" / name.replace("/", "-")
        plain.write_bytes(files[name])
        digest = book_digest(path, name)
        assert digest == book_digest(plain) == hashlib.sha256(files[name]).hexdigest()
        assert read_book(path, name, digest=digest).decode() == read_book(plain).decode()
    assert skipped(path) == {
        "old/more.zip": "an archive in an archive; unpack it",
        "*.jpg": "1 file, not a format that is read inside an archive",
    }


def test_an_id_is_that_of_the_plain_file(tmp_path: Path) -> None:
    """Or longer, where another book has it."""
    files = {"a/emma.txt": b"x", "b/emma.txt": b"y", "b/persuasion.txt": b"z"}
    (tmp_path / "x.zip").write_bytes(zipped(files))
    ids = {book.member: book.book_id for book in scan_corpus(tmp_path)}
    assert ids["b/persuasion.txt"] == "persuasion"
    assert ids["a/emma.txt"] == "emma"
    assert ids["b/emma.txt"].startswith("x-b-emma.txt-")


def test_of_two_files_of_one_name_the_first_is_read(tmp_path: Path) -> None:
    """As the listing of the archive says."""
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("a.txt", b"The first.")
        with pytest.warns(UserWarning, match="Duplicate name"):
            out.writestr("a.txt", b"The second.")
    assert members(path) == ["a.txt"]
    assert skipped(path) == {"a.txt": "a second file with the same name; only the first is read"}
    assert book_digest(path, "a.txt") == hashlib.sha256(b"The first.").hexdigest()


def test_a_member_repeats_a_plain_file_and_not_the_other_way(tmp_path: Path) -> None:
    """Even where the archive comes first by its name."""
    (tmp_path / "a.zip").write_bytes(zipped({"emma.txt": b"x"}))
    (tmp_path / "emma.txt").write_bytes(b"x")
    found = scan(tmp_path)
    assert [(book.book_id, book.place) for book in found.books] == [("emma", "emma.txt")]
    assert found.skipped == (
        "skipped 1 book identical to another book: 'a.zip/emma.txt' (as 'emma.txt')",
    )


def test_one_file_of_each_gutenberg_book_is_read(tmp_path: Path) -> None:
    """By the rule for folders, with the catalogue beside the archive; but a release's books are
    looked for among all files.
    """
    names = ("1/1342/1342-8.txt", "1/1342/1342-0.txt", "1/1342/old/pandp10.txt", "84.txt", "a.txt")
    (tmp_path / "x.tar").write_bytes(tar({name: name.encode() for name in names}))
    (tmp_path / "pg_catalog.csv").write_text(
        "Text#,Type,Issued,Title,Language,Authors,Subjects,LoCC,Bookshelves\n"
        '84,Text,1993,Frankenstein,en,"Shelley, Mary",,,\n'
    )
    found = scan(tmp_path)
    assert {book.member: (book.book_id, dict(book.facts)) for book in found.books} == {
        "1/1342/1342-0.txt": ("pg1342", {"etext": "1342"}),
        "84.txt": (
            "pg84",
            {
                "title": "Frankenstein",
                "author": "Shelley, Mary",
                "etext": "84",
                "language": "en",
            },
        ),
        "a.txt": ("a", {}),
    }
    assert [line for line in found.notes if "1342-8" in line] == [
        "x.tar: skipped 1 file (the same book is read from another file): '1/1342/1342-8.txt'"
    ]
    assert any("'1/1342/old/pandp10.txt'" in line for line in found.notes)
    assert len(BooksFound.below(Location(tmp_path)).books) == 5


@pytest.mark.parametrize("form", ["x.zip", "x.tar.gz"])
def test_html_in_an_archive_is_read_as_html(form: str, tmp_path: Path) -> None:
    """By its own reader, with its facts; the digest is of the HTML."""
    page = (
        b"<html><head><title>Emma</title></head><body><p>Emma <i>Woodhouse</i>.</p></body></html>"
    )
    (tmp_path / form).write_bytes(FORMS[form]({"1-h/1-h.htm": page, "1-h/images/i.png": b"x"}))
    (book,) = scan_corpus(tmp_path)
    assert (dict(book.facts)["title"], book.kind[:4]) == ("Emma", "html")
    assert book.digest() == hashlib.sha256(page).hexdigest()
    assert read_book(book.path, book.member).decode().text.strip() == "Emma Woodhouse."


@pytest.mark.parametrize("form", ["x.zip", "x.tar"])
@pytest.mark.parametrize(
    "name",
    ["/etc/passwd.txt", "../../evil.txt", "C:\\x.txt", "two\nlines.txt", "\u00e9t\u00e9.txt"],
)
def test_a_name_is_only_a_label(form: str, name: str, tmp_path: Path) -> None:
    """It is read in place; nothing is written, and the id is safe."""
    (tmp_path / form).write_bytes(FORMS[form]({name: b"Call me Ishmael."}))
    (book,) = scan_corpus(tmp_path)
    assert book.digest() == hashlib.sha256(b"Call me Ishmael.").hexdigest()
    assert book.member == name
    assert not {"/", "\\", "\n"} & set(book.book_id)
    assert [path.name for path in tmp_path.iterdir()] == [form]


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    """Old archives have names in Latin-1."""
    data = io.BytesIO()
    with tarfile.open(
        fileobj=data, mode="w", format=tarfile.USTAR_FORMAT, encoding="latin-1"
    ) as out:
        info = tarfile.TarInfo("\u00c9mile.txt")
        info.size = 1
        out.addfile(info, io.BytesIO(b"x"))
    (tmp_path / "x.tar").write_bytes(data.getvalue())
    (book,) = scan_corpus(tmp_path)
    assert (book.member, book.book_id.isascii()) == ("\udcc9mile.txt", True)
    assert book.digest() == hashlib.sha256(b"x").hexdigest()


def header(name: str = "a.txt", kind: bytes = b"0", size: int | bytes = 0, link: str = "") -> bytes:
    """The header of a tar with a right checksum, whatever else it has."""
    digits = size if isinstance(size, bytes) else b"%011o\0" % size
    block = bytearray(512)
    block[: len(name)] = name.encode()
    block[100:108], block[124:136], block[156:157] = b"0000644\0", digits, kind
    block[157 : 157 + len(link)] = link.encode()
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


END = bytes(1024)
BODY = b"Call me Ishmael.".ljust(512, b"\0")


@pytest.mark.parametrize(
    ("data", "found", "why_not"),
    [
        (header(kind=b"2", link="/etc/passwd"), [], {"a.txt": "a link"}),
        (header(kind=b"1", link="b.txt"), [], {"a.txt": "a link"}),
        (header(kind=b"3"), [], {"a.txt": "no file"}),
        (header(kind=b"6"), [], {"a.txt": "no file"}),
        (header(".hid.txt"), [], {".hid.txt": "hidden"}),
        (header("__MACOSX/a.txt"), [], {"__MACOSX/a.txt": "hidden"}),
        (header(kind=b"2", size=(8 << 30) - 1) + header("b.txt"), ["b.txt"], {"a.txt": "a link"}),
        (
            header(size=16) + BODY + header(size=0),
            ["a.txt"],
            {"a.txt": "a second file with the same name; only the first is read"},
        ),
        (
            header("x", b"x", 20) + b"20 GNU.sparse.size=9".ljust(512, b"\0") + header(),
            [],
            {"a.txt": "stored as a sparse file; create the archive without --sparse"},
        ),
        (header() + b"junk" * 128, ["a.txt"], {"the rest": "not a tar file, or damaged"}),
        (
            header() + header("b.txt", b"S"),
            ["a.txt"],
            {"the rest": "'b.txt' is stored as a sparse file"},
        ),
        (header() + header(size=b"\xff" * 12), ["a.txt"], {"the rest": "impossible size"}),
        (
            header() + header(size=b"\x80" + b"\xff" * 11),
            ["a.txt"],
            {"the rest": "impossible size"},
        ),
        (
            header() + header(kind=b"L", size=(8 << 30) - 1),
            ["a.txt"],
            {"the rest": "a name or header of"},
        ),
        (header() + header("x", b"x", 9000), ["a.txt"], {"the rest": "it ends within a file"}),
        (
            header() + header("x", b"x", 20) + b"99999 path=a".ljust(512, b"\0"),
            ["a.txt"],
            {"the rest": "a damaged extended header"},
        ),
    ],
)
def test_hostile_tars(
    data: bytes, found: list[str], why_not: dict[str, str], tmp_path: Path
) -> None:
    """Files before the damage are read; the rest has a reason."""
    for name, packed in (("x.tar", data + END), ("x.tar.gz", gzip.compress(data + END, mtime=0))):
        (tmp_path / name).write_bytes(packed)
        listing = list_file(tmp_path / name, InputSettings())
        if not found and not listing.skipped:
            raise AssertionError(listing)
        assert [member.name for member in listing.members] == found
        for who, why in why_not.items():
            assert any(one == who and why in reason for one, reason in listing.skipped), listing


def test_a_file_that_is_cut_off_is_one_dropped_book(tmp_path: Path) -> None:
    """Its books before the end are read, also when the compressed stream breaks off."""
    whole = tar({"a.txt": b"one", "b.txt": b"two" * 1000})
    for name, data in (
        ("x.tar", whole[:3000]),
        ("x.tar.gz", gzip.compress(whole[:3000], mtime=0)),
        ("y.tar.gz", gzip.compress(whole, compresslevel=0, mtime=0)[:-7_500]),
        ("x.tar.zip", zipped({"x.tar": whole[:3000]})),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        assert members(path) == ["a.txt", "b.txt"], name
        assert "incomplete" in skipped(path)["the rest"]
        assert book_digest(path, "a.txt") == hashlib.sha256(b"one").hexdigest()
        with pytest.raises(BookError, match="incomplete"):
            read_book(path, "b.txt", digest=book_digest(path, "b.txt"))


def edited(offset_from: bytes, at: int, new: bytes, data: bytes) -> bytes:
    """With bytes replaced behind the last signature of a kind."""
    place = data.rindex(offset_from) + at
    return data[:place] + new + data[place + len(new) :]


LOCAL, CENTRAL, LAST = b"PK\3\4", b"PK\1\2", b"PK\5\6"
TAR_ZIP = zipped({"x.tar": tar({"a.txt": b"one"})})
ZIP = zipped({"a.txt": b"one " * 100, "b.txt": b"two " * 100})


@pytest.mark.parametrize(
    ("data", "found", "reason"),
    [
        (edited(CENTRAL, 8, b"\1\0", ZIP), ["a.txt"], "encrypted"),
        (edited(CENTRAL, 10, b"\6\0", ZIP), ["a.txt"], "compressed by method 6"),
        (edited(CENTRAL, 10, b"\x0e\0", ZIP), ["a.txt"], "compressed by method 14"),
        (edited(CENTRAL, 38, struct.pack("<I", 0o120777 << 16), ZIP), ["a.txt"], "a link"),
        (edited(CENTRAL, 38, struct.pack("<I", 0o020666 << 16), ZIP), ["a.txt"], "no file"),
        (edited(CENTRAL, 42, bytes(4), ZIP), [], "it overlaps another file"),
    ],
)
def test_files_of_a_zip_that_are_skipped(
    data: bytes, found: list[str], reason: str, tmp_path: Path
) -> None:
    (tmp_path / "x.zip").write_bytes(data)
    listing = list_file(tmp_path / "x.zip", InputSettings())
    assert [member.name for member in listing.members] == found
    assert {why[: len(reason)] for _, why in listing.skipped} == {reason}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (ZIP[:-30], "not a zip file, or an incomplete one"),
        (b"", "not a zip file, or an incomplete one"),
        (b"no zip", "not a zip file"),
        (edited(CENTRAL, 8, b"\0\x08", edited(CENTRAL, 46, b"\xff", ZIP)), "not a zip file"),
        (edited(LAST, 12, b"\xff\xff\xff\x7f", ZIP), "not a zip file"),
        (edited(CENTRAL, 24, b"\xff\xff\xff\x3f", ZIP), "unpacks to more than 100 times its size"),
    ],
    ids=lambda value: None if isinstance(value, bytes) else value,
)
def test_a_zip_that_cannot_be_read_is_one_dropped_book(
    data: bytes, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(data)
    assert members(path) == [""]
    with pytest.raises(BookError, match=reason):
        read_book(path, "", digest=book_digest(path))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (edited(LOCAL, 40, b"\xff\xff\xff\xff", TAR_ZIP), "damaged or incomplete"),
        (edited(CENTRAL, 10, b"\x0c\0", TAR_ZIP), ""),
        (edited(CENTRAL, 8, b"\1\0", TAR_ZIP), ""),
    ],
)
def test_a_tar_in_a_zip_is_read_only_if_the_zip_is_whole(
    data: bytes, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(data)
    if reason:
        assert reason in book_digest(path)
    else:
        assert skipped(path) == {"x.tar": "an archive in an archive; unpack it"}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (edited(CENTRAL, 24, b"\x10\0\0\0", ZIP), "damaged in the archive"),
        (edited(CENTRAL, 24, b"\xff\x7f\0\0", ZIP), "not of the size it gives"),
        (edited(LOCAL, 38, b"\xff\xff\xff", ZIP), "damaged in the archive"),
        (edited(LOCAL, 30, b"c", ZIP), "damaged in the archive"),
        (edited(CENTRAL, 16, b"\0\0", ZIP), "damaged in the archive .*CRC"),
    ],
)
def test_a_damaged_file_of_a_zip_is_one_dropped_book(
    data: bytes, reason: str, tmp_path: Path
) -> None:
    """The others are read."""
    path = tmp_path / "x.zip"
    path.write_bytes(data)
    with pytest.raises(BookError, match=reason):
        read_book(path, "b.txt", digest=book_digest(path, "b.txt"))
    assert read_book(path, "a.txt").data == b"one " * 100


def test_bombs_are_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one large file nor many; a limit holds for the archive, one for each book."""
    for module in (archive, compressed):
        monkeypatch.setattr(module, "MAX_BOOK_BYTES", 20_000)
    zeros = {f"{number}.txt": bytes(19_000) for number in range(200)}
    for name, pack in FORMS.items():
        path = tmp_path / name
        path.write_bytes(pack(zeros))
        if path.stat().st_size < 38_000:
            texts = {book_digest(path, name) for name in members(path)}
            assert any("100 times its size" in text for text in texts) or any(
                "100 times its size" in why for why in skipped(path).values()
            ), name
    noise = zlib.compress(b"x" * 200, 0) * 120
    path = tmp_path / "large.tar"
    path.write_bytes(tar({"large.txt": noise, "small.txt": b"Call me Ishmael."}))
    monkeypatch.setattr("cloze_gen.corpus.readers.MAX_BOOK_BYTES", 20_000)
    with pytest.raises(BookError) as caught:
        read_book(path, "large.txt", digest=book_digest(path, "large.txt"))
    assert caught.value.reason == "too_large"
    assert read_book(path, "small.txt").data == b"Call me Ishmael."


def test_the_number_of_books_and_entries_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.tar"
    path.write_bytes(tar({f"{number}.txt": b"" for number in range(30)}))
    monkeypatch.setattr(archive, "_MAX_BOOKS", 20)
    assert skipped(path)["the rest"] == "more than 20 books"
    monkeypatch.setattr(archive, "_MAX_ENTRIES", 10)
    assert skipped(path)["the rest"] == "more than 10 entries"
    monkeypatch.setattr(archive, "_MAX_DIRECTORY_BYTES", 1000)
    (tmp_path / "x.zip").write_bytes(zipped({f"{number}.txt": b"" for number in range(30)}))
    assert "larger than any real one" in book_digest(tmp_path / "x.zip")


def test_a_changed_zip_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    for text in (b"one", b"three"):
        path.write_bytes(zipped({"a.txt": text}))
        assert read_book(path, "a.txt").data == text
