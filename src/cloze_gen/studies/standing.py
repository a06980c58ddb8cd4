"""How a study stands, in memory: every case with who was asked and what was said, and every judge's items in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from cloze_gen.judging.assignment import Answer, Case, Rule
from cloze_gen.records.judgement import Assignment, Judge, Kind, Role, Span, Verdict
from cloze_gen.store.judgements.study_store import StudyStore


@dataclass(slots=True)
class Standing:
    """Everything that has happened, kept up as more does.

    Attributes:
        cases: by id, in the order of the study; items that only ask for attention are none.
        attention: ids of these others.
        open: the cases that want more judges now.
        judges: by name.
        of_judge: name -> assignments in their order.
        by_id: every assignment.
        verdicts: assignment -> the latest.
        withdrawn: assignments that are waited for no longer.
        decided: item -> what an adjudicator said of it, the last where several did.
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
        """Take up what was dealt."""
        for one in assignments:
            self.by_id[one.id] = one
            self.of_judge.setdefault(one.judge, []).append(one)
            case = self._case_of(one)
            if case is not None:
                self._put(replace(case, asked=(*case.asked, (one.judge, one.condition))))

    def hear(self, verdict: Verdict) -> None:
        """Take up what was said; a later verdict takes the place of an earlier one."""
        self.verdicts[verdict.assignment] = verdict
        one = self.by_id[verdict.assignment]
        if one.kind is Kind.ADJUDICATION:
            self.decided[one.item] = verdict.said
        case = self._case_of(one)
        if case is not None:
            answer = Answer(one.judge, one.condition, verdict.said)
            others = tuple(given for given in case.answers if given.judge != one.judge)
            asked = tuple(pair for pair in case.asked if pair[0] != one.judge)
            gone = tuple(judge for judge in case.withdrawn if judge != one.judge)
            self._put(replace(case, asked=asked, answers=(*others, answer), withdrawn=gone))

    def let_go(self, assignment: str) -> None:
        """Wait for an assignment no longer; one that is answered stays so."""
        self.withdrawn.add(assignment)
        one = self.by_id[assignment]
        case = self._case_of(one)
        if case is not None and assignment not in self.verdicts:
            asked = tuple(pair for pair in case.asked if pair[0] != one.judge)
            self._put(replace(case, asked=asked, withdrawn=(*case.withdrawn, one.judge)))

    def seen_by(self, judge: str) -> list[Span]:
        """Where everything stands that a judge was shown."""
        return [span for one in self.of_judge.get(judge, ()) if one.item in self.cases for span in self.cases[one.item].spans]

    def due(self, judge: str) -> list[Assignment]:
        """What a judge has been dealt and has not answered."""
        return [one for one in self.of_judge.get(judge, ()) if one.id not in self.verdicts and one.id not in self.withdrawn]

    @property
    def adjudicated(self) -> set[str]:
        """Items that an adjudicator has decided, or is waited for to decide."""
        dealt = {one.item for one in self.by_id.values() if one.kind is Kind.ADJUDICATION and one.id not in self.withdrawn}
        return dealt | set(self.decided)

    @property
    def finished(self) -> bool:
        """Whether every item has all the judges that it wants, or nobody is left who could be one and nobody is waited for."""
        judges = {one.name for one in self.judges.values() if one.role is Role.JUDGE}
        return all(self.rule.outcome(case) or not (case.asked or judges - set(case.seen_by)) for case in self.cases.values())

    def _case_of(self, one: Assignment) -> Case | None:
        """The case that an assignment counts for; none of a repeat, an adjudication, a check of attention or a machine."""
        counts = one.kind is Kind.FIRST and self.judges[one.judge].role is not Role.MACHINE
        return self.cases.get(one.item) if counts else None

    def _put(self, case: Case) -> None:
        self.cases[case.id] = case
        if self.rule.wanted(case)[1]:
            self.open.setdefault(case.id)
        else:
            self.open.pop(case.id, None)


def read_standing(store: StudyStore, rule: Rule, *, attention: str) -> Standing:
    """All that a study's rows come to.

    Args:
        attention: the source of items that only ask for attention.
    """
    with store.database.as_of_now():
        return _standing(store, rule, attention)


def _standing(store: StudyStore, rule: Rule, attention: str) -> Standing:
    cases, others = dict[str, Case](), list[str]()
    for item, source, spans, key in store.outlines():
        if source == attention:
            others.append(item)
        else:
            cases[item] = Case(item, tuple((book, start, end) for book, start, end in spans), key)
    standing = Standing(rule, cases, others, {one.name: one for one in store.judges()})
    standing.open = {case.id: None for case in cases.values() if rule.wanted(case)[1]}
    standing.add(store.assignments())
    for verdict in store.verdicts().values():
        standing.hear(verdict)
    for assignment in sorted(store.withdrawn()):
        standing.let_go(assignment)
    return standing
