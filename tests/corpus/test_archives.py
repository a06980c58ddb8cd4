"""Zip and tar archives of books: equal to the plain files, and harmless where they are hostile."""

import bz2
import gzip
import hashlib
import io
import tarfile
import zipfile

import pytest

from cloze_gen.corpus.location import Location
from cloze_gen.corpus.readers import book_digest, list_file, read_book
from cloze_gen.corpus.readers.compressed import zstd
from cloze_gen.corpus.readers.reader import InputSettings
from cloze_gen.corpus.scan import scan
from cloze_gen.errors import BookError
from cloze_gen.release.books import BooksFound
from tests.support.books import scan_corpus

FILES = {
    "emma.txt": b"Emma Woodhouse, handsome.\r\n",
    "sub/lady susan.TXT": "My dear Brother,\u2014I can no longer.\n".encode(),
    "sub/packed.txt.gz": gzip.compress(b"Call me Ishmael.", mtime=0),
}


def tar(files, mode=tarfile.PAX_FORMAT):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=mode) as out:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            out.addfile(info, io.BytesIO(content))
    return data.getvalue()


def zipped(files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in files.items():
            out.writestr(name, content)
    return data.getvalue()


FORMS = {
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


def members(path):
    return [member.name for member in list_file(path, InputSettings()).members]


def skipped(path):
    return dict(list_file(path, InputSettings()).skipped)


@pytest.mark.parametrize("form", FORMS)
def test_a_member_equals_the_plain_file(form, tmp_path):
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


def test_an_id_is_that_of_the_plain_file(tmp_path):
    """Or longer, where another book has it."""
    files = {"a/emma.txt": b"x", "b/emma.txt": b"y", "b/persuasion.txt": b"z"}
    (tmp_path / "x.zip").write_bytes(zipped(files))
    ids = {book.member: book.book_id for book in scan_corpus(tmp_path)}
    assert ids["b/persuasion.txt"] == "persuasion"
    assert ids["a/emma.txt"] == "emma"
    assert ids["b/emma.txt"].startswith("x-b-emma.txt-")


def test_of_two_files_of_one_name_the_first_is_read(tmp_path):
    """As the listing of the archive says."""
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("a.txt", b"The first.")
        with pytest.warns(UserWarning, match="Duplicate name"):
            out.writestr("a.txt", b"The second.")
    assert members(path) == ["a.txt"]
    assert skipped(path) == {"a.txt": "a second file with the same name; only the first is read"}
    assert book_digest(path, "a.txt") == hashlib.sha256(b"The first.").hexdigest()


def test_a_member_repeats_a_plain_file_and_not_the_other_way(tmp_path):
    """Even where the archive comes first by its name."""
    (tmp_path / "a.zip").write_bytes(zipped({"emma.txt": b"x"}))
    (tmp_path / "emma.txt").write_bytes(b"x")
    found = scan(tmp_path)
    assert [(book.book_id, book.place) for book in found.books] == [("emma", "emma.txt")]
    assert found.skipped == (
        "skipped 1 book identical to another book: 'a.zip/emma.txt' (as 'emma.txt')",
    )


def test_one_file_of_each_gutenberg_book_is_read(tmp_path):
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
def test_html_in_an_archive_is_read_as_html(form, tmp_path):
    """By its own reader, with its facts; the digest is of the HTML."""
    page = (
        b"<html><head><title>Emma</title></head><body><p>Emma <i>Woodhouse</i>.</p></body></html>"
    )
    (tmp_path / form).write_bytes(FORMS[form]({"1-h/1-h.htm": page, "1-h/images/i.png": b"x"}))
    (book,) = scan_corpus(tmp_path)
    assert (dict(book.facts)["title"], book.kind[:4]) == ("Emma", "html")
    assert book.digest() == hashlib.sha256(page).hexdigest()
    assert read_book(book.path, book.member).decode().text.strip() == "Emma Woodhouse."


def test_names_that_are_no_utf8(tmp_path):
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


def test_a_file_that_is_cut_off_is_one_dropped_book(tmp_path):
    """Its books before the end are read, also when the compressed stream breaks off."""
    whole = tar({"a.txt": b"one", "b.txt": b"two" * 20_000})
    for name, data in (
        ("x.tar", whole[:3000]),
        ("x.tar.gz", gzip.compress(whole[:3000], mtime=0)),
        ("y.tar.gz", gzip.compress(whole, compresslevel=0, mtime=0)[:-7_500]),
        ("x.tar.zip", zipped({"x.tar": whole[:3000]})),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        assert members(path) == ["a.txt", "b.txt"], name
        assert "damaged or incomplete" in skipped(path)["the rest"]
        assert book_digest(path, "a.txt") == hashlib.sha256(b"one").hexdigest()
        with pytest.raises(BookError, match="incomplete"):
            read_book(path, "b.txt", digest=book_digest(path, "b.txt"))


def test_a_changed_zip_is_read_anew(tmp_path):
    path = tmp_path / "x.zip"
    for text in (b"one", b"three"):
        path.write_bytes(zipped({"a.txt": text}))
        assert read_book(path, "a.txt").data == text
