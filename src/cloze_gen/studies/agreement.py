"""What an open study comes to: its verdicts as the statistics of `cloze_gen.judging` take them, and as a file that tells of each item."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from cloze_gen.formats.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.judging.item_verdicts import verdict_row
from cloze_gen.judging.ratings import Asked, Said
from cloze_gen.records.judgement import Role
from cloze_gen.studies.standing import Standing
from cloze_gen.studies.study import Study
from cloze_gen.studies.worth import said_by_people

if TYPE_CHECKING:
    from cloze_gen.judging.study_agreement import StudyAgreement


def measured(study: Study, *, is_right: Callable[[str, str], bool], called: Mapping[str, str] | None = None) -> StudyAgreement:
    """How far the judges of a study agree, and what each of them is like.

    Args:
        is_right: (guess, target) -> whether the guess is the target.
        called: what people are called instead of their names; None: by their names.
    """
    from cloze_gen.judging.study_agreement import measure_agreement  # here, for it loads SciPy, and every command passes this module

    standing = study.standing()
    asked = Asked(study.task, {item.id: item for item in study.store.items()}, is_right)
    machines = [one.name for one in standing.judges.values() if one.role is Role.MACHINE]
    said = [replace(one, judge=(called or {}).get(one.judge, one.judge)) for one in verdicts_of(standing)]
    return measure_agreement(asked, said, machines=machines, seed=study.settings.seed)


def verdicts_of(standing: Standing) -> list[Said]:
    """Every verdict that counts, with who gave it on what."""
    pairs = ((standing.by_id[one], verdict) for one, verdict in standing.verdicts.items())
    return [Said(one.item, one.judge, one.kind, one.condition, verdict.said, verdict.seconds) for one, verdict in pairs]


def numbers_of(standing: Standing) -> Mapping[str, int]:
    """Person -> a number, in the order in which they were first asked: what stands for names in all that leaves the store."""
    people = [one.judge for one in standing.by_id.values() if standing.judges[one.judge].role is not Role.MACHINE]
    return {name: number for number, name in enumerate(dict.fromkeys(people), 1)}


def item_verdicts(study: Study) -> str:
    """The file of a study of finished items: a line an item that somebody judged, in the order of the study.

    What each person said of it first, and an adjudicator after them. Judges are numbers; what machines said is not there.
    """
    standing = study.standing()
    numbers, said = numbers_of(standing), said_by_people(standing)
    figures = measured(study, is_right=str.__eq__)
    rows = [
        verdict_row(item, {numbers[judge]: answer for judge, answer in said[item.id].items()}, standing.decided.get(item.id))
        for item in study.store.items()
        if item.id in said
    ]
    return verdicts_jsonl(VerdictFile(study.task, study.facts.of, figures.judges, figures.alpha, figures.adjudicated, rows))
