"""EPUB files, one book a file. Nothing is unpacked to disk; names in the archive are only looked up
in the archive.
"""

from __future__ import annotations

import io
import posixpath
import re
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Container, Mapping
from urllib.parse import unquote

from lxml import etree

from cloze_gen.corpus.decoding import Decoded, decode_book
from cloze_gen.corpus.manifest import MAX_CELL_CHARS
from cloze_gen.corpus.readers.compressed import DAMAGE, open_zipped
from cloze_gen.corpus.readers.markup_text import MarkupText, extract_text
from cloze_gen.corpus.readers.reader import MAX_BOOK_BYTES
from cloze_gen.errors import BookError
from cloze_gen.parsing import error_text, quote

_DAMAGED = "damaged_epub"
_AGAIN = "Download it again, or convert it to text"
_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_TEXT_TYPES = frozenset(
    ("application/xhtml+xml", "text/html", "text/x-oeb1-document", "text/xml", "application/xml")
)
_DC = "{http://purl.org/dc/elements/1.1/}"
_ROLE = "{http://www.idpf.org/2007/opf}role"
_ETEXT = re.compile(r"gutenberg\.org/(?:ebooks/|files/)?(\d{1,6})\b", re.IGNORECASE)

# Documents that are no prose, by file name, title or first heading; only short ones.
_FILE_NAME = re.compile(
    r"""(?xi)
    (?:\d{1,4}[-_.]?)?
    (?:cover|coverpage|front-?cover|title-?page|half-?title(?:-?page)?|copyright(?:-?page)?|uncopyright|colophon|imprint
      |toc|nav|contents|table-?of-?contents|endnotes?|footnotes?|notes|loi|lot|about-?(?:the-?)?author|also-?by(?:-.*)?
      |books-?by(?:-.*)?|ad-?card|back-?ads?|ads?|advertisements?|newsletter|praise)
    (?:[-_.]?\d{1,3})?
    """
)
_TITLE = re.compile(
    r"""(?xi)
    (?:cover(?:\ page)?|title\ ?page|half\ ?-?title(?:\ ?page)?|copyright(?:\ page|\ notice|\ information)?|uncopyright|colophon
      |imprint|(?:table\ of\ )?contents|(?:list\ of\ )?illustrations|end-?\ ?notes|foot-?\ ?notes|notes
      |about\ the\ authors?|about\ the\ publisher|also\ (?:available\ )?(?:by|from)\b.{0,80}|(?:other\ )?(?:books|titles|works|novels)\ by\b.{0,80}
      |by\ the\ same\ author|advertisements?|newsletter(?:\ sign-?up)?|praise\ for\b.{0,80}
      |transcriber['’]?s?['’]?\ notes?|index|the\ full\ project\ gutenberg\ license)\W{0,3}
    """
)
_MAX_SHARE = 0.15  # of the book's text; what is longer is kept


def decode_epub(raw: bytes) -> tuple[Decoded, dict[str, str]]:
    """The facts of the package, and the text of the spine in order, a document after the other, without
    navigation, notes, and front and back pages that are not the author's.

    Raises:
        BookError: ``damaged_epub``, ``encrypted``, ``too_large``, ``empty``.
    """
    archive = _Archive(raw)
    opf_name = archive.package_name()
    opf = archive.xml(opf_name)
    documents = _documents(archive, opf, posixpath.dirname(opf_name))
    archive.check_not_encrypted(documents)
    pages = {name: _page(archive.read(name)) for name in documents}
    most = _MAX_SHARE * sum(len(page.text) for page in pages.values())
    texts = [
        page.text
        for name, page in pages.items()
        if page.text and not (len(page.text) <= most and _is_no_prose(name, page))
    ]
    if not texts:
        raise BookError("empty", "no document of the EPUB has text")
    evidence = f"{len(texts)} of {len(documents)} documents"
    return Decoded("\n\n\n".join(texts), "epub", evidence), _facts(opf)


def _documents(archive: _Archive, opf: etree._Element, folder: str) -> list[str]:
    """The stored names of the text documents of the spine, each once, without navigation."""
    items = {item.get("id", ""): item for item in opf.iter("{*}item")}
    refs = list(opf.iter("{*}itemref"))
    if not refs:
        raise BookError(_DAMAGED, f"the spine has no documents. {_AGAIN}")
    names: dict[str, None] = {}
    for ref in refs:
        item = _readable(items, ref.get("idref", ""))
        is_linear = ref.get("linear", "").lower() != "no"
        is_navigation = "nav" in item.get("properties", "").split()
        if is_linear and not is_navigation and _is_text(item):
            names[archive.find(item.get("href", ""), folder)] = None
    return list(names)


def _page(raw: bytes) -> MarkupText:
    return extract_text(decode_book(raw, markup=True).text) if raw.strip() else MarkupText("")


def _is_no_prose(name: str, page: MarkupText) -> bool:
    stem = posixpath.splitext(posixpath.basename(name))[0].replace("_", "-")
    if _FILE_NAME.fullmatch(stem):
        return True
    return any(map(_TITLE.fullmatch, (page.heading.strip(), page.title)))


class _Archive:
    """An EPUB in memory; its root may be a folder of the zip file."""

    def __init__(self, raw: bytes) -> None:
        if not raw.startswith(b"PK"):
            raise BookError(_DAMAGED, f"{_not_a_zip(raw)}. {_AGAIN}")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(raw))
        except DAMAGE as error:
            raise BookError(
                _DAMAGED, f"not a complete zip file ({error_text(error)}). {_AGAIN}"
            ) from None
        self._bytes_left = MAX_BOOK_BYTES
        stored = self._zip.namelist()
        containers = [name for name in stored if _folded(name).endswith(_folded(_CONTAINER))]
        self._root = min(containers, key=len, default=_CONTAINER)[: -len(_CONTAINER)]
        self._names = {_folded(name): name for name in stored} | {name: name for name in stored}

    def find(self, reference: str, folder: str | None = None) -> str:
        """The stored name to which a reference leads from a file in `folder`; None: from the root.

        Names are compared as written, and then as URLs without query, letter case, composition of
        letters and kind of slash, since many EPUBs were zipped again on another system. If there
        is none, the result names no file.
        """
        path = reference.partition("#")[0].replace("\\", "/")
        folder = self._root if folder is None or path.startswith("/") else folder
        names = [
            posixpath.normpath(posixpath.join(folder, written.lstrip("/")))
            for written in (path, unquote(path), unquote(path.partition("?")[0]))
        ]
        for name in (*names, *map(_folded, names)):
            if name in self._names:
                return self._names[name]
        return names[1]

    def read(self, name: str) -> bytes:
        """The bytes of a stored name.

        Raises:
            BookError: ``damaged_epub``, ``encrypted``, ``too_large``.
        """
        try:
            entry = self._zip.getinfo(name)
        except KeyError:
            raise BookError(_DAMAGED, f"{quote(name)} is missing. {_AGAIN}") from None
        self._bytes_left -= entry.file_size
        if self._bytes_left < 0:
            raise BookError("too_large", f"{quote(name)} is larger than a book can be")
        try:
            return open_zipped(self._zip, entry).read()
        except DAMAGE as error:
            raise BookError(
                _DAMAGED, f"{quote(name)} is damaged ({error_text(error)}). {_AGAIN}"
            ) from None

    def xml(self, name: str) -> etree._Element:
        parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True)
        try:
            root = etree.fromstring(self.read(name).lstrip(), parser)
        except etree.XMLSyntaxError:
            root = None
        if root is None:
            raise BookError(_DAMAGED, f"{quote(name)} is not XML. {_AGAIN}")
        return root

    def package_name(self) -> str:
        container = self.xml(self.find(_CONTAINER))
        paths = [file.get("full-path", "") for file in container.iter("{*}rootfile")]
        if not paths or not paths[0]:
            raise BookError(_DAMAGED, f"{_CONTAINER} names no package document. {_AGAIN}")
        return self.find(paths[0])

    def check_not_encrypted(self, documents: Container[str]) -> None:
        """BookError ``encrypted`` if one of the documents is; fonts may be."""
        lock = self.find(_ENCRYPTION)
        if lock not in self._zip.NameToInfo:
            return
        for reference in self.xml(lock).iter("{*}CipherReference"):
            name = self.find(reference.get("URI", ""))
            if name in documents:
                raise BookError(
                    "encrypted", f"{quote(name)} is encrypted (digital rights management)"
                )


def _not_a_zip(raw: bytes) -> str:
    start = raw.lstrip()[:200]
    if not start:
        return "the file is empty"
    if start.startswith(b"<"):
        return "a web page, not an EPUB; it may be the error page of a download"
    return "not an EPUB, which is a zip file"


def _folded(name: str) -> str:
    r"""
    >>> _folded("OEBPS\\Cafe\u0301.XHTML")
    'oebps/café.xhtml'
    """
    return unicodedata.normalize("NFC", name.replace("\\", "/")).casefold()


def _readable(items: Mapping[str, etree._Element], name: str) -> etree._Element:
    """The item of that name, or the first of its fallbacks that is text."""
    if name not in items:
        raise BookError(_DAMAGED, f"the spine lists {quote(name)}, which is no item. {_AGAIN}")
    tried: list[str] = []
    while name in items and name not in tried:
        if _is_text(items[name]):
            return items[name]
        tried.append(name)
        name = items[name].get("fallback", "")
    return items[tried[0]]


def _is_text(item: etree._Element) -> bool:
    media_type = item.get("media-type", "").lower()
    return not media_type or media_type in _TEXT_TYPES


def _facts(opf: etree._Element) -> dict[str, str]:
    """Title, authors, language, licence, e-text number; `dc:date` is that of the edition."""
    roles: defaultdict[str, set[str]] = defaultdict(set)  # by id, as EPUB 3 writes them
    for meta in opf.iter("{*}meta"):
        if meta.get("property") == "role":
            roles[meta.get("refines", "").removeprefix("#")].add(_cell(meta))
    authors = [
        _cell(creator)
        for creator in opf.iter(f"{_DC}creator")
        if "aut" in (roles.get(creator.get("id", "")) or {creator.get(_ROLE, "aut")})
    ]
    identifiers = " ".join(map(_cell, opf.iter(f"{_DC}identifier")))
    etext = _ETEXT.search(identifiers)
    facts = {
        "title": _first(opf, "title"),
        "author": " and ".join(filter(None, dict.fromkeys(authors)))[:MAX_CELL_CHARS],
        "language": _first(opf, "language"),
        "license": _first(opf, "rights"),
        "etext": etext[1] if etext else "",
    }
    return {name: fact for name, fact in facts.items() if fact}


def _first(opf: etree._Element, name: str) -> str:
    cells = map(_cell, opf.iter(f"{_DC}{name}"))
    return next(filter(None, cells), "")


def _cell(element: etree._Element) -> str:
    return " ".join("".join(element.itertext()).split())[:MAX_CELL_CHARS]
