"""Articles as JSON (RACE and its like): each becomes a text file of its own, so that whatever reads a corpus of books reads them.

An article is known by its content: `article-` and the beginning of its digest. So an article more, a file renamed or another order of lines
changes no other article, and what stands twice (RACE as it is often handed on has a line a question) is one article. A line of the article
is a paragraph; in the text file an empty line stands between two.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.errors import UsageError
from cloze_gen.notation import NotationError, named, parse_json, reason, shown
from cloze_gen.store.artifacts import Store
from cloze_gen.store.corpus import BookFile
from cloze_gen.store.corpus_folder import ARTICLES_SUFFIX, look_through
from cloze_gen.store.files import GZIP_MAGIC, MAX_TEXT_BYTES, open_regular
from cloze_gen.store.keys import StageKey
from cloze_gen.store.tables import escape_cell, write_tsv

COLUMNS = ("article", "text")  # under one of these a record has its text; the first that it has counts
ARTICLES, TEXTS, SOURCES = "articles", "texts", "sources.tsv"
_ID_DIGITS = 16
_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Article:
    """One article.

    Attributes:
        digest: sha256 of the text file's bytes.
        data: these bytes.
        file: path of the file it comes from, below the folder that was given.
        item: number of its line, or of its item in a JSON list, from 1.
    """

    digest: str
    data: bytes
    file: str
    item: int

    @property
    def book_id(self) -> str:
        return f"article-{self.digest[:_ID_DIGITS]}"


def holds_articles(source: Path) -> bool:
    """Whether this is a file of articles by its name, or a folder with such files and no book in it."""
    if source.is_dir():
        found = look_through(source)
        return not found.books and bool(found.articles)
    return ARTICLES_SUFFIX.search(source.name) is not None


def read_articles(source: Path, *, notice: Callable[[str], None]) -> tuple[Article, ...]:
    """The articles of a file or of all files of a folder, each once, sorted by id.

    `.jsonl` holds an object a line; `.json` a list of objects, one object, or an object a line; either may be a `.gz`. Where a folder has
    neither, its `.txt` files are read as JSON, for so RACE itself is published.

    Args:
        notice: told how many stand more than once.

    Raises:
        UsageError: there is no such file, or one that cannot be read, or whose line or item is no article; names both.
    """
    seen: dict[str, Article] = {}
    count = 0
    for path, file in _files(source):
        for item, record in _records(path):
            data = _text(record, f"{escape_cell(str(path))}, {item.place}").encode()
            found = Article(hashlib.sha256(data).hexdigest(), data, file, item.number)
            seen.setdefault(found.book_id, found)
            count += 1
    if count > len(seen):
        notice(f"{source}: {count:,} articles, {count - len(seen):,} of them stand there before; each is read once")
    return tuple(seen[book_id] for book_id in sorted(seen))


def article_books(articles: Sequence[Article], store: Store) -> list[BookFile]:
    """The articles as books of the folder that `write_articles` makes of them."""
    root = texts_folder(articles, store)
    return [BookFile(root, f"{article.book_id}.txt", article.book_id) for article in articles]


def texts_folder(articles: Sequence[Article], store: Store) -> Path:
    """Where the articles lie as text files."""
    return store.folder(_key(articles)) / TEXTS


def write_articles(articles: Sequence[Article], store: Store, *, say: Callable[[str], None]) -> None:
    """Write the articles as text files, `texts/ID.txt`, unless they lie there already, and `sources.tsv`, where each comes from: `article`,
    `file`, and `item`, its line, or its number in a JSON list."""
    with store.writing(_key(articles), say=say) as writer:
        if writer is None:
            return
        for article in articles:
            writer.path(f"{TEXTS}/{article.book_id}.txt").write_bytes(article.data)
        rows = [(article.book_id, escape_cell(article.file), article.item) for article in articles]
        writer.rows[SOURCES] = write_tsv(writer.path(SOURCES), ("article", "file", "item"), rows)


def is_texts_folder(folder: Path, store: Store) -> bool:
    """Whether a folder of books is one that `write_articles` made in this store."""
    real = Path(os.path.realpath(folder))
    return real.name == TEXTS and real.parent.name.startswith(f"{ARTICLES}-") and real.parents[1] == Path(os.path.realpath(store.store))


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


def _files(source: Path) -> list[tuple[Path, str]]:
    """The files that hold articles, with their paths below the folder."""
    if not os.path.lexists(source):
        raise UsageError(f"{source}: no such file or folder. Give a .json or .jsonl file of articles, or a folder of such files.")
    if not source.is_dir():
        return [(source, source.name)]
    found = look_through(source)
    files = sorted(found.articles or found.books)
    if not files:
        passed = found.passed_over()
        raise UsageError(
            f"{source}: no .json or .jsonl file of articles in this folder or below it." + f" There are {passed}." * bool(passed)
        )
    return [(source / file, file) for file in files]


def _records(path: Path) -> Iterator[tuple[_Item, Any]]:
    """The JSON values of a file, each with where it stands."""
    data, name = _unpacked(path), escape_cell(str(path))
    if not data.strip():
        raise UsageError(f"{name}: empty. An article is a JSON object with its text under `article` or `text`.")
    lines = data.split(b"\n")
    whole = ".jsonl" not in path.name.lower() and (data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"[" or not _is_object(lines[0]))
    if whole:
        value = _parsed(data, name)
        items = value if isinstance(value, list) else [value]
        if not items:
            raise UsageError(f"{name}: a list without an item.")
        yield from ((_Item(number, "item"), item) for number, item in enumerate(items, 1))
    else:
        filled = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
        yield from ((_Item(number, "line"), _parsed(line, f"{name}, line {number:,}")) for number, line in filled)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(parse_json(line), dict)
    except NotationError:
        return False


def _parsed(text: bytes, place: str) -> Any:
    try:
        return parse_json(text)
    except NotationError as error:
        raise UsageError(f"{place}: not JSON ({error}). Articles are objects with their text under `article` or `text`.") from None


def _unpacked(path: Path) -> bytes:
    name = escape_cell(str(path))
    try:
        with open_regular(path) as handle:
            packed = handle.read(MAX_TEXT_BYTES + 1)
        is_gzip = packed.startswith(GZIP_MAGIC)
        data = gzip.GzipFile(fileobj=io.BytesIO(packed)).read(MAX_TEXT_BYTES + 1) if is_gzip else packed
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{name}: cannot be read ({reason(error)}).") from None
    if len(data) > MAX_TEXT_BYTES:
        raise UsageError(f"{name}: more than {MAX_TEXT_BYTES // 2**20:,} MiB of text; split it into several files.")
    return data


def _text(record: Any, place: str) -> str:
    """The text of a record as a text file has it: a paragraph a line, an empty line between two."""
    if not isinstance(record, dict):
        raise UsageError(f"{place}: {shown(record)} is no object with the text of an article under `article` or `text`.")
    column = next((name for name in COLUMNS if name in record), None)
    if column is None:
        keys = named([shown(key) for key in record]) or "nothing"
        raise UsageError(f"{place}: neither `article` nor `text`, under which an article stands; there is {keys}.")
    if not isinstance(record[column], str) or not record[column].strip():
        raise UsageError(f"{place}: `{column}` is {shown(record[column])}, no text of an article.")
    lines = (line.strip() for line in _LINE_END.split(record[column]))
    return "\n\n".join(filter(None, lines)) + "\n"
