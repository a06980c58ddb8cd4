"""Folders of books that somebody damaged on purpose: one reason for each book, nothing written
outside the output folder, and the good book beside them is kept.

A case is a row of `CASES`: its name, what is put into the folder of books, and the outcome: the
reason in `books.tsv`, words of the message, and how many of its books are kept. The builders of
files are in `containers`.
"""

from __future__ import annotations

import contextlib
import html
import io
import os
import random
import re
import sys
import tarfile
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pytest

from cloze_gen.corpus.books import SENTENCES, read_books
from cloze_gen.corpus.collect import Collection, collect
from cloze_gen.corpus.folder import Location
from cloze_gen.corpus.ingest import write_ingest
from cloze_gen.corpus.parse_book import BookReason, IngestSettings
from cloze_gen.engine.local import InProcessEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import ClozeGenError
from cloze_gen.store.artifacts import Store
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.tables import read_parquet
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
    opf,
    page,
    paragraphs,
    parquet,
    prose,
    row,
    shelf,
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


def dropped(name, build, reason, said="", *, kept=0):
    """A book is dropped for this reason."""
    return Case(name, build, said, reason, kept)


def skipped(name, build, said, *, kept=0):
    """A file or member is no book; a line gives the reason."""
    return Case(name, build, said, kept=kept)


def harmless(name, build, said="", *, kept=1):
    """The books are read as if nothing were wrong."""
    return Case(name, build, said, kept=kept)


def refused(name, build, said):
    """The folder is refused."""
    return Case(name, build, said, refused=True)


# ---- builders of single cases


def special(name, make):
    def build(books):
        try:
            make(books / name)
        except PermissionError:
            pytest.skip("only root can make a device")

    return build


def link(name, to):
    """A link; `{outside}` is a folder beside the folder of books."""
    return lambda books: (books / name).symlink_to(
        to.format(outside=books.parent / "outside", books=books)
    )


def unreadable(books):
    if os.geteuid() == 0:
        pytest.skip("root reads every file")
    (books / "it.txt").write_bytes(book(2))
    (books / "it.txt").chmod(0)


def secret_file(build, name):
    """A file whose content depends on the address of the user's secret."""

    def make(books):
        content = build(f"file://{books.parent / 'outside' / 'secret.txt'}")
        file(name, content)(books)

    return make


def many(*builds):
    def build(books):
        for one in builds:
            one(books)

    return build


def grown(books):
    """Another program writes to the file."""
    for path in books.glob("it.*"):
        path.write_bytes(path.read_bytes() + b" and more")
        os.utime(path, (1, 1))


def nested_zip(depth):
    data = zipped(Entry("it.txt", b"x" * 10**6))
    for _ in range(depth):
        data = zipped(*(Entry(f"{n}.zip", data) for n in range(4)))
    return data


def deep_column(depth):
    kind = pa.string()
    value = "x"
    for _ in range(depth):
        kind, value = pa.list_(kind), [value]
    return parquet(pa.table({"text": pa.array([value], kind)}))


def twice_named():
    texts = pa.array([prose(3), prose(4)])
    return parquet(pa.table([texts, texts], names=["text", "text"]))


def bad_page():
    data = parquet(shelf(), compression="none", use_dictionary=False, write_page_checksum=True)
    return flipped(data, b"The keeper of lamp 20", b"The seeker of lamp 20")


# ---- the table

ZIP = [
    harmless("zip: an absolute path", file("it.zip", zip_named("/etc/it.txt")), kept=2),
    harmless("zip: a path that leads out", file("it.zip", zip_named("../../outside/it.txt")), kept=2),
    skipped("zip: backslashes", file("it.zip", zip_named("..\\..\\it.txt")), "(hidden)", kept=1),
    harmless("zip: a NUL in a name", file("it.zip", zip_named("it.txt\0.jpg")), kept=2),
    harmless("zip: a newline in a name", file("it.zip", zip_named("a\nb.txt")), kept=2),
    skipped("zip: a name of 64 KiB", file("it.zip", lambda: zip_named("x" * 65_000 + ".txt")), "(a name of more than 1,000 characters)", kept=1),
    harmless("zip: a name in no encoding", file("it.zip", zip_named(b"\xff\xfe\x80it.txt")), kept=2),
    skipped("zip: a name twice", file("it.zip", zipped(Entry("a.txt", book(2)), Entry("a.txt", book(3)))), "(a second file with the same name; only the first is read): 'it.zip/a.txt'", kept=1),
    dropped("zip: a book that is too large", file("it.zip", lambda: zip_with(Entry("it.txt", random.Random(1).randbytes(10**5)))), "too_large", "it.zip/it.txt", kept=1),
    skipped("zip: a nested bomb", file("it.zip", lambda: nested_zip(3)), "(an archive in an archive; unpack it): 'it.zip/0.zip'"),
    dropped("zip: encrypted", file("it.zip", zip_with(Entry("it.txt", book(3), flags=1))), "encrypted", "'it.txt' is encrypted", kept=1),
    dropped("zip: an unknown method", file("it.zip", zip_with(Entry("it.txt", book(3), method=99))), "unreadable", "it.zip/it.txt", kept=1),
    dropped("zip: a false CRC", file("it.zip", zip_with(Entry("it.txt", book(3), crc=7))), "unreadable", "it.zip/it.txt", kept=1),
    dropped("zip: truncated", file("it.zip", lambda: zip_named("it.txt")[:-40]), "unreadable", "an incomplete one"),
    dropped("zip: a link", file("it.zip", zip_with(Entry("it.txt", b"/etc/passwd", mode=0o120777))), "nearly_empty", "it dropped", kept=1),
    dropped("zip: no zip", file("it.zip", b"no zip"), "unreadable", "not a zip file"),
    dropped("zip: a hostile EPUB in it", file("it.zip", lambda: zipped(Entry("it.epub", epub(package=opf(title="&l9;", doctype=billion_laughs("package")))))), "damaged_epub", "the spine has no documents"),
    dropped("zip: a hostile page in it", file("it.zip", lambda: zipped(Entry("it.html", b"<div>" * 12_000))), "unreadable", "elements inside one another"),
]  # fmt: skip
TAR = [
    harmless("tar: an absolute path", file("it.tar", tar_named("/etc/it.txt")), kept=2),
    harmless("tar: a path that leads out", file("it.tar", tar_named("../../outside/it.txt")), kept=2),
    harmless("tar: a newline in a name", file("it.tar", tar_named("a\nb.txt")), kept=2),
    skipped("tar: a name of 64 KiB", file("it.tar", lambda: tar_named("x" * 65_000 + ".txt")), "(a name of more than 1,000 characters)", kept=1),
    skipped("tar: a device", file("it.tar", tar_special(tarfile.CHRTYPE)), "(a link, or no file): 'it.tar/it.txt'", kept=1),
    skipped("tar: a link out", file("it.tar", tar_special(tarfile.SYMTYPE, to="/etc/passwd")), "(a link, or no file): 'it.tar/it.txt'", kept=1),
    harmless("tar: a pax path that leads out", file("it.tar", tar_pax(path="../../it.txt")), kept=2),
    skipped("tar: a size that is no number", file("it.tar", tar_size_field(b"zzzzzzzzzzz\0")), "damaged or incomplete", kept=1),
    skipped("tar: truncated", file("it.tar", lambda: tarred(("a.txt", book(2)), ("b.txt", book(3)))[:1300]), "damaged or incomplete", kept=1),
    dropped("tar: no tar", file("it.tar", b"no tar" * 200), "unreadable", "damaged or incomplete"),
    dropped("tar: gzipped and truncated", file("it.tar.gz", lambda: gzipped(tarred(("a.txt", book(2))))[:-30]), "unreadable", "damaged or incomplete"),
    dropped("tar: a large member", file("it.tar", lambda: tarred(("a.txt", book(2)), ("it.txt", b"x" * 10**6))), "too_large", "it.tar/it.txt", kept=1),
]  # fmt: skip
PACKED = [
    dropped("gzip: truncated", file("it.txt.gz", gzipped(book(2))[:-20]), "unreadable", "it.txt.gz"),
    dropped("gzip: rubbish behind it", file("it.txt.gz", gzipped(book(2)) + b"rubbish"), "unreadable", "it.txt.gz"),
    harmless("gzip: two members", file("it.txt.gz", gzipped(book(2)) + gzipped(book(3)))),
    dropped("gzip: a bomb", file("it.txt.gz", lambda: gzipped(b"x" * 10**7)), "too_large", "it.txt.gz"),
    dropped("gzip: JSON lines, truncated", file("it.jsonl.gz", gzipped(lines(row(1), row(2)))[:-40]), "unreadable", "the data is damaged"),
    dropped("zstd: truncated", file("it.jsonl.zst", zstd_text(lines(row(1), row(2)))[:-40]), "unreadable", "line 2: the data is damaged", kept=1),
    dropped("zstd: no zstd", file("it.jsonl.zst", b"no zstd"), "unreadable", "it.jsonl.zst"),
]  # fmt: skip
EPUB = [
    harmless("epub: a stolen file in a chapter", secret_file(lambda at: epub(chapters={"c1.xhtml": page("<p>&it;</p>" + paragraphs(), doctype=stolen("html", at))}), "it.epub")),
    harmless("epub: a stolen file in the package", secret_file(lambda at: epub(package=opf(title="&it;", doctype=stolen("package", at))), "it.epub")),
    dropped("epub: a thousand million laughs", file("it.epub", epub(package=opf(title="&l9;", doctype=billion_laughs("package")))), "damaged_epub", "it dropped"),
    dropped("epub: a package outside of the zip", file("it.epub", epub(container='<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="../../outside/secret.txt"/></rootfiles></container>')), "damaged_epub", "it dropped"),
    dropped("epub: no container", file("it.epub", epub(container="")), "damaged_epub", "it dropped"),
    dropped("epub: a container that is no XML", file("it.epub", epub(container="<container")), "damaged_epub", "it dropped"),
    dropped("epub: a spine without items", file("it.epub", epub(package=opf(spine=()))), "damaged_epub", "the spine has no documents"),
    dropped("epub: a chapter that is not there", file("it.epub", epub(chapters={"no.xhtml": page()})), "damaged_epub", "it dropped"),
    dropped("epub: a chapter outside of the zip", file("it.epub", epub(package=opf(items=(("c1", "../../outside/secret.txt", "application/xhtml+xml"),)))), "damaged_epub", "it dropped"),
    dropped("epub: a chapter on the web", file("it.epub", epub(package=opf(items=(("c1", "https://example.org/c1.xhtml", "application/xhtml+xml"),)))), "damaged_epub", "it dropped"),
    dropped("epub: rights management", file("it.epub", epub(Entry("META-INF/encryption.xml", b'<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#"><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/><CipherData><CipherReference URI="c1.xhtml"/></CipherData></EncryptedData></encryption>'))), "encrypted", "digital rights management"),
    harmless("epub: a script", file("it.epub", epub(chapters={"c1.xhtml": page("<script>document.write('the script of evil')</script>" + paragraphs())}))),
    dropped("epub: a chapter that unfolds", file("it.epub", lambda: epub(chapters={"c1.xhtml": page("<p>" + "x " * 10**6 + "</p>")})), "too_large", "it dropped"),
    dropped("epub: an encrypted entry", file("it.epub", zipped(Entry("META-INF/container.xml", b"x", flags=1))), "encrypted", "'META-INF/container.xml' is encrypted"),
    harmless("epub: markup in title and author", file("it.epub", epub(package=opf(title="&lt;script&gt;alert(1)&lt;/script&gt;\n---\nlicense: evil", author="=cmd|'/C calc'!A0")))),
]  # fmt: skip
HTML = [
    dropped("html: elements in elements", file("it.html", lambda: "<div>" * 12_000), "unreadable", "elements inside one another"),
    dropped("html: NUL bytes", file("it.html", page(paragraphs(3).replace(" the ", " \0the "))), "binary", "control bytes"),
    harmless("html: a charset that is none", file("it.html", '<html><head><meta charset="../../etc/passwd"></head><body>' + paragraphs(3))),
    dropped("html: a script alone", file("it.html", lambda: f"<html><body><script>{prose(3)}</script></body></html>"), "empty", "has no text"),
    harmless("html: laughs", file("it.html", page("<p>&l9;</p>" + paragraphs(3), doctype=billion_laughs("html")))),
    harmless("html: a stolen file", secret_file(lambda at: page("<p>&it;</p>" + paragraphs(3), doctype=stolen("html", at)), "it.html")),
    harmless("html: a title with markup", file("it.html", page(paragraphs(3), title="&lt;img src=x onerror=alert(1)&gt;"))),
    harmless("html: a comment that does not end", file("it.html", page(paragraphs(3) + "<!-- <p>evil"))),
    dropped("html: too large", file("it.html", lambda: page(paragraphs(3) * 1000)), "too_large", "it.html"),
    dropped("html: zero bytes", file("it.html", b""), "empty", "it dropped"),
    harmless("html: an iframe of a file", secret_file(lambda at: page(f'<iframe src="{at}"></iframe><object data="{at}"></object>' + paragraphs(3)), "it.html")),
]  # fmt: skip
CATALOG = [
    harmless("catalogue: a formula and a path", gutenberg(**{"pg_catalog.csv": catalog('1234,Text,2004-01-01,"=HYPERLINK(""http://x"")",en,"../../etc/passwd",,,')})),
    skipped("catalogue: a pipe", many(gutenberg(), lambda books: os.mkfifo(books / "pg_catalog.csv")), "pg_catalog.csv", kept=1),
    skipped("catalogue: a link to a secret", many(gutenberg(), link("pg_catalog.csv", "{outside}/secret.txt")), "pg_catalog.csv", kept=1),
]  # fmt: skip
PARQUET = [
    dropped("parquet: truncated", file("it.parquet", parquet(shelf())[:-50]), "unreadable", "it.parquet"),
    dropped("parquet: a footer of 4 GiB", file("it.parquet", parquet(shelf())[:-8] + b"\xff\xff\xff\xffPAR1"), "unreadable", "it.parquet"),
    dropped("parquet: no Parquet", file("it.parquet", b"no Parquet"), "unreadable", "it.parquet"),
    skipped("parquet: a text of numbers", file("it.parquet", parquet(shelf(text=[1, 2]))), "it.parquet"),
    dropped("parquet: a text of bytes that are none", file("it.parquet", parquet(shelf(text=[bytes(range(256)) * 9, prose(3).encode()]))), "binary", "row0", kept=1),
    dropped("parquet: null for a text", file("it.parquet", parquet(shelf(text=[None, prose(3)]))), "empty", "row0 dropped", kept=1),
    skipped("parquet: no rows", file("it.parquet", parquet(pa.table({"id": pa.array([], pa.string()), "text": pa.array([], pa.string())}))), "(it contains no books): 'it.parquet'"),
    skipped("parquet: a column twice", file("it.parquet", twice_named), "it.parquet"),
    dropped("parquet: lists in lists", file("it.parquet", lambda: deep_column(90)), "unreadable", "too deeply nested"),
    dropped("parquet: a row that is too large", file("it.parquet", lambda: parquet(shelf(text=["x " * 40_000, prose(3)]))), "too_large", "it.parquet", kept=1),
    dropped("parquet: a false page", file("it.parquet", bad_page), "unreadable", "it.parquet"),
    harmless("parquet: ids that are paths", file("it.parquet", parquet(shelf(id=["../../it", "/etc/it"]))), kept=2),
    harmless("parquet: a title with markup", file("it.parquet", parquet(shelf(title=["<script>\n---\nx: y", "\u202e\0\x1b[31m"]))), kept=2),
]  # fmt: skip
JSON = [
    dropped("json: a line that is too large", file("it.jsonl", lambda: lines(row(1, text="x " * 10**5), row(2))), "too_large", "it.jsonl", kept=1),
    dropped("json: a broken line", file("it.jsonl", lines(row(1), '{"id": "row2", "text": "The', row(3))), "unreadable", "'it.jsonl/1': line 2: ", kept=2),
    dropped("json: brackets in brackets", file("it.jsonl", lambda: lines(row(1), '{"id": "row2", "x": ' + "[" * 30_000 + "]" * 30_000 + "}")), "unreadable", "'it.jsonl/1': line 2: ", kept=1),
    dropped("json: half a character", file("it.jsonl", lines(row(1), '{"id": "row2", "text": "\\ud800"}')), "unreadable", "'it.jsonl/1': line 2: ", kept=1),
    dropped("json: no UTF-8", file("it.jsonl", lines(row(1), b'{"id": "row2", "text": "\xff"}')), "unreadable", "'it.jsonl/1': line 2: ", kept=1),
    dropped("json: a number for a text", file("it.jsonl", lines(row(1), row(2, text=7))), "unreadable", "'text' is 7, not text", kept=1),
    dropped("json: an empty text", file("it.jsonl", lines(row(1), row(2, text=""))), "empty", "row2 dropped", kept=1),
    dropped("json: NUL in a text", file("it.jsonl", lines(row(1), row(2, text="\0" * 500 + prose(2)))), "binary", "row2 dropped", kept=1),
    harmless("json: ids that are paths", file("it.jsonl", lines(row(1, id="../../it"), row(2, id="/etc/it"), row(3, id=".."))), kept=3),
    harmless("json: an id with a newline", file("it.jsonl", lines(row(1, id="a\nb\x1b[31m")))),
    harmless("json: markup in the title", file("it.jsonl", lines(row(1, title="<script>\n---\nx: y", author={"name": ["x"]})))),
    dropped("json: zero bytes", file("it.jsonl", b""), "empty", "no JSON object"),
    skipped("json: a newline in the name of the file", file("a\nb.jsonl", lines({"x\ny": 1})), "no column is known to be the text"),
]  # fmt: skip
TEXT = [
    dropped("text: a pipe", special("it.txt", os.mkfifo), "unreadable", "a named pipe"),
    dropped("text: a device", special("it.txt", lambda path: os.mknod(path, 0o020644, os.makedev(1, 5))), "unreadable", "a device"),
    harmless("text: a folder named as a book", many(lambda books: (books / "x.txt").mkdir(), file("x.txt/it.txt", book(2)))),
    dropped("text: a link to itself", link("it.txt", "it.txt"), "unreadable", "it.txt"),
    dropped("text: a link to a device", link("it.txt", "/dev/zero"), "unreadable", "a device"),
    harmless("text: a link to a book", link("it.txt", "{outside}/book.txt")),
    skipped("text: a linked folder", link("folder", "{outside}"), "not followed"),
    dropped("text: may not be read", unreadable, "unreadable", "it.txt"),
    Case("text: changes while it is read", file("it.txt", book(2)), "changed while it was read", refused=True, meanwhile=grown),
    dropped("text: too large", file("it.txt", lambda: book(2) * 1000), "too_large", "it.txt"),
    dropped("text: zero bytes", file("it.txt", b""), "empty"),
    dropped("text: a program", file("it.txt", b"\x7fELF" + bytes(500)), "binary"),
    dropped("text: a page", file("it.txt", page() * 3), "markup"),
]  # fmt: skip
NAMES = [
    harmless("name: no UTF-8", lambda books: Path(os.fsdecode(os.fsencode(books) + b"/\xff\xfe.txt")).write_bytes(book(2))),
    harmless("name: a newline", file("a\nb.txt", book(2))),
    harmless("name: from right to left", file("a\u202etxt.exe.txt", book(2))),
    harmless("name: 255 bytes", file("x" * 251 + ".txt", book(2))),
    harmless("name: a command", file("$(rm -rf x);`touch evil`.txt", book(2))),
    harmless("name: markup", file("<script>alert(1)<.txt", book(2))),
    harmless("name: composed and decomposed", tree({"\u00e9.txt": book(2), "e\u0301.txt": book(3)}), kept=2),
    harmless("name: two letter cases", tree({"It.txt": book(2), "it.txt": book(3)}), kept=2),
    harmless("name: one id in two folders", tree({"a/it.txt": book(2), "b/it.txt": book(3)}), kept=2),
    refused("name: an id that leads out", tree({"it.txt": book(2), "manifest.tsv": "file\tbook_id\nit.txt\t../../it\n"}), "may only have the characters"),
    refused("name: two dots for an id", tree({"it.txt": book(2), "manifest.tsv": "file\tbook_id\nit.txt\t..\n"}), "must not begin or end with"),
]  # fmt: skip

CASES = [*ZIP, *TAR, *PACKED, *EPUB, *HTML, *CATALOG, *PARQUET, *JSON, *TEXT, *NAMES]


# ---- what every case is held to


@dataclass
class Read:
    """What became of a folder of books."""

    refusal: str = ""
    scan: Collection | None = None
    rows: list[dict[str, str]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    text: str = ""


def read_folder(books, out, meanwhile=None):
    """Scan and ingest, as a run does."""
    found, said = Read(), io.StringIO()
    try:
        found.scan = collect(Location(books), Store(out))
        if meanwhile is not None:
            meanwhile(books)
        store, key = Store(out), StageKey("ingest", 1)
        with store.writing(key) as writer, contextlib.redirect_stderr(said):
            assert writer is not None
            write_ingest(
                writer,
                StageContext(store, InProcessEngine(), "ingest"),
                books=found.scan.books,
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


def everything(folder, own):
    """Every file, link and folder below `folder` that is not below `own`. Texts are unpacked in a
    temporary folder, which is gone again.
    """
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if Path(place, name) != own]
        for name in (*folders, *names):
            path = Path(place, name)
            status = path.lstat()
            changed = 0 if name == "temporary" else status.st_mtime_ns
            yield str(path), (status.st_mode, status.st_size, changed)


def make_place(tmp):
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
def books(tmp_path, monkeypatch):
    folder = make_place(tmp_path)
    monkeypatch.chdir(tmp_path / "cwd")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    for name, module in list(sys.modules.items()):
        if name.startswith("cloze_gen.corpus") and hasattr(module, "MAX_BOOK_BYTES"):
            monkeypatch.setattr(module, "MAX_BOOK_BYTES", LIMIT)
    return folder


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_one_reason_and_nothing_outside(case, books, tmp_path, cli):
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


def check_line(line):
    """A line that a terminal can show."""
    assert line.isprintable(), line
    assert len(line) <= MOST_CHARS, line


def check_rows(found):
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
    ("an empty zip file", file("it.zip", zipped()), "(it contains no books): 'it.zip'"),
    ("a table of numbers", file("it.parquet", parquet({"x\ny": [1]})), "The columns are 'x\\ny' (int64)"),
    ("objects without a text", file("a\nb.jsonl", lines({"x": 1})), "no column is known to be the text"),
    ("a link to a folder", link("folder", "{outside}"), "not followed"),
    ("a file of another kind", file("it.exe", b"MZ"), "(not a format of books): 'it.exe'"),
    ("a pipe of another kind", special("it.sock", os.mkfifo), "(not a format of books): 'it.sock'"),
    ("nothing", lambda books: None, "in this folder"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("build", "said"), [one[1:] for one in ALONE], ids=[one[0] for one in ALONE]
)
def test_a_folder_without_books_is_refused(build, said, books, tmp_path, cli):
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


# ---- a whole run

EVIL = "<script>alert(1)</script> {{ 7*7 }}\n---\nlicense: evil\n[x](javascript:alert(2)) | `a"


@pytest.mark.thorough
@pytest.mark.parametrize("ending", [".epub", ".jsonl"])
def test_facts_of_a_container_are_no_markup(ending, corpus, tmp_path, cli):
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
