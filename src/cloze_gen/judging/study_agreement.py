"""All measures of a study's judges. People and model annotators are kept apart."""

from __future__ import annotations

import hashlib
import json
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
from cloze_gen.judging.tasks.task import (
    IsRight,
    Judged,
    JudgingTask,
    Tally,
    VerdictsByJudge,
)
from cloze_gen.parsing import quote
from cloze_gen.records.judgement import StudyItem, Task


@dataclass(frozen=True, slots=True)
class Annotation:
    """The latest verdict of one assignment; `seconds` is 0 if it was not timed."""

    item: str
    judge: str
    condition: str
    response: Mapping[str, Any]
    seconds: float


@dataclass(frozen=True, slots=True)
class Annotated:
    """The items of a study."""

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


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One judge. `shares`: name of a measure of the task -> share of the judge's verdicts."""

    judge: str
    verdicts: int
    median_seconds: float | None
    shares: Mapping[str, Share]


@dataclass(frozen=True, slots=True, eq=False)
class StudyAgreement:
    """All fields except the last two are about people. Mappings are by question.

    `machine_kappas`: kappa of each model (`one`) with each judge.
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
    study_items: Annotated,
    annotations: Sequence[Annotation],
    *,
    machines: Collection[str],
    seed: int,
) -> StudyAgreement:
    """All measures; `machines` are names of judges."""
    by_people = [one for one in annotations if one.judge not in machines]
    by_machines = [one for one in annotations if one.judge in machines]
    ratings = ratings_of(study_items, by_people)
    return StudyAgreement(
        task=study_items.task,
        judges=len({one.judge for one in by_people}),
        verdicts=len(by_people),
        items=len({one.item for one in by_people}),
        alphas={
            question: krippendorff_alpha(units, seed=seed, record_id=question)
            for question, units in ratings.items()
        },
        kappas={question: pairwise_kappas(units) for question, units in ratings.items()},
        rows=judge_rows(study_items, by_people),
        machine_rows=judge_rows(study_items, by_machines),
        machine_kappas=_machine_kappas(study_items, annotations, machines) if by_machines else {},
    )


def ratings_of(study_items: Annotated, annotations: Iterable[Annotation]) -> dict[str, Ratings]:
    """Question -> ratings of its units.

    >>> study_items = Annotated(Task.GROOM, {"i": StudyItem("i", (), {"candidates": ["ran", "saw"]}, {},
    ...     "run")}, str.__eq__)
    >>> found = ratings_of(study_items, [Annotation("i", "ann", "", {"picked": ["saw"]}, 2.0)])
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


def judge_rows(study_items: Annotated, annotations: Iterable[Annotation]) -> list[JudgeRow]:
    """A row for each judge, by name.

    >>> study_items = Annotated(Task.GROOM, {"i": StudyItem("i", (), {}, {}, "run")}, str.__eq__)
    >>> rejects = {"rejected": "offensive", "note": ""}
    >>> judge_rows(study_items, [Annotation("i", "ann", "", rejects, 5.0)])
    [JudgeRow(judge='ann', verdicts=1, median_seconds=5.0, shares={'rejected': Share(count=1, of=1)})]
    """
    by_judge: dict[str, list[Annotation]] = {}
    for one in annotations:
        by_judge.setdefault(one.judge, []).append(one)
    rows = []
    for judge in sorted(by_judge):
        verdicts = by_judge[judge]
        timed = [one.seconds for one in verdicts if one.seconds]
        tallies = [study_items.judging.tally(study_items.judged(one)) for one in verdicts]
        rows.append(
            JudgeRow(judge, len(verdicts), median(timed) if timed else None, _summed(tallies))
        )
    return rows


def _summed(tallies: Iterable[Tally]) -> dict[str, Share]:
    found: dict[str, tuple[int, int]] = {}
    for one in tallies:
        for name, (count, of) in one.items():
            before = found.get(name, (0, 0))
            found[name] = before[0] + count, before[1] + of
    return {name: Share(*both) for name, both in found.items()}


def _machine_kappas(
    study_items: Annotated, annotations: Sequence[Annotation], machines: Collection[str]
) -> dict[str, list[Kappa]]:
    found = {}
    for question, units in ratings_of(study_items, annotations).items():
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
        return judging.parse(response, judging.placeholder_item(response), (), "")
    except FormatError as error:
        raise FormatError(f"{where}: {error}") from None
