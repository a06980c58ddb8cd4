"""Results as rows of ``evaluation.json``, and as the two tables that a terminal shows: the paper's Tables 5 and 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from cloze_gen.evaluate.blanks.contexts import Context
from cloze_gen.evaluate.blanks.decoding import DECODERS, EXH
from cloze_gen.evaluate.blanks.results import BlankResult

Row = Mapping[str, Any]
_MEASURES = (("ba", 100, 2), ("pa", 100, 2), ("de", 1, 3))  # name, by how much it is multiplied, decimal places


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
    order = ["", *map(str, Context)]
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


def _main_table(rows: Sequence[Row]) -> list[str]:
    width = max([len("baseline"), *(len(row["name"]) for row in rows)])
    lines = [
        f"{'baseline':<{width}}  {'context':<7}  {'BA %':>6}  {'95 % interval':>15}  {'micro %':>7}  {'PA %':>6}  {'95 % interval':>15}  "
        f"{'DE':>6}  {'95 % interval':>15}"
    ]
    for row in rows:
        ba, pa, de = (f"{scale * row[name]:>6.{places}f}" for name, scale, places in _MEASURES)
        of_ba, of_pa, of_de = (
            f"{f'{scale * row[low]:.{places}f} - {scale * row[high]:.{places}f}':>15}"
            for low, high, (_, scale, places) in ((f"{one[0]}_low", f"{one[0]}_high", one) for one in _MEASURES)
        )
        micro = f"{100 * row['ba_micro']:>7.2f}"
        lines.append(f"{row['name']:<{width}}  {row['context'] or '-':<7}  {ba}  {of_ba}  {micro}  {pa}  {of_pa}  {de}  {of_de}")
    return lines


def _context_table(rows: Sequence[Row]) -> list[str]:
    """Nothing without a row from a context."""
    if not rows:
        return []
    cells = {(row["name"], row["decoder"], row["context"]): f"{100 * row['ba']:.1f}/{100 * row['pa']:.1f}" for row in rows}
    labels = {(name, decoder): f"{name} + {decoder}" for name in dict.fromkeys(row["name"] for row in rows) for decoder in DECODERS}
    width = max(len("BA/PA %"), *map(len, labels.values()))
    lines = ["", f"{'BA/PA %':<{width}}" + "".join(f"  {context:>11}" for context in Context)]
    for (name, decoder), label in labels.items():
        lines.append(f"{label:<{width}}" + "".join(f"  {cells.get((name, decoder, context), '-'):>11}" for context in Context))
    return lines
