"""The dataset card: a Markdown file whose head `datasets.load_dataset` reads, so that a release opens without a script."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cloze_gen.report.data import Evaluation
from cloze_gen.report.funnel import FunnelStep, funnel_markdown

_ADVERSARY = "## What a trained adversary gets"


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
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What a card says.

    Attributes:
        style: title of the style, e.g. ``Holmes-style``.
        source_line: the paper behind the style.
        notes: statements a user must know (how it was groomed, leaks kept, tagger off), one line each.
        described: what each item is, e.g. ``cloze questions of 5 options each``.
        balance: how evenly what could be guessed is spread, a sentence.
        noun: of one item.
        books: (book id, title or empty, items) of each book that items are drawn from.
        task: as the hub of `datasets` calls it, e.g. ``multiple-choice``.
        splits: config -> split -> the file that holds it, as `datasets.load_dataset` finds them; the config ``default`` first.
        measured: a section on what was measured of the items (`adversary_section`); empty: none.
        features: column of these files -> its type, ``string`` or ``list: string``; empty: `datasets` finds out by itself.
        files: (name, what it is) of what else was released, as far as the card tells of it.
        tables: of the style's own.
    """

    name: str
    style: str
    source_line: str
    signature: str
    n_items: int
    n_wanted: int
    described: str
    balance: str
    items_file: str
    noun: str
    books: Sequence[tuple[str, str, int]]
    notes: Sequence[str]
    steps: Sequence[FunnelStep]
    settings: Mapping[str, Any]
    task: str
    splits: Mapping[str, Mapping[str, str]]
    files: Sequence[tuple[str, str]] = ()
    tables: Sequence[CardTable] = ()
    measured: str = ""
    features: Mapping[str, str] = field(default_factory=dict)


def dataset_card(facts: CardFacts) -> str:
    """The card's text. Titles of books are user data: they are escaped for Markdown."""
    configs = [line for config, files in facts.splits.items() for line in _config_lines(config, files)]
    task = ["task_categories:", f"- {facts.task}", "language:", "- en"]
    head = "\n".join(["---", "configs:", *configs, *_feature_lines(facts.features), *task, "---"])
    short = "" if facts.n_items >= facts.n_wanted else f" ({facts.n_wanted:,} were wanted; the funnel below says where the rest went)"
    books = "\n".join(f"| {escape(book)} | {escape(title)} | {count:,} |" for book, title, count in facts.books)
    files = "".join(f"- `{name}`: {what}\n" for name, what in facts.files)
    notes = "\n".join(f"- {note}" for note in facts.notes)
    tables = "".join(f"## {table.title}\n{table.text}\n\n{_table_lines(table)}\n\n" for table in facts.tables)
    measured = f"{facts.measured}\n\n" if facts.measured else ""
    settings = json.dumps(facts.settings, indent=2, sort_keys=True, ensure_ascii=False)
    return f"""{head}

# {facts.name}

{facts.n_items:,} {facts.style} {facts.described}{short}, after {facts.source_line}

Signature: `{facts.signature}`

Quote the signature with every score: it names the version, the books, the model and the seed.

{measured}## What to know
{notes}

## Files
- `{facts.items_file}`: every {facts.noun} with its provenance (book, character span in the decoded raw file, sentence) and all scores.
{files}- the published formats beside them; `SHA256SUMS` covers every file.

{facts.balance}

{tables}## Books
| book | title | {facts.noun}s |
|---|---|---:|
{books}

## Funnel
{funnel_markdown(facts.steps)}

## Settings
```json
{settings}
```
"""


def adversary_section(name: str, evaluation: Evaluation | None) -> str:
    """What a trained adversary gets, or the command that measures it: a section of a card of questions.

    Args:
        name: of the run.
    """
    if evaluation is None:
        return f"{_ADVERSARY}\nNot measured yet: `cloze-gen evaluate {name}` measures it and writes it here."
    rows = [(row.name, row.accuracy, row.low, row.high, row.way) for row in evaluation.of_kind("adversary")]
    lines = [f"| {row} | {accuracy:.1%} | {low:.1%} to {high:.1%} | {way} |" for row, accuracy, low, high, way in rows]
    table = ["", "| adversary | right | 95 % | classifier |", "|---|---:|---:|---|", *lines] if rows else []
    return "\n".join([_ADVERSARY, evaluation.adversaries, *table])


def with_adversaries(card: str, section: str) -> str:
    """A card with this section in place of the one that it has; a card without one is left."""
    return re.sub(rf"^{_ADVERSARY}\n.*?(?=\n\n## )", lambda _: section, card, count=1, flags=re.DOTALL | re.MULTILINE)


def _config_lines(config: str, files: Mapping[str, str]) -> list[str]:
    lines = [f"- config_name: {config}", "  data_files:"]
    return lines + [line for split, file in files.items() for line in (f"  - split: {split}", f"    path: {file}")]


def _table_lines(table: CardTable) -> str:
    ruler = "|---|" + "---:|" * (len(table.header) - 1)
    return "\n".join([f"| {' | '.join(table.header)} |", ruler, *(f"| {' | '.join(row)} |" for row in table.rows)])


def _feature_lines(features: Mapping[str, str]) -> list[str]:
    kinds = {name: kind if ":" in kind else f"dtype: {kind}" for name, kind in features.items()}
    lines = [line for name, kind in kinds.items() for line in (f"  - name: {name}", f"    {kind}")]
    return ["dataset_info:", "- config_name: default", "  features:", *lines] if lines else []


def escape(text: str) -> str:
    r"""Text of a user as plain Markdown inside a table cell.

    >>> escape("a|b <script> [x](y)")
    'a\\|b &lt;script&gt; \\[x\\](y)'
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for mark in "\\|[]*_`":
        text = text.replace(mark, "\\" + mark)
    return " ".join(text.split())
