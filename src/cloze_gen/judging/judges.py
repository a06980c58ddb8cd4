"""Judge by judge: how much, how fast, how unlike the others, how attentive, how constant."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from cloze_gen.judging.ratings import Asked, Said
from cloze_gen.judging.resampling import middle, resampled_sums
from cloze_gen.judging.shares import Share
from cloze_gen.judging.tallies import Tally, is_as_instructed, repeat_tally, tally
from cloze_gen.records.judgement import Kind

_PURPOSE = "judging.bias"


@dataclass(frozen=True, slots=True)
class Bias:
    """By how much a judge's share is above that of the others, on items that at least one of them judged too.

    Attributes:
        value: mean over these items of (own share - mean of the others' shares), so between -1 and 1.
        low, high: 95 % bootstrap interval by item; None of fewer than two items.
        items: that were compared.
    """

    value: float
    low: float | None
    high: float | None
    items: int


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """What can be told of one judge.

    Attributes:
        verdicts: first ones.
        median_seconds: of those of them that were timed; None of none.
        shares: what is counted (`tallies.tally`) -> of the first verdicts.
        biases: the same, against the others; missing where no other judged the same items.
        attention: attention items answered as they told, of those answered.
        repeats: what is counted (`tallies.repeat_tally`) -> of items that came again.
    """

    judge: str
    verdicts: int
    median_seconds: float | None
    shares: Mapping[str, Share]
    biases: Mapping[str, Bias]
    attention: Share
    repeats: Mapping[str, Share]


def judge_rows(asked: Asked, said: Iterable[Said], *, judges: Collection[str], others: Collection[str], seed: int) -> list[JudgeRow]:
    """A row for each of `judges`, in the order of their names.

    Args:
        said: verdicts of all kinds, of all judges.
        others: whom a judge is held against, but never against the judge's own verdicts: the human judges, for people and machines alike.
        seed: of the bootstrap.

    >>> from cloze_gen.records.judgement import StudyItem, Task
    >>> asked = Asked(Task.GROOM, {item: StudyItem(item, (), {}, {}, "run") for item in "ij"}, str.__eq__)
    >>> rejects, keeps = {"rejected": "offensive", "note": ""}, {"picked": ["a", "b", "c", "d"]}
    >>> said = [Said(item, judge, Kind.FIRST, "", verdict, 5.0) for item in "ij" for judge, verdict in (("ann", rejects), ("bob", keeps))]
    >>> row = judge_rows(asked, said, judges=["ann", "bob"], others=["ann", "bob"], seed=1)[0]
    >>> row.shares, row.biases["rejected"]
    ({'rejected': Share(count=2, of=2)}, Bias(value=1.0, low=1.0, high=1.0, items=2))
    """
    known = list(said)
    tallies: dict[str, dict[tuple[str, str], Tally]] = {judge: {} for judge in sorted({*judges, *others})}
    for one in known:
        if one.kind is Kind.FIRST and one.judge in tallies:
            tallies[one.judge][one.item, one.condition] = tally(asked, one)
    totals = _totals(tallies[other] for other in sorted(set(others)))
    return [
        _row(asked, [one for one in known if one.judge == judge], tallies[judge], totals, judge in others, seed, judge)
        for judge in sorted(set(judges))
    ]


_Seen = Mapping[tuple[str, str], Tally]  # (item, condition) -> what the judge's verdict adds


def _row(asked: Asked, said: Sequence[Said], own: _Seen, totals: _Totals, is_other: bool, seed: int, judge: str) -> JudgeRow:
    first = [one for one in said if one.kind is Kind.FIRST]
    timed = [one.seconds for one in first if one.seconds]
    attention = [
        is_as_instructed(asked.task, asked.items[one.item].key["expected"], one.said) for one in said if one.kind is Kind.ATTENTION
    ]
    before = {(one.item, one.condition): one.said for one in first}
    repeats = [
        repeat_tally(asked.task, before[one.item, one.condition], one.said)
        for one in said
        if one.kind is Kind.REPEAT and (one.item, one.condition) in before
    ]
    return JudgeRow(
        judge,
        len(first),
        median(timed) if timed else None,
        _summed(own.values()),
        _biases(own, totals, is_other=is_other, seed=seed, judge=judge),
        Share(sum(attention), len(attention)),
        _summed(repeats),
    )


def _summed(tallies: Iterable[Tally]) -> dict[str, Share]:
    found: dict[str, tuple[int, int]] = {}
    for one in tallies:
        for name, (count, of) in one.items():
            before = found.get(name, (0, 0))
            found[name] = before[0] + count, before[1] + of
    return {name: Share(*both) for name, both in found.items()}


_Totals = Mapping[tuple[str, str, str], tuple[float, int]]  # (item, condition, name) -> sum of the others' shares, how many others


def _totals(tallies: Iterable[_Seen]) -> _Totals:
    found: dict[tuple[str, str, str], tuple[float, int]] = {}
    for seen in tallies:
        for place, one in seen.items():
            for name, (count, of) in one.items():
                total, n = found.get((*place, name), (0.0, 0))
                found[*place, name] = total + count / of, n + 1
    return found


def _biases(own: _Seen, totals: _Totals, *, is_other: bool, seed: int, judge: str) -> dict[str, Bias]:
    differences: dict[str, list[float]] = {}
    for place in sorted(own):
        for name, (count, of) in own[place].items():
            total, n = totals.get((*place, name), (0.0, 0))
            if is_other:  # then the judge's own share is in the total
                total, n = total - count / of, n - 1
            if n:
                differences.setdefault(name, []).append(count / of - total / n)
    found = {}
    for name, values in differences.items():
        column = np.array(values)[:, None]
        drawn = resampled_sums(column, seed=seed, purpose=_PURPOSE, record_id=judge)[:, 0] / len(values) if len(values) > 1 else None
        low, high = (None if drawn is None else middle(drawn)) or (None, None)
        found[name] = Bias(float(column.mean()), low, high, len(values))
    return found
