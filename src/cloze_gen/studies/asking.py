"""How people are asked about the items of a style, as the commands know it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.judging.assignment import EachJudged, Rule
from cloze_gen.judging.settings import StudySettings
from cloze_gen.records.judgement import StudyItem, Task
from cloze_gen.store.judgements.study_file import StudyFacts
from cloze_gen.studies.study import Study


def each_judged(facts: StudyFacts) -> Rule:
    """The rule of a study whose items are all judged by so many."""
    return EachJudged(int(facts.settings["each"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """One task of a style's judges.

    Attributes:
        of: label of the stage that its items are drawn from; ``release`` for the finished set.
        draw: (a run's folder, settings of the study) -> its items, in the order in which they are asked about.
        rules: settings of the run, as `run.json` has them -> those that say how judges are asked.
        rule: what a study says of itself -> its rule.
        verdicts: a study -> what its judges said, as text of the file that `setting` names: no name of a judge in it.
        identity: a run's folder -> what the items are drawn from, as it is now; None: the fingerprint of the stage `of`.
        is_right: (guess, target) -> whether the guess is the target; of guesses alone.
        draw_others: (items of the run, settings of the study, files of other sets) -> all items shuffled, and name of each other set -> its
            digest; None where a study is of its run alone.
        made_anew: label of the stage that reads the verdicts.
        setting: `group.key` of the run's setting that names that file; empty where no stage reads it.
        cost: (`rules` of a run, items that are asked about or None for all of the study, the study or None before there is one) -> what
            asking costs, as lines for a person; None where nobody is paid by a rule.
    """

    task: Task
    of: str
    draw: Callable[[Path, StudySettings], Sequence[StudyItem]]
    verdicts: Callable[[Study], str]
    rules: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda settings: {}
    rule: Callable[[StudyFacts], Rule] = each_judged
    identity: Callable[[Path], str] | None = None
    is_right: Callable[[str, str], bool] = str.__eq__
    draw_others: Callable[[Sequence[StudyItem], StudySettings, Sequence[Path]], tuple[list[StudyItem], dict[str, str]]] | None = None
    made_anew: str = ""
    setting: str = ""
    cost: Callable[[Mapping[str, Any], int | None, Study | None], list[str]] | None = None
