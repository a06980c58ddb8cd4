"""The trace of one id: its place in the set, its raw text, and its rows in every table of the run.

The descriptions of a style's stages name the tables with ids and the meaning of their columns.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.corpus.books import read_books
from cloze_gen.corpus.readers.compressed import DAMAGE
from cloze_gen.corpus.readers.text import unpacked
from cloze_gen.errors import BookError
from cloze_gen.records.rejection import legend_of
from cloze_gen.records.release_facts import ReleasedBook
from cloze_gen.release.samples import Gap
from cloze_gen.release.style import Style
from cloze_gen.store.artifacts import Artifact, open_artifact
from cloze_gen.store.file_docs import ANY, FileDoc, StageDoc, column_type
from cloze_gen.store.runs import (
    check_as_written,
    link_name,
    linked,
    read_run,
    released_folder,
    stage_artifact,
)
from cloze_gen.store.tables import REJECTED, read_jsonl, read_rows, unescape_cell
from cloze_gen.text_layout import cut, table_lines

Row = Mapping[str, Any]
_CELL_CHARS = 40  # of a text in a table
_MOST_ROWS = 40  # of a table that is listed unasked; an SCDE passage has at most 30 sentences
_SPAN = ("book_id", "start", "end")  # printed with the raw file
_SENTENCE = "tokens"  # a column of every table of sentences
_CANDIDATE = "word"  # a column of every table of candidates
_DECISIONS = frozenset({"reason", "verdict", "status"})  # columns of reasons


@dataclass(frozen=True, slots=True)
class ItemTable:
    """The rows of one id in one table of a stage; `link` is the stage's link in the run."""

    link: str
    stage: StageDoc
    file: FileDoc
    rows: Sequence[Row]

    @property
    def names(self) -> list[str]:
        return [name for name in self.rows[0] if name not in {"id", *_SPAN}]

    @property
    def has_candidates(self) -> bool:
        return len(self.rows) > 1 and _CANDIDATE in self.rows[0]

    def meaning(self, column: str) -> str:
        docs = self.file.columns
        return column_type(docs.get(column) or docs.get(ANY, ""))[2]


@dataclass(frozen=True, slots=True)
class Published:
    """A line of the released set."""

    item: Any
    record: dict[str, Any]
    place: str


def find_tables(style: Style, folder: Path, item_id: str) -> Iterator[ItemTable]:
    """The rows of an id, stage after stage. A word's id also has the rows of its sentence.

    Raises:
        DamageError: a stage that has tables with ids is damaged.
    """
    for stage in read_run(folder)["stages"]:
        doc = style.stage_doc(stage["stage"])
        files = [file for file in doc.files if "id" in file.columns]
        files = [file for file in files if file.name.endswith(".parquet")]
        if not files:
            continue
        link = link_name(stage["number"], stage["label"])
        artifact = open_artifact(linked(folder, link))
        for file in files:
            path = artifact.folder / file.name.partition("/")[0]
            if not path.exists():  # not one of this run's files, which were checked
                continue
            rows = read_rows(path, item_id)
            if not rows.num_rows and _SENTENCE in file.columns:
                rows = read_rows(path, item_id.rpartition(":")[0])
            if rows.num_rows:
                yield ItemTable(link, doc, file, rows.to_pylist())


def trace_lines(
    style: Style, folder: Path, item_id: str, tables: Sequence[ItemTable], *, every_row: bool
) -> Iterator[str]:
    """The trace of an id from its tables; `every_row` lists long tables too.

    Raises:
        UsageError: the file of the released items was changed.
    """
    published = _find_published(style, folder, item_id)
    yield f"outcome: {_outcome(style, item_id, published, tables)}"
    record: Row = {}
    if published:
        record = published[0].record
        yield ""
        yield from _item_lines(style, published[0])
    yield from _source_lines(style, folder, tables)
    link = ""
    for table in tables:
        if table.link != link:
            link = table.link
            yield ""
            yield f"{link}: {table.stage.about.partition('. ')[0]}"
        yield from _table_lines(table, style.legends)
        if len(table.rows) > 1 and not table.has_candidates:
            yield from _row_lines(table, every_row=every_row)
    yield from _candidate_lines(tables, record, every_row=every_row)


# ---- the published item


def _find_published(style: Style, folder: Path, item_id: str) -> list[Published]:
    """The lines with an id: at most one of the set, and one of its control set."""
    file = f"{released_folder(folder).name}/{style.items.file}"
    check_as_written(folder, file)
    published = []
    for line, record in enumerate(read_jsonl(folder / file), 1):
        if record["id"] == item_id:
            (item,) = style.items.parse([json.dumps(record)])
            place = f"line {line:,} of {file} ({style.items.split_of(item)})"
            published.append(Published(item, record, place))
    return published


def _outcome(
    style: Style, item_id: str, published: Sequence[Published], tables: Sequence[ItemTable]
) -> str:
    places = "; ".join(line.place for line in published)
    if any(style.items.counts(line.item) for line in published):
        return f"in the set: {places}"
    if all(_SENTENCE in table.file.columns for table in tables):
        return f"a sentence, no {style.items.noun}; the ids of its words are {item_id}:POSITION"
    control = f"; in the unfiltered control set: {places}" if published else ""
    return f"not in the set, {_decision(tables, style.legends)}{control}"


def _decision(tables: Sequence[ItemTable], legends: Mapping[str, str]) -> str:
    """The last rejection, whose reason a style may leave unexplained; else the last known reason."""
    single = [table for table in reversed(tables) if len(table.rows) == 1]
    for table in sorted(single, key=lambda table: table.file.name != REJECTED):
        row = table.rows[0]
        for name, value in row.items():
            legend = _legend(name, value, legends)
            if legend or (table.file.name, name) == (REJECTED, "reason"):
                reason = f"{value} {row.get('detail', '')}".rstrip()
                return f"decided at {table.link}: {reason}{legend and f' ({legend})'}"
    return "without a decision"


def _legend(name: str, value: Any, legends: Mapping[str, str]) -> str:
    """The legend of a reason in a column of reasons; a word may be spelt like a reason.

    >>> [_legend(name, "open", {"open": "not yet decided"}) for name in ("verdict", "target")]
    ['not yet decided', '']
    """
    return legend_of(value, legends) if name in _DECISIONS and isinstance(value, str) else ""


def _item_lines(style: Style, published: Published) -> Iterator[str]:
    """The item as the report shows it: its text with gaps, its options, and its key."""
    book = ReleasedBook(side=style.drawn_from, book_id="", file="", sha256="")
    sample = style.items.sample(published.item, published.record, {}, book)
    for paragraph in sample.paragraphs:
        parts = (_gap(part) if isinstance(part, Gap) else part.strip() for part in paragraph)
        yield f"  {' '.join(parts)}"
    for number, option in enumerate(sample.options):
        text = f"{chr(97 + number)}) {option}"
        yield f"  {text}{'*' if text == sample.answer else ''}"
    if sample.quotation[1]:
        yield f"  answer: {sample.quotation[1]}"
    elif not sample.answer:  # the facts have the key of several blanks
        yield from (f"  {name}: {text}" for name, text in sample.facts if name != "raw file")


def _gap(gap: Gap) -> str:
    return f"<{gap.number}>" if gap.number else "_____"


# ---- the raw text


def text_file(corpus: Artifact, folder: Path, book: Mapping[str, str]) -> Path:
    """The file with the text of a row of `books.tsv`: in the store, or the user's in `folder`."""
    if book["text"]:
        return corpus.folder / book["text"]
    return folder / unescape_cell(book["file"])


def _source_lines(style: Style, folder: Path, tables: Sequence[ItemTable]) -> Iterator[str]:
    """The book and the raw text of the first row that has a span."""
    rows = (table.rows[0] for table in tables)
    row = next((row for row in rows if row.keys() >= set(_SPAN)), None)
    if row is None:
        return
    book_id, start, end = (row[name] for name in _SPAN)
    corpus = stage_artifact(folder, f"corpus {style.drawn_from}")
    book: dict[str, str] = next(book for book in read_books(corpus) if book["book_id"] == book_id)
    title = ", by ".join(filter(None, (book.get("title"), book.get("author"))))
    file = "/".join(filter(None, (book["file"], book.get("member"))))
    yield ""
    yield f"book: {title or book_id}"
    path = text_file(corpus, folder / f"corpus-{style.drawn_from}", book)
    stored = f" of {path}" if book["text"] else ""
    yield f"raw file: {file} ({book['encoding']}), characters {start}-{end}{stored}"
    try:
        text = unpacked(path.read_bytes()).decode("utf-8")
    except (BookError, *DAMAGE) as error:
        yield f"  | (cannot read the text: {error})"
        return
    if not book["text"] and hashlib.sha256(text.encode()).hexdigest() != book["digest"]:
        yield "  | (the file was changed since the run read it)"
        return
    yield from (f"  | {line}" for line in text[start:end].splitlines())


# ---- tables


def _table_lines(table: ItemTable, legends: Mapping[str, str]) -> Iterator[str]:
    """The value of each column with its meaning; of several rows, the meaning and the reasons."""
    is_single = len(table.rows) == 1
    yield f"  {table.file.name}" if is_single else f"  {table.file.name}: {len(table.rows):,} rows"
    for name in table.names:
        values = list(dict.fromkeys(cell(row[name]) for row in table.rows))
        reasons = {value: legend for value in values if (legend := _legend(name, value, legends))}
        meaning = table.meaning(name)
        if is_single:
            yield f"    {name}: {values[0]} ({reasons.get(values[0], meaning)})"
        else:
            yield f"    {name}: {meaning}"
            yield from (f"      {reason}: {legend}" for reason, legend in reasons.items())


def _row_lines(table: ItemTable, *, every_row: bool) -> Iterator[str]:
    if len(table.rows) > _MOST_ROWS and not every_row:
        yield "    (--alternates lists the rows)"
        return
    rows = [[cut(cell(row[name]), _CELL_CHARS) for name in table.names] for row in table.rows]
    yield from _indented(table.names, rows)


def _candidate_lines(tables: Sequence[ItemTable], record: Row, *, every_row: bool) -> Iterator[str]:
    """One table of all candidates, or of the options alone, which stand side by side."""
    candidates: dict[str, dict[str, Any]] = {}
    for number, scores in enumerate(record.get("option_scores", ())):
        mark = "*" if number == record["answer_index"] else ""
        candidates[scores[_CANDIDATE]] = {"option": f"{chr(97 + number)}{mark}", **scores}
    n_options = len(candidates)
    for row in (row for table in tables if table.has_candidates for row in table.rows):
        candidates.setdefault(row[_CANDIDATE], {"option": ""}).update(row)
    if not candidates:
        return
    yield ""
    yield f"candidates: {len(candidates):,} (*: the answer; -: not measured)"
    names = dict.fromkeys(name for row in candidates.values() for name in row if name != "id")
    shown = list(candidates.values())[: None if every_row else n_options]
    rows = [[cell(row.get(name)) for name in names] for row in shown]
    if every_row:
        yield from _indented(list(names), rows)
        return
    header, *body = zip(names, *rows, strict=True)
    if rows:
        yield from _indented(header, body)
    if len(candidates) > n_options:
        yield "    (--alternates lists all)"


def _indented(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    return (f"    {line}" for line in table_lines(header, rows, left=frozenset(header)))


def cell(value: Any) -> str:
    """A value in short: a dash without one, and four digits of a fraction.

    >>> cell(None), cell(-3.05822), cell(1234), cell(True), cell(["a", "b"]), cell("IN")
    ('-', '-3.058', '1,234', 'yes', 'a; b', 'IN')
    """
    if isinstance(value, list):
        return "; ".join(map(cell, value)) or "-"
    if value is None or value == "" or value != value:  # NaN
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
