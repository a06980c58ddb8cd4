"""How a study stands, in lines for the person who leads it."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator

from cloze_gen.columns import table_lines
from cloze_gen.records.judgement import Role
from cloze_gen.studies.standing import Standing
from cloze_gen.studies.study import Study

_OPEN = "open"


def standing_lines(study: Study) -> Iterator[str]:
    """Items by what became of them, and a row a judge."""
    standing, facts = study.standing(), study.facts
    yield f"study      {facts.name}: {facts.task}, {facts.style} {facts.run}; {len(standing.cases):,} items"
    for name, count in sorted(Counter(standing.rule.outcome(case) or _OPEN for case in standing.cases.values()).items()):
        yield f"  {count:>8,}  {name}"
    if standing.decided:
        yield f"  {len(standing.decided):>8,}  adjudicated"
    yield ""
    header = ["judge", "role", "dealt", "answered", "due", "median s", "hours"]
    yield from table_lines(header, [_row(standing, name) for name in standing.judges], None, left=frozenset({"judge", "role"}))


def seconds_by_judge(standing: Standing) -> dict[str, list[float]]:
    """Person or machine -> seconds of every verdict that was timed."""
    found: dict[str, list[float]] = {name: [] for name in standing.judges}
    for assignment, verdict in standing.verdicts.items():
        if verdict.seconds:
            found[standing.by_id[assignment].judge].append(verdict.seconds)
    return found


def cost_lines(study: Study, *, usd_per_hour: float | None) -> Iterator[str]:
    """What judging has cost in hours, and what the rest will, at the median pace of the people so far.

    Args:
        usd_per_hour: pay; None: hours alone.
    """
    standing = study.standing()
    times = [time for name, took in seconds_by_judge(standing).items() if standing.judges[name].role is not Role.MACHINE for time in took]
    wanted = sum(standing.rule.wanted(case)[1] + len(case.asked) for case in standing.cases.values())
    rows = [_cost_row("so far", len(times), sum(times), usd_per_hour)]
    if times:
        rows.append(_cost_row("left, at least", wanted, wanted * statistics.median(times), usd_per_hour))
    header = ["", "verdicts", "hours", *(["usd"] if usd_per_hour is not None else [])]
    yield from table_lines(header, rows, None, left=frozenset({""}))
    if not times:
        yield f"{wanted:,} verdicts are wanted now. Nobody has been timed yet, so nothing can be said of hours."


def _cost_row(name: str, verdicts: int, seconds: float, usd_per_hour: float | None) -> list[str]:
    hours = seconds / 3600
    return [name, f"{verdicts:,}", f"{hours:,.2f}", *([f"{hours * usd_per_hour:,.2f}"] if usd_per_hour is not None else [])]


def _row(standing: Standing, name: str) -> list[str]:
    mine = standing.of_judge.get(name, [])
    took = seconds_by_judge(standing)[name]
    answered = sum(one.id in standing.verdicts for one in mine)
    median = f"{statistics.median(took):.0f}" if took else "-"
    return [name, str(standing.judges[name].role), f"{len(mine):,}", f"{answered:,}", f"{len(standing.due(name)):,}", median,
            f"{sum(took) / 3600:.2f}"]  # fmt: skip
