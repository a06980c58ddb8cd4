"""Known arrangements of files: Gutenberg's trees, BookCorpus, PG-19 and others with their metadata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.corpus.readers.reader import InputSettings


@dataclass(frozen=True, slots=True)
class PlacedFile:
    """A file of books.

    Attributes:
        file: path below the corpus folder, with `/`.
        book_id: only for a file with one book; empty: made from the name.
        facts: by manifest column; they override those of the file, a manifest overrides them.
    """

    file: str
    book_id: str = ""
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The files to read.

    Attributes:
        names: the arrangements found, in words, e.g. "Project Gutenberg mirror".
        skipped: what is not read and why, one line each.
        notes: warnings.
    """

    files: tuple[PlacedFile, ...]
    names: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def arrange(root: Path, files: Sequence[str], settings: InputSettings) -> Arrangement:
    """Choose one file for each book, and find its metadata."""
    return Arrangement(tuple(PlacedFile(file) for file in files))
