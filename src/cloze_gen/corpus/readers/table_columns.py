"""The columns of tables of books (Parquet, JSON lines): which one is the text, and which facts the
others give. Names are those of the published collections that `_SOURCES` lists, and their like.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cloze_gen.corpus.manifest import MAX_CELL_CHARS
from cloze_gen.corpus.ocr import OCR_NOTE
from cloze_gen.corpus.readers.reader import InputSettings, Member, UnknownTableError
from cloze_gen.parsing import ParseError, name_list, one_line, parse_json, quote, whole_characters

STRING, STRINGS = "string", "list<string>"  # types of a column; any other is named as it is

TOO_MANY_ROWS = (
    "If each row is a book, split the table; if a row is a page or sentence, join the rows of "
    "each book"
)

# By `_plain` name, the preferred first.
_TEXT = (
    *("text", "content", "body", "fulltext", "rawtext", "booktext", "rawcontent", "context"),
    *("textbypage", "textbypagegen"),
)
_ETEXT = ("etext", "etextno", "etextnumber", "gutenbergid", "pgid", "ebookno", "textid")
_FACTS: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "booktitle", "shortbooktitle"),
    "author": ("author", "authors", "bookauthor", "creator", "creators"),
    "genre": ("genre", "genres", "genreorform", "bookshelves", "subjects", "topicorsubject"),
    "year": ("year", "publicationyear", "publicationdate", "date1", "date"),
    "etext": _ETEXT,
    "language": ("language", "lang", "languages"),
    "license": ("license", "licence", "rights", "rightstext", "copyright"),
    "role": ("split",),
}
_ID = ("id", "bookid", "docid", "identifier", "recordid", "barcode", "lccn")
_URL = ("url", "sourceurl", "booklink")
_OTHER_FACTS: Mapping[str, tuple[str, ...]] = {"book_id": _ID, "url": _URL, "source": ("source",)}
_PAGE_NUMBERS = frozenset({"pg", "page", "pageno", "pagenum", "pagenumber"})
_METADATA = ("metadata", "meta")  # a column of JSON text

# A collection -> the plain names of all its columns, or of some after a "+".
_SOURCES: tuple[tuple[str, frozenset[str], bool], ...] = (
    ("BookCorpusOpen", frozenset({"title", "text"}), True),
    ("PG-19", frozenset({"shortbooktitle", "publicationdate", "url", "text"}), True),
    ("manu/project_gutenberg", frozenset({"id", "text"}), True),
    ("sedthh/gutenberg_english", frozenset({"text", "source", "metadata"}), True),
    ("Institutional Books", frozenset({"barcode", "textbypage"}), False),
    ("Library of Congress", frozenset({"lccn", "text"}), False),
    ("Dolma", frozenset({"id", "text", "source", "added"}), False),
)
_OCR_SOURCES = frozenset({"Institutional Books", "Library of Congress"})
# many tables are like them
_PLAIN_SOURCES = frozenset({"", "BookCorpusOpen", "manu/project_gutenberg"})

_GUTENBERG_URL = re.compile(r"gutenberg\.org/(?:ebooks|files|etext|cache/epub)/(\d{1,6})(?!\d)")
_GUTENBERG_ID = re.compile(r"(?:PG)?(\d{1,6})(?:-[08])?", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(?:1\d{3}|20\d{2})(?!\d)")
_FILE_TITLE = re.compile(r"([^/\s]+?)(?:\.epub)?\.txt", re.IGNORECASE)
_MAX_ID_CHARS = 200
_MAX_METADATA_CHARS = 1024 * 1024


@dataclass(frozen=True, slots=True)
class TableColumns:
    """What the columns of a table are for; nested columns are paths, such as "metadata.title".

    Attributes:
        text: of a book.
        in_pages: the text is a list of pages.
        facts: (fact, column), the preferred first; facts are manifest columns, "book_id", "url",
            and "source".
        metadata: a column of JSON objects as text, with more facts.
        source: the collection with such columns; empty: none that is known.
        named: the text column, where the user named it; part of the names of members.
        notes: warnings.
    """

    text: str
    in_pages: bool
    facts: tuple[tuple[str, str], ...]
    metadata: str = ""
    source: str = ""
    named: str = ""
    notes: tuple[str, ...] = ()

    @property
    def small(self) -> tuple[str, ...]:
        """The columns to read for `member`, without the text."""
        names = [column for _, column in self.facts] + [self.metadata]
        return tuple(dict.fromkeys(name for name in names if name))

    def shape(self, kind: str) -> str:
        """The shape of a file, such as "Parquet table, one book per row, columns as in PG-19"."""
        known = f", columns as in {self.source}" if self.source not in _PLAIN_SOURCES else ""
        return f"{kind}, one book per row{known}"

    def member(self, row: int, values: Mapping[str, Any]) -> Member:
        """The book of a row, counted from 0; `values`: of the `small` columns, by name."""
        found = _first_values(
            [
                *((fact, values.get(column)) for fact, column in self.facts),
                *_metadata_values(values.get(self.metadata)),
            ]
        )
        title = found.get("title", "")
        book_id, etext = found.get("book_id", ""), _gutenberg_number(self.source, found)
        if file_title := _FILE_TITLE.fullmatch(title):
            title = file_title[1]
            book_id = book_id or title
        if year := _YEAR.search(found.get("year", "")):
            found["year"] = year[0]
        else:
            found.pop("year", None)
        found |= {"title": title, "etext": etext}
        book_id = book_id or etext
        return Member(
            name=f"{row}:{self.named}" if self.named else str(row),
            book_id=book_id if len(book_id) <= _MAX_ID_CHARS else "",
            facts=tuple((fact, found[fact]) for fact in _FACTS if found.get(fact)),
        )


def find_columns(columns: Mapping[str, str], settings: InputSettings) -> TableColumns:
    """What each column is for.

    Args:
        columns: path -> type (`STRING`, `STRINGS`, or another in words), in the table's order.
    Raises:
        UnknownTableError: no column is the text of a book, or a named column is missing.
    """
    plain: dict[str, str] = {}  # the least nested of the columns of one name
    for column in sorted(columns, key=lambda name: name.count(".")):
        plain.setdefault(_plain(column), column)
    text = _text_column(columns, plain, settings)
    top = frozenset(_plain(column.split(".", 1)[0]) for column in columns)
    source = next(
        (name for name, known, all_of in _SOURCES if top == known or (known <= top and not all_of)),
        "",
    )
    facts = [
        (fact, plain[name])
        for fact, names in (*_FACTS.items(), *_OTHER_FACTS.items())
        for name in names
        if name in plain and plain[name] != text
    ]
    ocr = (
        source in _OCR_SOURCES
        or columns[text] == STRINGS
        or any("ocr" in re.split(r"[^a-z0-9]+", name.lower()) for name in columns)
    )
    metadata = [plain[one] for one in _METADATA if columns.get(plain.get(one, "")) == STRING]
    return TableColumns(
        text,
        columns[text] == STRINGS,
        tuple(facts),
        metadata[0] if metadata and metadata[0] != text else "",
        source,
        settings.text_column,
        (OCR_NOTE,) if ocr else (),
    )


def columns_of_record(record: Mapping[str, Any]) -> dict[str, str]:
    """The columns of a table whose first row is a JSON object, for `find_columns`.

    >>> columns_of_record({"id": 1, "pages": ["a"], "metadata": {"title": "Emma"}})
    {'id': 'number', 'pages': 'list<string>', 'metadata.title': 'string'}
    """
    return dict(_columns_below(record, ""))


def _columns_below(record: Mapping[str, Any], above: str) -> Iterator[tuple[str, str]]:
    for name, value in record.items():
        if isinstance(value, dict) and value and above.count(".") < 3:
            yield from _columns_below(value, f"{above}{name}.")
        elif isinstance(value, str):
            yield f"{above}{name}", STRING
        elif isinstance(value, list):
            strings = value and all(isinstance(one, str) for one in value)
            yield f"{above}{name}", STRINGS if strings else "list"
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{above}{name}", "number"
        else:
            yield f"{above}{name}", "null" if value is None else type(value).__name__


def value_at(record: Mapping[str, Any], column: str) -> Any:
    """The value of a column, by path; None without one.

    >>> value_at({"metadata": {"title": "Emma"}}, "metadata.title"), value_at({"a.b": 1}, "a.b")
    ('Emma', 1)
    """
    if column in record:
        return record[column]
    first, _, rest = column.partition(".")
    below = record.get(first)
    return value_at(below, rest) if rest and isinstance(below, dict) else None


def _text_column(
    columns: Mapping[str, str], plain: Mapping[str, str], settings: InputSettings
) -> str:
    if named := settings.text_column:
        if columns.get(named) in (STRING, STRINGS):
            return named
        what = (
            f"contains {_kind_text(columns[named])}, not text"
            if named in columns
            else "does not exist"
        )
        raise _unknown(f"the column {quote(named)} {what}", columns, _text_option(columns))
    found = [plain[name] for name in _TEXT if columns.get(plain.get(name, "")) in (STRING, STRINGS)]
    if not found:
        raise _unknown("no column is known to be the text", columns, _text_option(columns))
    if pages := sorted(column for name, column in plain.items() if name in _PAGE_NUMBERS):
        raise UnknownTableError(
            "unreadable",
            f"a row is a page, not a book (column {quote(pages[0])}). Join the pages of each book "
            f"into one row, or give --text-column {found[0]} to read each row as a book.",
        )
    return found[0]


def _kind_text(kind: str) -> str:
    """A type for people.

    >>> _kind_text("int64"), _kind_text("number"), _kind_text("date32[day]")
    ('numbers (int64)', 'numbers', 'date32[day]')
    """
    if kind == "number":
        return "numbers"
    return f"numbers ({kind})" if re.match(r"u?int|float|double|halffloat|decimal", kind) else kind


def _text_option(columns: Mapping[str, str]) -> str:
    """The option, with an example: the first column of text that is no usual fact."""
    facts = {name for names in (*_FACTS.values(), *_OTHER_FACTS.values()) for name in names}
    likely = [name for name, kind in columns.items() if kind in (STRING, STRINGS)]
    likely.sort(key=lambda name: (_plain(name) not in _TEXT, _plain(name) in facts))
    if not likely:
        return "--text-column NAME"
    return f"--text-column, e.g. --text-column {shlex.quote(one_line(likely[0])[:80])}"


def _unknown(what: str, columns: Mapping[str, str], option: str) -> UnknownTableError:
    names = name_list([f"{quote(name)} ({kind})" for name, kind in columns.items()])
    return UnknownTableError(
        "unreadable", f"{what}. The columns are {names or 'none'}. Name one with {option}."
    )


def _plain(column: str) -> str:
    """The last part of a path as letters and digits, without the `_src` of Institutional Books."""
    name = column.rsplit(".", 1)[-1].lower().removesuffix("_src")
    return re.sub(r"[^a-z0-9]+", "", name)


def _metadata_values(value: Any) -> list[tuple[str, Any]]:
    if not isinstance(value, str) or len(value) > _MAX_METADATA_CHARS:
        return []
    try:
        record = parse_json(value)
    except ParseError:
        return []  # facts are optional, and a row without them is a book
    if not isinstance(record, dict):
        return []
    by_name = {_plain(str(name)): one for name, one in record.items()}
    return [
        (fact, by_name.get(name))
        for fact, names in (*_FACTS.items(), *_OTHER_FACTS.items())
        for name in names
    ]


def _first_values(pairs: Iterable[tuple[str, Any]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for fact, value in pairs:
        if not found.get(fact):
            found[fact] = _in_words(value)
    return found


def _in_words(value: Any) -> str:
    """A value as one line of at most `MAX_CELL_CHARS`; empty for what is no fact."""
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, list | tuple):
        value = "; ".join(filter(None, map(_in_words, value[:20])))
    if hasattr(value, "isoformat"):  # a date
        value = value.isoformat()
    if isinstance(value, int | float):
        value = f"{value:.15g}" if abs(value) < 1e15 else ""
    if not isinstance(value, str):
        return ""
    return one_line(whole_characters(value[: 2 * MAX_CELL_CHARS]))[:MAX_CELL_CHARS]


def _gutenberg_number(source: str, found: Mapping[str, str]) -> str:
    number = _GUTENBERG_ID.fullmatch(found.get("etext", ""))
    if number is None:
        number = _GUTENBERG_URL.search(found.get("url", ""))
    if number is None and (
        (source == "manu/project_gutenberg" and "-" in found.get("book_id", ""))
        or "gutenberg" in found.get("source", "").lower()
    ):
        number = _GUTENBERG_ID.fullmatch(found.get("book_id", ""))
    return str(int(number[1])) if number is not None else ""


# ---- sentences

_MAX_SENTENCE_BYTES = 400  # on average; a book of one sentence would be longer
_MIN_ROWS = 100
_FINAL_MARKS = (".", "!", "?", "'", '"', "\u201d", "\u2019", ":", ";", ")")
_MIN_SHARE = 0.8


def are_sentences(rows: Sequence[str]) -> bool:
    """Whether a sample of rows has one sentence per row, as BookCorpus's table of sentences.

    >>> are_sentences(["`` i do n't know , '' he said ."] * 200)
    True
    >>> are_sentences(["It rained. " * 900] * 200), are_sentences(["It rained."])
    (False, False)
    """
    if len(rows) < _MIN_ROWS or sum(map(len, rows)) > _MAX_SENTENCE_BYTES * len(rows):
        return False
    lines = [row.strip() for row in rows if row.strip()]
    ends = sum(1 for line in lines if line.endswith(_FINAL_MARKS) and "\n" not in line)
    return ends >= _MIN_SHARE * len(rows)
