"""How people are asked about the passages of a LAMBADA-style run: the head of its ranking, guessed in three steps (LAMBADA 3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cloze_gen.columns import table_lines
from cloze_gen.errors import UsageError
from cloze_gen.formats.lambada.rendering import blanked_sentence, blanked_text
from cloze_gen.formats.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.judging.settings import StudySettings
from cloze_gen.recipes.lambada.stages.decisions import read_ranking
from cloze_gen.recipes.lambada.stages.tables import read_passages
from cloze_gen.recipes.lambada.steps.cost import Cost, expected_cost, spent
from cloze_gen.recipes.lambada.steps.guessing import Condition, GuessingRule, GuessingSettings, Verdict, is_right
from cloze_gen.records.judgement import Assignment, Kind, Role, StudyItem, Task
from cloze_gen.store.judgements.study_file import StudyFacts
from cloze_gen.store.runs import lies_in_output, read_run, stage_artifact
from cloze_gen.studies.agreement import numbers_of
from cloze_gen.studies.asking import Asking
from cloze_gen.studies.standing import Standing
from cloze_gen.studies.study import Study


def draw_passages(run: Path, settings: StudySettings) -> list[StudyItem]:
    """The passages that people are asked about, the first of the ranking first; `settings.pool` of them where it is above 0.

    Raises:
        UsageError: the folder is a copy outside an output folder, or was written by another version.
    """
    if not lies_in_output(run):
        raise UsageError(f"{run}: lies in no output folder, where its stages would be. Name a run by its --out.")
    guessing = _settings(rules_of(read_run(run)["settings"]), run.name)
    head = read_ranking(stage_artifact(run, "ranking"))
    asked = dict.fromkeys(head[: settings.pool] if settings.pool else head)
    found = {one.id: one for one in read_passages(stage_artifact(run, "passages"), which=asked.__contains__)}
    guesses = {str(Condition.PASSAGE): 1, str(Condition.SENTENCE): guessing.sentence_guesses}
    return [
        StudyItem(
            id=one.id,
            spans=((one.book_id, one.start, one.end),),
            shown={str(Condition.PASSAGE): blanked_text(one), str(Condition.SENTENCE): blanked_sentence(one), "guesses": guesses},
            key={"target": one.target},
            source="run",
        )
        for one in map(found.__getitem__, asked)
    ]


def rules_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Of a run's settings those that say how people are asked and what they are paid; not who was asked before."""
    return {name: value for name, value in settings.get("guessing", {}).items() if name not in {"verdicts", "judges"}}


def rule_of(facts: StudyFacts) -> GuessingRule:
    """The rule of a study.

    Raises:
        UsageError: its rules are of another version.
    """
    return GuessingRule(_settings(facts.rules, facts.name))


def verdicts_text(study: Study) -> str:
    """What people guessed, as text of the file that `guessing.verdicts` names (`formats.verdicts`).

    A row for each passage that anybody was shown, in the order of the study: ``{"id": ..., "answers": [{"judge": 1, "condition": "passage",
    "guesses": [...]}, ...], "asked": 2}``, the answers in the order in which they were asked for, `asked` those that are waited for. Judges
    are numbers, in the order in which they were first asked; machines are none of them. No alpha is told: the second reader is asked only
    where the first was right, and the sentence is shown until somebody is right, so that by construction it is never above 0.
    """
    standing, rule = study.standing(), rule_of(study.facts)
    rows: dict[str, dict[str, Any]] = {item: {"id": item, "answers": [], "asked": 0} for item in standing.cases}
    numbers, shown, answered = numbers_of(standing), set[str](), set[str]()
    for one in _asked_of_people(standing):
        verdict = standing.verdicts.get(one.id)
        shown.add(one.item)
        if verdict is not None:
            answered.add(one.judge)
            said = {"judge": numbers[one.judge], "condition": one.condition, "guesses": list(verdict.said["guesses"])}
            rows[one.item]["answers"].append(said)
        elif one.id not in standing.withdrawn:
            rows[one.item]["asked"] += 1
    told = [row for item, row in rows.items() if item in shown]
    return verdicts_jsonl(VerdictFile(Task.GUESS, study.facts.of, len(answered), None, 0, told, rule.settings.rules))


def cost_lines(rules: Mapping[str, Any], passages: int | None, study: Study | None) -> list[str]:
    """What guessing costs: expected, on the paper's shares, and of a study also what it has cost so far.

    Args:
        rules: `rules_of` the run, or of any settings.
        passages: how many are asked about; None: those of the study.
    """
    settings, rows = _settings(rules, "guessing.*"), list[list[str]]()
    if study is not None:
        standing = study.standing()
        paid = [one for one in _asked_of_people(standing) if one.id in standing.verdicts or one.id not in standing.withdrawn]
        kept = sum(standing.rule.outcome(case) == Verdict.KEPT for case in standing.cases.values())
        rows.append(_cost_row("so far", spent(paid, kept=kept, settings=settings)))
        passages = passages or len(standing.cases)
    rows.insert(0, _cost_row("expected", expected_cost(passages or 0, settings)))
    header = ["", "passages", "kept", "passage pages", "sentence pages", "usd", "usd / kept"]
    return [
        *table_lines(header, rows, None, left=frozenset({""})),
        f"expected: on the paper's shares; a page of {settings.passages_per_page} passages at ${settings.passage_page_usd}, of "
        f"{settings.sentences_per_page} sentences at ${settings.sentence_page_usd}, times {settings.fee_factor} with fees (guessing.*)",
    ]


def _asked_of_people(standing: Standing) -> list[Assignment]:
    """The assignments that count for a passage, in the order in which they were dealt."""
    machines = {judge.name for judge in standing.judges.values() if judge.role is Role.MACHINE}
    return [one for one in standing.by_id.values() if one.kind is Kind.FIRST and one.item in standing.cases and one.judge not in machines]


def _cost_row(name: str, one: Cost) -> list[str]:
    each = f"{one.usd_per_kept:.2f}" if one.kept else "-"
    return [name, f"{one.passages:,.0f}", f"{one.kept:,.0f}", f"{one.pages[0]:,.0f}", f"{one.pages[1]:,.0f}", f"{one.usd:,.2f}", each]


def _settings(rules: Mapping[str, Any], whose: str) -> GuessingSettings:
    try:
        return GuessingSettings.model_validate(dict(rules))
    except ValueError:
        raise UsageError(f"{whose}: its settings of guessing are of another version. `cloze-gen run` writes the run anew.") from None


ASKING = Asking(
    task=Task.GUESS,
    of="ranking",
    draw=draw_passages,
    verdicts=verdicts_text,
    rules=rules_of,
    rule=rule_of,
    is_right=is_right,
    made_anew="guesses",
    setting="guessing.verdicts",
    cost=cost_lines,
)
