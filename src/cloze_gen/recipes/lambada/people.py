"""Guessing studies: which passages people get, and their verdict file (LAMBADA 3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cloze_gen.errors import UsageError
from cloze_gen.formats.lambada import blanked_sentence, blanked_text
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
from cloze_gen.records.judgement import Role, StudyItem, Task
from cloze_gen.store.runs import lies_in_output, read_run, stage_artifact


def draw_passages(run: Path, settings: StudySettings) -> list[StudyItem]:
    """The first `settings.pool` passages in the order of the ranking; 0: all."""
    if not lies_in_output(run):
        raise UsageError(
            f"{run}: not in an output folder, so its stages are missing. Pass the folder as --out."
        )
    guessing = _settings(rules_of(read_run(run)["settings"]), run.name)
    head = read_ranking(stage_artifact(run, "ranking"))
    chosen = dict.fromkeys(head[: settings.pool] if settings.pool else head)
    found = {
        one.id: one
        for one in read_passages(stage_artifact(run, "passages"), which=chosen.__contains__)
    }
    guesses = {str(Condition.PASSAGE): 1, str(Condition.SENTENCE): guessing.sentence_guesses}
    return [
        StudyItem(
            id=one.id,
            spans=((one.book_id, one.start, one.end),),
            shown={
                str(Condition.PASSAGE): blanked_text(one),
                str(Condition.SENTENCE): blanked_sentence(one),
                "guesses": guesses,
            },
            key={"target": one.target},
            source="run",
        )
        for one in map(found.__getitem__, chosen)
    ]


def rules_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in settings.get("guessing", {}).items()
        if name not in {"verdicts", "judges"}
    }


def rule_of(facts: StudyFacts) -> GuessingRule:
    return GuessingRule(_settings(facts.rules, facts.name))


def verdicts_text(study: Study) -> str:
    """The verdict file; without alpha, which by construction is never above 0."""
    state, rule = study.state(), rule_of(study.facts)
    machines = {judge.name for judge in state.judges.values() if judge.role is Role.MACHINE}
    shown = {one.item for one in state.by_id.values() if one.judge not in machines}
    numbers = judge_numbers(state)
    rows: dict[str, dict[str, Any]] = {
        item: {"id": item, "answers": []} for item in state.cases if item in shown
    }
    answered = set[str]()
    for one in state.by_id.values():
        if one.judge in machines or one.id not in state.verdicts:
            continue
        answered.add(one.judge)
        answer = {
            "judge": numbers[one.judge],
            "condition": one.condition,
            "guesses": list(state.verdicts[one.id].response["guesses"]),
        }
        rows[one.item]["answers"].append(answer)
    return verdicts_jsonl(
        VerdictFile(
            Task.GUESS, study.facts.of, len(answered), None, [*rows.values()], rule.settings.rules
        )
    )


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
