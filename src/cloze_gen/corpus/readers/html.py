"""HTML files, one book a file."""

from __future__ import annotations

import re
from collections.abc import Collection

from cloze_gen.corpus.decoding import Decoded, decode_book
from cloze_gen.corpus.gutenberg import header_facts
from cloze_gen.corpus.manifest import MAX_CELL_CHARS
from cloze_gen.corpus.readers.markup_text import extract_text, parse_html
from cloze_gen.corpus.readers.reader import ENDINGS_OF_FORMAT, HTML
from cloze_gen.errors import BookError

_HEAD_CHARS = 64 * 1024  # titles and authors are looked for in so many
_ETEXT = re.compile(
    r"\[E-?(?:book|text)\s*\#\s*(\d{1,6})\]|gutenberg\.org/(?:ebooks|files)/(\d{1,6})",
    re.IGNORECASE,
)
# "The Project Gutenberg eBook of Emma", "Emma | Project Gutenberg", "Emma—A Project Gutenberg eBook"
_GUTENBERG_TITLE = re.compile(
    r"""(?xi)
    ^(?:the\s+)?project\s+gutenberg(?:['’]s)?(?:\s+e-?(?:book|text)(?:\s+of)?)?[\s:,]+
    | (?:\s*[|(,:;.—–-]\s*|\s+)(?:(?:an?|the|from)\s+)*project\s+gutenberg(?:['’]s)?
      (?:\s+(?:e-?book|e-?text|edition))*[\s.)]*$
    """
)
# as Word and browsers name it, in some languages
_FOLDER_OF_PARTS = re.compile(
    r"(.+)(?:[_.-](?:files|fichiers|dateien|archivos|filer|bestanden)|\.fld)", re.IGNORECASE
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


def decode_html(raw: bytes) -> tuple[Decoded, dict[str, str]]:
    """The text of a page, and its facts.

    Raises:
        BookError: ``empty``, ``binary``, or ``unreadable``.
    """
    markup = decode_book(raw, markup=True)
    made = extract_text(markup.text)
    if not made.text:
        raise BookError("empty", "the HTML file has no text")
    facts = header_facts(made.text) | html_facts(markup.text)
    return Decoded(made.text, f"html, {markup.encoding}", markup.evidence), facts


def html_facts(markup: str) -> dict[str, str]:
    """Title, author, language, licence and e-text number, from the beginning of an HTML file.

    >>> html_facts("<title>The Project Gutenberg eBook of Emma, by Jane Austen.</title>")
    {'title': 'Emma', 'author': 'Jane Austen'}
    """
    head = markup[:_HEAD_CHARS]
    root = parse_html(head)
    if root is None:
        return {}
    facts = dict.fromkeys(("title", "author", "language", "license", "etext"), "")
    for meta in root.iter("meta"):
        column = _META_FACTS.get((meta.get("name") or meta.get("property") or "").lower())
        if column and not facts[column]:
            facts[column] = _fact(meta.get("content", ""))
    title = _title(root.findtext(".//title") or "")
    if byline := _BYLINE.fullmatch(title):
        title = byline[1]
        facts["author"] = facts["author"] or byline[2]
    facts["title"] = _title(facts["title"]) or title
    facts["language"] = facts["language"] or root.get("lang") or root.get("xml:lang") or ""
    if etext := _ETEXT.search(head):
        facts["etext"] = etext[1] or etext[2]
    return {name: fact for name, fact in facts.items() if fact}


def _title(text: str) -> str:
    return _GUTENBERG_TITLE.sub("", _fact(text))


def _fact(text: str) -> str:
    return " ".join(text.split())[:MAX_CELL_CHARS]


def parts_of_pages(files: Collection[str]) -> set[str]:
    """The HTML files that Word or a browser saved beside a page, in its folder.

    >>> parts_of_pages(["a/emma.htm", "a/emma_files/header.htm", "my_files/lamp.html"])
    {'a/emma_files/header.htm'}
    """
    pages = {
        file.rpartition(".")[0] for file in files if file.lower().endswith(ENDINGS_OF_FORMAT[HTML])
    }
    parts = set()
    for file in files:
        folder = _FOLDER_OF_PARTS.fullmatch(file.rpartition("/")[0])
        if folder and folder[1] in pages and file.lower().endswith(ENDINGS_OF_FORMAT[HTML]):
            parts.add(file)
    return parts
