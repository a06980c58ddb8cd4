"""The next page for a judge: items that want one, some that only ask for attention, some asked before."""

from __future__ import annotations

from cloze_gen.judging.assignment import assignment_id, deal
from cloze_gen.judging.settings import StudySettings
from cloze_gen.records.judgement import Assignment, Judge, Kind, Role, Task
from cloze_gen.rng import derive_rng
from cloze_gen.store.judgements.study_file import StudyFacts
from cloze_gen.studies.standing import Standing
from cloze_gen.studies.worth import worth_asking


def next_page(standing: Standing, judge: Judge, facts: StudyFacts, settings: StudySettings, *, condition: str | None) -> list[Assignment]:
    """What a judge is dealt next; empty where there is nothing now.

    A machine is dealt every item, whoever else is; an adjudicator, when all others have finished, what they could not agree on and no other
    adjudicator was asked.
    """
    mine = standing.of_judge.get(judge.name, [])
    if judge.role is Role.ADJUDICATOR:
        asked = {one.item for one in mine} | standing.adjudicated
        items = worth_asking(standing, facts.task) if standing.finished else []
        chosen = [(item, _condition(standing, item), Kind.ADJUDICATION) for item in items if item not in asked][: settings.page]
    elif judge.role is Role.MACHINE:
        asked = {one.item for one in mine}
        chosen = [(item, _condition(standing, item), Kind.FIRST) for item in standing.cases if item not in asked][: settings.page]
    else:
        wanting = (case for item, case in standing.cases.items() if item in standing.open)
        dealt = deal(wanting, judge.name, standing.rule, most=settings.page, seen=standing.seen_by(judge.name), condition=condition)
        chosen = _mixed([(item, how, Kind.FIRST) for item, how in dealt], standing, mine, judge, facts, settings)
    return [
        Assignment(assignment_id(facts.secret, judge.name, item, how, kind), judge.name, item, how, kind, len(mine) + n)
        for n, (item, how, kind) in enumerate(chosen, 1)
    ]


def _mixed(
    dealt: list[tuple[str, str, Kind]], standing: Standing, mine: list[Assignment], judge: Judge, facts: StudyFacts, settings: StudySettings
) -> list[tuple[str, str, Kind]]:
    """A page with its checks of attention and its repeats, each at a place drawn for this judge and page."""
    if not dealt:
        return dealt
    rng = derive_rng(settings.seed, "judging.page", f"{facts.secret}:{judge.name}:{len(mine)}")
    asked = {one.item for one in mine}
    unseen = [item for item in standing.attention if item not in asked]
    again = {one.item for one in mine if one.kind is Kind.REPEAT}
    known = [one for one in mine if one.kind is Kind.FIRST and one.id in standing.verdicts and one.item not in again]
    checks = [(item, dealt[0][1], Kind.ATTENTION) for item in unseen[: int(rng.binomial(len(dealt), settings.attention))]]
    n_again = 0 if facts.task is Task.GUESS else min(len(known), int(rng.binomial(len(dealt), settings.repeats)))
    repeats = [(known[i].item, known[i].condition, Kind.REPEAT) for i in sorted(rng.permutation(len(known))[:n_again].tolist())]
    page = list(dealt)
    for one in (*checks, *repeats):
        page.insert(int(rng.integers(len(page) + 1)), one)
    return page


def _condition(standing: Standing, item: str) -> str:
    """What an item is shown in, to whoever does not count among its judges."""
    return standing.rule.wanted(standing.cases[item])[0]
