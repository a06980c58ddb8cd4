"""Guessing studies: which passages people get, their verdict file and costs (LAMBADA 3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cloze_gen.errors import UsageError
from cloze_gen.formats.lambada import blanked_sentence, blanked_text
from cloze_gen.judging.database import StudyFacts
from cloze_gen.judging.state import StudySettings, StudyState
from cloze_gen.judging.study import Study, StudySource, judge_numbers
from cloze_gen.judging.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.recipes.lambada.guessing import (
    Condition,
    Cost,
    GuessingRule,
    GuessingSettings,
    Verdict,
    expected_cost,
    is_right,
    spent,
)
from cloze_gen.recipes.lambada.passages import read_passages
from cloze_gen.recipes.lambada.ranking import read_ranking
from cloze_gen.records.judgement import Assignment, Kind, Role, StudyItem, Task
from cloze_gen.store.runs import lies_in_output, read_run, stage_artifact
from cloze_gen.text_layout import table_lines


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
    rows: dict[str, dict[str, Any]] = {
        item: {"id": item, "answers": [], "asked": 0} for item in state.cases
    }
    numbers, shown, answered = judge_numbers(state), set[str](), set[str]()
    for one in _judged_by_people(state):
        verdict = state.verdicts.get(one.id)
        shown.add(one.item)
        if verdict is not None:
            answered.add(one.judge)
            answer = {
                "judge": numbers[one.judge],
                "condition": one.condition,
                "guesses": list(verdict.response["guesses"]),
            }
            rows[one.item]["answers"].append(answer)
        elif one.id not in state.withdrawn:
            rows[one.item]["asked"] += 1
    listed = [row for item, row in rows.items() if item in shown]
    return verdicts_jsonl(
        VerdictFile(Task.GUESS, study.facts.of, len(answered), None, 0, listed, rule.settings.rules)
    )


def cost_lines(rules: Mapping[str, Any], passages: int | None, study: Study | None) -> list[str]:
    """The expected cost of guessing by the paper's shares, and a study's cost so far."""
    settings, rows = _settings(rules, "guessing.*"), list[list[str]]()
    if study is not None:
        state = study.state()
        paid = [
            one
            for one in _judged_by_people(state)
            if one.id in state.verdicts or one.id not in state.withdrawn
        ]
        kept = sum(state.rule.outcome(case) == Verdict.KEPT for case in state.cases.values())
        rows.append(_cost_row("so far", spent(paid, kept=kept, settings=settings)))
        passages = passages or len(state.cases)
    rows.insert(0, _cost_row("expected", expected_cost(passages or 0, settings)))
    header = ["", "passages", "kept", "passage pages", "sentence pages", "usd", "usd / kept"]
    return [
        *table_lines(header, rows, left=frozenset({""})),
        "expected: by the shares in the paper; a page of "
        f"{settings.passages_per_page} passages costs ${settings.passage_page_usd}, a page of "
        f"{settings.sentences_per_page} sentences ${settings.sentence_page_usd}, times "
        f"{settings.fee_factor} for fees (settings guessing.*)",
    ]


def _judged_by_people(state: StudyState) -> list[Assignment]:
    machines = {judge.name for judge in state.judges.values() if judge.role is Role.MACHINE}
    return [
        one
        for one in state.by_id.values()
        if one.kind is Kind.FIRST and one.item in state.cases and one.judge not in machines
    ]


def _cost_row(name: str, one: Cost) -> list[str]:
    each = f"{one.usd_per_kept:.2f}" if one.kept else "-"
    return [
        name,
        f"{one.passages:,.0f}",
        f"{one.kept:,.0f}",
        f"{one.pages[0]:,.0f}",
        f"{one.pages[1]:,.0f}",
        f"{one.usd:,.2f}",
        each,
    ]


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
    cost=cost_lines,
)
