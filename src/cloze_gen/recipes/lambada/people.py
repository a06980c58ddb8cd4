"""Guessing studies: which passages people get, and their verdict file (LAMBADA 3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any

from cloze_gen.errors import UsageError
from cloze_gen.formats.lambada import blanked_sentence, blanked_text
from cloze_gen.judging.assignment import Case
from cloze_gen.judging.database import StudyFacts
from cloze_gen.judging.state import StudySettings
from cloze_gen.judging.study import Study, StudySource, judge_numbers
from cloze_gen.judging.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.recipes.lambada.guessing import (
    Condition,
    GuessingRule,
    GuessingSettings,
    is_right,
)
from cloze_gen.recipes.lambada.passages import read_passages
from cloze_gen.recipes.lambada.ranking import read_ranking
from cloze_gen.records.judgement import StudyItem, Task
from cloze_gen.records.passage import Passage
from cloze_gen.store.runs import lies_in_output, read_run, stage_artifact


def draw_passages(run: Path, settings: StudySettings) -> list[StudyItem]:
    """The first `settings.pool` passages in the order of the ranking; 0: all."""
    if not lies_in_output(run):
        raise UsageError(
            f"{run}: not in an output folder, so its stages are missing. Pass the folder as --out."
        )
    guessing = _settings(read_run(run)["settings"]["guessing"], run.name)
    ranked = read_ranking(stage_artifact(run, "ranking"))
    chosen = dict.fromkeys(ranked[: settings.pool] if settings.pool else ranked)
    passages = read_passages(stage_artifact(run, "passages"), which=chosen.__contains__)
    found = {passage.id: passage for passage in passages}
    return [_study_item(found[item], guessing) for item in chosen]


def _study_item(passage: Passage, guessing: GuessingSettings) -> StudyItem:
    shown: dict[str, Any] = {
        str(Condition.PASSAGE): blanked_text(passage),
        str(Condition.SENTENCE): blanked_sentence(passage),
        "guesses": {
            str(Condition.PASSAGE): 1,
            str(Condition.SENTENCE): guessing.sentence_guesses,
        },
    }
    span = (passage.book_id, passage.start, passage.end)
    return StudyItem(passage.id, (span,), shown, {"target": passage.target}, "run")


def rules_of(settings: Mapping[str, Any]) -> dict[str, int]:
    return _settings(settings["guessing"], "the run").rules


def rule_of(facts: StudyFacts) -> GuessingRule:
    return GuessingRule(_settings(facts.rules, facts.name))


def verdicts_text(study: Study) -> str:
    """The verdict file: the passages that people saw; without alpha, which is never above 0."""
    state = study.state()
    numbers = judge_numbers(state)
    rows = [_row(case, numbers) for case in state.cases.values() if case.seen_by]
    judges = {answer["judge"] for row in rows for answer in row["answers"]}
    rules = rule_of(study.facts).settings.rules
    return verdicts_jsonl(VerdictFile(Task.GUESS, study.facts.of, len(judges), None, rows, rules))


def _row(case: Case, numbers: Mapping[str, int]) -> dict[str, Any]:
    answers = [
        {
            "judge": numbers[answer.judge],
            "condition": answer.condition,
            "guesses": list(answer.response["guesses"]),
        }
        for answer in case.answers
    ]
    return {"id": case.id, "answers": sorted(answers, key=itemgetter("judge"))}


def _settings(rules: Mapping[str, Any], name: str) -> GuessingSettings:
    try:
        return GuessingSettings.model_validate(dict(rules))
    except ValueError:
        raise UsageError(
            f"{name}: its guessing settings are from another version. Rebuild the run with "
            "`cloze-gen run`."
        ) from None


GUESSING = StudySource(
    task=Task.GUESS,
    of="ranking",
    draw=draw_passages,
    verdicts=verdicts_text,
    rules=rules_of,
    rule=rule_of,
    is_right=is_right,
    rerun_stage="guesses",
    setting="guessing.verdicts",
)
