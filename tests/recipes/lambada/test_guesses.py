"""What people guessed, read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cloze_gen.engine.local import InProcessEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.judging.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.recipes.lambada.guesses import judged_cases, read_guessed
from cloze_gen.recipes.lambada.guessing import GuessingSettings
from cloze_gen.recipes.lambada.ranking import read_ranking
from cloze_gen.records.judgement import Task
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.store.runs import stage_artifact
from tests.conftest import FinishedRun

READ = {"judge": 1, "condition": "passage", "guesses": ["key"]}


@pytest.fixture
def ranking(lambada: FinishedRun) -> Artifact:
    return stage_artifact(lambada.folder, "ranking")


@pytest.fixture
def ctx(tmp_path: Path) -> StageContext:
    return StageContext(Store(tmp_path), InProcessEngine(), "guesses")


def response(ranking: Artifact, *rows: dict[str, Any], of: str = "", **rules: int) -> VerdictFile:
    """A file of verdicts on this ranking."""
    return VerdictFile(
        Task.GUESS, {"ranking": of or ranking.manifest["fingerprint"]}, 2, None, rows, GuessingSettings().rules | rules
    )  # fmt: skip


def test_cases_stand_in_the_order_of_the_ranking(
    ranking: Artifact, ctx: StageContext, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, *_ = read_ranking(ranking)
    alone = {"judge": 2, "condition": "sentence", "guesses": []}
    cases = judged_cases(
        ranking,
        response(ranking, {"id": second, "answers": []}, {"id": first, "answers": [READ, alone]}),
        GuessingSettings(),
        ctx,
    )
    assert [case.id for case in cases] == [first, second]
    assert [(given.judge, given.condition, given.response) for given in cases[0].answers] == [
        ("1", "passage", {"guesses": ["key"]}), ("2", "sentence", {"guesses": []}),
    ]  # fmt: skip
    assert capsys.readouterr().err == ""


def test_passages_of_another_run_are_refused(ranking: Artifact, ctx: StageContext) -> None:
    """However many of the others are right."""
    rows = {"id": read_ranking(ranking)[0], "answers": []}, {"id": "emma:7", "answers": []}
    message = "1 of its 2 passages are not ranked in this run, the first is 'emma:7'"
    with pytest.raises(UsageError, match=message):
        judged_cases(
            ranking, response(ranking, *rows), GuessingSettings(verdicts="said.jsonl"), ctx
        )


@pytest.mark.parametrize(
    "name",
    ["passage_subjects", "sentence_subjects", "sentence_guesses", "sentence_subjects_at_once"],
)
def test_other_rules_are_refused(ranking: Artifact, ctx: StageContext, name: str) -> None:
    with pytest.raises(
        UsageError, match=rf"the study used guessing\.{name} = 7, but this run uses \d+\. Set"
    ):
        judged_cases(ranking, response(ranking, **{name: 7}), GuessingSettings(), ctx)


def test_the_length_of_a_page_is_no_rule(ranking: Artifact, ctx: StageContext) -> None:
    settings = GuessingSettings(passages_per_page=1)
    assert judged_cases(ranking, response(ranking), settings, ctx) == []


def test_a_ranking_that_has_changed_is_told(
    ranking: Artifact, ctx: StageContext, capsys: pytest.CaptureFixture[str]
) -> None:
    """The study was made of another one, whose passages are all in this one's head."""
    file = response(
        ranking, {"id": read_ranking(ranking)[3], "answers": [READ]}, of="0123456789abcdef"
    )
    assert len(judged_cases(ranking, file, GuessingSettings(), ctx)) == 1
    assert (
        "the ranking has changed since the study was made ('0123456789abcdef' ->"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (None, "'b:7' has no valid list of answers"),
        (["key"], "has no valid list"),
        ([READ | {"condition": "both"}], "has no valid list"),
        ([READ | {"condition": ["passage"]}], "has no valid list"),
        ([READ | {"judge": "ann"}], "has no valid list"),
        ([READ | {"guesses": "key"}], "has no valid list"),
        ([READ | {"guesses": [1]}], "has no valid list"),
        ([READ, READ | {"condition": "sentence"}], "'b:7' has two answers from one judge"),
    ],
)
def test_what_is_no_guesses_is_told(tmp_path: Path, answers: Any, message: str) -> None:
    """With the file and the passage; nobody is on both sides of one, whoever wrote the file."""
    file = tmp_path / "said.jsonl"
    file.write_text(
        verdicts_jsonl(VerdictFile(Task.GUESS, {}, 1, None, [{"id": "b:7", "answers": answers}])),
        encoding="utf-8",
    )
    with pytest.raises(FormatError, match=message) as caught:
        read_guessed(str(file))
    assert "said.jsonl" in str(caught.value)
