"""What people guessed, read back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.engine.local import InProcessEngine
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.formats.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.recipes.lambada.stages.decisions import read_ranking
from cloze_gen.recipes.lambada.stages.human_guesses import judged_cases, read_guessed
from cloze_gen.recipes.lambada.steps.guessing import GuessingSettings
from cloze_gen.records.judgement import Task
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.store.runs import stage_artifact
from tests.conftest import FinishedRun

HEAD = verdicts_jsonl(VerdictFile(Task.GUESS, {}, 1, None, 0, []))
READ = {"judge": 1, "condition": "passage", "guesses": ["key"]}


@pytest.fixture
def ranking(lambada: FinishedRun) -> Artifact:
    return stage_artifact(lambada.folder, "ranking")


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(Store(tmp_path), InProcessEngine(), "guesses")


def said(ranking: Artifact, *rows: dict[str, Any], of: str = "", **rules: int) -> VerdictFile:
    """A file of verdicts on this ranking."""
    return VerdictFile(
        Task.GUESS, {"ranking": of or ranking.manifest["fingerprint"]}, 2, None, 0, rows, GuessingSettings().rules | rules
    )  # fmt: skip


def test_cases_stand_in_the_order_of_the_ranking(ranking: Artifact, room: Room, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever the order of the file; the answers in its own; a passage that nobody was asked about is none of them."""
    first, second, *_ = read_ranking(ranking)
    alone = {"judge": 2, "condition": "sentence", "guesses": []}
    cases = judged_cases(
        ranking, said(ranking, {"id": second, "answers": []}, {"id": first, "answers": [READ, alone]}), GuessingSettings(), room
    )
    assert [case.id for case in cases] == [first, second]
    assert [(given.judge, given.condition, given.said) for given in cases[0].answers] == [
        ("1", "passage", {"guesses": ["key"]}), ("2", "sentence", {"guesses": []}),
    ]  # fmt: skip
    assert capsys.readouterr().err == ""


def test_passages_of_another_run_are_refused(ranking: Artifact, room: Room) -> None:
    """However many of the others are right."""
    rows = {"id": read_ranking(ranking)[0], "answers": []}, {"id": "emma:7", "answers": []}
    message = "1 of the 2 passages that people were asked about are not in the head of this run's ranking, the first 'emma:7'"
    with pytest.raises(UsageError, match=message):
        judged_cases(ranking, said(ranking, *rows), GuessingSettings(verdicts="said.jsonl"), room)


@pytest.mark.parametrize("name", ["passage_subjects", "sentence_subjects", "sentence_guesses", "sentence_subjects_at_once"])
def test_other_rules_are_refused(ranking: Artifact, room: Room, name: str) -> None:
    """What two readers guessed does not tell what three would have; the setting is named with both its values."""
    with pytest.raises(UsageError, match=rf"people were asked with guessing\.{name} = 7, and it is \d+ now"):
        judged_cases(ranking, said(ranking, **{name: 7}), GuessingSettings(), room)


def test_what_is_paid_is_no_rule(ranking: Artifact, room: Room) -> None:
    """Nor how long a page is."""
    assert judged_cases(ranking, said(ranking), GuessingSettings(fee_factor=3, passages_per_page=1), room) == []


def test_a_ranking_that_has_changed_is_told(ranking: Artifact, room: Room, capsys: pytest.CaptureFixture[str]) -> None:
    """The study was made of another one, whose passages are all in this one's head."""
    file = said(ranking, {"id": read_ranking(ranking)[3], "answers": [READ]}, of="0123456789abcdef")
    assert len(judged_cases(ranking, file, GuessingSettings(), room)) == 1
    assert "the ranking has changed since the study was made ('0123456789abcdef' ->" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (None, "'b:7' has no list of people's guesses"),
        (["key"], "has no list"),
        ([READ | {"condition": "both"}], "has no list"),
        ([READ | {"condition": ["passage"]}], "has no list"),
        ([READ | {"judge": "ann"}], "has no list"),
        ([READ | {"guesses": "key"}], "has no list"),
        ([READ | {"guesses": [1]}], "has no list"),
        ([READ, READ | {"condition": "sentence"}], "'b:7' was answered twice by one judge"),
    ],
)
def test_what_is_no_guesses_is_told(tmp_path: Path, answers: Any, message: str) -> None:
    """With the file and the passage; nobody is on both sides of one, whoever wrote the file."""
    file = tmp_path / "said.jsonl"
    file.write_text(verdicts_jsonl(VerdictFile(Task.GUESS, {}, 1, None, 0, [{"id": "b:7", "answers": answers}])), encoding="utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        read_guessed(str(file))
    assert "said.jsonl" in str(caught.value)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda file: None, UsageError, r"said\.jsonl.* cannot be read .*No such file"),
        (lambda file: file.mkdir(), UsageError, "cannot be read"),
        (lambda file: file.write_bytes(b"\xff\xfe"), UsageError, "cannot be read"),
        (lambda file: file.write_text(""), FormatError, "expected verdicts of the task guess"),
        (lambda file: file.write_text(verdicts_jsonl(VerdictFile(Task.READ, {}, 1, None, 0, []))), FormatError, "task guess"),
        (lambda file: file.write_text(HEAD.replace('"rules": {}', '"rules": [2]')), FormatError, "by which rules"),
    ],
)
def test_what_is_no_file_of_verdicts_is_told(tmp_path: Path, make: Callable[[Path], object], error: type[Exception], message: str) -> None:
    """With its name and what is wrong."""
    make(tmp_path / "said.jsonl")
    with pytest.raises(error, match=message):
        read_guessed(str(tmp_path / "said.jsonl"))
