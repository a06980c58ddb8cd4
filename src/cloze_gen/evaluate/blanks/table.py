"""Results as rows of ``evaluation.json``, and as the two tables that a terminal shows: the paper's Tables 5 and 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from cloze_gen.columns import table_lines
from cloze_gen.evaluate.blanks.contexts import CONTEXTS
from cloze_gen.evaluate.blanks.decoding import DECODERS, EXH
from cloze_gen.evaluate.blanks.results import BlankResult

Row = Mapping[str, Any]


def result_row(result: BlankResult) -> dict[str, Any]:
    """The row of ``evaluation.json``: shares of 1, distractors a passage, seconds to the millisecond."""
    row = result.baseline
    names = {"name": row.name, "kind": row.kind, "source": row.source, "context": result.context, "decoder": result.decoder}
    return names | asdict(result.metrics) | {"seconds": round(result.seconds, 3)}


def main_rows(rows: Sequence[Row]) -> list[Row]:
    """Of each baseline the row of the main table: from the widest context that it knows, all blanks answered together.

    >>> rows = [{"name": "lsa", "context": context, "decoder": decoder} for context in ("P", "AP+AN") for decoder in ("INC", "EXH")]
    >>> main_rows([{"name": "random", "context": "", "decoder": ""}, *rows])[1]
    {'name': 'lsa', 'context': 'AP+AN', 'decoder': 'EXH'}
    """
    order = ["", *CONTEXTS]
    widest: dict[str, Row] = {}
    for row in rows:
        if row["decoder"] in ("", EXH):
            other = widest.setdefault(row["name"], row)
            if order.index(row["context"]) > order.index(other["context"]):
                widest[row["name"]] = row
    return list(widest.values())


def table_text(rows: Sequence[Row], *, columns: int | None = None) -> str:
    """Both tables, one line a baseline in the first, one a decoder in the second; shares in percent.

    Args:
        rows: of ``evaluation.json``.
        columns: of the screen; None where nobody looks.
    """
    return "\n".join([*_main_table(main_rows(rows), columns), *_context_table([row for row in rows if row["context"]], columns)])


def people_text(row: Row, *, columns: int | None = None) -> str:
    """The row of people, by itself, and whose it is."""
    return "\n".join([*_main_table([row], columns, who="people"), str(row["note"])])


def candidates_text(record: Mapping[str, Any], *, columns: int | None = None) -> str:
    """What the candidates tell without their passage: a line a classifier, a line a rule; shares in percent.

    Args:
        record: `candidates` (of `candidate_classifier.judgement_record`) and `rules` (of `rules.rule_results`), or one of them.
    """
    lines: list[str] = []
    if "candidates" in record:
        told = record["candidates"]
        header = ["classifier of candidates alone", _measured("AUC"), "F1 %"]
        cells = [
            [f"{row['name']}, {row['sees']}", _measure(row, "auc", scale=1, places=3), f"{100 * row['f1']:.2f}"]
            for row in told["classifiers"]
        ]
        lines += ["", *table_lines(header, cells, columns, left=frozenset(header[:1]))]
        floor = f"to call all of them so has F1 {100 * told['always_distractor_f1']:.2f}"
        lines.append(f"{100 * told['distractors']:.2f} % of the candidates are distractors, the positive class; {floor}")
    if "rules" in record:
        header = ["rule of candidates alone", _measured("BA %"), "chance", "distractors %", "chance"]
        cells = [[row["name"], _measure(row, "ba", scale=100, places=2), *_chances(row)] for row in record["rules"]]
        lines += ["", *table_lines(header, cells, columns, left=frozenset(header[:1]))]
    return "\n".join(lines)


def _chances(row: Row) -> list[str]:
    """Chance of a rule's blank accuracy; the distractors it names and chance of that, `-` where it names none."""
    named = ["-", "-"] if row["distractors"] is None else [f"{100 * row[name]:.2f}" for name in ("distractors", "distractors_chance")]
    return [f"{100 * row['ba_chance']:.2f}", *named]


def _main_table(rows: Sequence[Row], columns: int | None, *, who: str = "baseline") -> list[str]:
    header = [who, "context", _measured("BA %"), "micro %", _measured("PA %"), _measured("DE")]
    cells = []
    for row in rows:
        ba, pa, de = (
            _measure(row, name, scale=scale, places=places) for name, scale, places in (("ba", 100, 2), ("pa", 100, 2), ("de", 1, 3))
        )
        cells.append([row["name"], row["context"] or "-", ba, f"{100 * row['ba_micro']:.2f}", pa, de])
    return table_lines(header, cells, columns, left=frozenset(header[:2]))


def _measured(name: str) -> str:
    """The head of a figure and its interval, which stand in one cell so that nothing parts them."""
    return f"{name:>6}  {'95 % interval':>15}"


def _measure(row: Row, name: str, *, scale: int, places: int) -> str:
    """A figure and its interval, 23 columns."""
    value, low, high = (f"{scale * row[f'{name}{end}']:.{places}f}" for end in ("", "_low", "_high"))
    interval = f"{low} - {high}"
    return f"{value:>6}  {interval:>15}"


def _context_table(rows: Sequence[Row], columns: int | None) -> list[str]:
    """Nothing without a row from a context."""
    if not rows:
        return []
    cells = {(row["name"], row["decoder"], row["context"]): f"{100 * row['ba']:.1f}/{100 * row['pa']:.1f}" for row in rows}
    labels = {(name, decoder): f"{name} + {decoder}" for name in dict.fromkeys(row["name"] for row in rows) for decoder in DECODERS}
    table = [[label, *(cells.get((*of, context), "-") for context in CONTEXTS)] for of, label in labels.items()]
    return ["", *table_lines(["BA/PA %", *CONTEXTS], table, columns, left=frozenset({"BA/PA %"}))]
