"""EPUB files, one book a file. Nothing is unpacked to disk; names in the archive are only looked up
in the archive.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, ClassVar
from urllib.parse import unquote
from xml.etree import ElementTree

from cloze_gen.corpus.decoding import Decoded
from cloze_gen.corpus.manifest import MAX_CELL_CHARS
from cloze_gen.corpus.readers.compressed import DAMAGE
from cloze_gen.corpus.readers.html import charset_of, decode_markup, dropped_text, kind_of
from cloze_gen.corpus.readers.markup_text import MarkupText, extract_text
from cloze_gen.corpus.readers.reader import (
    MAX_BOOK_BYTES,
    InputSettings,
    Listing,
    Member,
    Reader,
)
from cloze_gen.errors import BookError
from cloze_gen.parsing import error_text, quote

_DAMAGED = "damaged_epub"
_AGAIN = "Download it again, or convert it to text"
_ENCRYPTED_FLAG = 0x1
_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
# Obfuscated fonts are no encryption of the text.
_FONT_ALGORITHMS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_TEXT_TYPES = frozenset(
    ("application/xhtml+xml", "text/html", "text/x-oeb1-document", "text/xml", "application/xml")
)
_DC = "{http://purl.org/dc/elements/1.1/}"
_OPF = "{http://www.idpf.org/2007/opf}"
_ETEXT = re.compile(r"gutenberg\.org/(?:ebooks/|files/)?(\d{1,6})\b", re.IGNORECASE)

# Documents that are no prose, by `guide`, file name, title or first heading; only short ones.
_GUIDED = "guide"
_GUIDE = frozenset("cover title-page toc copyright-page colophon loi lot notes".split())
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


@dataclass(frozen=True, slots=True)
class _Package:
    """The OPF: its metadata, and the documents of the spine as (path, reason to leave it out)."""

    facts: Mapping[str, str]
    documents: tuple[tuple[str, str], ...]


class Epub(Reader):
    """EPUB 2 and 3; `Decoded.encoding` is "epub N", N the version of the extractor.

    The text is that of the spine in order, a document after the other, without navigation, notes,
    and front and back pages that are not the author's.
    """

    endings: ClassVar[tuple[str, ...]] = (".epub",)
    shape: ClassVar[str] = "EPUB"
    kind: ClassVar[str] = kind_of("epub")

    def takes(self, name: str, head: bytes) -> bool:
        return name.endswith(self.endings)

    def listing(self, file: BinaryIO, settings: InputSettings) -> Listing:
        try:
            facts = _Archive(file.read(MAX_BOOK_BYTES + 1)).package().facts
        except BookError:  # `decode` reports it as the reason why this book is dropped
            facts = {}
        return Listing(self.shape, (Member(facts=tuple(facts.items()), kind=self.kind),))

    def decode(self, raw: bytes, encoding: str = "") -> Decoded:
        """
        Raises:
            BookError: ``damaged_epub``, ``encrypted``, ``too_large``, ``empty``.
        """
        if encoding:
            charset_of(encoding, self.kind)
        archive = _Archive(raw)
        package = archive.package()
        read = [(path, reason) for path, reason in package.documents if reason in {"", _GUIDED}]
        archive.check_not_encrypted(path for path, _ in read)
        left_out = Counter(reason for _, reason in package.documents if reason not in {"", _GUIDED})
        pages = []
        for path, reason in read:
            page = _page(archive.read(path))
            pages.append((page, reason or _page_reason(path, page)))
        total = sum(len(page.text) for page, _ in pages)
        texts = []
        dropped: Counter[str] = Counter()
        for page, reason in pages:
            dropped.update(page.dropped)
            if not page.text:
                left_out["without prose"] += 1
            elif reason and len(page.text) <= _MAX_SHARE * total:
                left_out[reason] += 1
            else:
                texts.append(page.text)
        if not texts:
            raise BookError("empty", "no document of the EPUB has text")
        counts = ", ".join(f"{count} {reason}" for reason, count in sorted(left_out.items()))
        evidence = f"{len(texts)} of {len(package.documents)} documents"
        if counts:
            evidence += f", left out by rule: {counts}"
        return Decoded(
            "\n\n\n".join(texts),
            self.kind,
            "; ".join(filter(None, (evidence, dropped_text(dropped)))),
        )


def _page(raw: bytes) -> MarkupText:
    return extract_text(decode_markup(raw).text) if raw.strip() else MarkupText("", "", "", {})


def _page_reason(path: str, page: MarkupText) -> str:
    stem = posixpath.splitext(posixpath.basename(path))[0].replace("_", "-")
    if _FILE_NAME.fullmatch(stem):
        return "file name"
    if _TITLE.fullmatch(page.heading.strip()):
        return "heading"
    return "title" if _TITLE.fullmatch(page.title) else ""


class _Archive:
    """An EPUB in memory. `read` returns at most `MAX_BOOK_BYTES` bytes in all."""

    def __init__(self, raw: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(raw))
        except DAMAGE as error:
            raise BookError(
                _DAMAGED, f"not a complete zip file ({error_text(error)}). {_AGAIN}"
            ) from None
        self._left = MAX_BOOK_BYTES

    def has(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def read(self, name: str) -> bytes:
        try:
            entry = self._zip.getinfo(name)
        except KeyError:
            raise BookError(_DAMAGED, f"{quote(name)} is missing. {_AGAIN}") from None
        if entry.flag_bits & _ENCRYPTED_FLAG:
            raise BookError("encrypted", f"{quote(name)} is encrypted")
        try:
            with self._zip.open(entry) as file:
                data = file.read(self._left + 1)
        except DAMAGE as error:
            raise BookError(
                _DAMAGED, f"{quote(name)} is damaged ({error_text(error)}). {_AGAIN}"
            ) from None
        if len(data) > self._left:
            raise BookError("too_large", f"{quote(name)} is larger than a book can be")
        self._left -= len(data)
        return data

    def xml(self, name: str) -> ElementTree.Element:
        """The root of an XML file without a document type that defines entities."""
        text = decode_markup(self.read(name)).text.lstrip("\ufeff \t\r\n")
        if "<!ENTITY" in text:
            raise BookError(
                _DAMAGED, f"{quote(name)} defines XML entities, which are not read. {_AGAIN}"
            )
        try:
            return ElementTree.fromstring(text)
        except (ElementTree.ParseError, ValueError) as error:
            raise BookError(
                _DAMAGED, f"{quote(name)} is not well-formed XML ({error}). {_AGAIN}"
            ) from None

    def package(self) -> _Package:
        path = next(
            (
                root.get("full-path", "")
                for root in self.xml(_CONTAINER).iter()
                if _local(root.tag) == "rootfile"
            ),
            "",
        )
        if not path:
            raise BookError(_DAMAGED, f"{_CONTAINER} names no package document. {_AGAIN}")
        opf = self.xml(_inside("", path))
        folder = posixpath.dirname(path)
        items: dict[str, ElementTree.Element] = {}
        guide: dict[str, str] = {}
        refs: list[ElementTree.Element] = []
        for element in opf.iter():
            name = _local(element.tag)
            if name == "item":
                items.setdefault(element.get("id", ""), element)
            elif name == "itemref":
                refs.append(element)
            elif name == "reference" and element.get("type", "").lower() in _GUIDE:
                guide[_inside(folder, element.get("href", ""))] = element.get("type", "").lower()
        documents: dict[str, str] = {}
        for ref in refs:
            item = items.get(ref.get("idref", ""))
            if item is None:
                raise BookError(
                    _DAMAGED,
                    f"the spine lists {quote(ref.get('idref', ''))}, which is no item. {_AGAIN}",
                )
            href = _inside(folder, item.get("href", ""))
            documents.setdefault(href, _spine_reason(ref, item, guide.get(href, "")))
        if not documents:
            raise BookError(_DAMAGED, f"the spine has no documents. {_AGAIN}")
        return _Package(_facts(opf), tuple(documents.items()))

    def check_not_encrypted(self, paths: Iterator[str]) -> None:
        """BookError ``encrypted`` if one of the documents is."""
        if not self.has(_ENCRYPTION):
            return
        wanted = set(paths)
        for data in self.xml(_ENCRYPTION).iter():
            if _local(data.tag) != "EncryptedData":
                continue
            algorithms = [
                e.get("Algorithm", "") for e in data.iter() if _local(e.tag) == "EncryptionMethod"
            ]
            names = [e.get("URI", "") for e in data.iter() if _local(e.tag) == "CipherReference"]
            if any(one not in _FONT_ALGORITHMS for one in algorithms or [""]):
                locked = [name for name in names if _inside("", name) in wanted]
                if locked:
                    raise BookError(
                        "encrypted", f"{quote(locked[0])} is encrypted (digital rights management)"
                    )


def _spine_reason(ref: ElementTree.Element, item: ElementTree.Element, guide: str) -> str:
    if ref.get("linear", "").lower() == "no":
        return "not linear"
    if "nav" in item.get("properties", "").split():
        return "navigation"
    media = item.get("media-type", "").lower()
    if media and media not in _TEXT_TYPES:
        return "not text"
    return _GUIDED if guide else ""


def _inside(folder: str, href: str) -> str:
    """The name in the archive that a reference leads to."""
    return posixpath.normpath(posixpath.join(folder, unquote(href.partition("#")[0])))


def _local(tag: object) -> str:
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _facts(opf: ElementTree.Element) -> dict[str, str]:
    """Title, authors, language, licence, e-text number. `dc:date` is that of the edition, so a year
    is taken only from `opf:event="original-publication"`.
    """
    metas = [one for one in opf.iter() if _local(one.tag) == "meta"]
    refined = {
        (one.get("refines", "").removeprefix("#"), one.get("property", "")): (
            one.text or ""
        ).strip()
        for one in metas
    }
    roles: dict[str, set[str]] = {}
    for one in metas:
        if one.get("property") == "role":
            roles.setdefault(one.get("refines", "").removeprefix("#"), set()).add(
                (one.text or "").strip()
            )
    titles = [
        one
        for one in opf.iter(f"{_DC}title")
        if refined.get((one.get("id", ""), "title-type"), "main") == "main"
    ]
    authors = []
    for one in opf.iter(f"{_DC}creator"):
        role = roles.get(one.get("id", ""), {one.get(f"{_OPF}role", "aut")})
        if "aut" in role and _cell(one):
            authors.append(_cell(one))
    facts = {
        "title": _cell(titles[0]) if titles else "",
        "author": " and ".join(dict.fromkeys(authors))[:MAX_CELL_CHARS],
        "language": _first(opf, "language"),
        "license": _first(opf, "rights"),
        "year": next(
            (
                year[0]
                for one in opf.iter(f"{_DC}date")
                if one.get(f"{_OPF}event") == "original-publication"
                and (year := re.match(r"\d{4}", _cell(one)))
            ),
            "",
        ),
        "etext": next(
            (
                number[1]
                for one in opf.iter(f"{_DC}identifier")
                if (number := _ETEXT.search(_cell(one)))
            ),
            "",
        ),
    }
    return {name: fact for name, fact in facts.items() if fact}


def _first(opf: ElementTree.Element, name: str) -> str:
    return next(filter(None, map(_cell, opf.iter(f"{_DC}{name}"))), "")


def _cell(element: ElementTree.Element) -> str:
    return " ".join("".join(element.itertext()).split())[:MAX_CELL_CHARS]
