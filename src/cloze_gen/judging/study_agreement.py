"""All that is measured of a study's judges. What people say and what machines say is never added up."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from cloze_gen.judging.agreement import Alpha, Kappa, krippendorff_alpha, pairwise_kappas
from cloze_gen.judging.consensus import worth_adjudicating
from cloze_gen.judging.error_rates import ErrorRates, error_rates
from cloze_gen.judging.judges import JudgeRow, judge_rows
from cloze_gen.judging.ratings import Asked, Said, by_item, first_verdicts, ratings_of
from cloze_gen.records.judgement import Kind, Task

# Questions of few labels whose truth no key tells; of what a key tells, the judges' shares of right answers say more.
_ERROR_RATES_OF: Mapping[Task, Sequence[str]] = {
    Task.GROOM: ("kept", "picked"),
    Task.READ: ("fits as well", "ungrammatical", "broken", "trivial"),
    Task.FILL: (),
    Task.GUESS: (),
}

MAIN_QUESTION: Mapping[Task, str] = {Task.GROOM: "picked", Task.READ: "answer", Task.FILL: "blank", Task.GUESS: "passage"}


@dataclass(frozen=True, slots=True, eq=False)
class StudyAgreement:
    """What is known of a study's judges. All but the last two is of people.

    Attributes:
        judges: who gave a first verdict.
        verdicts: first ones.
        items: that they are of.
        alphas: question -> alpha of all judges, in the order in which the task asks.
        kappas: question -> kappa of every two.
        error_rates: question -> estimates; missing where they cannot be told, or where judges may agree by chance alone (the interval of
            alpha is not above 0): then there is no truth that they err from.
        rows: a row a judge.
        open_items: item -> why someone else should decide; without those that an adjudicator has decided.
        adjudicated: how many these are.
        machine_rows: machines, held against the people.
        machine_kappas: question -> kappa of every machine with every judge; `one` is the machine.
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
        """Of the question that the task is about (`MAIN_QUESTION`): what a card tells of the judges."""
        return self.alphas[MAIN_QUESTION[self.task]].value


def measure_agreement(asked: Asked, said: Iterable[Said], *, machines: Collection[str], seed: int) -> StudyAgreement:
    """Measure a study's judges.

    Args:
        said: verdicts of all kinds, of all judges; of an assignment the one that counts.
        machines: judges who are none of the people.
        seed: of all bootstraps.
    """
    known = list(said)
    first = first_verdicts(known, machines=machines)
    people = sorted({one.judge for one in first})
    ratings = ratings_of(asked, first)
    adjudicated = {one.item for one in known if one.kind is Kind.ADJUDICATION and one.judge not in machines}
    by_people = {item: said_by for item, said_by in by_item(first).items() if item not in adjudicated}
    alphas = {question: krippendorff_alpha(units, seed=seed, record_id=question) for question, units in ratings.items()}
    estimates = {
        question: error_rates(ratings[question], seed=seed, record_id=question)
        for question in _ERROR_RATES_OF[asked.task]
        if (alphas[question].low or 0) > 0
    }
    present = sorted({one.judge for one in known} & set(machines))
    return StudyAgreement(
        task=asked.task,
        judges=len(people),
        verdicts=len(first),
        items=len({one.item for one in first}),
        alphas=alphas,
        kappas={question: pairwise_kappas(units) for question, units in ratings.items()},
        error_rates={question: rates for question, rates in estimates.items() if rates is not None},
        rows=judge_rows(asked, known, judges=people, others=people, seed=seed),
        open_items=worth_adjudicating(asked.task, by_people),
        adjudicated=len(adjudicated),
        machine_rows=judge_rows(asked, known, judges=present, others=people, seed=seed),
        machine_kappas=_machine_kappas(asked, first_verdicts(known), present) if present else {},
    )


def _machine_kappas(asked: Asked, first: Sequence[Said], machines: Collection[str]) -> dict[str, list[Kappa]]:
    found = {}
    for question, units in ratings_of(asked, first).items():
        mixed = [one for one in pairwise_kappas(units) if (one.one in machines) != (one.other in machines)]
        found[question] = [one if one.one in machines else Kappa(one.other, one.one, one.value, one.shared) for one in mixed]
    return found
