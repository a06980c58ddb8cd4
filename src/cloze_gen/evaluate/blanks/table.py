"""Results as rows of ``evaluation.json``, and as the two tables that a terminal shows: the paper's Tables 5 and 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

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


def table_text(rows: Sequence[Row]) -> str:
    """Both tables, one line a baseline in the first, one a decoder in the second; shares in percent.

    Args:
        rows: of ``evaluation.json``.
    """
    return "\n".join([*_main_table(main_rows(rows)), *_context_table([row for row in rows if row["context"]])])


def candidates_text(record: Mapping[str, Any]) -> str:
    """What the candidates tell without their passage: a line a classifier, a line a rule; shares in percent.

    Args:
        record: `candidates` (of `candidate_classifier.judgement_record`) and `rules` (of `rules.rule_results`), or one of them.
    """
    lines: list[str] = []
    if "candidates" in record:
        told = record["candidates"]
        lines += ["", f"{'classifier of candidates alone':<34}  {'AUC':>6}  {'95 % interval':>15}  {'F1 %':>6}"]
        for row in told["classifiers"]:
            label, area = f"{row['name']}, {row['sees']}", _measure(row, "auc", scale=1, places=3)
            lines.append(f"{label:<34}  {area}  {100 * row['f1']:>6.2f}")
        floor = f"to call all of them so has F1 {100 * told['always_distractor_f1']:.2f}"
        lines.append(f"{100 * told['distractors']:.2f} % of the candidates are distractors, the positive class; {floor}")
    if "rules" in record:
        lines += [
            "",
            f"{'rule of candidates alone':<27}  {'BA %':>6}  {'95 % interval':>15}  {'chance':>6}  {'distractors %':>13}  {'chance':>6}",
        ]
        for row in record["rules"]:
            named = (
                ["-", "-"] if row["distractors"] is None else [f"{100 * row[name]:.2f}" for name in ("distractors", "distractors_chance")]
            )
            ba, chance = _measure(row, "ba", scale=100, places=2), f"{100 * row['ba_chance']:>6.2f}"
            lines.append(f"{row['name']:<27}  {ba}  {chance}  {named[0]:>13}  {named[1]:>6}")
    return "\n".join(lines)


def _main_table(rows: Sequence[Row]) -> list[str]:
    width = max([len("baseline"), *(len(row["name"]) for row in rows)])
    interval = f"{'95 % interval':>15}"
    lines = [f"{'baseline':<{width}}  context  {'BA %':>6}  {interval}  micro %  {'PA %':>6}  {interval}  {'DE':>6}  {interval}"]
    for row in rows:
        ba, pa, de = (
            _measure(row, name, scale=scale, places=places) for name, scale, places in (("ba", 100, 2), ("pa", 100, 2), ("de", 1, 3))
        )
        lines.append(f"{row['name']:<{width}}  {row['context'] or '-':<7}  {ba}  {100 * row['ba_micro']:>7.2f}  {pa}  {de}")
    return lines


def _measure(row: Row, name: str, *, scale: int, places: int) -> str:
    """A figure and its interval, 23 columns."""
    value, low, high = (f"{scale * row[f'{name}{end}']:.{places}f}" for end in ("", "_low", "_high"))
    interval = f"{low} - {high}"
    return f"{value:>6}  {interval:>15}"


def _context_table(rows: Sequence[Row]) -> list[str]:
    """Nothing without a row from a context."""
    if not rows:
        return []
    cells = {(row["name"], row["decoder"], row["context"]): f"{100 * row['ba']:.1f}/{100 * row['pa']:.1f}" for row in rows}
    labels = {(name, decoder): f"{name} + {decoder}" for name in dict.fromkeys(row["name"] for row in rows) for decoder in DECODERS}
    width = max(len("BA/PA %"), *map(len, labels.values()))
    lines = ["", f"{'BA/PA %':<{width}}" + "".join(f"  {context:>11}" for context in CONTEXTS)]
    for (name, decoder), label in labels.items():
        lines.append(f"{label:<{width}}" + "".join(f"  {cells.get((name, decoder, context), '-'):>11}" for context in CONTEXTS))
    return lines
