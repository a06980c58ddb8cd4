"""Which files to read, under which id, with which facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cloze_gen.corpus.layouts.catalogs import Catalogs
from cloze_gen.parsing import name_list

SPLITS = ("train", "validation", "test")  # roles of books
SPLIT_OF_FOLDER = {name: name for name in SPLITS} | dict.fromkeys(
    ("dev", "development"), "validation"
)


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
        catalogs: the tables about books that were found.
    """

    files: tuple[PlacedFile, ...]
    names: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    catalogs: Catalogs = field(default_factory=Catalogs)


def skipped_lines(skipped: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """A line a reason, from the files of each.

    >>> skipped_lines({"not English": ["84.txt"]})
    ("skipped 1 file (not English): '84.txt'",)
    """
    return tuple(
        f"skipped {len(files):,} file{'s' * (len(files) != 1)} ({reason}): "
        + name_list([repr(file) for file in sorted(files)])
        for reason, files in sorted(skipped.items())
        if files
    )
