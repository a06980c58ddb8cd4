"""The tables of this wing, as its later stages read them."""

from __future__ import annotations

from dataclasses import dataclass

from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import read_parquet

PASSAGES = "passages.parquet"
BLANKS, VERDICTS = "blanks.parquet", "sentences.parquet"
CONSIDERED, ANSWERS = "considered.parquet", "answers.parquet"
DISTRACTORS, PROPENSITY = "distractors.parquet", "propensity.tsv"
BLANK, NOT_DRAWN, RIVAL = "blank", "not_drawn", "rival"  # verdicts on sentences, beside the reasons why one is neither

Place = tuple[str, int]  # a book, and the index of one of its sentences


@dataclass(frozen=True, slots=True)
class Window:
    """A row of `passages.parquet`.

    Attributes:
        first, last: sentences of the book, inclusive.
    """

    id: str
    book_id: str
    part: str
    domain: str
    first: int
    last: int


def windows_by_book(passages: Artifact) -> dict[str, list[Window]]:
    """The windows of each book, in the order of the table."""
    table = read_parquet(passages.path(PASSAGES), columns=list(Window.__dataclass_fields__)).to_pylist()
    found: dict[str, list[Window]] = {}
    for row in table:
        found.setdefault(row["book_id"], []).append(Window(**row))
    return found


def read_blanks(blanks: Artifact) -> dict[str, tuple[int, ...]]:
    """The blanks of each passage that has them: places within the passage."""
    table = read_parquet(blanks.path(BLANKS), columns=["id", "blanks"]).to_pylist()
    return {row["id"]: tuple(row["blanks"]) for row in table}
