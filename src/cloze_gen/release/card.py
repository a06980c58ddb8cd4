"""The dataset card: a Markdown file whose YAML head `datasets.load_dataset` and the hub read.

Source: huggingface/hub-docs, `datasetcard.md` (keys), `repositories-licenses` (licences).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cloze_gen.formats.licences import SetLicence
from cloze_gen.parsing import one_line
from cloze_gen.records.rejection import FunnelStep, funnel_markdown
from cloze_gen.records.release_facts import Measured, ReleaseFacts

_ESCAPED_PIPE = r"\|"  # inside a Markdown table
_SIZES = (
    *((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K")),
    *((1_000_000, "100K<n<1M"), (10_000_000, "1M<n<10M"), (100_000_000, "10M<n<100M")),
)


def card_head(
    facts: ReleaseFacts,
    licence: SetLicence,
    configs: Mapping[str, Mapping[str, str]],
    *,
    rows: int,
    task: str,
) -> str:
    """The YAML head, ``---`` lines included; `task` is the hub's, e.g. ``multiple-choice``.

    `configs`: config -> split -> Parquet file. Without any, as in a release of pointers, the hub
    shows no rows.
    """
    fields: dict[str, Any] = {"license": licence.hub_id}
    if licence.hub_id == "other":
        fields["license_name"] = licence.name
        if licence.url:
            fields["license_link"] = licence.url
    fields |= {
        "language": ["en"],
        "pretty_name": one_line(f"{facts.name} ({facts.title})"),
        "task_categories": [task],
        "tags": ["cloze", "sentence-completion", facts.style, "cloze-gen"],
    }
    if configs:
        fields["size_categories"] = [size_category(rows)]
        fields["configs"] = [_config(config, files) for config, files in configs.items()]
    else:
        fields["viewer"] = False
    # A value of JSON is one of YAML if its strings are printable.
    lines = (f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items())
    return "\n".join(["---", *lines, "---"])


def size_category(rows: int) -> str:
    return next((name for below, name in _SIZES if rows < below), "100M<n<1B")


def _config(config: str, files: Mapping[str, str]) -> dict[str, Any]:
    data_files = [{"split": split, "path": path} for split, path in files.items()]
    default = {"default": True} if config == "default" else {}
    return {"config_name": config, "data_files": data_files, **default}


@dataclass(frozen=True, slots=True)
class CardTable:
    title: str
    text: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFacts:
    """The parts of a card that are not facts of the release.

    Attributes:
        described: e.g. ``cloze questions of 5 options each``.
        use: (purpose, language of the code, code).
        per_book: book -> items of the set, without those of a control set.
        without_text: of a release of pointers.
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
    legends: Mapping[str, str] = field(default_factory=dict)
    tables: Sequence[CardTable] = ()
    has_train_split: bool = False
    without_text: bool = False


def dataset_card(card: CardFacts) -> str:
    """The card's text. Titles of books and the user's data are escaped for Markdown."""
    facts = card.facts
    shortfall = (
        ""
        if facts.n_items >= facts.n_wanted
        else f" The run requested {facts.n_wanted:,}; the funnel below shows why there are fewer."
    )
    rows = [
        (book.book_id, book.title, book.license or "unknown", card.per_book.get(book.book_id, 0))
        for book in facts.item_books
    ]
    books = "\n".join(
        f"| {escape(book)} | {escape(title)} | {escape(licence)} | {count:,} |"
        for book, title, licence, count in rows
    )
    settings = json.dumps(facts.settings, indent=2, sort_keys=True, ensure_ascii=False)
    return f"""{card.head}

# {facts.name}

{facts.n_items:,} {facts.title} {card.described}, after {facts.paper}{shortfall}

{_WITHOUT_TEXT if card.without_text else ""}{_verdict(facts.verdict)}Signature: `{facts.signature}`

Report this signature with every score. It identifies the version, the books, the model, the seed and the items.

{_canary(card)}

{_example(card.example)}{_measured(facts)}

## Notes
{chr(10).join(f"- {one_line(note)}" for note in [*card.notes, _order(facts)])}

{_use(card.use)}## Files
{chr(10).join(f"- `{name}`: {text}" for name, text in card.files)}

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
{funnel_markdown(card.steps, card.legends)}

## Settings
```json
{settings}
```
"""


_WITHOUT_TEXT = """\
**This release contains no text of the books.** You cannot load or evaluate it as it is. It gives the
positions of every item in the books. If you have the same book files, `cloze-gen fill` rebuilds the
full release.

A text is a list of positions in the text of its span. `[0, 130]` means characters 0 to 130.
`[0, 4, "-", 5, 9]` means two slices with an added character between them. The text of a span is the
characters `start` to `end` of the decoded file, with lines unwrapped and typists' marks removed.
Several spans are joined as lines.

"""


def _verdict(lines: Sequence[str]) -> str:
    """The verdict as a list; red has no form in Markdown, so a notice is bold."""
    rows = [f"- {_named(line)}" for line in lines]
    return "\n".join(["## Verdict", *rows, "", ""]) if rows else ""


def _named(line: str) -> str:
    line = one_line(line).replace("<", "&lt;")  # a release of others may hold anything
    name, _, rest = line.partition(": ")
    return f"**{line}**" if name in {"verdict", "notice"} else f"*{name}*: {rest}"


def _canary(card: CardFacts) -> str:
    data = (
        "All splits except `train` are test data. Do not train on them."
        if card.has_train_split
        else "This is test data. Do not train on it."
    )
    return (
        f"{data} Every record contains the canary GUID `{card.facts.canary}`. "
        f"Use it to filter the set out of training corpora."
    )


def _example(lines: Sequence[str]) -> str:
    """The first item, indented so that a book's text cannot end the block."""
    block = "\n".join(f"    {part}" for line in lines for part in line.splitlines())
    return f"The first item:\n\n{block}\n\n" if block else ""


def _columns(columns: Sequence[tuple[str, str]]) -> str:
    rows = "\n".join(
        f"| `{name}` | {text.replace('|', _ESCAPED_PIPE)} |"
        for name, text in dict.fromkeys(columns)
    )
    return f"| column | content |\n|---|---|\n{rows}\n\n" if rows else ""


def _measured(facts: ReleaseFacts) -> str:
    if not facts.evaluated and not facts.measured:
        return (
            "## Evaluation\nNot evaluated yet. The author of the set can run "
            f"`cloze-gen evaluate {facts.name}`, which writes the results here."
        )
    adversaries = [row for row in facts.measured if row.kind == "adversary"]
    people = [row for row in facts.measured if row.kind == "human"]
    others = [row for row in facts.measured if row.kind not in {"adversary", "human"}]
    first = ["## Trained adversaries", facts.evaluated] if facts.evaluated else []
    parts = [part for part in ("\n".join(first), _rows(adversaries)) if part]
    if people:
        parts += ["## Human accuracy", _rows(people)]
    if others:
        parts += ["## Evaluation", _legend(others), _rows(others)]
    return "\n\n".join(parts)


_KINDS = {
    "baseline": "a simple method",
    "balanced": "a rule on one score; the items were selected so that it is near chance",
    "bias": "a rule on the options alone",
    "model": "a method from the paper or its literature",
    "rule": "a rule without a trained model",
    "surface": "a method on surface features of the text",
    "random": "guessing",
    "user": "scores of a model, given to `cloze-gen evaluate`",
}


def _legend(rows: Sequence[Measured]) -> str:
    kinds = {row.kind for row in rows}
    lines = (f"- *{kind}*: {text}" for kind, text in _KINDS.items() if kind in kinds)
    return "\n".join(["Accuracy of methods that answer the items. Kinds of methods:", "", *lines])


def _rows(rows: Sequence[Measured]) -> str:
    lines = [
        f"| {escape(row.name)} | {row.accuracy:.1%} | {row.low:.1%} to {row.high:.1%} | "
        f"{row.kind} | {escape(row.method)} |"
        for row in rows
    ]
    return (
        "\n".join(
            [
                "| method | accuracy | 95 % interval | kind | details |",
                "|---|---:|---:|---|---|",
                *lines,
            ]
        )
        if lines
        else ""
    )


def _order(facts: ReleaseFacts) -> str:
    if facts.order == "shuffled":
        return (
            f"order: the {facts.noun}s are shuffled, in the same order in every file. Keep this "
            "order: `cloze-gen contamination` uses it to test whether a model was trained on "
            "these files"
        )
    return (
        f"order: the {facts.noun}s are in corpus order, so `cloze-gen contamination` cannot test "
        "whether a model was trained on these files"
    )


def _use(use: Sequence[tuple[str, str, str]]) -> str:
    if not use:
        return ""
    return (
        "\n\n".join(
            [
                "## How to use it",
                *(f"{title}:\n```{language}\n{code}\n```" for title, language, code in use),
            ]
        )
        + "\n\n"
    )


def _tables(tables: Sequence[CardTable]) -> str:
    return "".join(
        f"## {table.title}\n{table.text}\n\n{_table_lines(table)}\n\n" for table in tables
    )


def _table_lines(table: CardTable) -> str:
    ruler = "|---|" + "---:|" * (len(table.header) - 1)
    return "\n".join(
        [
            f"| {' | '.join(table.header)} |",
            ruler,
            *(f"| {' | '.join(row)} |" for row in table.rows),
        ]
    )


def escape(text: str) -> str:
    r"""A user's text as plain Markdown inside a table cell.

    >>> escape("a|b <script> [x](y)")
    'a\\|b &lt;script&gt; \\[x\\](y)'
    """
    text = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for mark in "\\|[]*_`":
        text = text.replace(mark, "\\" + mark)
    return " ".join(text.split())
