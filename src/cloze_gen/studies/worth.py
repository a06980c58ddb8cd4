"""What several people said of the items of a study, and which of these an adjudicator is asked about."""

from __future__ import annotations

from cloze_gen.judging.consensus import SaidBy, worth_adjudicating
from cloze_gen.records.judgement import Task
from cloze_gen.studies.standing import Standing


def said_by_people(standing: Standing) -> dict[str, SaidBy]:
    """Item -> judge -> what that person said of it when it was new; items of which nobody has said anything are not there."""
    return {case.id: {answer.judge: answer.said for answer in case.answers} for case in standing.cases.values() if case.answers}


def worth_asking(standing: Standing, task: Task) -> list[str]:
    """Ids of the items that their judges leave open, in the order of the study."""
    open_items = worth_adjudicating(task, said_by_people(standing))
    return [item for item in standing.cases if item in open_items]
