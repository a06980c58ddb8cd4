"""Rows of a table as books: which column is the text, and which facts the others give."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cloze_gen.corpus.manifest import MAX_CELL_CHARS
from cloze_gen.corpus.readers.reader import (
    MAX_BOOK_BYTES,
    FileReport,
    Text,
    UnknownTableError,
    too_large,
)
from cloze_gen.corpus.readers.sentence_lines import SAMPLE_BYTES, has_sentences, parts_of
from cloze_gen.errors import BookError
from cloze_gen.parsing import ParseError, name_list, one_line, parse_json, quote, whole_characters

Row = Mapping[str, Any]

# Names of columns in published collections, as `_plain` writes them, the preferred first.
_TEXT = (
    *("text", "content", "body", "fulltext", "rawtext", "booktext", "rawcontent", "context"),
    *("textbypage", "textbypagegen"),
)
_FACTS: Mapping[str, Sequence[str]] = {
    "book_id": ("id", "bookid", "docid", "identifier", "recordid", "barcode", "lccn"),
    "title": ("title", "booktitle", "shortbooktitle"),
    "author": ("author", "authors", "bookauthor", "creator", "creators"),
    "genre": ("genre", "genres", "genreorform", "bookshelves", "subjects", "topicorsubject"),
    "year": ("year", "publicationyear", "publicationdate", "date1", "date"),
    "etext": ("etext", "etextno", "etextnumber", "gutenbergid", "pgid", "ebookno", "textid"),
    "language": ("language", "lang", "languages"),
    "license": ("license", "licence", "rights", "rightstext", "copyright"),
    "role": ("split",),
    "url": ("url", "sourceurl", "booklink"),
}
_PAGE_NUMBERS = ("pg", "page", "pageno", "pagenum", "pagenumber")
_METADATA = ("metadata", "meta")  # an object, or its JSON as text
_FACT_COLUMNS = frozenset(itertools.chain(_METADATA, *_FACTS.values()))

_GUTENBERG_URL = re.compile(r"gutenberg\.org/(?:ebooks|files|etext|cache/epub)/(\d{1,6})(?!\d)")
_GUTENBERG_ID = re.compile(r"(?:PG)?(\d{1,6})(?:-[08])?", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(?:1\d{3}|20\d{2})(?!\d)")
_FILE_TITLE = re.compile(r"([^/\s]+?)(?:\.epub)?\.txt", re.IGNORECASE)
_MAX_ID_CHARS = 200


def find_text_column(names: Mapping[str, str], text_column: str) -> str:
    """The column that is the text.

    Args:
        names: column -> its type in words; "text" and "pages" (a list of texts) can be a book.
        text_column: the user's choice; empty: by name.
    Raises:
        UnknownTableError: no column is the text, or each row is a page.
    """
    by_plain_name: dict[str, str] = {}
    for name in names:
        by_plain_name.setdefault(_plain(name), name)
    text = text_column or _first_text(names, by_plain_name)
    if names.get(text) not in {"text", "pages"}:
        what = f"the column {quote(text)} {'holds no text' if text in names else 'does not exist'}"
        raise _unknown(what if text else "no column is known to be the text", names)
    pages = [by_plain_name[name] for name in _PAGE_NUMBERS if name in by_plain_name]
    if pages and not text_column:
        raise UnknownTableError(
            "unreadable",
            f"a row is a page, not a book (column {quote(pages[0])}). Join the pages of each book "
            f"into one row, or give --text-column {shlex.quote(text)} to read each row as a book.",
        )
    return text


def is_fact(column: str) -> bool:
    """Whether a column can give a fact of a book."""
    return _plain(column) in _FACT_COLUMNS


def _first_text(names: Mapping[str, str], by_plain_name: Mapping[str, str]) -> str:
    known = (by_plain_name[name] for name in _TEXT if name in by_plain_name)
    return next((name for name in known if names[name] in {"text", "pages"}), "")


def _unknown(what: str, names: Mapping[str, str]) -> UnknownTableError:
    there = name_list([f"{quote(name)} ({kind})" for name, kind in names.items()])
    texts = [name for name, kind in names.items() if kind in {"text", "pages"}]
    example = f", e.g. --text-column {shlex.quote(one_line(texts[0])[:80])}" if texts else ""
    return UnknownTableError(
        "unreadable",
        f"{what}. The columns are {there or 'none'}. Name one with --text-column{example}.",
    )


def _plain(column: str) -> str:
    """Letters and digits of a column's name, without the `_src` of Institutional Books."""
    return re.sub(r"[^a-z0-9]+", "", column.lower().removesuffix("_src"))


def texts_of_rows(
    rows: Iterator[Row | BookError], text_column: str, report: FileReport, kind: str
) -> Iterator[Text]:
    """A book a row, by its number from 0, or the parts of a table of sentences."""
    sample: list[Row | BookError] = []
    lines = b""
    for row in rows:
        sample.append(row)
        data = _row_data(row, text_column)
        if isinstance(data, bytes):
            lines += data + b"\n"
        if len(lines) > SAMPLE_BYTES:
            break
    all_rows = itertools.chain(sample, rows)
    if has_sentences(lines):
        report.shape = f"{kind}, one sentence per row (background only)"
        texts = (_row_data(row, text_column) for row in all_rows)
        yield from parts_of(
            text.replace(b"\n", b" ") + b"\n" for text in texts if isinstance(text, bytes)
        )
        return
    report.shape = f"{kind}, one book per row"
    for number, row in enumerate(all_rows):
        facts = {} if isinstance(row, BookError) else row_facts(row, text_column)
        yield Text(_row_data(row, text_column), str(number), facts=facts)


def _row_data(row: Row | BookError, text_column: str) -> bytes | BookError:
    """The text of a row, its pages a line apart."""
    if isinstance(row, BookError):
        return row
    value = row.get(text_column)
    if value is None:
        return BookError("empty", f"the row has no text in its column {quote(text_column)}")
    if isinstance(value, list) and all(isinstance(page, str) for page in value):
        value = "\n".join(value)
    if isinstance(value, str):
        value = value.encode("utf-8", "replace")
    if isinstance(value, bytes):
        return value if len(value) <= MAX_BOOK_BYTES else too_large()
    return BookError("unreadable", f"{quote(text_column)} is {quote(value)}, not text")


def row_facts(row: Row, text_column: str) -> dict[str, str]:
    """Id, title, author and more, by manifest column, as far as the row gives them."""
    values = {_plain(name): value for name, value in row.items() if name != text_column}
    for name in _METADATA:
        values = _metadata(values.get(name)) | values
    facts: dict[str, str] = {}
    for fact, names in _FACTS.items():
        facts[fact] = next(filter(None, (_in_words(values.get(name)) for name in names)), "")
    url = facts.pop("url")
    number = _GUTENBERG_ID.fullmatch(facts["etext"]) or _GUTENBERG_URL.search(url)
    facts["etext"] = str(int(number[1])) if number else ""
    year = _YEAR.search(facts["year"])
    facts["year"] = year[0] if year else ""
    if file_title := _FILE_TITLE.fullmatch(facts["title"]):  # BookCorpusOpen
        facts["title"] = file_title[1]
    title_id = file_title[1] if file_title else ""
    book_id = facts["book_id"] or title_id or facts["etext"]
    facts["book_id"] = book_id if len(book_id) <= _MAX_ID_CHARS else ""
    return {fact: value for fact, value in facts.items() if value}


def _metadata(value: Any) -> dict[str, Any]:
    """The entries of a row's metadata, by plain name."""
    if isinstance(value, str):
        try:
            value = parse_json(value)
        except ParseError:
            return {}  # facts are optional, and a row without them is a book
    return {_plain(name): entry for name, entry in value.items()} if isinstance(value, dict) else {}


def _in_words(value: Any) -> str:
    """A value as one line of at most `MAX_CELL_CHARS`; empty for what is no fact."""
    if isinstance(value, list):
        value = "; ".join(filter(None, map(_in_words, value[:20])))
    if hasattr(value, "isoformat"):  # a date
        value = value.isoformat()
    if isinstance(value, float):
        value = f"{value:.15g}"
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return ""
    return one_line(whole_characters(value[: 2 * MAX_CELL_CHARS]))[:MAX_CELL_CHARS]
