"""The dataset card: a Markdown file whose head `datasets.load_dataset` reads, so that a release opens without a script."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cloze_gen.report.funnel import FunnelStep, funnel_markdown


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What a card says.

    Attributes:
        style: title of the style, e.g. ``Holmes-style``.
        source_line: the paper behind the style.
        notes: statements a user must know (how it was groomed, leaks kept, tagger off), one line each.
        books: (book id, title or empty, questions) of each source book.
        has_candidates: the release holds `candidates.jsonl`.
    """

    name: str
    style: str
    source_line: str
    signature: str
    n_questions: int
    n_wanted: int
    n_options: int
    books: Sequence[tuple[str, str, int]]
    notes: Sequence[str]
    steps: Sequence[FunnelStep]
    settings: Mapping[str, Any]
    positions: Sequence[int]
    has_candidates: bool = True


def dataset_card(facts: CardFacts) -> str:
    """The card's text. Titles of books are user data: they are escaped for Markdown."""
    head = "\n".join(
        [
            "---",
            "configs:",
            "- config_name: default",
            "  data_files:",
            "  - split: test",
            "    path: questions.jsonl",
            "task_categories:",
            "- multiple-choice",
            "language:",
            "- en",
            "---",
        ]
    )
    short = "" if facts.n_questions >= facts.n_wanted else f" ({facts.n_wanted:,} were wanted; the funnel below says where the rest went)"
    books = "\n".join(f"| {escape(book)} | {escape(title)} | {count:,} |" for book, title, count in facts.books)
    candidates = ""
    if facts.has_candidates:
        candidates = "- `candidates.jsonl`: the retained candidates of every question with the grooming decisions, for human groomers.\n"
    positions = ", ".join(f"{chr(97 + i)} {count}" for i, count in enumerate(facts.positions))
    notes = "\n".join(f"- {note}" for note in facts.notes)
    settings = json.dumps(facts.settings, indent=2, sort_keys=True, ensure_ascii=False)
    return f"""{head}

# {facts.name}

{facts.n_questions:,} {facts.style} cloze questions of {facts.n_options} options each{short}, after {facts.source_line}

Signature: `{facts.signature}`

Quote the signature with every score: it names the version, the books, the model and the seed.

## What to know
{notes}

## Files
- `questions.jsonl`: every question with its provenance (book, character span in the decoded raw file, sentence) and all scores.
{candidates}- the published formats beside them; `SHA256SUMS` covers every file.

The answer stands at each position equally often: {positions}.

## Books
| book | title | questions |
|---|---|---:|
{books}

## Funnel
{funnel_markdown(facts.steps)}

## Settings
```json
{settings}
```
"""


def escape(text: str) -> str:
    r"""Text of a user as plain Markdown inside a table cell.

    >>> escape("a|b <script> [x](y)")
    'a\\|b &lt;script&gt; \\[x\\](y)'
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for mark in "\\|[]*_`":
        text = text.replace(mark, "\\" + mark)
    return " ".join(text.split())
