"""Hostile files of books, byte by byte: what no honest program writes."""

from __future__ import annotations

import gzip
import io
import json
import struct
import tarfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

SECRET = "the words of the user that no book may contain"
Build = Callable[[Path], object]

_SENTENCES = (
    "The keeper of lamp {n} climbed the stairs with a light in her hand, for it was the hour.",
    "There was no one at the mill but the old man, and he had been asleep since the noon.",
    '"You have come too late," he said to her, "and the boat with the {n} barrels is gone."',
    "She looked at the water under the bridge, and it was as black as the hat on his head.",
    "In the morning they went to the town by the lower road, and nobody spoke of it again.",
)


def prose(number=1):
    """A book of some ninety words."""
    return "\n\n".join(_SENTENCES).format(n=number) + "\n"


def book(number=1):
    return prose(number).encode()


def file(name, content):
    """A file in the folder of books; the content is made when the case runs."""

    def build(books):
        path = books / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content() if callable(content) else content
        path.write_bytes(data.encode() if isinstance(data, str) else data)

    return build


def files(**contents):
    return tree(contents)


def tree(contents):
    """Several files, by path."""

    def build(books):
        for name, content in contents.items():
            file(name, content)(books)

    return build


# ---- zip


@dataclass(frozen=True)
class Entry:
    """One entry of a zip file; None is the true value."""

    name: str | bytes
    data: bytes = b""
    method: int = 8
    flags: int = 0
    crc: int | None = None
    size: int | None = None
    packed: int | None = None
    local_name: str | bytes | None = None
    mode: int = 0o100644
    at: int | None = None


def zipped(*entries, count=None, directory_at=None, tail=b""):
    """A zip file of these entries; `count` and `directory_at` are what its last record claims."""
    body, directory = bytearray(), bytearray()
    for one in entries:
        name = _raw(one.name)
        data = _deflated(one.data) if one.method == 8 else one.data
        crc = zlib.crc32(one.data) if one.crc is None else one.crc
        sizes = (
            len(data) if one.packed is None else one.packed,
            len(one.data) if one.size is None else one.size,
        )
        at = len(body) if one.at is None else one.at
        common = (one.flags, one.method, 0, 0x21, crc, *sizes)
        if one.at is None:
            local = name if one.local_name is None else _raw(one.local_name)
            body += struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, *common, len(local), 0)
            body += local + data
        directory += struct.pack(
            "<IHHHHHHIIIHHHHHII",
            0x02014B50, 0x0314, 20, *common, len(name), 0, 0, 0, 0, one.mode << 16, at,
        )  # fmt: skip
        directory += name
    total = len(entries) if count is None else count
    end = struct.pack(
        "<IHHHHIIH", 0x06054B50, 0, 0, total, total, len(directory),
        len(body) if directory_at is None else directory_at, 0,
    )  # fmt: skip
    return bytes(body + directory) + end + tail


def zip_named(name):
    """A zip file with one honest book and one under this name."""
    return zipped(Entry("honest.txt", book(2)), Entry(name, book(3)))


def zip_with(entry):
    return zipped(Entry("honest.txt", book(2)), entry)


def _raw(name):
    return name.encode() if isinstance(name, str) else name


def _deflated(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


# ---- tar


def tarred(*members, format=tarfile.PAX_FORMAT):
    """A tar file; a pair is a regular file."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as tar:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                tar.addfile(member)
                continue
            name, data = member
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def tar_named(name):
    return tarred(("honest.txt", book(2)), (name, book(3)))


def tar_special(kind, name="it.txt", to=""):
    """A tar file with an honest book, and something that is no regular file."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, to
    return tarred(("honest.txt", book(2)), info)


def tar_pax(**headers):
    """A tar file whose second book has these pax headers."""
    info = tarfile.TarInfo("it.txt")
    info.pax_headers = headers
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in (("honest.txt", book(2)),):
            plain = tarfile.TarInfo(name)
            plain.size = len(data)
            tar.addfile(plain, io.BytesIO(data))
        info.size = len(book(3))
        tar.addfile(info, io.BytesIO(book(3)))
    return out.getvalue()


def tar_size_field(field):
    """A tar file whose second member has these 12 bytes for its size, with a true checksum."""
    data = bytearray(
        tarred(("honest.txt", book(2)), ("it.txt", book(3)), format=tarfile.USTAR_FORMAT)
    )
    at = 512 * (1 + -(-len(book(2)) // 512))
    data[at + 124 : at + 136] = field
    data[at + 148 : at + 156] = b" " * 8
    data[at + 148 : at + 156] = b"%06o\0 " % sum(data[at : at + 512])
    return bytes(data)


# ---- zstd


def zstd_text(data):
    """A frame of one raw block (RFC 8878), so that a cut loses the end alone."""
    head = struct.pack("<IBB", 0xFD2FB528, 0, 7 << 3)
    return head + (len(data) << 3 | 1).to_bytes(3, "little") + data


# ---- Parquet


def parquet(columns, **options):
    out = io.BytesIO()
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), out, **options)
    return out.getvalue()


def shelf(count=2, **columns):
    """The columns of a table of books; those given replace or are added."""
    return {
        "id": [f"row{n}" for n in range(count)],
        "title": [f"Lamp {n}" for n in range(count)],
        "text": [prose(20 + n) for n in range(count)],
    } | columns


def flipped(data, needle, by):
    """The same bytes with every `needle` replaced by as many others."""
    assert needle in data, needle
    assert len(needle) == len(by)
    return data.replace(needle, by)


# ---- JSON lines


def lines(*rows):
    """JSON lines; text and bytes stay as they are."""
    return b"".join(
        (
            row
            if isinstance(row, bytes)
            else row.encode()
            if isinstance(row, str)
            else json.dumps(row).encode()
        )
        + b"\n"
        for row in rows
    )


def row(number=1, **changes):
    return {"id": f"row{number}", "title": f"Lamp {number}", "text": prose(10 + number)} | changes


# ---- EPUB

CONTAINER = (
    '<?xml version="1.0"?><container version="1.0" '
    'xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="{opf}" media-type="application/oebps-package+xml"/>'
    "</rootfiles></container>"
)
XHTML = (
    '<?xml version="1.0" encoding="utf-8"?>{doctype}'
    '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title></head>'
    "<body>{body}</body></html>"
)


def paragraphs(number=1):
    return "".join(f"<p>{part}</p>\n" for part in prose(number).strip().split("\n\n"))


def page(body=None, *, doctype="", title="A Lamp"):
    return XHTML.format(doctype=doctype, title=title, body=paragraphs(5) if body is None else body)


def opf(
    *,
    title="A Lamp",
    author="Ann Ode",
    rights="Public domain",
    items=(("c1", "c1.xhtml", "application/xhtml+xml"),),
    spine=("c1",),
    doctype="",
    more="",
):
    manifest = "".join(
        f'<item id="{key}" href="{href}" media-type="{kind}"/>' for key, href, kind in items
    )
    refs = "".join(f'<itemref idref="{key}"/>' for key in spine)
    return (
        f'<?xml version="1.0" encoding="utf-8"?>{doctype}'
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:identifier id="id">x</dc:identifier><dc:title>{title}</dc:title>'
        f"<dc:creator>{author}</dc:creator><dc:language>en</dc:language>"
        f"<dc:rights>{rights}</dc:rights>{more}</metadata>"
        f"<manifest>{manifest}</manifest><spine>{refs}</spine></package>"
    )


def epub(
    *entries,
    container=None,
    package=None,
    chapters=None,
):
    """An EPUB whose parts can be replaced; an empty part is left out."""
    parts = {
        "META-INF/container.xml": CONTAINER.format(opf="content.opf")
        if container is None
        else container,
        "content.opf": opf() if package is None else package,
        **({"c1.xhtml": page()} if chapters is None else chapters),
    }
    return zipped(
        Entry("mimetype", b"application/epub+zip", method=0),
        *(Entry(name, _raw(part)) for name, part in parts.items() if part),
        *entries,
    )


def billion_laughs(root):
    """A document type whose entity `&l9;` unfolds to a thousand million laughs."""
    nested = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<!DOCTYPE {root} [<!ENTITY l0 "laugh">{nested}]>'


def stolen(root, address):
    """A document type whose entity `&it;` is a file of the user."""
    return f'<!DOCTYPE {root} [<!ENTITY it SYSTEM "{address}">]>'


# ---- Gutenberg trees

CATALOG_HEADER = "Text#,Type,Issued,Title,Language,Authors,Subjects,LoCC,Bookshelves\n"


def gutenberg(**more):
    """A tree of `cache/epub` with book 1234, and files beside it."""
    return tree({"cache/epub/1234/pg1234.txt": book(6), **more})


def catalog(*rows):
    return CATALOG_HEADER.encode() + b"".join(
        (one.encode() if isinstance(one, str) else one) + b"\n" for one in rows
    )


def gzipped(data):
    return gzip.compress(data, mtime=0)
