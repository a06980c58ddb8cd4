"""Splits of a collection, by folders or a column, which a user may keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cloze_gen.corpus.layouts import SPLITS
from cloze_gen.corpus.scan import BookFile
from cloze_gen.errors import UsageError

_SPLIT_OF_SIDE = {"train": "train", "source": "test"}
SPLITS_OF_SIDES = (  # for a card; with one side, and with two
    "the books of each split are the training, development or test books",
    "questions are from books of `test`, the background is from books of `train`",
)


def books_of_split(books: Sequence[BookFile], side: str) -> tuple[BookFile, ...]:
    """The books that a side takes if splits are kept: of `train`, `validation` and `test` its own,
    and books without a split. The side ``books`` takes all, for its parts follow the splits.

    Raises:
        UsageError: none is left, or no book for one of the parts.
    """
    wanted = (_SPLIT_OF_SIDE[side],) if side in _SPLIT_OF_SIDE else SPLITS
    counts = Counter(split_of(dict(book.facts)) for book in books)
    missing = [split for split in wanted if not counts[split] and not counts[""]]
    if books and missing:
        there = ", ".join(f"{split} ({counts[split]:,})" for split in SPLITS if counts[split])
        raise UsageError(
            f"{books[0].root}: no book of the split {missing[0]!r}, which --{side} takes with "
            f"--keep-splits; the splits there: {there}. Give another folder, or run without "
            "--keep-splits."
        )
    return tuple(book for book in books if split_of(dict(book.facts)) in {"", *wanted})


def split_of(facts: dict[str, str]) -> str:
    """The published split of a book, by its `role`; empty without one.

    >>> split_of({"role": "test"}), split_of({"role": "seed"})
    ('test', '')
    """
    role = facts.get("role", "")
    return role if role in SPLITS else ""
