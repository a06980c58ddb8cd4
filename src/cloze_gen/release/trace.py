"""The trace of one id: its place in the set, its raw text, and its rows in every table of the run.

The descriptions of a style's stages name the tables with ids and the meaning of their columns.
"""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from cloze_gen.corpus.books import SENTENCES, book_folder, read_books
from cloze_gen.corpus.readers import read_book
from cloze_gen.errors import BookError, CorpusError
from cloze_gen.records.rejection import legend_of
from cloze_gen.records.release_facts import ReleasedBook
from cloze_gen.release.samples import Gap
from cloze_gen.release.style import Style
from cloze_gen.store.artifacts import open_artifact
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
from cloze_gen.text_layout import cut, printable, table_lines

Row = Mapping[str, Any]
_WIDTH = 100
_VALUE_CHARS = 24  # a longer value fills its line, without the meaning of its column
_CELL_CHARS = 40  # of a text in a table
_HEADER_CHARS = 8  # of each word of a column's name
_SUMMED_VALUES = 8  # a column with more different texts has no counts
_MOST_ROWS = 40  # of a table that is listed unasked; an SCDE passage has at most 30 sentences
_SPAN = ("book_id", "start", "end")  # printed with the raw file
_SENTENCE = "tokens"  # a column of every table of sentences
_DECISIONS = frozenset({"reason", "verdict", "status", "machine"})  # columns of reasons


@dataclass(frozen=True, slots=True)
class ItemTable:
    """The rows of one id in one table of a stage; `link` is the stage's link in the run."""

    link: str
    stage: StageDoc
    file: FileDoc
    rows: Sequence[Row]

    @property
    def key(self) -> str:
        """The column after the id. It distinguishes the rows of an id."""
        return list(self.file.columns)[1]

    @property
    def names(self) -> list[str]:
        return [name for name in self.rows[0] if name != "id"]

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
    published = find_published(style, folder, item_id)
    yield from _wrapped("outcome    ", _outcome(style, item_id, published, tables))
    if published:
        yield ""
        yield from _item_lines(style, published[0])
    yield from _source_lines(style, folder, tables)
    options = _options(published[0].record) if published else []
    key = _candidate_key(tables, options)
    printed: set[tuple[str, str]] = set()
    link = ""
    for table in tables:
        values = {(name, cell(row[name])) for row in table.rows for name in table.names}
        if values <= printed:  # the same sentence in a table of a later stage
            continue
        printed |= values
        if table.link != link:
            link = table.link
            yield ""
            about = table.stage.about.partition(". ")[0]
            yield from _wrapped("", f"{link}: {about.rstrip('.')}")
        yield from _table_lines(table, style.legends)
        if len(table.rows) > 1 and table.key != key:
            if every_row or len(table.rows) <= _MOST_ROWS:
                yield from _row_lines(_listed(table), table.rows)
            else:
                yield "    (--alternates lists the rows)"
    if key:
        yield ""
        yield from _candidate_lines(tables, options, key, every_row=every_row)


# ---- the published item


def find_published(style: Style, folder: Path, item_id: str) -> list[Published]:
    """The lines with an id: at most one of the set, and one of its control set."""
    released = released_folder(folder)
    file = f"{released.name}/{style.items.file}"
    check_as_written(folder, file)
    published = []
    numbers: Counter[str] = Counter()
    for line, record in enumerate(read_jsonl(folder / file), 1):
        split = str(record.get("split", record.get("part", "")))
        numbers[split] += 1
        if record["id"] == item_id:
            (item,) = style.items.parse([json.dumps(record)])
            number = f" ({split} {numbers[split]:,})" if split else ""
            published.append(Published(item, record, f"line {line:,} of {file}{number}"))
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
    return f"not in the set, {_rejection(tables, style.legends)}{control}"


def _rejection(tables: Sequence[ItemTable], legends: Mapping[str, str]) -> str:
    """The last rejection; without one, the last value that is a reason."""
    single = [table for table in reversed(tables) if len(table.rows) == 1]
    for table in single:
        if table.file.name == REJECTED:
            row = table.rows[0]
            text = f"rejected at {table.link}: {row['reason']} {row['detail']}".rstrip()
            legend = _legend("reason", row["reason"], legends)
            return f"{text} ({legend})" if legend else text
    for table in single:
        for name, value in table.rows[0].items():
            if legend := _legend(name, value, legends):
                return f"decided at {table.link}: {value} ({legend})"
    return "without a decision"


def _legend(name: str, value: Any, legends: Mapping[str, str]) -> str:
    """The legend of a reason in a column of reasons; a word may be spelt like a reason.

    >>> [_legend(name, "open", {"open": "not yet decided"}) for name in ("verdict", "target")]
    ['not yet decided', '']
    """
    return legend_of(value, legends) if name in _DECISIONS and isinstance(value, str) else ""


def _item_lines(style: Style, published: Published) -> Iterator[str]:
    """The item as the report shows it: its text with gaps, its options, and its facts."""
    book = ReleasedBook(side=style.drawn_from, book_id="", file="", sha256="")
    sample = style.items.sample(published.item, published.record, {}, book)
    for paragraph in sample.paragraphs:
        parts = (_gap(part) if isinstance(part, Gap) else part for part in paragraph)
        yield from _wrapped("  ", " ".join(" ".join(parts).split()))
    for number, option in enumerate(sample.options):
        text = f"{chr(97 + number)}) {option}"
        yield from _wrapped("  ", text + ("*" if text == sample.answer else ""))
    if sample.quotation[1]:
        yield from _wrapped("  answer: ", sample.quotation[1])
    elif not sample.answer:  # the facts have the key of several blanks
        yield from _field_lines([(*fact, "") for fact in sample.facts if fact[0] != "raw file"])


def _gap(gap: Gap) -> str:
    return f"<{gap.number}>" if gap.number else "_____"


# ---- the raw text


def raw_text(corpus: Path, book: Mapping[str, str]) -> str:
    """The decoded raw file of a row of `books.tsv`.

    Raises:
        BookError or CorpusError: it cannot be read, or was changed.
    """
    file = corpus / unescape_cell(book["file"])
    raw = read_book(file, unescape_cell(book.get("member", "")), digest=book["digest"])
    return raw.decode(book["encoding"]).text


def _source_lines(style: Style, folder: Path, tables: Sequence[ItemTable]) -> Iterator[str]:
    """The book and the raw text of the first row that has a span."""
    rows = (table.rows[0] for table in tables if len(table.rows) == 1)
    row = next((row for row in rows if row.keys() >= set(_SPAN)), None)
    if row is None:
        return
    book_id, start, end = (row[name] for name in _SPAN)
    corpus = stage_artifact(folder, f"corpus {style.drawn_from}")
    book: dict[str, str] = next(book for book in read_books(corpus) if book["book_id"] == book_id)
    title = ", by ".join(filter(None, (book.get("title"), book.get("author"))))
    file = "/".join(filter(None, (book["file"], book.get("member"))))
    yield ""
    yield from _wrapped("book       ", title or book_id)
    yield from _wrapped("raw file   ", f"{file} ({book['encoding']}), characters {start}-{end}")
    try:
        text = raw_text(folder / f"corpus-{style.drawn_from}", book)
    except (BookError, CorpusError, LookupError, UnicodeDecodeError) as error:
        yield from _wrapped("    | ", f"(cannot read the raw file: {error})")
        return
    sentences = open_artifact(book_folder(corpus, book)).path(SENTENCES)
    # `read_parquet` would import pandas
    starts = pq.ParquetFile(sentences).read(columns=["start"])["start"].to_pylist()
    inside = [index for index, place in enumerate(starts) if start <= place < end]
    raw = text[start:end]
    if len(inside) > 1:
        yield f"    [n] begins sentence n of the passage, which is sentence {inside[0]} + n of the book"
        for index in reversed(inside):
            place = starts[index] - start
            raw = f"{raw[:place]}[{index - inside[0]}] {raw[place:]}"
    for line in raw.splitlines():
        yield from _wrapped("    | ", line, again="    | ")


# ---- tables


def _table_lines(table: ItemTable, legends: Mapping[str, str]) -> Iterator[str]:
    """Each column with its meaning; a value that is a reason has the legend of the reason."""
    if len(table.rows) == 1:
        yield f"  {table.file.name}"
        row = table.rows[0]
        yield from _field_lines(
            [
                (name, cell(row[name]), _legend(name, row[name], legends) or table.meaning(name))
                for name in table.names
                if name not in _SPAN
            ]
        )
        return
    yield f"  {table.file.name}: {len(table.rows):,} rows"
    columns = {name: [row[name] for row in table.rows] for name in table.names}
    yield from _field_lines(
        [(name, _summary(values), table.meaning(name)) for name, values in columns.items()]
    )
    for name, values in columns.items():
        for reason in dict.fromkeys(values) if name in _DECISIONS else ():
            if legend := _legend(name, reason, legends):
                yield from _wrapped("      ", f"{reason}: {legend}")


def _listed(table: ItemTable) -> list[str]:
    """The columns whose values differ, without long lists; those with long texts last."""
    cells = {name: [cell(row[name]) for row in table.rows] for name in table.names}
    long = {name for name in table.names if max(map(len, cells[name])) > _CELL_CHARS}
    lists = {name for row in table.rows for name in long if isinstance(row[name], list)}
    names = [name for name in table.names if len(set(cells[name])) > 1 and name not in lists]
    return sorted(names, key=lambda name: name in long)


def _summary(values: Sequence[Any]) -> str:
    """The range of numbers, or the counts of a few texts.

    >>> _summary([2, None, 7]), _summary(["fit", "fit", "rare"]), _summary([True])
    ('2 to 7', '2 fit, 1 rare', '1 yes')
    """
    numbers = [value for value in values if isinstance(value, int | float) and value == value]
    if numbers and not isinstance(numbers[0], bool):
        return " to ".join(dict.fromkeys([cell(min(numbers)), cell(max(numbers))]))
    counts = Counter(map(cell, values))
    if len(counts) > _SUMMED_VALUES or len(counts) == len(values) > 1:
        return f"{len(counts):,} different"
    return ", ".join(f"{count:,} {text}" for text, count in counts.most_common())


def _options(record: Row) -> list[dict[str, Any]]:
    """The scores of the options, each with its letter; `*` marks the answer."""
    return [
        {"option": f"{chr(97 + number)}{'*' if number == record['answer_index'] else ''}", **scores}
        for number, scores in enumerate(record.get("option_scores", ()))
    ]


def _candidate_key(tables: Sequence[ItemTable], options: Sequence[Row]) -> str:
    """The key, such as the word, that several tables or the options share; empty without one."""
    keys = [table.key for table in tables if len(table.rows) > 1]
    return next((key for key in keys if keys.count(key) > 1 or any(key in o for o in options)), "")


def _candidate_lines(
    tables: Sequence[ItemTable], options: Sequence[Row], key: str, *, every_row: bool
) -> Iterator[str]:
    """One table of the candidates in the order of the first table, or of the options alone."""
    rows = [row for table in tables if table.key == key for row in table.rows]
    options = [option for option in options if key in option]
    candidates: dict[str, dict[str, Any]] = {}
    for row in (*rows, *options):
        candidates.setdefault(row[key], {"option": "", key: row[key]}).update(row)
    names = dict.fromkeys(["option", key, *(name for row in rows for name in row if name != "id")])
    if every_row:
        yield f"candidates {len(candidates):,} (*: the answer; -: not measured)"
        yield from _row_lines(list(names), list(candidates.values()))
        return
    if not options:
        yield f"candidates {len(candidates):,} (--alternates lists them)"
        return
    more = "" if len(candidates) == len(options) else f"; --alternates lists {len(candidates):,}"
    yield f"candidates (*: the answer; -: not measured{more})"
    # side by side, as a row of all columns is wide
    names.update(dict.fromkeys(options[0]))
    shown = [candidates[option[key]] for option in options]
    header, *body = ([name, *_cells([row.get(name) for row in shown])] for name in names)
    yield from (f"    {line}" for line in table_lines(header, body, left=frozenset(["option"])))


def _row_lines(names: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Rows of short cells; the header has a line for each word of a column's name."""
    if not names:  # all rows are equal
        return
    words = {name: [_header(word) for word in name.split("_")] for name in names}
    height = max(map(len, words.values()))
    columns = []
    for name in names:
        values = [row.get(name) for row in rows]
        cells = [*words[name], *[""] * (height - len(words[name])), *_cells(values)]
        width = max(map(len, cells))
        is_text = any(isinstance(value, str | list) for value in values)
        columns.append(cells if is_text else [text.rjust(width) for text in cells])
    header, *body = zip(*columns, strict=True)
    yield from (f"    {line}" for line in table_lines(header, body, left=frozenset(header)))


def _header(word: str) -> str:
    return word if len(word) <= _HEADER_CHARS else f"{word[: _HEADER_CHARS - 1]}."


def _cells(values: Sequence[Any]) -> list[str]:
    """The cells of a column: fractions have three decimals unless all are small."""
    fractions = [abs(value) for value in values if isinstance(value, float)]
    if max((size for size in fractions if size == size), default=0) < 0.01:
        return [cut(cell(value), _CELL_CHARS) for value in values]
    return [
        f"{value:.3f}" if isinstance(value, float) and value == value else cell(value)
        for value in values
    ]


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


def _field_lines(fields: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """Lines of name, value and meaning, in columns."""
    width = max((len(name) for name, _, _ in fields), default=0)
    short = max((len(text) for _, text, _ in fields if len(text) <= _VALUE_CHARS), default=0)
    for name, text, meaning in fields:
        start = f"    {name:<{width}}  "
        if len(text) <= _VALUE_CHARS:
            yield from _wrapped(f"{start}{text:<{short}}  ", meaning)
        else:
            yield from _wrapped(start, text)


def _wrapped(start: str, text: str, *, again: str | None = None) -> list[str]:
    """Printable lines of text after `start`, each further one after `again` or as many spaces."""
    start = printable(start)
    return textwrap.wrap(
        printable(text),
        _WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start) if again is None else again,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [start.rstrip()]
