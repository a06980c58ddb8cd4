"""Articles as JSON (RACE and the like), read as books. An id is `article-` and the text's digest,
so copies are one article; a line of an article is a paragraph.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import statistics
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.corpus.folder import ARTICLES_SUFFIX, scan_folder
from cloze_gen.corpus.location import Location, as_location
from cloze_gen.corpus.readers import ending_of
from cloze_gen.corpus.readers.jsonl import first_records, texts_of
from cloze_gen.corpus.scan import BookFile
from cloze_gen.errors import BookError, UsageError
from cloze_gen.parsing import ParseError, error_text, name_list, parse_json, quote
from cloze_gen.store.artifacts import Store
from cloze_gen.store.files import GZIP_MAGIC, MAX_TEXT_BYTES, open_regular
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.tables import escape_cell, write_tsv

COLUMNS = (
    "article",
    "text",
)  # under one of these a record has its text; the first that it has counts
MIN_BOOK_CHARS = 10_000  # of a text; an article of RACE has about 300 words
ARTICLES, TEXTS, SOURCES = "articles", "texts", "sources.tsv"
_ID_DIGITS = 16
_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Article:
    """One article: `data` is its text file, `item` its line or list position, from 1."""

    digest: str
    data: bytes
    file: str
    item: int

    @property
    def book_id(self) -> str:
        return f"article-{self.digest[:_ID_DIGITS]}"


def holds_articles(source: Location | Path) -> bool:
    """Whether this is a file of articles by its name, or a folder with such files and no other
    book.
    """
    source = as_location(source)
    if source.is_file or not source.root.is_dir():
        return ARTICLES_SUFFIX.search(str(source)) is not None
    found = scan_folder(source)
    return bool(found.articles) and set(found.books) <= set(found.articles)


def has_long_texts(source: Location | Path) -> bool:
    """Whether the JSON lines in files of articles by name are books: no key `article`, and half of
    the first texts have `MIN_BOOK_CHARS`. True for a broken file, which the reader of books names.
    """
    files = [path for path, _ in _files(as_location(source)) if ending_of(path.name)]
    if not files:
        return False
    try:
        with open_regular(files[0]) as file:
            records = first_records(file)
            texts = [] if any(COLUMNS[0] in one for one in records) else texts_of(records)
    except (OSError, BookError):
        return True
    return bool(texts) and statistics.median(map(len, texts)) >= MIN_BOOK_CHARS


def read_articles(source: Location | Path, *, notice: Callable[[str], None]) -> tuple[Article, ...]:
    """The distinct articles of a location, sorted by id; `notice` gets a line about copies.

    `.jsonl` holds an object a line; `.json` a list, one object, or an object a line; either may be
    gzipped. In a folder without them `.txt` files are read as JSON, as RACE is published so.

    Raises:
        UsageError: no readable file, or a line or item that is no article.
    """
    source = as_location(source)
    seen: dict[str, Article] = {}
    count = 0
    for path, file in _files(source):
        for item, record in _records(path):
            data = _text(record, f"{escape_cell(str(path))}, {item.place}").encode()
            found = Article(hashlib.sha256(data).hexdigest(), data, file, item.number)
            seen.setdefault(found.book_id, found)
            count += 1
    if count > len(seen):
        notice(
            f"{source}: {count:,} articles, {count - len(seen):,} of them repeated; "
            "each is read once"
        )
    return tuple(seen[book_id] for book_id in sorted(seen))


def article_books(articles: Sequence[Article], store: Store) -> list[BookFile]:
    root = texts_folder(articles, store)
    return [BookFile(root, f"{article.book_id}.txt", article.book_id) for article in articles]


def texts_folder(articles: Sequence[Article], store: Store) -> Path:
    return store.folder(_key(articles)) / TEXTS


def write_articles(
    articles: Sequence[Article], store: Store, *, say: Callable[[str], None]
) -> None:
    """Write `texts/ID.txt` for each article and `sources.tsv`, unless they are there."""
    with store.writing(_key(articles), say=say) as writer:
        if writer is None:
            return
        for article in articles:
            writer.path(f"{TEXTS}/{article.book_id}.txt").write_bytes(article.data)
        rows = [(article.book_id, escape_cell(article.file), article.item) for article in articles]
        writer.rows[SOURCES] = write_tsv(writer.path(SOURCES), ("article", "file", "item"), rows)


def is_texts_folder(folder: Path, store: Store) -> bool:
    """Whether `write_articles` made this folder in this store."""
    real = Path(os.path.realpath(folder))
    return (
        real.name == TEXTS
        and real.parent.name.startswith(f"{ARTICLES}-")
        and real.parents[1] == Path(os.path.realpath(store.store))
    )


def _key(articles: Sequence[Article]) -> StageKey:
    content = "\n".join(article.digest for article in articles)
    return StageKey(ARTICLES, 1, {}, {"articles": hashlib.sha256(content.encode()).hexdigest()})


@dataclass(frozen=True, slots=True)
class _Item:
    number: int
    kind: str

    @property
    def place(self) -> str:
        return f"{self.kind} {self.number:,}"


def _files(source: Location) -> list[tuple[Path, str]]:
    if not os.path.lexists(source.root):
        raise UsageError(
            f"{source}: no such file or folder. Give a .json or .jsonl file of articles, or a "
            "folder of such files."
        )
    if source.is_file and os.path.lexists(path := Path(str(source))):
        return [(path, path.name)]
    found = scan_folder(source)
    texts = [file for file in found.books if file.lower().endswith((".txt", ".txt.gz"))]
    files = sorted(found.articles or texts)
    if not files:
        others = name_list([repr(file) for file in sorted(found.books)])
        skipped = "; ".join(filter(None, (others, found.skipped())))
        raise UsageError(
            f"{source}: no .json or .jsonl file of articles in this folder or below it."
            + f" There are {skipped}." * bool(skipped)
        )
    return [(source.root / file, file) for file in files]


def _records(path: Path) -> Iterator[tuple[_Item, Any]]:
    data, name = _unpacked(path), escape_cell(str(path))
    if not data.strip():
        raise UsageError(
            f"{name}: empty. An article is a JSON object with its text under `article` or `text`."
        )
    lines = data.split(b"\n")
    whole = ".jsonl" not in path.name.lower() and (
        data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"[" or not _is_object(lines[0])
    )
    if whole:
        value = _parsed(data, name)
        items = value if isinstance(value, list) else [value]
        if not items:
            raise UsageError(f"{name}: an empty list.")
        yield from ((_Item(number, "item"), item) for number, item in enumerate(items, 1))
    else:
        filled = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
        yield from (
            (_Item(number, "line"), _parsed(line, f"{name}, line {number:,}"))
            for number, line in filled
        )


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(parse_json(line), dict)
    except ParseError:
        return False


def _parsed(text: bytes, place: str) -> Any:
    try:
        return parse_json(text)
    except ParseError as error:
        raise UsageError(
            f"{place}: not JSON ({error}). Articles are objects with their text under "
            "`article` or `text`."
        ) from None


def _unpacked(path: Path) -> bytes:
    name = escape_cell(str(path))
    try:
        with open_regular(path) as handle:
            packed = handle.read(MAX_TEXT_BYTES + 1)
        is_gzip = packed.startswith(GZIP_MAGIC)
        data = (
            gzip.GzipFile(fileobj=io.BytesIO(packed)).read(MAX_TEXT_BYTES + 1)
            if is_gzip
            else packed
        )
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{name}: cannot be read ({error_text(error)}).") from None
    if len(data) > MAX_TEXT_BYTES:
        raise UsageError(
            f"{name}: more than {MAX_TEXT_BYTES // 2**20:,} MiB of text; split it into "
            "several files."
        )
    return data


def _text(record: Any, place: str) -> str:
    if not isinstance(record, dict):
        raise UsageError(
            f"{place}: {quote(record)} is not an object with the article's text under "
            "`article` or `text`."
        )
    column = next((name for name in COLUMNS if name in record), None)
    if column is None:
        keys = name_list([quote(key) for key in record]) or "nothing"
        raise UsageError(
            f"{place}: lacks `article` and `text`, one of which must hold the article; it has "
            f"{keys}."
        )
    if not isinstance(record[column], str) or not record[column].strip():
        raise UsageError(f"{place}: `{column}` is {quote(record[column])}, not text.")
    lines = (line.strip() for line in _LINE_END.split(record[column]))
    return "\n\n".join(filter(None, lines)) + "\n"
