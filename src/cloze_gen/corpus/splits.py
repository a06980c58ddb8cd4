"""Splits of a collection, by folders or a column, which a user may keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cloze_gen.corpus.folder import Location
from cloze_gen.corpus.manifest import MANIFEST_NAME
from cloze_gen.errors import UsageError
from cloze_gen.parsing import counted, name_list, quote

if TYPE_CHECKING:
    from cloze_gen.corpus.collect import Book

SPLITS = ("train", "validation", "test")  # roles of books
SPLIT_OF_FOLDER = {name: name for name in SPLITS} | dict.fromkeys(
    ("dev", "development"), "validation"
)
_SPLIT_OF_SIDE = {"train": "train", "source": "test"}
SPLITS_OF_SIDES = (  # for a card; with one side, and with two
    "the books of each split are the training, development or test books",
    "questions are from books of `test`, the background is from books of `train`",
)


def books_of_split(books: Sequence[Book], side: str) -> tuple[Book, ...]:
    """The books that a side takes if splits are kept: of `train`, `validation` and `test` its own,
    and books without a split. The side ``books`` takes all, for its parts follow the splits.

    Raises:
        UsageError: none is left, or no book for one of the parts.
    """
    wanted = (_SPLIT_OF_SIDE[side],) if side in _SPLIT_OF_SIDE else SPLITS
    counts = Counter(book.split for book in books)
    missing = [split for split in wanted if not counts[split] and not counts[""]]
    if books and missing:
        raise UsageError(
            f"{books[0].root}: no book of the split {missing[0]!r}, which --{side} takes with "
            f"--keep-splits; the splits there: {_sizes(counts)}. Give another folder, or run without "
            "--keep-splits."
        )
    return tuple(book for book in books if book.split in {"", *wanted})


def split_of(facts: Mapping[str, str]) -> str:
    """The published split of a book, by its `role`; empty without one.

    >>> split_of({"role": "test"}), split_of({"role": "seed"})
    ('test', '')
    """
    role = facts.get("role", "")
    return role if role in SPLITS else ""


def split_of_folder(file: str) -> str:
    """The split that the first folder of a path names; empty without one.

    >>> split_of_folder("Dev/emma.txt"), split_of_folder("old/train/emma.txt")
    ('validation', '')
    """
    folder, below, _ = file.partition("/")
    return SPLIT_OF_FOLDER.get(folder.lower(), "") if below else ""


def check_splits(location: Location, books: Sequence[Book]) -> None:
    """UsageError if no book has a split."""
    if not any(book.split for book in books):
        folders = sorted({book.file.partition("/")[0] for book in books if "/" in book.file})
        there = (
            f"; its folders: {name_list([quote(folder) for folder in folders])}" if folders else ""
        )
        raise UsageError(
            f"{location}: --keep-splits (input.keep_splits) needs splits, and none of the "
            f"{counted(len(books), 'book')} there has one{there}. A split is a folder named "
            f"{', '.join(SPLIT_OF_FOLDER)} directly below the given one, the column `split` of a "
            f"table, or the column `role` of {MANIFEST_NAME}. Add splits, or run without "
            "--keep-splits."
        )


def split_notes(books: Sequence[Book]) -> list[str]:
    """That a collection has splits of its own, which are not used."""
    counts = Counter(book.split for book in books)
    if not (counts["train"] and counts["test"]):
        return []
    return [
        f"the splits are read as one collection: {_sizes(counts)}; --keep-splits uses train as background "
        "and test as source, or the three as the parts of lambada-style and scde-style"
    ]


def _sizes(counts: Counter[str]) -> str:
    return ", ".join(f"{split} ({counts[split]:,})" for split in SPLITS if counts[split])
