"""The trace of one item: its inputs, and the sections that styles share.

A section is a function from a `Traced` to lines. A style lists its sections in stage order.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from cloze_gen.corpus.books import read_books
from cloze_gen.corpus.readers import read_book
from cloze_gen.corpus.sentences import HEADING
from cloze_gen.errors import BookError, CorpusError
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.runs import check_as_written, find_stage, released_folder, stage_artifact
from cloze_gen.store.tables import (
    FOCUS,
    REJECTED,
    SOURCE_SENTENCES,
    read_jsonl,
    read_rows,
    unescape_cell,
)
from cloze_gen.text_layout import printable, table_lines

INDENT = "  "
_RAW = "    | "


@dataclass(frozen=True, eq=False)
class Traced:
    folder: Path
    id: str
    row: Mapping[str, Any]
    side: str
    in_full: bool = False

    def artifact(self, stage: str) -> Artifact:
        return stage_artifact(self.folder, stage)

    def released(self, file: str) -> Path:
        """A file of the full release, in published order; UsageError if it was changed."""
        folder = released_folder(self.folder)
        check_as_written(self.folder, f"{folder.name}/{file}")
        return folder / file

    def find(self, stage: str, file: str) -> dict[str, Any] | None:
        return find_row(self.folder, stage, file, self.id)

    def rows(self, stage: str, file: str) -> list[dict[str, Any]]:
        """The item's rows of a table, without the id."""
        table = read_rows(self.artifact(stage).path(file), self.id)
        return list(table.drop_columns(["id"]).to_pylist())

    @functools.cached_property
    def sentence(self) -> dict[str, Any]:
        path = self.artifact("focus").path(SOURCE_SENTENCES)
        return dict(read_rows(path, self.row["sentence_id"]).to_pylist()[0])

    def set_out(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], *, left: frozenset[str]
    ) -> Iterator[str]:
        yield from (f"{INDENT}{line}".rstrip() for line in table_lines(header, rows, left=left))


Section = Callable[[Traced], Iterator[str]]


@dataclass(frozen=True, slots=True)
class TraceSections:
    """The trace of a style's items.

    Attributes:
        early: (stage, its name) in run order: stages that can reject a sentence or word.
        reasons: reason of an early rejection -> its legend.
    """

    sections: tuple[Section, ...]
    in_full: tuple[Section, ...] = ()
    early: tuple[tuple[str, str], ...] = (("focus", "focus selection"),)
    items: tuple[str, str] = ("focus", FOCUS)
    reasons: Mapping[str, str] = field(default_factory=dict)
    id_form: str = "book:sentence:position"

    def early_rejection(self, folder: Path, record_id: str) -> str | None:
        """Stage and reason of an early rejection; None if no early stage rejected the record."""
        for stage, name in self.early:
            rejected = find_row(folder, stage, REJECTED, record_id)
            if rejected is not None:
                legend = self.reasons.get(rejected["reason"])
                reason = f"{rejected['reason']} {rejected['detail']}".rstrip()
                return f"rejected at {name}, {reason}{f': {legend}' if legend else ''}"
        return None


def find_row(folder: Path, stage: str, file: str, item_id: str) -> dict[str, Any] | None:
    artifact = find_stage(folder, stage)
    if artifact is None:
        return None
    table = read_rows(artifact.path(file), item_id)
    return dict(table.to_pylist()[0]) if table.num_rows else None


def has_id(item_id: str) -> Any:
    # Arrow refuses lone surrogates; no id has them
    return pc.field("id") == item_id.encode("utf-8", "replace").decode()


def describe_source(item: Traced) -> Iterator[str]:
    sentence = item.sentence
    yield from describe_span(item, sentence["book_id"], sentence["start"], sentence["end"])
    yield f"sentence   {printable(sentence['text'])}"
    yield f"tokens     {printable(sentence['tokens'])}"


def describe_span(item: Traced, book_id: str, start: int, end: int) -> Iterator[str]:
    """A book, its raw file, and the raw text of a span, in characters of the decoded file."""
    book = _book_row(item, book_id)
    if book.get("title"):
        yield (
            "book       "
            f"{printable(', by '.join(filter(None, (book['title'], book.get('author')))))}"
        )
    place = "/".join(filter(None, (book["file"], book.get("member"))))
    yield f"raw file   {printable(place)} ({book['encoding']}), characters {start}-{end}"
    yield from describe_raw(item, book_id, start, end)


def describe_raw(item: Traced, book_id: str, start: int, end: int) -> Iterator[str]:
    book = _book_row(item, book_id)
    file = item.folder / f"corpus-{item.side}" / unescape_cell(book["file"])
    try:
        found = read_book(file, unescape_cell(book.get("member", "")), digest=book["digest"])
        raw = found.decode(book["encoding"]).text[start:end]
    except (BookError, CorpusError, LookupError, UnicodeDecodeError) as error:
        raw = f"(cannot read the raw file: {error})"
    yield from (_RAW + printable(line) for line in raw.splitlines())


def _book_row(item: Traced, book_id: str) -> Mapping[str, str]:
    return next(
        row for row in read_books(item.artifact(f"corpus {item.side}")) if row["book_id"] == book_id
    )


def heading_before(kinds: Sequence[str], texts: Sequence[str], sentence: int) -> str:
    """The last heading before a sentence, its lines joined, or empty.

    >>> heading_before(["heading", "prose", "heading", "heading", "prose"], ["I", "It rained.", "II", "The Sea", "No one came."], 4)
    'II / The Sea'
    """
    last = next((i for i in range(sentence - 1, -1, -1) if kinds[i] == HEADING), None)
    if last is None:
        return ""
    first = next((i + 1 for i in range(last, -1, -1) if kinds[i] != HEADING), 0)
    return " / ".join(texts[first : last + 1])


def find_question(item: Traced, file: str) -> tuple[int, dict[str, Any]] | None:
    for number, record in enumerate(read_jsonl(item.released(file)), 1):
        if record["id"] == item.id:
            return number, record
    return None


def describe_question(record: Mapping[str, Any]) -> Iterator[str]:
    options = "  ".join(
        f"{chr(97 + i)}) {word}{'*' if i == record['answer_index'] else ''}"
        for i, word in enumerate(record["options"])
    )
    yield f"question   {' '.join(record['tokens'])}"
    yield f"options    {options}"


def describe_rejection(item: Traced, stage: str, otherwise: str) -> str:
    rejected = item.find(stage, REJECTED)
    reason = f"{rejected['reason']} {rejected['detail']}".rstrip() if rejected else otherwise
    return f"outcome    no question: {reason}"


def cell(value: Any, places: int) -> str:
    """A value as a cell: a dash for None, numbers to `places` decimals (0: as many as needed).

    >>> cell(None, 3), cell(-3.05822, 3), cell(30.0, 0), cell(6.01e-05, 0), cell("IN", 0)
    ('-', '-3.058', '30', '6.01e-05', 'IN')
    """
    if value is None or value != value:  # NaN
        return "-"
    if isinstance(value, float):
        return f"{value:.{places}f}" if places else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else printable(str(value))
