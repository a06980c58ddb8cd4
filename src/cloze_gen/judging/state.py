"""The state of a study in memory, and the next items of each judge."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import Field

from cloze_gen.judging.assignment import Answer, Case, Rule, assign_items, assignment_id
from cloze_gen.judging.database import StudyFacts, StudyStore
from cloze_gen.judging.tasks import TASKS
from cloze_gen.judging.tasks.task import VerdictsByJudge
from cloze_gen.records.judgement import Assignment, Judge, Kind, Role, Span, Task, Verdict
from cloze_gen.rng import derive_rng
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
    attention: float = Field(
        0.0, ge=0, le=0.5, description="share of attention checks among a judge's items"
    )
    repeats: float = Field(
        0.0,
        ge=0,
        le=0.5,
        description="share of items that a judge gets a second time; 0 in guessing",
    )
    show_machine: bool = Field(
        False, description="grooming: show judges the machine's verdict on each candidate"
    )
    seed: int = Field(1, ge=0, le=2**63 - 1)


@dataclass(slots=True)
class StudyState:
    """The state of a study.

    Attributes:
        cases: in the order of the study, without attention items.
        attention: ids of the attention items.
        open: items that need more judges now.
        verdicts: assignment -> its latest verdict.
        decided: item -> response of an adjudicator.
    """

    rule: Rule
    cases: dict[str, Case]
    attention: list[str]
    judges: dict[str, Judge]
    open: dict[str, None] = field(default_factory=dict)
    of_judge: dict[str, list[Assignment]] = field(default_factory=dict)
    by_id: dict[str, Assignment] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    withdrawn: set[str] = field(default_factory=set)
    decided: dict[str, Mapping[str, Any]] = field(default_factory=dict)

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
        if one.kind is Kind.ADJUDICATION:
            self.decided[one.item] = verdict.response
        case = self._case_of(one)
        if case is not None:
            answer = Answer(one.judge, one.condition, verdict.response)
            others = tuple(given for given in case.answers if given.judge != one.judge)
            pending = tuple(pair for pair in case.pending if pair[0] != one.judge)
            gone = tuple(judge for judge in case.withdrawn if judge != one.judge)
            self._update(replace(case, pending=pending, answers=(*others, answer), withdrawn=gone))

    def release(self, assignment: str) -> None:
        """Stop waiting for an assignment; its verdict is kept, if any."""
        self.withdrawn.add(assignment)
        one = self.by_id[assignment]
        case = self._case_of(one)
        if case is not None and assignment not in self.verdicts:
            pending = tuple(pair for pair in case.pending if pair[0] != one.judge)
            self._update(replace(case, pending=pending, withdrawn=(*case.withdrawn, one.judge)))

    def seen_by(self, judge: str) -> list[Span]:
        return [
            span
            for one in self.of_judge.get(judge, ())
            if one.item in self.cases
            for span in self.cases[one.item].spans
        ]

    def due(self, judge: str) -> list[Assignment]:
        return [
            one
            for one in self.of_judge.get(judge, ())
            if one.id not in self.verdicts and one.id not in self.withdrawn
        ]

    @property
    def adjudicated(self) -> set[str]:
        """Items that an adjudicator has decided or has been assigned."""
        assigned = {
            one.item
            for one in self.by_id.values()
            if one.kind is Kind.ADJUDICATION and one.id not in self.withdrawn
        }
        return assigned | set(self.decided)

    @property
    def finished(self) -> bool:
        """Whether every item has an outcome, or no judges who could still answer it."""
        judges = {one.name for one in self.judges.values() if one.role is Role.JUDGE}
        return all(
            self.rule.outcome(case) or not (case.pending or judges - set(case.seen_by))
            for case in self.cases.values()
        )

    def _case_of(self, one: Assignment) -> Case | None:
        """None for a repeat, an adjudication, an attention item or a model."""
        counts = one.kind is Kind.FIRST and self.judges[one.judge].role is not Role.MACHINE
        return self.cases.get(one.item) if counts else None

    def _update(self, case: Case) -> None:
        self.cases[case.id] = case
        if self.rule.wanted(case)[1]:
            self.open.setdefault(case.id)
        else:
            self.open.pop(case.id, None)


def read_state(store: StudyStore, rule: Rule, *, attention: str) -> StudyState:
    with store.database.as_of_now():
        return _state(store, rule, attention)


def _state(store: StudyStore, rule: Rule, attention: str) -> StudyState:
    cases, others = dict[str, Case](), list[str]()
    for item, source, spans, key in store.outlines():
        if source == attention:
            others.append(item)
        else:
            cases[item] = Case(item, tuple((book, start, end) for book, start, end in spans), key)
    state = StudyState(rule, cases, others, {one.name: one for one in store.judges()})
    state.open = {case.id: None for case in cases.values() if rule.wanted(case)[1]}
    state.add(store.assignments())
    for verdict in store.verdicts().values():
        state.apply(verdict)
    for assignment in sorted(store.withdrawn()):
        state.release(assignment)
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

    @property
    def hours(self) -> float:
        return sum(self.seconds) / 3600


def judges_progress(state: StudyState) -> list[JudgeProgress]:
    found = []
    for name, judge in state.judges.items():
        mine = state.of_judge.get(name, [])
        given = [state.verdicts[one.id] for one in mine if one.id in state.verdicts]
        seconds = [one.seconds for one in given if one.seconds]
        found.append(JudgeProgress(judge, len(mine), len(given), len(state.due(name)), seconds))
    return found


def count_outcomes(state: StudyState) -> dict[str, int]:
    """Outcome -> number of items, and how many an adjudicator decided; `open`: no outcome yet."""
    outcomes = Counter(state.rule.outcome(case) or "open" for case in state.cases.values())
    decided = {"adjudicated": len(state.decided)} if state.decided else {}
    return dict(sorted(outcomes.items())) | decided


def verdicts_of_people(state: StudyState) -> dict[str, VerdictsByJudge]:
    """Item -> judge -> first verdict of that person; items without a verdict are missing."""
    return {
        case.id: {answer.judge: answer.response for answer in case.answers}
        for case in state.cases.values()
        if case.answers
    }


def answers_of_models(
    state: StudyState,
) -> Iterator[tuple[Assignment, Mapping[str, Any], Mapping[str, Any] | None]]:
    """Each first answer of a model annotator with the answer on the other order of the choices.

    The latter is empty as long as it is missing, and None if the model is not asked for it.
    """
    for judge in state.judges.values():
        if judge.role is not Role.MACHINE:
            continue
        mine = [one for one in state.of_judge.get(judge.name, ()) if one.item in state.cases]
        again = {
            one.item: state.verdicts[one.id].response if one.id in state.verdicts else {}
            for one in mine
            if one.kind is Kind.REPEAT and one.id not in state.withdrawn
        }
        for one in mine:
            if one.kind is Kind.FIRST and one.id in state.verdicts:
                yield one, state.verdicts[one.id].response, again.get(one.item)


def verdicts_of_models(
    state: StudyState, task: Task
) -> Iterator[tuple[Assignment, Mapping[str, Any]]]:
    """The verdicts of model annotators that count: what both answers on an item share."""
    for one, first, other in answers_of_models(state):
        if other is None:
            yield one, first
        elif other and (both := TASKS[task].in_both_orders(first, other)) is not None:
            yield one, both


def order_dependence(state: StudyState, task: Task) -> dict[str, tuple[int, int]]:
    """Model -> (items whose choice depends on the order, items answered in both orders)."""
    found: dict[str, tuple[int, int]] = {}
    field_name = TASKS[task].choice
    for one, first, other in answers_of_models(state):
        if other:
            both = TASKS[task].in_both_orders(first, other)
            depends = both is None or both.get(field_name) != first.get(field_name)
            count, of = found.get(one.judge, (0, 0))
            found[one.judge] = count + depends, of + 1
    return found


def verdicts_by_judge(
    state: StudyState, task: Task, *, models: bool = False
) -> dict[str, VerdictsByJudge]:
    """As `verdicts_of_people`; `models`: with the verdicts of model annotators."""
    found = {item: dict(responses) for item, responses in verdicts_of_people(state).items()}
    for one, response in verdicts_of_models(state, task) if models else ():
        found.setdefault(one.item, {})[one.judge] = response
    return dict(found)


def needs_adjudication(state: StudyState, task: Task) -> list[str]:
    open_items = TASKS[task].open_items(verdicts_of_people(state))
    return [item for item in state.cases if item in open_items]


def next_page(
    state: StudyState,
    judge: Judge,
    facts: StudyFacts,
    settings: StudySettings,
    *,
    condition: str | None,
) -> list[Assignment]:
    """A judge's next assignments; empty if there are none now.

    A model gets every item, twice if there are choices to turn. An adjudicator gets open items that no other adjudicator has, once all
    judges have finished.
    """
    mine = state.of_judge.get(judge.name, [])
    if judge.role is Role.ADJUDICATOR:
        taken = {one.item for one in mine} | state.adjudicated
        items = needs_adjudication(state, facts.task) if state.finished else []
        chosen = [
            (item, _condition(state, item), Kind.ADJUDICATION)
            for item in items
            if item not in taken
        ][: settings.page]
    elif judge.role is Role.MACHINE:
        kinds = (Kind.FIRST, Kind.REPEAT) if TASKS[facts.task].choice else (Kind.FIRST,)
        given = {(one.item, one.kind) for one in mine}
        open_items = [
            item for item in state.cases if any((item, kind) not in given for kind in kinds)
        ]
        chosen = [
            (item, _condition(state, item), kind)
            for item in open_items[: settings.page]
            for kind in kinds
            if (item, kind) not in given
        ]
    else:
        wanting = (case for item, case in state.cases.items() if item in state.open)
        assigned = assign_items(
            wanting,
            judge.name,
            state.rule,
            limit=settings.page,
            seen=state.seen_by(judge.name),
            condition=condition,
        )
        chosen = _mix_in_checks(
            [(item, how, Kind.FIRST) for item, how in assigned], state, mine, judge, facts, settings
        )
    return [
        Assignment(
            assignment_id(facts.secret, judge.name, item, how, kind),
            judge.name,
            item,
            how,
            kind,
            len(mine) + n,
        )
        for n, (item, how, kind) in enumerate(chosen, 1)
    ]


def _mix_in_checks(
    assigned: list[tuple[str, str, Kind]],
    state: StudyState,
    mine: list[Assignment],
    judge: Judge,
    facts: StudyFacts,
    settings: StudySettings,
) -> list[tuple[str, str, Kind]]:
    if not assigned:
        return assigned
    rng = derive_rng(settings.seed, "judging.page", f"{facts.secret}:{judge.name}:{len(mine)}")
    taken = {one.item for one in mine}
    unseen = [item for item in state.attention if item not in taken]
    again = {one.item for one in mine if one.kind is Kind.REPEAT}
    known = [
        one
        for one in mine
        if one.kind is Kind.FIRST and one.id in state.verdicts and one.item not in again
    ]
    checks = [
        (item, assigned[0][1], Kind.ATTENTION)
        for item in unseen[: int(rng.binomial(len(assigned), settings.attention))]
    ]
    n_again = (
        min(len(known), int(rng.binomial(len(assigned), settings.repeats)))
        if TASKS[facts.task].may_repeat
        else 0
    )
    repeats = [
        (known[i].item, known[i].condition, Kind.REPEAT)
        for i in sorted(rng.permutation(len(known))[:n_again].tolist())
    ]
    page = list(assigned)
    for one in (*checks, *repeats):
        page.insert(int(rng.integers(len(page) + 1)), one)
    return page


def _condition(state: StudyState, item: str) -> str:
    return state.rule.wanted(state.cases[item])[0]
