"""All measures of a study's judges. People and model annotators are kept apart."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.judging.agreement import (
    Alpha,
    Kappa,
    Ratings,
    Unit,
    krippendorff_alpha,
    pairwise_kappas,
)
from cloze_gen.judging.tasks import TASKS
from cloze_gen.judging.tasks.task import Judged, VerdictsByJudge
from cloze_gen.parsing import quote
from cloze_gen.records.judgement import StudyItem, Task


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One judge. `shares`: name of a measure of the task -> share of the judge's verdicts.

    `median_seconds`: of the timed verdicts; None if there are none.
    """

    judge: str
    verdicts: int
    median_seconds: float | None
    shares: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class StudyAgreement:
    """All fields except the last two are about people. Mappings are by question.

    `machine_kappas`: kappa of each model with each person.
    """

    task: Task
    judges: int
    verdicts: int
    items: int
    alphas: Mapping[str, Alpha]
    kappas: Mapping[str, Sequence[Kappa]]
    rows: Sequence[JudgeRow]
    machine_rows: Sequence[JudgeRow]
    machine_kappas: Mapping[str, Sequence[Kappa]]

    @property
    def alpha(self) -> float | None:
        return self.alphas[TASKS[self.task].main_question].value


def measure_agreement(
    task: Task, verdicts: Sequence[Judged], *, machines: Collection[str], seed: int
) -> StudyAgreement:
    """All measures of the latest verdicts; `machines` are names of judges."""
    by_people = [one for one in verdicts if one.judge not in machines]
    by_machines = [one for one in verdicts if one.judge in machines]
    ratings = ratings_of(task, by_people)
    mixed = ratings_of(task, verdicts) if by_machines else {}
    return StudyAgreement(
        task=task,
        judges=len({one.judge for one in by_people}),
        verdicts=len(by_people),
        items=len({one.item.id for one in by_people}),
        alphas={
            question: krippendorff_alpha(units, seed=seed, record_id=question)
            for question, units in ratings.items()
        },
        kappas={question: pairwise_kappas(units) for question, units in ratings.items()},
        rows=judge_rows(task, by_people),
        machine_rows=judge_rows(task, by_machines),
        machine_kappas={
            question: [
                kappa
                for kappa in pairwise_kappas(units)
                if (kappa.one in machines) != (kappa.other in machines)
            ]
            for question, units in mixed.items()
        },
    )


def ratings_of(task: Task, verdicts: Iterable[Judged]) -> dict[str, Ratings]:
    """Question -> ratings of its units.

    >>> item = StudyItem("i", (), {"candidates": ["ran", "saw"]}, {}, "run")
    >>> ratings = ratings_of(Task.GROOM, [Judged(item, "ann", {"picked": ["saw"]})])
    >>> ratings["kept"], ratings["picked"]
    ({('i',): {'ann': 'kept'}}, {('i', 'ran'): {'ann': 'left'}, ('i', 'saw'): {'ann': 'picked'}})
    """
    ratings: dict[str, dict[Unit, dict[str, str]]] = {
        question: {} for question in TASKS[task].questions
    }
    for one in verdicts:
        for question, part, label in TASKS[task].ratings(one):
            ratings[question].setdefault((one.item.id, *part), {})[one.judge] = label
    return dict(ratings)


def judge_rows(task: Task, verdicts: Iterable[Judged]) -> list[JudgeRow]:
    """A row for each judge, by name.

    >>> item = StudyItem("i", (), {}, {}, "run")
    >>> judge_rows(Task.GROOM, [Judged(item, "ann", {"rejected": "offensive"}, seconds=5.0)])
    [JudgeRow(judge='ann', verdicts=1, median_seconds=5.0, shares={'rejected': 1.0})]
    """
    by_judge: dict[str, list[Judged]] = {}
    for one in verdicts:
        by_judge.setdefault(one.judge, []).append(one)
    rows = []
    for judge, own in sorted(by_judge.items()):
        timed = [one.seconds for one in own if one.seconds]
        counts, totals = Counter[str](), Counter[str]()
        for one in own:
            for name, (count, of) in TASKS[task].tally(one).items():
                counts[name] += count
                totals[name] += of
        shares = {name: counts[name] / total for name, total in totals.items()}
        rows.append(JudgeRow(judge, len(own), median(timed) if timed else None, shares))
    return rows


# ---- item verdicts


@dataclass(frozen=True, slots=True)
class ItemVerdicts:
    """The verdicts on one item.

    Attributes:
        set_name: the set that the item belongs to.
        item: its `item_digest`.
        responses: number of a judge as text -> response.
    """

    id: str
    set_name: str
    item: str
    responses: VerdictsByJudge


def item_digest(shown: Mapping[str, Any], key: Mapping[str, Any]) -> str:
    """16 hexadecimal digits: the digest of the shown fields and the key.

    >>> item_digest({"options": ["a", "b"]}, {"answer": 0}) == item_digest({"options": ["b", "a"]},
    ...     {"answer": 1})
    False
    """
    text = json.dumps([shown, key], ensure_ascii=False, sort_keys=True)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def verdict_row(item: StudyItem, responses: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    """A line of a verdict file, of a question with its options. `responses`: number of a judge ->
    canonical response.
    """
    question = {"options": item.shown["options"], **item.key} if "options" in item.shown else {}
    return {
        "id": item.id,
        "set": item.source,
        "item": item_digest(item.shown, item.key),
        **question,
        "answers": [{"judge": judge} | dict(responses[judge]) for judge in sorted(responses)],
    }


def parse_verdict_row(row: Mapping[str, Any], task: Task) -> ItemVerdicts:
    """The inverse of `verdict_row`, for the tasks `read` and `fill`.

    >>> item = StudyItem("b:7", (), {"options": ["a", "b"]}, {"answer": 0}, "mine")
    >>> response = {"answer": 1, "fits_as_well": [0], "ungrammatical": [], "broken": False,
    ...     "trivial": False}
    >>> parse_verdict_row(verdict_row(item, {2: response}), Task.READ).responses == {
    ...     "2": response}
    True
    """
    where = f"item {quote(row.get('id'))}"
    answers = row.get("answers")
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
    return ItemVerdicts(row["id"], row["set"], row["item"], responses)


def _checked(response: Any, task: Task, where: str) -> dict[str, Any]:
    judging = TASKS[task]
    try:
        return judging.parse(response, judging.placeholder_item(response), "")
    except FormatError as error:
        raise FormatError(f"{where}: {error}") from None
