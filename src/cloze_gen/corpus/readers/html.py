"""HTML files, one book a file."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from typing import BinaryIO, ClassVar

from cloze_gen.corpus.decoding import LEGACY_ENCODINGS, Decoded, decode_book
from cloze_gen.corpus.manifest import MAX_CELL_CHARS
from cloze_gen.corpus.readers.markup_text import (
    EXTRACTOR,
    attributes_of,
    extract_text,
    unescape_text,
)
from cloze_gen.corpus.readers.reader import InputSettings, Listing, Member, Reader
from cloze_gen.errors import BookError

_HEAD_BYTES = 64 * 1024  # titles and authors are looked for in so many
_DECLARED = re.compile(
    rb"""<\?xml\s[^>]{0,80}?encoding\s*=\s*["']([\w.:-]{1,40})|<meta\s[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""",
    re.IGNORECASE,
)
# by codec name: texts only, no `zip` or `unicode_escape`
_SINGLE_BYTE = re.compile(r"(?:iso8859-\d{1,2}|cp\d{3,4}|mac-roman|koi8-r|koi8-u)")
_TITLE = re.compile(r"<title\b[^>]{0,200}>([^<]{0,2000})", re.IGNORECASE)
_META = re.compile(r"<meta\s([^>]{1,4000})>", re.IGNORECASE)
_LANG = re.compile(
    r"<html\b[^>]{0,400}?\s(?:xml:)?lang\s*=\s*[\"']?([A-Za-z-]{2,20})", re.IGNORECASE
)
_ETEXT = re.compile(
    r"\[E-?(?:book|text)\s*\#\s*(\d{1,6})\]|gutenberg\.org/(?:ebooks|files)/(\d{1,6})",
    re.IGNORECASE,
)
_GUTENBERG_TITLE = re.compile(
    r"(?:the\s+)?project\s+gutenberg(?:'s|’s)?(?:\s+(?:e-?book|e-?text)(?:\s+of)?)?[\s:,]+|\s*[|—-]\s*project\s+gutenberg\s*$",
    re.IGNORECASE,
)
_BYLINE = re.compile(r"(.+),\s+[Bb]y\s+([A-Z].{1,120}?)(?:(?<=[a-z])\.)?")
_META_FACTS = {
    "dc.title": "title",
    "dcterms.title": "title",
    "og:title": "title",
    "dc.creator": "author",
    "dcterms.creator": "author",
    "author": "author",
    "book:author": "author",
    "dc.language": "language",
    "dcterms.language": "language",
    "dc.rights": "license",
    "dcterms.rights": "license",
    "dcterms.license": "license",
}


def kind_of(name: str) -> str:
    """A reader's kind, from its name, with the version of the extractor."""
    return f"{name} {EXTRACTOR}"


def charset_of(encoding: str, kind: str) -> str:
    """The charset in "KIND, CHARSET"; LookupError if another extractor made the text."""
    found, _, charset = encoding.partition(", ")
    if found != kind:
        raise LookupError(
            f"its text was made by extractor {found!r}, this version has {kind!r}: run again"
        )
    return charset


class HtmlBook(Reader):
    """HTML; `Decoded.encoding` is "html N, CHARSET", N the version of the extractor."""

    endings: ClassVar[tuple[str, ...]] = (".html", ".htm")
    shape: ClassVar[str] = "HTML file"
    kind: ClassVar[str] = kind_of("html")

    def takes(self, name: str, head: bytes) -> bool:
        return name.endswith(self.endings)

    def listing(self, file: BinaryIO, settings: InputSettings) -> Listing:
        head = _decoded_head(file.read(_HEAD_BYTES))
        facts = tuple((name, fact) for name, fact in html_facts(head).items())
        return Listing(self.shape, (Member(facts=facts, kind=self.kind),))

    def decode(self, raw: bytes, encoding: str = "") -> Decoded:
        if encoding:
            charset = charset_of(encoding, self.kind)
            decoded = Decoded(raw.decode(charset), charset, "given")
        else:
            decoded = decode_markup(raw)
        made = extract_text(decoded.text)
        if not made.text:
            raise BookError("empty", "the HTML file has no text")
        return Decoded(
            made.text,
            f"{self.kind}, {decoded.encoding}",
            "; ".join(filter(None, (decoded.evidence, dropped_text(made.dropped)))),
        )


def decode_markup(raw: bytes) -> Decoded:
    """Like `decode_book`; if the bytes are no UTF-8, the declared encoding is preferred.

    Raises:
        BookError: ``empty`` or ``binary``.
    """
    found = decode_book(raw)
    declared = _declared(raw) if found.encoding in LEGACY_ENCODINGS else ""
    if declared:
        try:
            return Decoded(raw.decode(declared), declared, "declared")
        except UnicodeDecodeError:
            return found
    return found


def _declared(raw: bytes) -> str:
    """The declared single-byte encoding; empty without one."""
    match = _DECLARED.search(raw, 0, 4096)
    if match is None:
        return ""
    try:
        name = codecs.lookup((match[1] or match[2]).decode("ascii")).name
    except (LookupError, UnicodeError):
        return ""
    if name in {"iso8859-1", "ascii"}:
        return "cp1252"  # as browsers read these; the quotes of cp1252 are often called Latin-1
    return name if _SINGLE_BYTE.fullmatch(name) else ""


def _decoded_head(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", "replace")
    try:
        return codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError:
        return head.decode(_declared(head) or "cp1252", "replace")


def html_facts(head: str) -> dict[str, str]:
    """Title, author, language, licence and e-text number, from the beginning of an HTML file.

    >>> html_facts("<title>The Project Gutenberg eBook of Emma, by Jane Austen.</title>")
    {'title': 'Emma', 'author': 'Jane Austen'}
    """
    facts: dict[str, str] = {}
    for match in _META.finditer(head):
        given = attributes_of(match[1])
        name = _META_FACTS.get((given.get("name") or given.get("property") or "").lower())
        if name:
            facts.setdefault(name, _fact(given.get("content", "")))
    match_title = _TITLE.search(head)
    title = (
        _fact(_GUTENBERG_TITLE.sub("", unescape_text(match_title[1]).strip()))
        if match_title
        else ""
    )
    byline = _BYLINE.fullmatch(title)
    if byline:
        title = byline[1]
        facts.setdefault("author", byline[2])
    facts = {"title": _fact(_GUTENBERG_TITLE.sub("", facts.get("title", ""))) or title} | {
        name: fact for name, fact in facts.items() if name != "title"
    }
    if language := _LANG.search(head):
        facts.setdefault("language", language[1])
    if etext := _ETEXT.search(head):
        facts["etext"] = etext[1] or etext[2]
    return {name: fact for name, fact in facts.items() if fact}


def _fact(text: str) -> str:
    return " ".join(text.split())[:MAX_CELL_CHARS]


def dropped_text(dropped: Mapping[str, int]) -> str:
    """What was left out, in words; empty if nothing.

    >>> dropped_text({"page_number": 12, "not_text": 7})
    'left out: 12 characters of page numbers'
    """
    parts = [
        f"{count:,} characters of {_RULES[rule]}"
        for rule, count in sorted(dropped.items())
        if rule in _RULES
    ]
    return f"left out: {', '.join(parts)}" if parts else ""


_RULES = {
    "page_number": "page numbers",
    "note": "notes",
    "contents": "contents",
    "caption": "captions",
    "sidenote": "sidenotes",
    "transcribers_note": "transcriber's notes",
    "advertisement": "advertisements",
    "front_or_back_page": "title pages and imprints",
    "hidden": "hidden text",
}
