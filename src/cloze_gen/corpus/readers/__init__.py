"""Reads book files: each file once, from its beginning to its end.

A new kind of file is a function `Reader` and an entry in `READERS`.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from cloze_gen.corpus.decoding import Decoded, decode_book
from cloze_gen.corpus.gutenberg import header_facts
from cloze_gen.corpus.readers.archive import TAR_ENDINGS, read_tar, read_zip
from cloze_gen.corpus.readers.compressed import DAMAGE, damage
from cloze_gen.corpus.readers.epub import decode_epub
from cloze_gen.corpus.readers.html import decode_html
from cloze_gen.corpus.readers.json_rows import (
    JSON_ENDINGS,
    JSON_LINES_ENDINGS,
    read_json,
    read_json_lines,
)
from cloze_gen.corpus.readers.parquet import read_parquet
from cloze_gen.corpus.readers.reader import (
    ENDINGS_OF_FORMAT,
    EPUB,
    HTML,
    TEXT,
    FileReport,
    Reader,
    Text,
    UnknownTableError,
    read_whole,
)
from cloze_gen.corpus.readers.text import read_text
from cloze_gen.errors import BookError
from cloze_gen.store.files import open_regular


def _read_html(file: IO[bytes], report: FileReport, text_column: str) -> Iterator[Text]:
    report.shape = "HTML file"
    yield Text(read_whole(file), format=HTML)


def _read_epub(file: IO[bytes], report: FileReport, text_column: str) -> Iterator[Text]:
    report.shape = "EPUB"
    yield Text(read_whole(file), format=EPUB)


READERS: Mapping[tuple[str, ...], Reader] = {
    ENDINGS_OF_FORMAT[TEXT]: read_text,
    ENDINGS_OF_FORMAT[EPUB]: _read_epub,
    ENDINGS_OF_FORMAT[HTML]: _read_html,
    (".zip",): read_zip,
    TAR_ENDINGS: read_tar,
    (".parquet",): read_parquet,
    JSON_ENDINGS: read_json,
    JSON_LINES_ENDINGS: read_json_lines,
}
IN_WORDS = (
    ".txt, .epub, .html, .zip, .tar, .parquet, .jsonl or .json; also .txt.gz, .json.zst and .tar.gz"
)
ENDINGS = tuple(ending for endings in READERS for ending in endings)


def ending_of(name: str) -> str:
    """The ending that identifies a book file, as written in its name; empty without one.

    >>> ending_of("Emma.TXT.gz"), ending_of("notes.txt.bak")
    ('.TXT.gz', '')
    """
    fit = [ending for ending in ENDINGS if name.lower().endswith(ending)]
    return name[-max(map(len, fit)) :] if fit else ""


def read_texts(path: Path, report: FileReport, *, text_column: str) -> Iterator[Text]:
    """The books of a file. A file that cannot be read counts as one unreadable book; what cannot
    be read behind the first book is skipped.

    Raises:
        OSError: the file cannot be opened.
    """
    reader = next(
        reader for endings, reader in READERS.items() if path.name.lower().endswith(endings)
    )
    is_first = True
    with open_regular(path) as file:
        try:
            for text in reader(file, report, text_column):
                is_first = False
                yield text
            return
        except UnknownTableError as error:
            report.skipped[str(error)].append("")
            return
        except BookError as error:
            fault = error
        except (tarfile.TarError, *DAMAGE) as error:
            fault = damage(error)
    if is_first:
        report.shape = "unreadable file"
        yield Text(fault)
    else:
        report.skipped[f"the rest cannot be read: {fault}"].append("")


def decode_text(text: Text) -> tuple[Decoded, Mapping[str, str]]:
    """The decoded text of a book, and the facts that it gives of itself.

    Raises:
        BookError: ``empty``, ``binary``, ``damaged_epub``, ``encrypted``, ``too_large``,
            ``unreadable``.
    """
    if isinstance(text.data, BookError):
        raise text.data
    if text.format == EPUB:
        return decode_epub(text.data)
    if text.format == HTML:
        return decode_html(text.data)
    decoded = decode_book(text.data)
    return decoded, header_facts(decoded.text)
