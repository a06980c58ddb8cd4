"""All measures of a study's judges. People and model annotators are kept apart."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from cloze_gen.errors import FormatError
from cloze_gen.judging.agreement import (
    Alpha,
    Kappa,
    Ratings,
    Unit,
    krippendorff_alpha,
    middle,
    pairwise_kappas,
    resampled_sums,
)
from cloze_gen.judging.error_rates import ErrorRates, error_rates
from cloze_gen.judging.tasks import TASKS
from cloze_gen.judging.tasks.task import (
    IsRight,
    Judged,
    JudgingTask,
    Tally,
    Values,
    VerdictsByJudge,
)
from cloze_gen.parsing import quote
from cloze_gen.records.judgement import Kind, StudyItem, Task

_PURPOSE = "judging.bias"


@dataclass(frozen=True, slots=True)
class Annotation:
    """The latest verdict of one assignment; `seconds` is 0 if it was not timed."""

    item: str
    judge: str
    kind: Kind
    condition: str
    response: Mapping[str, Any]
    seconds: float


@dataclass(frozen=True, slots=True)
class Annotated:
    """The items of a study, including attention items."""

    task: Task
    items: Mapping[str, StudyItem]
    is_right: IsRight

    @property
    def judging(self) -> JudgingTask:
        return TASKS[self.task]

    def judged(self, one: Annotation) -> Judged:
        item = self.items[one.item]
        return Judged(one.response, item.shown, item.key, one.condition, self.is_right)


@dataclass(frozen=True, slots=True)
class Share:
    """
    >>> Share(1, 4).value, Share(0, 0).value
    (0.25, None)
    """

    count: int
    of: int

    @property
    def value(self) -> float | None:
        return self.count / self.of if self.of else None

    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % score interval (1927); None if `of` is 0.

        >>> low, high = Share(189, 520).interval()
        >>> round(low, 4), round(high, 4)
        (0.3233, 0.4057)
        """
        if not self.of:
            return None
        from scipy.stats import binomtest  # slow to import

        found = binomtest(self.count, self.of).proportion_ci(method="wilson")
        return float(found.low), float(found.high)


@dataclass(frozen=True, slots=True)
class Bias:
    """A judge's share minus that of the others, mean over common items, -1 to 1.

    `low` and `high`: 95 % bootstrap interval by item; None with fewer than two items.
    """

    value: float
    low: float | None
    high: float | None
    items: int


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One judge. `shares` are over first verdicts, `repeats` over items shown twice."""

    judge: str
    verdicts: int
    median_seconds: float | None
    shares: Mapping[str, Share]
    biases: Mapping[str, Bias]
    attention: Share
    repeats: Mapping[str, Share]


@dataclass(frozen=True, slots=True, eq=False)
class StudyAgreement:
    """All fields except the last two are about people. Mappings are by question by default.

    Attributes:
        judges, verdicts, items: counts of first verdicts.
        error_rates: missing if the interval of alpha is not above 0.
        open_items: item -> why an adjudicator should decide it; without decided items.
        machine_kappas: kappa of each model (`one`) with each judge.
    """

    task: Task
    judges: int
    verdicts: int
    items: int
    alphas: Mapping[str, Alpha]
    kappas: Mapping[str, Sequence[Kappa]]
    error_rates: Mapping[str, ErrorRates]
    rows: Sequence[JudgeRow]
    open_items: Mapping[str, str]
    adjudicated: int
    machine_rows: Sequence[JudgeRow]
    machine_kappas: Mapping[str, Sequence[Kappa]]

    @property
    def alpha(self) -> float | None:
        return self.alphas[TASKS[self.task].main_question].value


def measure_agreement(
    study_items: Annotated,
    annotations: Iterable[Annotation],
    *,
    machines: Collection[str],
    seed: int,
    counted: Sequence[Annotation] | None = None,
) -> StudyAgreement:
    """All measures, from the latest verdicts of all kinds; `machines` are names of judges.

    `counted`: the verdicts of machines that count, if these are not their first ones.
    """
    known = list(annotations)
    first = first_verdicts(known, machines=machines)
    people = sorted({one.judge for one in first})
    ratings = ratings_of(study_items, first)
    adjudicated = {
        one.item for one in known if one.kind is Kind.ADJUDICATION and one.judge not in machines
    }
    by_people = {
        item: responses for item, responses in by_item(first).items() if item not in adjudicated
    }
    alphas = {
        question: krippendorff_alpha(units, seed=seed, record_id=question)
        for question, units in ratings.items()
    }
    estimates = {
        question: error_rates(ratings[question], seed=seed, record_id=question)
        for question in study_items.judging.questions_with_error_rates
        if (alphas[question].low or 0) > 0
    }
    present = sorted({one.judge for one in known} & set(machines))
    with_machines = first_verdicts(known) if counted is None else [*first, *counted]
    return StudyAgreement(
        task=study_items.task,
        judges=len(people),
        verdicts=len(first),
        items=len({one.item for one in first}),
        alphas=alphas,
        kappas={question: pairwise_kappas(units) for question, units in ratings.items()},
        error_rates={question: rates for question, rates in estimates.items() if rates is not None},
        rows=judge_rows(study_items, known, judges=people, others=people, seed=seed),
        open_items=study_items.judging.open_items(by_people),
        adjudicated=len(adjudicated),
        machine_rows=judge_rows(
            study_items, known, judges=present, others=people, seed=seed, counted=with_machines
        ),
        machine_kappas=_machine_kappas(study_items, with_machines, present) if present else {},
    )


def first_verdicts(
    annotations: Iterable[Annotation], *, machines: Collection[str] = ()
) -> list[Annotation]:
    """First verdicts of people: no repeat, attention item or adjudication.

    >>> by_ann, by_model = (Annotation("i", judge, Kind.FIRST, "", {}, 1.0)
    ...     for judge in ("ann", "model"))
    >>> first_verdicts([by_ann, by_model, Annotation("j", "ann", Kind.REPEAT, "", {}, 1.0)],
    ...     machines={"model"}) == [by_ann]
    True
    """
    return [one for one in annotations if one.kind is Kind.FIRST and one.judge not in machines]


def by_item(annotations: Iterable[Annotation]) -> dict[str, VerdictsByJudge]:
    found: dict[str, dict[str, Values]] = {}
    for one in annotations:
        found.setdefault(one.item, {})[one.judge] = one.response
    return dict(found)


def ratings_of(study_items: Annotated, annotations: Iterable[Annotation]) -> dict[str, Ratings]:
    """Question -> ratings of its units, from `first_verdicts`.

    >>> study_items = Annotated(Task.GROOM, {"i": StudyItem("i", (), {"candidates": ["ran", "saw"]}, {},
    ...     "run")}, str.__eq__)
    >>> found = ratings_of(study_items, [Annotation("i", "ann", Kind.FIRST, "", {"picked": ["saw"]},
    ...     2.0)])
    >>> found["kept"], found["picked"]
    ({('i',): {'ann': 'kept'}}, {('i', 'ran'): {'ann': 'left'}, ('i', 'saw'): {'ann': 'picked'}})
    """
    found: dict[str, dict[Unit, dict[str, str]]] = {
        question: {} for question in study_items.judging.questions
    }
    for one in annotations:
        for question, part, label in study_items.judging.ratings(study_items.judged(one)):
            found[question].setdefault((one.item, *part), {})[one.judge] = label
    return dict(found)


def judge_rows(
    study_items: Annotated,
    annotations: Iterable[Annotation],
    *,
    judges: Collection[str],
    others: Collection[str],
    seed: int,
    counted: Iterable[Annotation] | None = None,
) -> list[JudgeRow]:
    """A row for each of `judges`, compared with the `others`; `counted`: for the shares.

    >>> study_items = Annotated(Task.GROOM, {item: StudyItem(item, (), {}, {}, "run") for item in "ij"},
    ...     str.__eq__)
    >>> rejects, keeps = {"rejected": "offensive", "note": ""}, {"picked": ["a", "b", "c", "d"]}
    >>> annotations = [Annotation(item, judge, Kind.FIRST, "", verdict, 5.0) for item in "ij"
    ...     for judge, verdict in (("ann", rejects), ("bob", keeps))]
    >>> row = judge_rows(study_items, annotations, judges=["ann", "bob"], others=["ann", "bob"],
    ...     seed=1)[0]
    >>> row.shares, row.biases["rejected"]
    ({'rejected': Share(count=2, of=2)}, Bias(value=1.0, low=1.0, high=1.0, items=2))
    """
    known = list(annotations)
    tallies: dict[str, dict[tuple[str, str], Tally]] = {
        judge: {} for judge in sorted({*judges, *others})
    }
    for one in first_verdicts(known) if counted is None else counted:
        if one.judge in tallies:
            tallies[one.judge][one.item, one.condition] = study_items.judging.tally(
                study_items.judged(one)
            )
    totals = _totals(tallies[other] for other in sorted(set(others)))
    return [
        _row(
            study_items,
            [one for one in known if one.judge == judge],
            tallies[judge],
            totals,
            judge in others,
            seed,
            judge,
        )
        for judge in sorted(set(judges))
    ]


_Seen = Mapping[tuple[str, str], Tally]  # (item, condition) -> tally of the judge's verdict


def _row(
    study_items: Annotated,
    annotations: Sequence[Annotation],
    own: _Seen,
    totals: _Totals,
    is_other: bool,
    seed: int,
    judge: str,
) -> JudgeRow:
    first = [one for one in annotations if one.kind is Kind.FIRST]
    timed = [one.seconds for one in first if one.seconds]
    attention = [
        study_items.judging.passes_check(study_items.items[one.item].key["expected"], one.response)
        for one in annotations
        if one.kind is Kind.ATTENTION
    ]
    before = {(one.item, one.condition): one.response for one in first}
    repeats = [
        study_items.judging.repeat_tally(before[one.item, one.condition], one.response)
        for one in annotations
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


_Totals = Mapping[
    tuple[str, str, str], tuple[float, int]
]  # (item, condition, name) -> (sum of the others' shares, number of others)


def _totals(tallies: Iterable[_Seen]) -> _Totals:
    found: dict[tuple[str, str, str], tuple[float, int]] = {}
    for seen in tallies:
        for place, one in seen.items():
            for name, (count, of) in one.items():
                total, n = found.get((*place, name), (0.0, 0))
                found[*place, name] = total + count / of, n + 1
    return found


def _biases(
    own: _Seen, totals: _Totals, *, is_other: bool, seed: int, judge: str
) -> dict[str, Bias]:
    differences: dict[str, list[float]] = {}
    for place in sorted(own):
        for name, (count, of) in own[place].items():
            total, n = totals.get((*place, name), (0.0, 0))
            if is_other:  # the total includes the judge's own share
                total, n = total - count / of, n - 1
            if n:
                differences.setdefault(name, []).append(count / of - total / n)
    found = {}
    for name, values in differences.items():
        column = np.array(values)[:, None]
        drawn = (
            resampled_sums(column, seed=seed, purpose=_PURPOSE, record_id=judge)[:, 0] / len(values)
            if len(values) > 1
            else None
        )
        low, high = (None if drawn is None else middle(drawn)) or (None, None)
        found[name] = Bias(float(column.mean()), low, high, len(values))
    return found


def _machine_kappas(
    study_items: Annotated, first: Sequence[Annotation], machines: Collection[str]
) -> dict[str, list[Kappa]]:
    found = {}
    for question, units in ratings_of(study_items, first).items():
        mixed = [
            one
            for one in pairwise_kappas(units)
            if (one.one in machines) != (one.other in machines)
        ]
        found[question] = [
            one if one.one in machines else Kappa(one.other, one.one, one.value, one.shared)
            for one in mixed
        ]
    return found


# ---- item verdicts


@dataclass(frozen=True, slots=True)
class ItemVerdicts:
    """First verdicts on one item.

    Attributes:
        set_name: the set that the item belongs to.
        item: its `item_digest`.
        responses: number of a judge as text -> response.
        adjudicated: response of the adjudicator, if any.
    """

    id: str
    set_name: str
    item: str
    responses: VerdictsByJudge
    adjudicated: Mapping[str, Any] | None


def item_digest(shown: Mapping[str, Any], key: Mapping[str, Any]) -> str:
    """16 hexadecimal digits: the digest of the shown fields and the key.

    >>> item_digest({"options": ["a", "b"]}, {"answer": 0}) == item_digest({"options": ["b", "a"]},
    ...     {"answer": 1})
    False
    """
    text = json.dumps([shown, key], ensure_ascii=False, sort_keys=True)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def verdict_row(
    item: StudyItem,
    responses: Mapping[int, Mapping[str, Any]],
    adjudicated: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """A line of a verdict file. `responses`: number of a judge -> first response, canonical."""
    return {
        "id": item.id,
        "set": item.source,
        "item": item_digest(item.shown, item.key),
        "answers": [{"judge": judge} | dict(responses[judge]) for judge in sorted(responses)],
        "adjudicated": None if adjudicated is None else dict(adjudicated),
    }


def parse_verdict_row(row: Mapping[str, Any], task: Task) -> ItemVerdicts:
    """The inverse of `verdict_row`, for the tasks `read` and `fill`.

    >>> item = StudyItem("b:7", (), {"options": ["a", "b"]}, {"answer": 0}, "mine")
    >>> response = {"answer": 1, "fits_as_well": [0], "ungrammatical": [], "broken": False,
    ...     "trivial": False}
    >>> parse_verdict_row(verdict_row(item, {2: response}, None), Task.READ).responses == {
    ...     "2": response}
    True
    """
    where = f"item {quote(row.get('id'))}"
    answers, adjudicated = row.get("answers"), row.get("adjudicated")
    if not all(isinstance(row.get(name), str) for name in ("id", "set", "item")):
        raise FormatError(
            f"{where}: expected `id`, `set` and `item` as texts, found {quote(dict(row))}"
        )
    if (
        not isinstance(answers, list)
        or not answers
        or not all(isinstance(one, Mapping) for one in answers)
    ):
        raise FormatError(
            f"{where}: expected `answers` with one object per judge, found {quote(answers)}"
        )
    responses: dict[str, Mapping[str, Any]] = {}
    for answer in answers:
        judge = answer.get("judge")
        if type(judge) is not int or judge < 1 or f"{judge}" in responses:
            raise FormatError(
                f"{where}: expected a different number for each judge, found {quote(judge)}"
            )
        responses[f"{judge}"] = _checked(
            {name: value for name, value in answer.items() if name != "judge"}, task, where
        )
    return ItemVerdicts(
        row["id"],
        row["set"],
        row["item"],
        responses,
        None if adjudicated is None else _checked(adjudicated, task, where),
    )


def _checked(response: Any, task: Task, where: str) -> dict[str, Any]:
    judging = TASKS[task]
    try:
        return judging.parse(response, judging.placeholder_item(response), (), "")
    except FormatError as error:
        raise FormatError(f"{where}: {error}") from None
