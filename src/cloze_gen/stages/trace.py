"""The trace of one item: what the sections of every style read it from, and the sections that styles share.

A section is a function from a `Traced` to lines; one that has nothing to tell of an item yields none. A style lists its own in
`recipes/*/trace.py`, in the order of an item's life.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from cloze_gen.columns import printable, table_lines, wrap
from cloze_gen.errors import BookError, CorpusError
from cloze_gen.stages.corpus.book_table import read_books
from cloze_gen.stages.tables import FOCUS, REJECTED, SOURCE_SENTENCES
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.corpus import read_book
from cloze_gen.store.runs import check_as_written, find_stage, released_folder, stage_artifact
from cloze_gen.store.tables import read_jsonl, read_parquet, unescape_cell
from cloze_gen.text.paragraphs import HEADING

if TYPE_CHECKING:
    import pandas as pd

INDENT = "  "
_RAW = "    | "


@dataclass(frozen=True, eq=False)
class Traced:
    """One item of a run.

    Attributes:
        row: the item's row in the table of all items.
        side: of the books, that the items are drawn from.
        in_full: every alternate is asked for.
        columns: of the screen; None where nothing is wrapped.
    """

    folder: Path
    id: str
    row: Mapping[str, Any]
    side: str
    in_full: bool = False
    columns: int | None = None

    def artifact(self, stage: str) -> Artifact:
        return stage_artifact(self.folder, stage)

    def released(self, file: str) -> Path:
        """A file of the full release, in whose order the items are published.

        Raises:
            UsageError: it is not as it was written.
        """
        folder = released_folder(self.folder)
        check_as_written(self.folder, f"{folder.name}/{file}")
        return folder / file

    def find(self, stage: str, file: str) -> dict[str, Any] | None:
        """The item's row in one table of a stage; None where the run has no such stage or the table no such row."""
        return find_row(self.folder, stage, file, self.id)

    def table(self, stage: str, file: str) -> pd.DataFrame:
        """All rows of the item in one table of a stage."""
        return read_parquet(self.artifact(stage).path(file)).filter(has_id(self.id)).to_pandas().astype({"id": str, "word": str})

    @functools.cached_property
    def sentence(self) -> dict[str, Any]:
        """The row of the item's sentence."""
        sentences = read_parquet(self.artifact("focus").path(SOURCE_SENTENCES))
        return dict(sentences.filter(has_id(self.row["sentence_id"])).to_pylist()[0])

    def set_out(self, header: Sequence[str], rows: Sequence[Sequence[str]], *, left: frozenset[str]) -> Iterator[str]:
        """A table of a section; the columns named `left` are words."""
        room = None if self.columns is None else self.columns - len(INDENT)
        yield from (f"{INDENT}{line}".rstrip() for line in table_lines(header, rows, room, left=left))


Section = Callable[[Traced], Iterator[str]]


@dataclass(frozen=True, slots=True)
class TraceSections:
    """How the items of a style are told of.

    Attributes:
        sections: in the order of an item's life.
        in_full: sections that are told last, where every alternate is asked for.
        early: (stage, what it is called): where a sentence or a word can end before it is an item, in the order of its life.
        items: (stage, file): the table of all items.
        reasons: reason of an early rejection -> what it says in words, with the stage's settings in braces; others are told as they are.
        id_form: of an item's id, for who mistypes one.
    """

    sections: tuple[Section, ...]
    in_full: tuple[Section, ...] = ()
    early: tuple[tuple[str, str], ...] = (("focus", "focus selection"),)
    items: tuple[str, str] = ("focus", FOCUS)
    reasons: Mapping[str, str] = field(default_factory=dict)
    id_form: str = "book:sentence:position"

    def early_end(self, folder: Path, record_id: str) -> str | None:
        """Where a record of a run ended before it was an item, and why; None where no early stage has rejected it."""
        for stage, what in self.early:
            rejected = find_row(folder, stage, REJECTED, record_id)
            if rejected is not None:
                words = self.reasons.get(rejected["reason"], "").format(**stage_artifact(folder, stage).manifest["settings"])
                told = f"{rejected['reason']} {rejected['detail']}".rstrip()
                return f"rejected at {what}, {told}{f': {words}' if words else ''}"
        return None


def find_row(folder: Path, stage: str, file: str, item_id: str) -> dict[str, Any] | None:
    """A record's row in one table of a run's stage; None where the run has no such stage or the table no such row."""
    artifact = find_stage(folder, stage)
    if artifact is None:
        return None
    table = read_parquet(artifact.path(file)).filter(has_id(item_id))
    return dict(table.to_pylist()[0]) if table.num_rows else None


def has_id(item_id: str) -> Any:
    return pc.field("id") == item_id.encode("utf-8", "replace").decode()  # bytes that are no text are in no id, and Arrow refuses them


def tell_source(item: Traced) -> Iterator[str]:
    """Where the sentence stands: book, raw file, the raw text of its span, the sentence and its tokens."""
    sentence = item.sentence
    yield from tell_span(item, sentence["book_id"], sentence["start"], sentence["end"])
    yield f"sentence   {printable(sentence['text'])}"
    yield f"tokens     {printable(sentence['tokens'])}"


def tell_span(item: Traced, book_id: str, start: int, end: int) -> Iterator[str]:
    """A book with its title and author, its raw file, and the raw text of a span of it (characters of the decoded file)."""
    book = _book_row(item, book_id)
    if book.get("title"):
        yield f"book       {printable(', by '.join(filter(None, (book['title'], book.get('author')))))}"
    yield f"raw file   {book['file']} ({book['encoding']}), characters {start}-{end}"
    yield from tell_raw(item, book_id, start, end)


def tell_raw(item: Traced, book_id: str, start: int, end: int) -> Iterator[str]:
    """The raw text of a span of a book, a line a line; why it cannot be read, where the file is gone or another."""
    book = _book_row(item, book_id)
    file = item.folder / f"corpus-{item.side}" / unescape_cell(book["file"])
    try:
        raw = read_book(file, digest=book["digest"]).decode(book["encoding"])[start:end]
    except (BookError, CorpusError, LookupError, UnicodeDecodeError) as error:
        raw = f"(the raw file cannot be read here: {error})"
    room = None if item.columns is None else item.columns - len(_RAW)
    yield from (_RAW + part for line in raw.splitlines() for part in wrap(printable(line), room, indent=0))


def _book_row(item: Traced, book_id: str) -> Mapping[str, str]:
    return next(row for row in read_books(item.artifact(f"corpus {item.side}")) if row["book_id"] == book_id)


def heading_before(kinds: Sequence[str], texts: Sequence[str], sentence: int) -> str:
    """The text of the last heading before a sentence of a book, lines of one heading told together; empty where there is none.

    >>> heading_before(["heading", "prose", "heading", "heading", "prose"], ["I", "It rained.", "II", "The Sea", "Nobody came."], 4)
    'II / The Sea'
    """
    last = next((i for i in range(sentence - 1, -1, -1) if kinds[i] == HEADING), None)
    if last is None:
        return ""
    first = next((i + 1 for i in range(last, -1, -1) if kinds[i] != HEADING), 0)
    return " / ".join(texts[first : last + 1])


def find_question(item: Traced, file: str) -> tuple[int, dict[str, Any]] | None:
    """The item among the published questions: its number, from 1, and its record; None where it became none."""
    for number, record in enumerate(read_jsonl(item.released(file)), 1):
        if record["id"] == item.id:
            return number, record
    return None


def tell_question(record: Mapping[str, Any]) -> Iterator[str]:
    """The question as it is asked, the answer marked."""
    options = "  ".join(f"{chr(97 + i)}) {word}{'*' if i == record['answer_index'] else ''}" for i, word in enumerate(record["options"]))
    yield f"question   {' '.join(record['tokens'])}"
    yield f"options    {options}"


def tell_rejection(item: Traced, stage: str, otherwise: str) -> str:
    """Why an item is no question: what the last stage says of it, else what an earlier one said."""
    rejected = item.find(stage, REJECTED)
    reason = f"{rejected['reason']} {rejected['detail']}".rstrip() if rejected else otherwise
    return f"outcome    no question: {reason}"


def cell(value: Any, places: int) -> str:
    """A value of a table as its cell: a dash for none, numbers to some places after the point (0: as many as tell).

    >>> cell(None, 3), cell(-3.05822, 3), cell(30.0, 0), cell(6.01e-05, 0), cell("IN", 0)
    ('-', '-3.058', '30', '6.01e-05', 'IN')
    """
    if value is None or value != value:  # NaN is what differs from itself
        return "-"
    if isinstance(value, float):
        return f"{value:.{places}f}" if places else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else printable(str(value))
