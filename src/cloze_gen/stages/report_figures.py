"""Figures of a run's artifacts as the report shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cloze_gen.records.question import Question
from cloze_gen.report.data import AuditTable
from cloze_gen.stages.corpus.book_table import kept_books
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.style import Style
from cloze_gen.store.artifacts import Artifact

# Columns of the books' tables that speak of our own files, not of the book.
_OWN_COLUMNS = frozenset({"folder"})


def funnel_levels(artifacts: Mapping[str, Artifact], style: Style) -> list[tuple[str, int]]:
    """(what, count) at each level of the side that items are drawn from: what a stage kept, and the figures that tell its size."""
    levels = []
    ingest, corpus = f"ingest {style.drawn_from}", f"corpus {style.drawn_from}"
    named = {corpus: "books kept", **style.levels}
    for label, artifact in artifacts.items():
        if label == ingest:
            levels.append(("books", artifact.funnel["seen"]))
        if label not in named:
            continue
        candidates = artifact.facts.get("candidates_funnel")
        if candidates:
            levels += [(candidates["unit"], candidates["seen"]), (f"fit {candidates['unit']}", candidates["kept"])]
        levels.append((named[label], int(artifact.funnel["kept"] if artifact.funnel else artifact.facts[label])))
        if label == corpus:
            levels.append(("sentences", sum(int(row.get("sentences") or 0) for row in kept_books(artifact))))
    return levels


def option_freqs(
    questions: Sequence[Question], records: Sequence[Mapping[str, Any]], counts: Artifact | None
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Frequencies of all answers and of all impostors: as the records tell, or looked up in the counts; empty without either."""
    told = {(record["id"], row["word"]): row["freq"] for record in records for row in record.get("option_scores") or [] if "freq" in row}
    known: dict[str, float] = {}
    if not all((question.id, option) in told for question in questions for option in question.options):
        if counts is None:
            return (), ()
        table = read_counts(counts)
        known = {word.casefold(): freq for word, freq in zip(table.words, table.freq.tolist(), strict=True)}
    freqs = [[told.get((question.id, option), known.get(option.casefold(), 0.0)) for option in question.options] for question in questions]
    answers = [row.pop(question.answer_index) for question, row in zip(questions, freqs, strict=True)]
    return tuple(answers), tuple(freq for row in freqs for freq in row)


def audit_table(side: str, rows: Sequence[Mapping[str, str]]) -> AuditTable:
    """The books of one side: id, file and outcome first, the long digest last, empty columns left out, dropped books on top."""
    first = ("book_id", "title", "author", "file", "status", "reason", "detail")
    names = dict.fromkeys([*first, *(name for row in rows for name in row if name != "digest"), "digest"])
    columns = tuple(name for name in names if name not in _OWN_COLUMNS and any(row.get(name) for row in rows))
    ordered = sorted(rows, key=lambda row: row["status"] == "kept")
    dropped = sum(row["status"] != "kept" for row in rows)
    return AuditTable(side, columns, tuple(tuple(row.get(name, "") for name in columns) for row in ordered), dropped)


def stage_figures(artifact: Artifact) -> str:
    """The manifest's figures in words: facts that are numbers or words, and rows of single files."""
    facts, files = sorted(artifact.facts.items()), sorted(artifact.manifest["files"].items())
    figures = [f"{name.replace('_', ' ')} {_number(value)}" for name, value in facts if isinstance(value, int | float | str)]
    return "; ".join(figures + [f"{file} {about['rows']:,} rows" for file, about in files if "rows" in about and "/" not in file])


def _number(value: float | str) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}" if isinstance(value, float) else value
