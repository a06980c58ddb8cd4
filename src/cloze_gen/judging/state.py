"""The state of a study in memory, and the next items of each judge."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import Field

from cloze_gen.judging.assignment import Answer, Case, Rule, assign_items, assignment_id
from cloze_gen.judging.database import StudyFacts, StudyStore, now
from cloze_gen.judging.tasks import TASKS
from cloze_gen.judging.tasks.task import VerdictsByJudge
from cloze_gen.records.judgement import Assignment, Judge, Role, Span, Task, Verdict
from cloze_gen.settings import MOST_COUNTED, MOST_EACH, SettingsGroup


class StudySettings(SettingsGroup):
    each: int = Field(
        3,
        ge=1,
        le=MOST_EACH,
        description="number of judges per item; guessing uses the run's guessing.* settings instead",
    )
    pool: int = Field(0, ge=0, le=MOST_COUNTED, description="number of items to draw; 0: all")
    draw: Literal["random", "balanced"] = Field(
        "random",
        description="grooming: draw items at random, or balanced over the answer's word class and "
        "fifths of its forward rank",
    )
    page: int = Field(20, ge=1, le=1000, description="number of items that a judge gets at a time")
    show_machine: bool = Field(
        False, description="grooming: show judges the machine's verdict on each candidate"
    )
    seed: int = Field(1, ge=0, le=2**63 - 1)


@dataclass(slots=True)
class StudyState:
    """The state of a study.

    Attributes:
        cases: in the order of the study.
        open: items that need more judges now.
        verdicts: assignment -> its latest verdict.
    """

    rule: Rule
    cases: dict[str, Case]
    judges: dict[str, Judge]
    open: dict[str, None] = field(default_factory=dict)
    of_judge: dict[str, list[Assignment]] = field(default_factory=dict)
    by_id: dict[str, Assignment] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)

    def add(self, assignments: Iterable[Assignment]) -> None:
        for one in assignments:
            self.by_id[one.id] = one
            self.of_judge.setdefault(one.judge, []).append(one)
            case = self._case_of(one)
            if case is not None:
                self._update(replace(case, pending=(*case.pending, (one.judge, one.condition))))

    def apply(self, verdict: Verdict) -> None:
        """Add a verdict; a later one replaces an earlier one."""
        self.verdicts[verdict.assignment] = verdict
        one = self.by_id[verdict.assignment]
        case = self._case_of(one)
        if case is not None:
            answer = Answer(one.judge, one.condition, verdict.response)
            others = tuple(given for given in case.answers if given.judge != one.judge)
            pending = tuple(pair for pair in case.pending if pair[0] != one.judge)
            late = tuple(judge for judge in case.late if judge != one.judge)
            self._update(replace(case, pending=pending, answers=(*others, answer), late=late))

    def expire(self, before: str) -> None:
        """Stop waiting for answers to assignments made before a time; they can still be given."""
        for one in self.by_id.values():
            case = self._case_of(one)
            if (
                case is not None
                and one.made_at < before
                and (one.judge, one.condition) in case.pending
            ):
                pending = tuple(pair for pair in case.pending if pair[0] != one.judge)
                self._update(replace(case, pending=pending, late=(*case.late, one.judge)))

    def seen_by(self, judge: str) -> list[Span]:
        return [span for one in self.of_judge.get(judge, ()) for span in self.cases[one.item].spans]

    def due(self, judge: str) -> list[Assignment]:
        """Unanswered assignments, without late ones that another judge has taken."""
        return [
            one
            for one in self.of_judge.get(judge, ())
            if one.id not in self.verdicts and not self._is_taken(one)
        ]

    @property
    def finished(self) -> bool:
        """Whether every item has an outcome, or no judges who could still answer it."""
        judges = {one.name for one in self.judges.values() if one.role is Role.JUDGE}
        return all(
            self.rule.outcome(case) or not (case.pending or judges - set(case.seen_by))
            for case in self.cases.values()
        )

    def _is_taken(self, one: Assignment) -> bool:
        case = self.cases[one.item]
        if one.judge not in case.late:
            return False
        condition, count = self.rule.wanted(case)
        return not count or condition != one.condition

    def _case_of(self, one: Assignment) -> Case | None:
        """None for a model, whose verdicts never count as those of a person."""
        return None if self.judges[one.judge].role is Role.MACHINE else self.cases[one.item]

    def _update(self, case: Case) -> None:
        self.cases[case.id] = case
        if self.rule.wanted(case)[1]:
            self.open.setdefault(case.id)
        else:
            self.open.pop(case.id, None)


def read_state(store: StudyStore, rule: Rule) -> StudyState:
    with store.database.as_of_now():
        cases = {
            item: Case(item, tuple((book, start, end) for book, start, end in spans), key)
            for item, spans, key in store.outlines()
        }
        state = StudyState(rule, cases, {one.name: one for one in store.judges()})
        state.open = {case.id: None for case in cases.values() if rule.wanted(case)[1]}
        state.add(store.assignments())
        for verdict in store.verdicts().values():
            state.apply(verdict)
    return state


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """`seconds`: of the verdicts that were timed."""

    judge: Judge
    assigned: int
    answered: int
    due: int
    seconds: Sequence[float]

    @property
    def median_seconds(self) -> float | None:
        return statistics.median(self.seconds) if self.seconds else None


def judges_progress(state: StudyState) -> list[JudgeProgress]:
    found = []
    for name, judge in state.judges.items():
        mine = state.of_judge.get(name, [])
        given = [state.verdicts[one.id] for one in mine if one.id in state.verdicts]
        seconds = [one.seconds for one in given if one.seconds]
        found.append(JudgeProgress(judge, len(mine), len(given), len(state.due(name)), seconds))
    return found


def count_outcomes(state: StudyState) -> dict[str, int]:
    """Outcome -> number of items; `open`: no outcome yet."""
    outcomes = Counter(state.rule.outcome(case) or "open" for case in state.cases.values())
    return dict(sorted(outcomes.items()))


def verdicts_of_people(state: StudyState) -> dict[str, VerdictsByJudge]:
    """Item -> judge -> verdict of that person; items without a verdict are missing."""
    return {
        case.id: {answer.judge: answer.response for answer in case.answers}
        for case in state.cases.values()
        if case.answers
    }


def verdicts_of_models(state: StudyState) -> Iterator[tuple[Assignment, Verdict]]:
    """The verdicts of model annotators, also those on which their answers share nothing."""
    for one in state.by_id.values():
        if state.judges[one.judge].role is Role.MACHINE and one.id in state.verdicts:
            yield one, state.verdicts[one.id]


def order_dependence(state: StudyState, task: Task) -> dict[str, tuple[int, int]]:
    """Model -> (items whose choice depends on the order, items answered in both orders)."""
    found: dict[str, tuple[int, int]] = {}
    choice = TASKS[task].choice
    for one, verdict in verdicts_of_models(state):
        if len(verdict.answers) > 1:
            depends = verdict.response.get(choice) != verdict.answers[0].get(choice)
            count, of = found.get(one.judge, (0, 0))
            found[one.judge] = count + (depends or not verdict.response), of + 1
    return found


def verdicts_by_judge(state: StudyState, *, models: bool = False) -> dict[str, VerdictsByJudge]:
    """As `verdicts_of_people`; `models`: with the verdicts of model annotators."""
    found = {item: dict(responses) for item, responses in verdicts_of_people(state).items()}
    for one, verdict in verdicts_of_models(state) if models else ():
        if verdict.response:
            found.setdefault(one.item, {})[one.judge] = verdict.response
    return dict(found)


def next_page(
    state: StudyState,
    judge: Judge,
    facts: StudyFacts,
    settings: StudySettings,
    *,
    condition: str | None,
) -> list[Assignment]:
    """A judge's next assignments; empty if there are none now. A model gets every item."""
    mine = state.of_judge.get(judge.name, [])
    if judge.role is Role.MACHINE:
        given = {one.item for one in mine}
        chosen = [
            (item, state.rule.wanted(case)[0])
            for item, case in state.cases.items()
            if item not in given
        ][: settings.page]
    else:
        chosen = assign_items(
            (case for item, case in state.cases.items() if item in state.open),
            judge.name,
            state.rule,
            limit=settings.page,
            seen=state.seen_by(judge.name),
            condition=condition,
        )
    moment = now()
    return [
        Assignment(
            assignment_id(facts.secret, judge.name, item, how),
            judge.name,
            item,
            how,
            len(mine) + n,
            moment,
        )
        for n, (item, how) in enumerate(chosen, 1)
    ]
