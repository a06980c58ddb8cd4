"""The dataset card: a Markdown file whose head `datasets.load_dataset` reads, and which a stranger needs nothing else beside."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cloze_gen.formats.one_line import one_line
from cloze_gen.records.release_facts import Measured, ReleaseFacts
from cloze_gen.report.funnel import FunnelStep, funnel_markdown


@dataclass(frozen=True, slots=True)
class CardTable:
    """A table of a style's own.

    Attributes:
        title: of its section.
        text: what a reader must know of it, as Markdown.
        header: its first column holds words, the others figures.
    """

    title: str
    text: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFacts:
    """What a card says beside what the release says of itself.

    Attributes:
        head: the lines that `datasets` and the hub read, hyphens included.
        described: what each item is, e.g. ``cloze questions of 5 options each``.
        balance: how evenly what could be guessed is spread, a sentence.
        example: how a reader meets the first item, lines of plain text.
        notes: what a user must know, a line each.
        columns: (column of the split files, what it holds); a column that several files have is told once.
        use: (what for, code) of whoever has the release only, language of the code first: ``("load it", "python", "...")``.
        files: (name, what it is) of what was released.
        licence: a sentence.
        trains: whether one of the splits is there to be trained on.
        bibtex: how the set is cited.
        per_book: book -> items of the set, without those of a control set.
        steps: of the funnel.
        tables: of the style's own.
    """

    facts: ReleaseFacts
    head: str
    described: str
    balance: str
    example: Sequence[str]
    notes: Sequence[str]
    columns: Sequence[tuple[str, str]]
    use: Sequence[tuple[str, str, str]]
    files: Sequence[tuple[str, str]]
    licence: str
    bibtex: str
    per_book: Mapping[str, int]
    steps: Sequence[FunnelStep]
    tables: Sequence[CardTable] = ()
    trains: bool = False


def dataset_card(card: CardFacts) -> str:
    """The card's text. Titles of books and what a manifest says are user data: they are escaped for Markdown."""
    facts = card.facts
    short = "" if facts.n_items >= facts.n_wanted else f" ({facts.n_wanted:,} were wanted; the funnel below says where the rest went)"
    rows = [(book.book_id, book.title, book.license or "unknown", card.per_book.get(book.book_id, 0)) for book in facts.item_books]
    books = "\n".join(f"| {escape(book)} | {escape(title)} | {escape(licence)} | {count:,} |" for book, title, licence, count in rows)
    settings = json.dumps(facts.settings, indent=2, sort_keys=True, ensure_ascii=False)
    return f"""{card.head}

# {facts.name}

{facts.n_items:,} {facts.title} {card.described}{short}, after {facts.paper}

Signature: `{facts.signature}`

Quote the signature with every score: it names the version, the books, the model, the seed and the set.

{_canary(card)}

{_example(card.example)}{_measured(facts)}

## What to know
{chr(10).join(f"- {one_line(note)}" for note in [*card.notes, _order(facts)])}

{_use(card.use)}## Files
{chr(10).join(f"- `{name}`: {what}" for name, what in card.files)}

{_columns(card.columns)}
{card.balance}

## Licence
{escape(card.licence)}

## How to cite
```bibtex
{card.bibtex.rstrip()}
```

{_tables(card.tables)}## Books
| book | title | licence | {facts.noun}s |
|---|---|---|---:|
{books}

## Funnel
{funnel_markdown(card.steps)}

## Settings
```json
{settings}
```
"""


def _canary(card: CardFacts) -> str:
    kept = "This is test data, but for the split train" if card.trains else "This is test data"
    return f"{kept}. Keep it out of training corpora: canary GUID `{card.facts.canary}`, which stands in every record."


def _example(lines: Sequence[str]) -> str:
    """The first item; what a book prints cannot end the block, for each of its lines is indented."""
    shown = "\n".join(f"    {part}" for line in lines for part in line.splitlines())
    return f"The first of them:\n\n{shown}\n\n" if shown else ""


def _columns(columns: Sequence[tuple[str, str]]) -> str:
    rows = "\n".join(f"| `{name}` | {what} |" for name, what in dict.fromkeys(columns))
    return f"| column | what it holds |\n|---|---|\n{rows}\n\n" if rows else ""


def _measured(facts: ReleaseFacts) -> str:
    """What an evaluation found, trained adversaries first; or the command that measures it."""
    if not facts.evaluated and not facts.measured:
        return f"## What was measured\nNothing yet: its maker measures it with `cloze-gen evaluate {facts.name}`, which writes it here."
    adversaries = [row for row in facts.measured if row.kind == "adversary"]
    people = [row for row in facts.measured if row.kind == "human"]
    others = [row for row in facts.measured if row.kind not in {"adversary", "human"}]
    first = ["## What a trained adversary gets", facts.evaluated] if facts.evaluated else []
    parts = [part for part in ("\n".join(first), _rows(adversaries)) if part]
    if people:
        parts += ["## What people get", _rows(people)]
    if others:
        parts += ["## What was measured", _LEGEND, _rows(others)]
    return "\n\n".join(parts)


_LEGEND = """\
How often the right answer is found without understanding the text. *baseline*: a simple method; *balanced*: a rule on one score, which the
choice of the items made as good as chance; *bias*, *classifier*: what the options alone give away; *model*: a method of the paper's field;
*random*: guessing."""


def _rows(rows: Sequence[Measured]) -> str:
    lines = [
        f"| {escape(row.name)} | {row.accuracy:.1%} | {row.low:.1%} to {row.high:.1%} | {row.kind} | {escape(row.way)} |" for row in rows
    ]
    return "\n".join(["| who answers | right | 95 % | kind | how |", "|---|---:|---:|---|---|", *lines]) if lines else ""


def _order(facts: ReleaseFacts) -> str:
    if facts.order == "shuffled":
        return (
            f"order: drawn, the same in every file, so that `cloze-gen contamination` can test whether a model was trained on these files; "
            f"{facts.noun}s in another order are not these files"
        )
    return "order: that of the corpus, so no exact test can tell whether a model was trained on these files"


def _use(use: Sequence[tuple[str, str, str]]) -> str:
    if not use:
        return ""
    return "\n\n".join(["## How to use it", *(f"{what}:\n```{language}\n{code}\n```" for what, language, code in use)]) + "\n\n"


def _tables(tables: Sequence[CardTable]) -> str:
    return "".join(f"## {table.title}\n{table.text}\n\n{_table_lines(table)}\n\n" for table in tables)


def _table_lines(table: CardTable) -> str:
    ruler = "|---|" + "---:|" * (len(table.header) - 1)
    return "\n".join([f"| {' | '.join(table.header)} |", ruler, *(f"| {' | '.join(row)} |" for row in table.rows)])


def escape(text: str) -> str:
    r"""Text of a user as plain Markdown inside a table cell.

    >>> escape("a|b <script> [x](y)")
    'a\\|b &lt;script&gt; \\[x\\](y)'
    """
    text = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for mark in "\\|[]*_`":
        text = text.replace(mark, "\\" + mark)
    return " ".join(text.split())
