"""Folders of books that somebody damaged on purpose: one reason for each book, nothing written
outside the output folder, and the good book beside them is kept.

A case is a row of `CASES`: its name, what is put into the folder of books, and the outcome: the
reason in `books.tsv`, words of the message, and how many of its books are kept. The builders of
files are in `containers`.
"""

from __future__ import annotations

import contextlib
import gzip
import html
import io
import json
import os
import random
import re
import resource
import subprocess
import sys
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from cloze_gen.corpus.books import SENTENCES, read_books
from cloze_gen.corpus.ingest import write_ingest
from cloze_gen.corpus.parse_book import BookReason, IngestSettings
from cloze_gen.corpus.scan import CorpusScan, read_digests, scan
from cloze_gen.engine.local import InProcessEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import ClozeGenError
from cloze_gen.store.artifacts import Store
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.tables import read_parquet
from tests.conftest import Corpus, Outcome
from tests.hostile.containers import (
    SECRET,
    Build,
    Entry,
    billion_laughs,
    book,
    catalog,
    epub,
    file,
    flipped,
    gutenberg,
    gzipped,
    lines,
    long_row,
    lying_footer,
    opf,
    page,
    paragraphs,
    parquet,
    prose,
    rdf,
    row,
    shelf,
    sparse,
    stolen,
    tar_named,
    tar_pax,
    tar_size_field,
    tar_special,
    tarred,
    tree,
    zip_named,
    zip_with,
    zipped,
    zstd_frame,
    zstd_raw,
    zstd_run,
    zstd_text,
)

LIMIT = 64 * 1024  # of a book in these cases, so that bombs need not be large
SECONDS = 20  # a case that takes longer hangs
MOST_CHARS = 700  # of a line for the user, beside the paths in it
GOOD = "good"
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
SAFE_ID = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Case:
    """One hostile folder.

    Attributes:
        reason: of each dropped book; empty: none is dropped.
        said: words of a line for the user.
        kept: books of the case that are kept.
        refused: the whole folder is refused with one message.
        meanwhile: done between the listing of the books and their reading.
    """

    name: str
    build: Build
    said: str = ""
    reason: str = ""
    kept: int = 0
    refused: bool = False
    meanwhile: Build | None = None


def dropped(name: str, build: Build, reason: str, said: str = "", *, kept: int = 0) -> Case:
    """A book is dropped for this reason."""
    return Case(name, build, said, reason, kept)


def skipped(name: str, build: Build, said: str, *, kept: int = 0) -> Case:
    """A file or member is no book; a line gives the reason."""
    return Case(name, build, said, kept=kept)


def harmless(name: str, build: Build, said: str = "", *, kept: int = 1) -> Case:
    """The books are read as if nothing were wrong."""
    return Case(name, build, said, kept=kept)


def refused(name: str, build: Build, said: str) -> Case:
    """The folder is refused."""
    return Case(name, build, said, refused=True)


# ---- builders of single cases


def special(name: str, make: Callable[[Path], object]) -> Build:
    def build(books: Path) -> None:
        try:
            make(books / name)
        except PermissionError:
            pytest.skip("only root can make a device")

    return build


def link(name: str, to: str) -> Build:
    """A link; `{outside}` is a folder beside the folder of books."""
    return lambda books: (books / name).symlink_to(
        to.format(outside=books.parent / "outside", books=books)
    )


def unreadable(books: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads every file")
    (books / "it.txt").write_bytes(book(2))
    (books / "it.txt").chmod(0)


def secret_file(build: Callable[[str], bytes | str], name: str) -> Build:
    """A file whose content depends on the address of the user's secret."""

    def make(books: Path) -> None:
        content = build(f"file://{books.parent / 'outside' / 'secret.txt'}")
        file(name, content)(books)

    return make


def many(*builds: Build) -> Build:
    def build(books: Path) -> None:
        for one in builds:
            one(books)

    return build


def grown(books: Path) -> None:
    """Another program writes to the file."""
    for path in books.glob("it.*"):
        path.write_bytes(path.read_bytes() + b" and more")
        os.utime(path, (1, 1))


def nested_zip(depth: int) -> bytes:
    data = zipped(Entry("it.txt", b"x" * 10**6))
    for _ in range(depth):
        data = zipped(*(Entry(f"{n}.zip", data) for n in range(4)))
    return data


def overlapping() -> bytes:
    """Two hundred names for one large entry."""
    first = Entry("it0.txt", book(3) * 100)
    return zipped(first, *(Entry(f"it{n}.txt", first.data, at=0) for n in range(1, 200)))


def deep_column(depth: int) -> bytes:
    kind: pa.DataType = pa.string()
    value: Any = "x"
    for _ in range(depth):
        kind, value = pa.list_(kind), [value]
    return parquet(pa.table({"text": pa.array([value], kind)}))


def twice_named() -> bytes:
    texts = pa.array([prose(3), prose(4)])
    return parquet(pa.table([texts, texts], names=["text", "text"]))


def bad_page() -> bytes:
    data = parquet(shelf(), compression="none", use_dictionary=False, write_page_checksum=True)
    return flipped(data, b"The keeper of lamp 20", b"The seeker of lamp 20")


def bad_snappy() -> bytes:
    data = bytearray(
        parquet(
            {"text": [prose(n) * 50 for n in range(4)]}, compression="snappy", use_dictionary=False
        )
    )
    data[200:400] = b"\xff" * 200
    return bytes(data)


def repeated_text() -> bytes:
    """A Parquet file of some kilobytes whose rows have a million characters each."""
    return parquet(
        {"text": pa.array(["x " * 500_000] * 2000).dictionary_encode()}, compression="zstd"
    )


# ---- the table

ZIP = [
    harmless("zip: an absolute path", file("it.zip", zip_named("/etc/it.txt")), kept=2),
    harmless("zip: a path that leads out", file("it.zip", zip_named("../../outside/it.txt")), kept=2),
    harmless("zip: a path through a folder", file("it.zip", zip_named("a/../../it.txt")), kept=2),
    skipped("zip: backslashes", file("it.zip", zip_named("..\\..\\it.txt")), "(hidden)", kept=1),
    harmless("zip: a drive", file("it.zip", zip_named("C:\\it.txt")), kept=2),
    harmless("zip: a NUL in a name", file("it.zip", zip_named("it.txt\0.jpg")), kept=2),
    harmless("zip: a newline in a name", file("it.zip", zip_named("a\nb.txt")), kept=2),
    harmless("zip: a name from right to left", file("it.zip", zip_named("it\u202etxt.exe.txt")), kept=2),
    skipped("zip: a name of 64 KiB", file("it.zip", lambda: zip_named("x" * 65_000 + ".txt")), "(a name of 65,004 characters)", kept=1),
    harmless("zip: a name in no encoding", file("it.zip", zip_named(b"\xff\xfe\x80it.txt")), kept=2),
    skipped("zip: a name twice", file("it.zip", zipped(Entry("a.txt", book(2)), Entry("a.txt", book(3)))), "'a.txt' (a second file with the same name", kept=1),
    dropped("zip: overlapping entries", file("it.zip", overlapping), "unreadable", "decompression bomb"),
    dropped("zip: a bomb", file("it.zip", lambda: zip_with(Entry("it.txt", b"x" * 10**7))), "unreadable", "decompression bomb"),
    dropped("zip: a book that is too large", file("it.zip", lambda: zip_with(Entry("it.txt", random.Random(1).randbytes(10**5)))), "too_large", "it.zip/it.txt", kept=1),
    skipped("zip: a nested bomb", file("it.zip", lambda: nested_zip(3)), "'0.zip' (an archive in an archive"),
    skipped("zip: encrypted", file("it.zip", zip_with(Entry("it.txt", book(3), flags=1))), "'it.txt' (encrypted)", kept=1),
    skipped("zip: an unknown method", file("it.zip", zip_with(Entry("it.txt", book(3), method=99))), "'it.txt' (compressed by method 99", kept=1),
    dropped("zip: a false CRC", file("it.zip", zip_with(Entry("it.txt", book(3), crc=7))), "unreadable", "it.zip/it.txt", kept=1),
    dropped("zip: a size below the true one", file("it.zip", zip_with(Entry("it.txt", book(3), size=9))), "unreadable", "it.zip/it.txt", kept=1),
    dropped("zip: a size of 4 GiB", file("it.zip", zip_with(Entry("it.txt", book(3), size=2**32 - 2))), "unreadable", "decompression bomb"),
    skipped("zip: packed data behind the end", file("it.zip", zip_with(Entry("it.txt", book(3), packed=10**6))), "'it.txt' (it overlaps", kept=1),
    dropped("zip: another local name", file("it.zip", zip_with(Entry("it.txt", book(3), local_name="no.txt"))), "unreadable", "it.zip/it.txt", kept=1),
    skipped("zip: an entry behind the end", file("it.zip", zip_with(Entry("it.txt", book(3), at=10**7))), "'it.txt' (it overlaps", kept=1),
    dropped("zip: truncated", file("it.zip", lambda: zip_named("it.txt")[:-40]), "unreadable", "an incomplete one"),
    dropped("zip: a directory that lies", file("it.zip", zipped(Entry("it.txt", book(3)), directory_at=10**6)), "unreadable", "it.zip/it.txt"),
    harmless("zip: more entries than there are", file("it.zip", zipped(Entry("it.txt", book(3)), count=5000))),
    skipped("zip: a link", file("it.zip", zip_with(Entry("it.txt", b"/etc/passwd", mode=0o120777))), "'it.txt' (a link)", kept=1),
    skipped("zip: empty", file("it.zip", zipped()), "it.zip: it contains no books"),
    dropped("zip: no zip", file("it.zip", b"no zip"), "unreadable", "not a zip file"),
    dropped("zip: zero bytes", file("it.zip", b""), "unreadable", "not a zip file"),
    dropped("zip: a hostile EPUB in it", file("it.zip", lambda: zipped(Entry("it.epub", epub(package=opf(title="&l9;", doctype=billion_laughs("package")))))), "damaged_epub", "XML entities"),
    dropped("zip: a hostile page in it", file("it.zip", lambda: zipped(Entry("it.html", b"<div>" * 12_000))), "unreadable", "elements inside one another"),
    skipped("zip: a newline in the name of the file", file("a\nb.zip", zip_with(Entry("a\nb.txt", b"", flags=1))), "'a\\nb.txt' (encrypted)", kept=1),
]  # fmt: skip
TAR = [
    harmless("tar: an absolute path", file("it.tar", tar_named("/etc/it.txt")), kept=2),
    harmless("tar: a path that leads out", file("it.tar", tar_named("../../outside/it.txt")), kept=2),
    harmless("tar: a newline in a name", file("it.tar", tar_named("a\nb.txt")), kept=2),
    skipped("tar: a name of 64 KiB", file("it.tar", lambda: tar_named("x" * 65_000 + ".txt")), "(a name of 65,004 characters)", kept=1),
    skipped("tar: a name of a megabyte", file("it.tar", lambda: tar_named("x" * 10**6 + ".txt")), "a name or header of 1,0", kept=1),
    skipped("tar: a GNU long name", file("it.tar", lambda: tarred(("y" * 9000 + ".txt", book(2)), format=tarfile.GNU_FORMAT)), "(a name of 9,004 characters)"),
    skipped("tar: a name twice", file("it.tar", tarred(("a.txt", book(2)), ("a.txt", book(3)))), "'a.txt' (a second file with the same name", kept=1),
    skipped("tar: a device", file("it.tar", tar_special(tarfile.CHRTYPE)), "'it.txt' (no file)", kept=1),
    skipped("tar: a pipe", file("it.tar", tar_special(tarfile.FIFOTYPE)), "'it.txt' (no file)", kept=1),
    skipped("tar: a link out", file("it.tar", tar_special(tarfile.SYMTYPE, to="/etc/passwd")), "'it.txt' (a link)", kept=1),
    skipped("tar: a hard link out", file("it.tar", tar_special(tarfile.LNKTYPE, to="../../outside/secret.txt")), "'it.txt' (a link)", kept=1),
    harmless("tar: a pax path that leads out", file("it.tar", tar_pax(path="../../it.txt")), kept=2),
    dropped("tar: a pax size of a terabyte", file("it.tar", tar_pax(size=str(10**12))), "unreadable", "it ends within a file", kept=1),
    skipped("tar: a pax size that is no number", file("it.tar", tar_pax(size="many")), "'it.txt' has an impossible size", kept=1),
    skipped("tar: a negative pax size", file("it.tar", tar_pax(size="-512")), "'it.txt' has an impossible size", kept=1),
    skipped("tar: a pax header that lies", file("it.tar", lambda: flipped(tar_pax(comment="xyz"), b"15 comment", b"99 comment")), "a damaged extended header", kept=1),
    skipped("tar: sparse, a terabyte", file("it.tar", tar_pax(**{"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.size": str(10**12), "GNU.sparse.map": "0,1"})), "'it.txt' (stored as a sparse file", kept=1),
    skipped("tar: sparse, a map that lies", file("it.tar", tar_pax(**{"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.size": "9", "GNU.sparse.map": "x,y"})), "'it.txt' (stored as a sparse file", kept=1),
    skipped("tar: a negative size", file("it.tar", tar_size_field(b"\xff" * 12)), "'it.txt' has an impossible size", kept=1),
    skipped("tar: a size that is no number", file("it.tar", tar_size_field(b"zzzzzzzzzzz\0")), "damaged (invalid header)", kept=1),
    skipped("tar: a size of 8 EiB", file("it.tar", tar_size_field(b"\x80" + b"\0" * 3 + b"\x7f" + b"\xff" * 7)), "", kept=1),
    skipped("tar: truncated", file("it.tar", lambda: tarred(("a.txt", book(2)), ("b.txt", book(3)))[:1300]), "damaged (truncated header)", kept=1),
    skipped("tar: two in one file", file("it.tar", lambda: tarred(("a.txt", book(2))) + tarred(("b.txt", book(3)))), "another archive is behind the end", kept=1),
    dropped("tar: no tar", file("it.tar", b"no tar" * 200), "unreadable", "not a tar file"),
    skipped("tar: zero bytes", file("it.tar", b""), "it.tar: it contains no books"),
    dropped("tar: gzipped and truncated", file("it.tar.gz", lambda: gzipped(tarred(("a.txt", book(2))))[:-30]), "unreadable", "damaged or incomplete"),
    skipped("tar: a gzip bomb", file("it.tar.gz", lambda: gzipped(tarred(("a.txt", book(2)), ("it.jpg", bytes(10**7))))), "'the rest' (it unpacks to more than 100 times", kept=1),
    dropped("tar: a large member", file("it.tar", lambda: tarred(("a.txt", book(2)), ("it.txt", b"x" * 10**6))), "too_large", "it.tar/it.txt", kept=1),
]  # fmt: skip
PACKED = [
    dropped("gzip: truncated", file("it.txt.gz", gzipped(book(2))[:-20]), "truncated_gzip", "it.txt.gz"),
    dropped("gzip: rubbish behind it", file("it.txt.gz", gzipped(book(2)) + b"rubbish"), "truncated_gzip", "it.txt.gz"),
    harmless("gzip: two members", file("it.txt.gz", gzipped(book(2)) + gzipped(book(3)))),
    dropped("gzip: a bomb", file("it.txt.gz", lambda: gzipped(b"x" * 10**7)), "too_large", "it.txt.gz"),
    dropped("gzip: a false sum", file("it.txt.gz", gzipped(book(2))[:-8] + b"\0" * 8), "truncated_gzip", "it.txt.gz"),
    dropped("gzip: a header alone", file("it.txt.gz", gzipped(b"")[:10]), "truncated_gzip", "it.txt.gz"),
    dropped("gzip: JSON lines, truncated", file("it.jsonl.gz", gzipped(lines(row(1), row(2)))[:-40]), "unreadable", "line 1: the compressed data is damaged"),
    dropped("gzip: JSON lines, a bomb", file("it.jsonl.gz", lambda: gzipped(b'{"text": "' + b"x" * 10**7 + b'"}')), "unreadable", "line 1: it unpacks to more than 100 times"),
    dropped("zstd: truncated", file("it.jsonl.zst", zstd_text(lines(row(1), row(2)))[:-40]), "unreadable", "line 2: the compressed data", kept=1),
    dropped("zstd: rubbish behind it", file("it.jsonl.zst", zstd_text(lines(row(1))) + b"rubbish"), "unreadable", "line 2: the compressed data", kept=1),
    harmless("zstd: two frames", file("it.jsonl.zst", zstd_text(lines(row(1))) + zstd_text(lines(row(2)))), kept=2),
    dropped("zstd: a window of 2 GiB", file("it.jsonl.zst", zstd_frame([zstd_raw(lines(row(1)))], window_log=31)), "unreadable", "it.jsonl.zst"),
    dropped("zstd: a dictionary", file("it.jsonl.zst", zstd_frame([zstd_raw(lines(row(1)))], dictionary=7)), "unreadable", "it.jsonl.zst"),
    dropped("zstd: a bomb", file("it.jsonl.zst", lambda: zstd_frame([zstd_raw(b'{"text": "', last=False), *[zstd_run(b"x", 1 << 16)] * 200, zstd_raw(b'"}')])), "unreadable", "line 1: it unpacks to more than 100 times"),
    dropped("zstd: no zstd", file("it.jsonl.zst", b"no zstd"), "unreadable", "it.jsonl.zst"),
]  # fmt: skip
EPUB = [
    harmless("epub: a stolen file in a chapter", secret_file(lambda at: epub(chapters={"c1.xhtml": page("<p>&it;</p>" + paragraphs(), doctype=stolen("html", at))}), "it.epub")),
    dropped("epub: a stolen file in the package", secret_file(lambda at: epub(package=opf(title="&it;", doctype=stolen("package", at))), "it.epub"), "damaged_epub", "it dropped"),
    dropped("epub: a stolen file in the container", secret_file(lambda at: epub(container=stolen("container", at) + "<container>&it;</container>"), "it.epub"), "damaged_epub", "it dropped"),
    dropped("epub: a thousand million laughs", file("it.epub", epub(package=opf(title="&l9;", doctype=billion_laughs("package")))), "damaged_epub", "it dropped"),
    dropped("epub: laughs in a chapter", file("it.epub", epub(chapters={"c1.xhtml": page("<p>&l9;</p>", doctype=billion_laughs("html"))})), "nearly_empty", "1 word tokens"),
    harmless("epub: the document type of XHTML 1.1", file("it.epub", epub(chapters={"c1.xhtml": page(doctype='<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">')}))),
    dropped("epub: a package outside of the zip", file("it.epub", epub(container='<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="../../outside/secret.txt"/></rootfiles></container>')), "damaged_epub", "it dropped"),
    dropped("epub: no container", file("it.epub", epub(container="")), "damaged_epub", "it dropped"),
    dropped("epub: no package", file("it.epub", epub(package="")), "damaged_epub", "it dropped"),
    dropped("epub: a container that is no XML", file("it.epub", epub(container="<container")), "damaged_epub", "it dropped"),
    dropped("epub: a package that is no XML", file("it.epub", epub(package="<package")), "damaged_epub", "it dropped"),
    dropped("epub: a spine without items", file("it.epub", epub(package=opf(spine=()))), "damaged_epub", "the spine has no documents"),
    dropped("epub: a chapter that is not there", file("it.epub", epub(chapters={"no.xhtml": page()})), "damaged_epub", "it dropped"),
    dropped("epub: a chapter outside of the zip", file("it.epub", epub(package=opf(items=(("c1", "../../outside/secret.txt", "application/xhtml+xml"),)))), "damaged_epub", "it dropped"),
    dropped("epub: a chapter on the web", file("it.epub", epub(package=opf(items=(("c1", "https://example.org/c1.xhtml", "application/xhtml+xml"),)))), "damaged_epub", "it dropped"),
    harmless("epub: a spine that repeats a chapter", file("it.epub", epub(package=opf(spine=("c1",) * 500)))),
    dropped("epub: a spine of 100,000", file("it.epub", lambda: epub(package=opf(spine=("c1",) * 10**5))), "too_large", "it dropped"),
    dropped("epub: rights management", file("it.epub", epub(Entry("META-INF/encryption.xml", b'<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#"><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/><CipherData><CipherReference URI="c1.xhtml"/></CipherData></EncryptedData></encryption>'))), "encrypted", "digital rights management"),
    harmless("epub: a package in UTF-16", file("it.epub", epub(package=opf().replace("utf-8", "utf-16").encode("utf-16")))),
    harmless("epub: a script", file("it.epub", epub(chapters={"c1.xhtml": page("<script>document.write('the script of evil')</script>" + paragraphs())}))),
    dropped("epub: a chapter that unfolds", file("it.epub", lambda: epub(chapters={"c1.xhtml": page("<p>" + "x " * 10**6 + "</p>")})), "too_large", "it dropped"),
    dropped("epub: a thousand chapters that unfold", file("it.epub", lambda: epub(package=opf(items=tuple((f"c{n}", f"c{n}.xhtml", "application/xhtml+xml") for n in range(100)), spine=tuple(f"c{n}" for n in range(100))), chapters={f"c{n}.xhtml": page("<p>" + "x " * 9_000 + "</p>") for n in range(100)})), "too_large", "it dropped"),
    dropped("epub: no zip", file("it.epub", b"no zip"), "damaged_epub", "it dropped"),
    dropped("epub: truncated", file("it.epub", epub()[:-60]), "damaged_epub", "it dropped"),
    dropped("epub: an encrypted entry", file("it.epub", zipped(Entry("META-INF/container.xml", b"x", flags=1))), "encrypted", "'META-INF/container.xml' is encrypted"),
    harmless("epub: markup in title and author", file("it.epub", epub(package=opf(title="&lt;script&gt;alert(1)&lt;/script&gt;\n---\nlicense: evil", author="=cmd|'/C calc'!A0")))),
    harmless("epub: a title of a megabyte", file("it.epub", lambda: epub(package=opf(title="x" * 60_000)))),
]  # fmt: skip
HTML = [
    dropped("html: elements in elements", file("it.html", lambda: "<div>" * 12_000), "unreadable", "elements inside one another"),
    harmless("html: elements around a book", file("it.html", lambda: "<b>" * 10_000 + paragraphs(3))),
    harmless("html: nothing is closed", file("it.html", "<html><body><p>" + prose(3).replace("\n\n", "<p>"))),
    dropped("html: NUL bytes", file("it.html", page(paragraphs(3).replace(" the ", " \0the "))), "binary", "control bytes"),
    harmless("html: a false charset", file("it.html", b'<html><head><meta charset="utf-8"></head><body>' + paragraphs(3).replace("nobody", "nob\u00e8dy").encode("latin-1") + b"</body></html>")),
    harmless("html: a charset that is none", file("it.html", '<html><head><meta charset="../../etc/passwd"></head><body>' + paragraphs(3))),
    harmless("html: UTF-16", file("it.html", ("<html><body>" + paragraphs(3) + "</body></html>").encode("utf-16"))),
    harmless("html: an attribute of 50 KB", file("it.html", lambda: f'<html><body><p title="{"x" * 50_000}">{paragraphs(3)}')),
    dropped("html: a script alone", file("it.html", lambda: f"<html><body><script>{prose(3)}</script></body></html>"), "empty", "has no text"),
    harmless("html: a script that ends twice", file("it.html", "<html><body><script>'</script>" + paragraphs(3) + "<script><!--<script></script><p>The end of it.</p>")),
    dropped("html: entities by the thousand", file("it.html", lambda: page("<p>" + "&amp;&lt;&#x41;&nosuch;&#99999999999;" * 1000)), "other_language", "it dropped"),
    harmless("html: laughs", file("it.html", page("<p>&l9;</p>" + paragraphs(3), doctype=billion_laughs("html")))),
    harmless("html: a stolen file", secret_file(lambda at: page("<p>&it;</p>" + paragraphs(3), doctype=stolen("html", at)), "it.html")),
    harmless("html: a title with markup", file("it.html", page(paragraphs(3), title="&lt;img src=x onerror=alert(1)&gt;"))),
    harmless("html: a comment that does not end", file("it.html", page(paragraphs(3) + "<!-- <p>evil"))),
    dropped("html: too large", file("it.html", lambda: page(paragraphs(3) * 1000)), "too_large", "it.html"),
    dropped("html: no HTML", file("it.html", bytes(range(256)) * 20), "binary", "it dropped"),
    dropped("html: zero bytes", file("it.html", b""), "empty", "it dropped"),
    harmless("html: an iframe of a file", secret_file(lambda at: page(f'<iframe src="{at}"></iframe><object data="{at}"></object>' + paragraphs(3)), "it.html")),
]  # fmt: skip
CATALOG = [
    skipped("rdf: laughs", gutenberg(**{"cache/epub/1234/pg1234.rdf": rdf(doctype=billion_laughs("rdf:RDF"), title="&l9;")}), "pg1234.rdf", kept=1),
    skipped("rdf: a stolen file", many(gutenberg(), secret_file(lambda at: rdf(doctype=stolen("rdf:RDF", at), title="&it;"), "cache/epub/1234/pg1234.rdf")), "pg1234.rdf", kept=1),
    skipped("rdf: no XML", gutenberg(**{"cache/epub/1234/pg1234.rdf": "<rdf"}), "pg1234.rdf", kept=1),
    skipped("rdf: elements in elements", gutenberg(**{"cache/epub/1234/pg1234.rdf": lambda: "<a>" * 50_000}), "pg1234.rdf", kept=1),
    skipped("rdf: a gigabyte", many(gutenberg(), lambda books: sparse("pg1234.rdf", 1 << 30, b"<rdf>")(books / "cache/epub/1234")), "pg1234.rdf", kept=1),
    skipped("rdf: a link to a pipe", many(gutenberg(), lambda books: os.mkfifo(books / "cache/epub/1234/pg1234.rdf")), "pg1234.rdf", kept=1),
    harmless("rdf: markup in the title", gutenberg(**{"cache/epub/1234/pg1234.rdf": rdf(title="&lt;script&gt;&#10;---&#10;x: y", rights="=cmd()")})),
    harmless("catalogue: NUL", gutenberg(**{"pg_catalog.csv": catalog('1234,Text,2004-01-01,"A \0 Lamp",en,"Ode, Ann",,,')})),
    skipped("catalogue: a cell of a megabyte", gutenberg(**{"pg_catalog.csv": lambda: catalog(f'1234,Text,2004-01-01,"{"x" * 10**6}",en,"Ode, Ann",,,')}), "pg_catalog.csv", kept=1),
    harmless("catalogue: a formula and a path", gutenberg(**{"pg_catalog.csv": catalog('1234,Text,2004-01-01,"=HYPERLINK(""http://x"")",en,"../../etc/passwd",,,')})),
    harmless("catalogue: no UTF-8", gutenberg(**{"pg_catalog.csv": catalog(b'1234,Text,2004-01-01,"\xff\xfe",en,"Ode",,,')})),
    skipped("catalogue: UTF-16", gutenberg(**{"pg_catalog.csv": catalog("1234,Text,2004-01-01,A Lamp,en,Ode,,,").decode().encode("utf-16")}), "pg_catalog.csv", kept=1),
    skipped("catalogue: 200,000 columns", gutenberg(**{"pg_catalog.csv": lambda: b"Text#" + b",x" * 200_000 + b"\n1234\n"}), "pg_catalog.csv", kept=1),
    skipped("catalogue: a quote that does not end", gutenberg(**{"pg_catalog.csv": lambda: catalog('1234,Text,2004-01-01,"A Lamp' + "\nx" * 200_000)}), "pg_catalog.csv", kept=1),
    skipped("catalogue: a path for a number", gutenberg(**{"pg_catalog.csv": catalog("../../etc/passwd,Text,2004-01-01,A Lamp,en,Ode,,,")}), "", kept=1),
    skipped("catalogue: a number twice", gutenberg(**{"pg_catalog.csv": catalog("1234,Text,2004-01-01,A Lamp,en,Ode,,,", "1234,Text,2004-01-01,Evil,en,Ode,,,")}), "", kept=1),
    skipped("catalogue: a pipe", many(gutenberg(), lambda books: os.mkfifo(books / "pg_catalog.csv")), "pg_catalog.csv", kept=1),
    skipped("catalogue: a link to a secret", many(gutenberg(), link("pg_catalog.csv", "{outside}/secret.txt")), "pg_catalog.csv", kept=1),
    skipped("metadata of PG-19: a path for an id", tree({"train/1234.txt": book(6), "metadata.csv": "../../etc/passwd,A Lamp,1900,http://x\n1234,<b>A Lamp</b>,1900,javascript:alert(1)\n"}), "'metadata.csv': this table is not recognised", kept=1),
    skipped("metadata of SPGC: code for a language", tree({"data/raw/PG1234_raw.txt": book(6), "metadata/metadata.csv": "id,title,author,authoryearofbirth,authoryearofdeath,language,downloads,subjects,type\nPG1234,A Lamp,Ode,1,2,\"__import__('os').system('touch evil')\",1,\"" + "[" * 5000 + '",Text\n'}), "not in English"),
]  # fmt: skip
PARQUET = [
    dropped("parquet: truncated", file("it.parquet", parquet(shelf())[:-50]), "unreadable", "it.parquet"),
    dropped("parquet: the first half", file("it.parquet", lambda: (data := parquet(shelf()))[: len(data) // 2]), "unreadable", "it.parquet"),
    dropped("parquet: a footer of 4 GiB", file("it.parquet", parquet(shelf())[:-8] + b"\xff\xff\xff\xffPAR1"), "unreadable", "it.parquet"),
    dropped("parquet: a footer of rubbish", file("it.parquet", b"PAR1" + b"\xff" * 500 + (500).to_bytes(4, "little") + b"PAR1"), "unreadable", "it.parquet"),
    dropped("parquet: a footer of zero bytes", file("it.parquet", b"PAR1" + b"\0" * 4 + b"PAR1"), "unreadable", "it.parquet"),
    dropped("parquet: rows that are not there", file("it.parquet", lying_footer), "unreadable", "it.parquet"),
    dropped("parquet: the magic alone", file("it.parquet", b"PAR1"), "unreadable", "it.parquet"),
    dropped("parquet: encrypted", file("it.parquet", b"PARE" + parquet(shelf())[4:-4] + b"PARE"), "unreadable", "it.parquet"),
    dropped("parquet: no Parquet", file("it.parquet", b"no Parquet"), "unreadable", "it.parquet"),
    skipped("parquet: a text of numbers", file("it.parquet", parquet(shelf(text=[1, 2]))), "it.parquet"),
    dropped("parquet: a text of bytes", file("it.parquet", parquet(shelf(text=[b"\xff\xfe", b"\0"]))), "empty", "empty"),
    dropped("parquet: a text of bytes that are none", file("it.parquet", parquet(shelf(text=[bytes(range(256)) * 9, prose(3).encode()]))), "binary", "row0", kept=1),
    dropped("parquet: a text of lists", file("it.parquet", parquet(shelf(text=[["a"], [None, "b"]]))), "nearly_empty", "OCR"),
    skipped("parquet: other columns", file("it.parquet", parquet({"x": [1], "<b>y</b>\n": [2]})), "it.parquet"),
    dropped("parquet: null for a text", file("it.parquet", parquet(shelf(text=[None, prose(3)]))), "empty", "row0 dropped", kept=1),
    dropped("parquet: no rows", file("it.parquet", parquet(pa.table({"id": pa.array([], pa.string()), "text": pa.array([], pa.string())}))), "empty", "no rows"),
    skipped("parquet: no columns", file("it.parquet", parquet(pa.table({}))), "it.parquet"),
    skipped("parquet: a column twice", file("it.parquet", twice_named), "it.parquet"),
    dropped("parquet: lists in lists", file("it.parquet", lambda: deep_column(90)), "unreadable", "too deeply nested"),
    dropped("parquet: a row that is too large", file("it.parquet", lambda: parquet(shelf(text=["x " * 40_000, prose(3)]))), "too_large", "it.parquet", kept=1),
    dropped("parquet: a page that the footer hides", file("it.parquet", lambda: long_row(2, claimed=9)), "too_large", "a page of"),
    dropped("parquet: a page without a header", file("it.parquet", lambda: b"PAR1" + b"\xff" * 9 + long_row(2, claimed=9)[13:]), "unreadable", "no valid headers"),
    dropped("parquet: a false page", file("it.parquet", bad_page), "unreadable", "it.parquet"),
    dropped("parquet: a page that does not unpack", file("it.parquet", bad_snappy), "unreadable", "it.parquet"),
    skipped("parquet: a column named as a path", file("it.parquet", parquet({"../../etc/passwd": [prose(3)], "n": [1]})), "it.parquet"),
    harmless("parquet: an id twice", file("it.parquet", parquet(shelf(id=["same", "same"]))), "1 book shares an id with another book", kept=2),
    harmless("parquet: ids that are paths", file("it.parquet", parquet(shelf(id=["../../it", "/etc/it"]))), kept=2),
    harmless("parquet: ids that are null", file("it.parquet", parquet(shelf(id=[None, ""]))), kept=2),
    harmless("parquet: ids of 20 KB", file("it.parquet", lambda: parquet(shelf(id=["x" * 20_000, "y" * 20_000]))), kept=2),
    harmless("parquet: a title with markup", file("it.parquet", parquet(shelf(title=["<script>\n---\nx: y", "\u202e\0\x1b[31m"]))), kept=2),
    dropped("parquet: NUL in a text", file("it.parquet", parquet(shelf(text=["\0" * 500 + prose(2), prose(3)]))), "binary", "row0", kept=1),
]  # fmt: skip
JSON = [
    dropped("json: a line that is too large", file("it.jsonl", lambda: lines(row(1, text="x " * 10**5), row(2))), "too_large", "it.jsonl", kept=1),
    dropped("json: a broken line", file("it.jsonl", lines(row(1), '{"id": "row2", "text": "The', row(3))), "unreadable", "'it.jsonl': cannot be read (line 2: ", kept=2),
    dropped("json: an array for a line", file("it.jsonl", lines(row(1), '["a", "b"]', row(3))), "unreadable", "'it.jsonl': cannot be read (line 2: ", kept=2),
    dropped("json: arrays alone", file("it.jsonl", lines('["a"]', '["b"]')), "unreadable", "line 1: expected an object {…}, found ['a']"),
    dropped("json: numbers alone", file("it.jsonl", lines("1", "2")), "unreadable", "line 1: expected an object {…}, found 1"),
    dropped("json: a key twice", file("it.jsonl", lines(row(1), '{"id": "row2", "text": "a", "text": "b"}')), "unreadable", "'it.jsonl': cannot be read (line 2: ", kept=1),
    dropped("json: NaN", file("it.jsonl", lines(row(1), '{"id": "row2", "year": NaN, "text": "b"}')), "unreadable", "'it.jsonl': cannot be read (line 2: ", kept=1),
    dropped("json: brackets in brackets", file("it.jsonl", lambda: lines(row(1), '{"id": "row2", "x": ' + "[" * 30_000 + "]" * 30_000 + "}")), "unreadable", "'it.jsonl': cannot be read (line 2: ", kept=1),
    dropped("json: a number of 5,000 digits", file("it.jsonl", lambda: lines(row(1), '{"id": ' + "9" * 5000 + ', "text": "b"}')), "unreadable", "'it.jsonl': cannot be read (line 2: ", kept=1),
    dropped("json: half a character", file("it.jsonl", lines(row(1), '{"id": "row2", "text": "\\ud800"}')), "unreadable", "'it.jsonl': cannot be read (line 2: ", kept=1),
    harmless("json: a byte-order mark", file("it.jsonl", b"\xef\xbb\xbf" + lines(row(1)))),
    dropped("json: UTF-16", file("it.jsonl", lines(row(1)).decode().encode("utf-16")), "unreadable", "line 1: not JSON (not UTF-8, byte 0)"),
    dropped("json: no UTF-8", file("it.jsonl", lines(row(1), b'{"id": "row2", "text": "\xff"}')), "unreadable", "'it.jsonl': cannot be read (line 2: ", kept=1),
    dropped("json: null for a text", file("it.jsonl", lines(row(1), row(2, text=None))), "empty", "row2 dropped", kept=1),
    dropped("json: a number for a text", file("it.jsonl", lines(row(1), row(2, text=7))), "unreadable", "'it.jsonl': cannot be read (line 2: ", kept=1),
    dropped("json: an empty text", file("it.jsonl", lines(row(1), row(2, text=""))), "empty", "row2 dropped", kept=1),
    dropped("json: a line without the text", file("it.jsonl", lines(row(1), {"id": "row2"})), "empty", "row2 dropped", kept=1),
    dropped("json: NUL in a text", file("it.jsonl", lines(row(1), row(2, text="\0" * 500 + prose(2)))), "binary", "row2 dropped", kept=1),
    harmless("json: ids that are paths", file("it.jsonl", lines(row(1, id="../../it"), row(2, id="/etc/it"), row(3, id=".."))), kept=3),
    harmless("json: an id of a megabyte", file("it.jsonl", lambda: lines(row(1, id="x" * 50_000))), kept=1),
    harmless("json: an id twice", file("it.jsonl", lines(row(1), row(1, text=prose(3)))), "1 book shares an id with another book", kept=2),
    harmless("json: an id with a newline", file("it.jsonl", lines(row(1, id="a\nb\x1b[31m")))),
    harmless("json: ids that are none", file("it.jsonl", lines(row(1, id=None), row(2, id=7), row(3, id=["x"]))), kept=3),
    harmless("json: markup in the title", file("it.jsonl", lines(row(1, title="<script>\n---\nx: y", author={"name": ["x"]})))),
    dropped("json: zero bytes", file("it.jsonl", b""), "empty", "no line with a JSON object"),
    dropped("json: blank lines", file("it.jsonl", b"\n\n\n"), "empty", "no line with a JSON object"),
    dropped("json: a line that does not end", file("it.jsonl", lambda: b"x" * 10**6), "too_large", "line 1: more than"),
    skipped("json: a newline in the name of the file", file("a\nb.jsonl", lines({"x\ny": 1})), "a\\nb.jsonl: no column is known to be the text"),
    skipped("json: other keys", file("it.jsonl", lines({"a\nb": 1, "<b>": 2})), "it.jsonl"),
]  # fmt: skip
TEXT = [
    dropped("text: a pipe", special("it.txt", os.mkfifo), "unreadable", "a named pipe"),
    dropped("text: a device", special("it.txt", lambda path: os.mknod(path, 0o020644, os.makedev(1, 5))), "unreadable", "a device"),
    dropped("text: a link to itself", link("it.txt", "it.txt"), "unreadable", "it.txt"),
    dropped("text: a link to nowhere", link("it.txt", "/nowhere/at/all.txt"), "unreadable", "it.txt"),
    dropped("text: a link to a device", link("it.txt", "/dev/zero"), "unreadable", "a device"),
    harmless("text: a link to a book", link("it.txt", "{outside}/book.txt")),
    skipped("text: a linked folder", link("folder", "{outside}"), "not followed"),
    skipped("text: a folder linked to its own", link("folder", "{books}"), "not followed"),
    dropped("text: may not be read", unreadable, "unreadable", "it.txt"),
    Case("text: changes while it is read", file("it.txt", book(2)), "changed while it was read", refused=True, meanwhile=grown),
    dropped("text: too large", file("it.txt", lambda: book(2) * 1000), "too_large", "it.txt"),
    dropped("text: zero bytes", file("it.txt", b""), "empty"),
    dropped("text: blank", file("it.txt", b" \n\0" * 100), "empty"),
    dropped("text: a byte-order mark alone", file("it.txt", b"\xff\xfe"), "empty"),
    dropped("text: another byte-order mark alone", file("it.txt", b"\xef\xbb\xbf"), "empty"),
    dropped("text: a program", file("it.txt", b"\x7fELF" + bytes(500)), "binary"),
    dropped("text: half of UTF-16", file("it.txt", b"\xff\xfea"), "binary"),
    dropped("text: a page", file("it.txt", page() * 3), "markup"),
    harmless("text: a folder named as a book", many(lambda books: (books / "x.txt").mkdir(), file("x.txt/it.txt", book(2)))),
]  # fmt: skip
NAMES = [
    harmless("name: no UTF-8", lambda books: Path(os.fsdecode(os.fsencode(books) + b"/\xff\xfe.txt")).write_bytes(book(2))),
    harmless("name: a newline", file("a\nb.txt", book(2))),
    harmless("name: a tab and an escape", file("a\tb\x1b[31m.txt", book(2))),
    harmless("name: from right to left", file("a\u202etxt.exe.txt", book(2))),
    harmless("name: 255 bytes", file("x" * 251 + ".txt", book(2))),
    harmless("name: an option", file("-rf.txt", book(2))),
    harmless("name: a command", file("$(rm -rf x);`touch evil`.txt", book(2))),
    harmless("name: a format", file("{it} %s %n.txt", book(2))),
    harmless("name: markup", file("<script>alert(1)<.txt", book(2))),
    skipped("name: dots", file("...txt", book(2)), "hidden"),
    harmless("name: composed and decomposed", tree({"\u00e9.txt": book(2), "e\u0301.txt": book(3)}), kept=2),
    harmless("name: two letter cases", tree({"It.txt": book(2), "it.txt": book(3)}), kept=2),
    harmless("name: a device of Windows", tree({"CON.txt": book(2), "nul.txt": book(3)}), kept=2),
    refused("name: one id in two folders", tree({"a/it.txt": book(2), "b/it.txt": book(3)}), "2 books share the id 'it'"),
    refused("name: an id that leads out", tree({"it.txt": book(2), "manifest.tsv": "file\tbook_id\nit.txt\t../../it\n"}), "may only have the characters"),
    refused("name: two dots for an id", tree({"it.txt": book(2), "manifest.tsv": "file\tbook_id\nit.txt\t..\n"}), "must not be . or .."),
]  # fmt: skip

CASES = [*ZIP, *TAR, *PACKED, *EPUB, *HTML, *CATALOG, *PARQUET, *JSON, *TEXT, *NAMES]


# ---- what every case is held to


@dataclass
class Read:
    """What became of a folder of books."""

    refusal: str = ""
    scan: CorpusScan | None = None
    rows: list[dict[str, str]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    text: str = ""


def read_folder(books: Path, out: Path, meanwhile: Build | None = None) -> Read:
    """Scan and ingest, as a run does."""
    found, said = Read(), io.StringIO()
    try:
        found.scan = scan(books)
        digests = read_digests(found.scan.books)
        if meanwhile is not None:
            meanwhile(books)
        store, key = Store(out), StageKey("ingest", 1)
        with store.writing(key) as writer, contextlib.redirect_stderr(said):
            assert writer is not None
            write_ingest(
                writer,
                StageContext(store, InProcessEngine(), "ingest"),
                books=found.scan.books,
                digests=digests,
                settings=IngestSettings(min_word_tokens=20),
            )
    except ClozeGenError as error:
        found.refusal = str(error)
        return found
    artifact = store.open(key)
    found.rows = read_books(artifact)
    found.said = [*found.scan.skipped, *found.scan.notes, *said.getvalue().splitlines()]
    found.text = " ".join(
        sentence
        for path in sorted(out.rglob(SENTENCES))
        for sentence in read_parquet(path, columns=["text"])["text"].to_pylist()
    )
    return found


def everything(folder: Path, own: Path) -> Iterator[tuple[str, object]]:
    """Every file, link and folder below `folder` that is not below `own`."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if Path(place, name) != own]
        for name in (*folders, *names):
            path = Path(place, name)
            status = path.lstat()
            yield str(path), (status.st_mode, status.st_size, status.st_mtime_ns)


def make_place(tmp: Path) -> Path:
    """A folder of books with a good one, and around it what may not be touched."""
    books = tmp / "it" / "books"
    books.mkdir(parents=True)
    for name in ("cwd", "temporary", "it/outside"):
        (tmp / name).mkdir()
    (tmp / "it" / "outside" / "secret.txt").write_text(f"{SECRET}. {prose(9)}")
    (tmp / "it" / "outside" / "book.txt").write_bytes(book(8))
    (books / f"{GOOD}.txt").write_bytes(book(1))
    return books


@pytest.fixture
def books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = make_place(tmp_path)
    monkeypatch.chdir(tmp_path / "cwd")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    for name, module in list(sys.modules.items()):
        if name.startswith("cloze_gen.corpus.readers") and hasattr(module, "MAX_BOOK_BYTES"):
            monkeypatch.setattr(module, "MAX_BOOK_BYTES", LIMIT)
    return folder


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_one_reason_and_nothing_outside(
    case: Case, books: Path, tmp_path: Path, cli: Callable[..., Outcome]
) -> None:
    """The reason is that of the case, and the good book is kept; `corpus inspect` agrees."""
    case.build(books)
    out = tmp_path / "out"
    before = dict(everything(tmp_path, out))
    found = read_folder(books, out, case.meanwhile)
    inspected = cli("corpus", "inspect", books)
    if case.meanwhile is None:
        assert dict(everything(tmp_path, out)) == before
        assert inspected.status == (2 if case.refused else 0), inspected.err
    for line in (inspected.out + inspected.err).splitlines():
        check_line(line.replace(str(tmp_path), ""))
    for line in [found.refusal, *found.said]:
        check_line(line.replace(str(tmp_path), ""))
    if case.refused:
        assert case.said in found.refusal
        return
    assert not found.refusal
    check_rows(found)
    by_id = {row["book_id"]: row for row in found.rows}
    assert by_id.pop(GOOD)["status"] == "kept"
    reasons = [row["reason"] for row in by_id.values() if row["status"] != "kept"]
    assert set(reasons) == ({case.reason} if case.reason else set()), found.said
    assert len(by_id) - len(reasons) == case.kept, found.rows
    assert any(case.said in line for line in found.said) or not case.said, found.said
    assert SECRET not in found.text
    assert "evil" not in found.text


def check_line(line: str) -> None:
    """A line that a terminal can show."""
    assert line.isprintable(), line
    assert len(line) <= MOST_CHARS, line


def check_rows(found: Read) -> None:
    """A book has a safe id of its own and a known reason."""
    assert found.scan is not None
    assert len(found.rows) == len(found.scan.books)
    for one in found.rows:
        assert SAFE_ID.fullmatch(one["book_id"]), one
        assert one["book_id"] not in {".", ".."}
        assert len(one["book_id"]) <= 255
        assert one["reason"] in {"", *BookReason}
        assert not any(CONTROL.search(cell) for cell in one.values()), one


ALONE = [
    ("an empty zip file", file("it.zip", zipped()), "it.zip: it contains no books"),
    ("a zip file of links", file("it.zip", zipped(Entry("it.txt", b"x", mode=0o120777))), "(a link)"),
    ("an empty tar file", file("it.tar", b""), "it.tar: it contains no books"),
    ("a table of numbers", file("it.parquet", parquet({"x\ny": [1]})), "The columns are 'x\\ny' (int64)"),
    ("objects without a text", file("a\nb.jsonl", lines({"x": 1})), "a\\nb.jsonl: no column is known to be"),
    ("a link to a folder", link("folder", "{outside}"), "not followed"),
    ("a file of another kind", file("it.exe", b"MZ"), "(1 .exe)"),
    ("a pipe of another kind", special("it.sock", os.mkfifo), "(1 .sock)"),
    ("nothing", lambda books: None, "in this folder"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("build", "said"), [one[1:] for one in ALONE], ids=[one[0] for one in ALONE]
)
def test_a_folder_without_books_is_refused(
    build: Build, said: str, books: Path, tmp_path: Path, cli: Callable[..., Outcome]
) -> None:
    """With one message about what is there instead."""
    (books / f"{GOOD}.txt").unlink()
    build(books)
    before = dict(everything(tmp_path, tmp_path / "out"))
    inspected = cli("corpus", "inspect", books)
    assert inspected.status == 2, inspected.out
    (line,) = inspected.err.splitlines()
    check_line(line.replace(str(tmp_path), ""))
    assert said in line
    assert dict(everything(tmp_path, tmp_path / "out")) == before


def test_cases_are_told_apart() -> None:
    """No name twice, and as many cases as the campaign promises."""
    assert len({case.name for case in CASES}) == len(CASES)
    assert len(CASES) >= 80


# ---- real sizes, in a process of their own


def zeros(size: int) -> Iterator[bytes]:
    """A deflate stream of `size` zero bytes, some gigabytes in some megabytes, without the work."""
    step = 64 << 20
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    part = packer.compress(bytes(step)) + packer.flush(zlib.Z_FULL_FLUSH)
    for _ in range(size // step):
        yield part
    yield b"\x03\x00"


def gzip_bomb(name: str, size: int) -> Build:
    head = gzip.compress(b"")[:10]
    return file(name, lambda: b"".join([head, *zeros(size), bytes(8)]))


def zip_bomb(books: Path) -> None:
    data = b"".join(zeros(10 << 30))
    body = zipped(Entry("honest.txt", book(2)), Entry("it.txt", data, method=0))
    # The stored bytes are the deflated ones: the method is changed in both headers.
    local = body.index(data) - len("it.txt") - 22
    directory = body.rindex(b"PK\x01\x02") + 10
    changed = bytearray(body)
    for at in (local, directory):
        changed[at : at + 2] = (8).to_bytes(2, "little")
    (books / "it.zip").write_bytes(changed)


def zstd_bomb(books: Path) -> None:
    """A JSON line of 10 GiB in 320 KB."""
    blocks = [zstd_run(b"x", 1 << 17)] * (10 << 13)
    (books / "it.jsonl.zst").write_bytes(
        zstd_frame([zstd_raw(b'{"text": "', last=False), *blocks, zstd_raw(b'"}\n')])
    )


def long_line(books: Path) -> None:
    """A JSON line of 1 GB between two books."""
    with open(books / "it.jsonl", "wb") as handle:
        handle.write(lines(row(1)) + b'{"text": "')
        part = b"x " * (1 << 19)
        for _ in range(1000):
            handle.write(part)
        handle.write(b'"}\n' + lines(row(3)))


def pictures_and_a_book() -> bytes:
    return zipped(
        Entry("honest.txt", book(2)), *(Entry(f"{n}.jpg", b"", method=0) for n in range(60_000))
    )


LARGE = [
    dropped("large: a row of 2 GB", file("it.parquet", lambda: long_row(16_383)), "too_large", "it.parquet"),
    dropped("large: a row of 2 GB that the footer hides", file("it.parquet", lambda: long_row(16_383, claimed=100)), "too_large", "it.parquet"),
    dropped("large: a page of six rows of 300 MB", file("it.parquet", lambda: long_row(2400, rows=6)), "too_large", "it.parquet"),
    dropped("large: a JSON line of 1 GB", long_line, "too_large", "it.jsonl", kept=2),
    dropped("large: a line that does not end", sparse("it.jsonl", 3 << 30, b'{"text": "'), "too_large", "it.jsonl"),
    dropped("large: a zip bomb of 10 GiB", zip_bomb, "unreadable", "it.zip/it.txt", kept=1),
    dropped("large: a gzip bomb of 10 GiB", gzip_bomb("it.txt.gz", 10 << 30), "too_large", "it.txt.gz"),
    dropped("large: a gzipped JSON line of 10 GiB", gzip_bomb("it.jsonl.gz", 10 << 30), "unreadable", "it.jsonl.gz"),
    skipped("large: a gzipped tar of 10 GiB", gzip_bomb("it.tar.gz", 10 << 30), "it.tar.gz: it contains no books"),
    dropped("large: a zstd bomb of 10 GiB", zstd_bomb, "unreadable", "line 1: it unpacks to more than 100 times"),
    skipped("large: a zip of many pictures", file("it.zip", pictures_and_a_book), "it.zip", kept=1),
    dropped("large: a text of 300 MB", sparse("it.txt", 300 << 20, book(2)), "too_large", "it.txt"),
    dropped("large: elements in elements", file("it.html", lambda: "<div>" * 200_000 + paragraphs(3)), "unreadable", "elements inside one another"),
    harmless("large: an attribute of 50 MB", file("it.html", lambda: f'<html><body><p title="{"x" * 50_000_000}">{paragraphs(3)}')),
    dropped("large: a page of 300 MB", sparse("it.html", 300 << 20, b"<html>"), "too_large", "it.html"),
    dropped("large: a spine of a million", file("it.epub", lambda: epub(package=opf(spine=("c1",) * 10**6))), "too_large", "'content.opf' is larger"),
    dropped("large: a package of 40 MB", file("it.epub", lambda: epub(package=opf(more="<x/>" * (10 << 20)))), "too_large", "'content.opf' is larger"),
    skipped("large: a catalogue of 2 GB", many(gutenberg(), sparse("pg_catalog.csv", 2 << 30, b"Text#,Type,Issued,Title\n")), "pg_catalog.csv", kept=1),
    skipped("large: an RDF of 1 GB", many(gutenberg(), lambda books: sparse("pg1234.rdf", 1 << 30, b"<rdf>")(books / "cache/epub/1234")), "pg1234.rdf", kept=1),
]  # fmt: skip
MOST_MEMORY = 1 << 30  # bytes, of a process that has loaded all libraries
CHILD = "import sys; from tests.hostile.test_containers import tell; tell(*sys.argv[1:])"


def most_memory() -> int:
    """Bytes of this program alone: `ru_maxrss` keeps what the process that started it had."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    [line] = [one for one in status.read_text().splitlines() if one.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


def tell(books: str, out: str) -> None:
    """What became of a folder, and the memory that it took, for the parent process."""
    found = read_folder(Path(books), Path(out))
    sys.stdout.write(
        json.dumps(
            {
                "refusal": found.refusal,
                "rows": found.rows,
                "said": found.said,
                "memory": most_memory(),
            }
        )
    )


@pytest.mark.thorough
@pytest.mark.timeout(300)
@pytest.mark.parametrize("case", LARGE, ids=[case.name for case in LARGE])
def test_large_files_take_little_memory(case: Case, tmp_path: Path) -> None:
    """A book above the limit is dropped before it fills the memory, and soon."""
    folder = make_place(tmp_path)
    case.build(folder)
    done = subprocess.run(
        [sys.executable, "-c", CHILD, folder, tmp_path / "out"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (6 << 30, 6 << 30)),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    by_id = {one["book_id"]: one for one in found["rows"]}
    assert not found["refusal"]
    assert by_id.pop(GOOD)["status"] == "kept"
    reasons = [one["reason"] for one in by_id.values() if one["status"] != "kept"]
    assert set(reasons) == ({case.reason} if case.reason else set()), found["said"]
    assert len(by_id) - len(reasons) == case.kept
    assert any(case.said in line for line in found["said"]), found["said"]
    assert found["memory"] < MOST_MEMORY, f"{found['memory'] / 2**20:,.0f} MiB"


# ---- a whole run

EVIL = "<script>alert(1)</script> {{ 7*7 }}\n---\nlicense: evil\n[x](javascript:alert(2)) | `a"


@pytest.mark.thorough
@pytest.mark.parametrize("ending", [".epub", ".jsonl"])
def test_facts_of_a_container_are_no_markup(
    ending: str, corpus: Corpus, tmp_path: Path, cli: Callable[..., Outcome]
) -> None:
    """Title, author and licence of a book end as text in the report and the card of a release."""
    (original,) = corpus.source.glob("*.txt")
    text = original.read_text(encoding="utf-8-sig")
    original.unlink()
    if ending == ".epub":
        body = "".join(f"<p>{html.escape(part)}</p>" for part in text.split("\n\n"))
        evil = html.escape(EVIL)
        package = opf(title=evil, author=evil, rights=evil)
        data = epub(package=package, chapters={"c1.xhtml": page(body, title=evil)})
    else:
        facts = dict.fromkeys(("id", "title", "author", "genre", "license", "language"), EVIL)
        data = lines(facts | {"text": text})
    (corpus.source / f"it{ending}").write_bytes(data)
    outcome = cli("run", *corpus.options, "--out", tmp_path / "out", "--workers", "1")
    assert outcome.status == 0, outcome.err
    (release,) = tmp_path.glob("out/runs/*/release")
    report = (release / "report.html").read_text(encoding="utf-8")
    assert report.count("<script") == 1  # the filter of the report
    assert 'href="javascript' not in report
    assert "&lt;script&gt;alert(1)" in report
    card = (release / "README.md").read_text(encoding="utf-8")
    _, head, body = card.split("---\n", 2)
    assert pytest.importorskip("yaml").safe_load(head)["license"] in {"other", "unknown"}
    assert "alert(1)" in body
    assert not re.search(r"^(---|license: evil)", body, re.MULTILINE)
    assert "<script>" not in body
    assert "](javascript" not in re.sub(r"\\.", "", body)
    for line in (outcome.out + outcome.err).splitlines():
        assert line.isprintable(), line
