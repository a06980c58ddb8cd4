"""What people guessed, read back."""

from functools import partial

import pytest

from cloze_gen.engine.local import InProcessEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.judging.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.recipes.lambada.guesses import judged_cases, read_guessed
from cloze_gen.recipes.lambada.guessing import GuessingSettings
from cloze_gen.recipes.lambada.ranking import read_ranking
from cloze_gen.records.judgement import Task
from cloze_gen.store.artifacts import Store
from cloze_gen.store.runs import stage_artifact
from tests.support.errors import refused

READ = {"judge": 1, "condition": "passage", "guesses": ["key"]}


@pytest.fixture
def ranking(lambada):
    return stage_artifact(lambada.folder, "ranking")


@pytest.fixture
def ctx(tmp_path):
    return StageContext(Store(tmp_path), InProcessEngine(), "guesses")


def response(ranking, *rows, of="", **rules):
    """A file of verdicts on this ranking."""
    return VerdictFile(
        Task.GUESS, {"ranking": of or ranking.manifest["fingerprint"]}, 2, None, rows, GuessingSettings().rules | rules
    )  # fmt: skip


def test_cases_stand_in_the_order_of_the_ranking(ranking, ctx, capsys):
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


def test_verdicts_of_another_run_are_refused(ranking, ctx):
    """However many of the passages are ranked here, or with another rule."""
    rows = {"id": read_ranking(ranking)[0], "answers": []}, {"id": "emma:7", "answers": []}
    for people, names in (
        (response(ranking, *rows), "'emma:7'"),
        (response(ranking, sentence_subjects=7), "guessing.sentence_subjects = 7"),
    ):
        call = partial(judged_cases, ranking, people, GuessingSettings(verdicts="a.jsonl"), ctx)
        refused(call, UsageError, names=names)


def test_a_ranking_that_has_changed_is_told(ranking, ctx, capsys):
    """The study was made of another one, whose passages are all in this one's head."""
    file = response(
        ranking, {"id": read_ranking(ranking)[3], "answers": [READ]}, of="0123456789abcdef"
    )
    assert len(judged_cases(ranking, file, GuessingSettings(), ctx)) == 1
    assert (
        "the ranking has changed since the study was made ('0123456789abcdef' ->"
        in capsys.readouterr().err
    )


def test_a_file_of_guesses_is_read(tmp_path):
    file = tmp_path / "said.jsonl"
    answers = [READ, {"judge": 2, "condition": "sentence", "guesses": []}]
    verdicts = VerdictFile(Task.GUESS, {}, 2, None, [{"id": "b:7", "answers": answers}])
    file.write_text(verdicts_jsonl(verdicts), encoding="utf-8")
    assert read_guessed(str(file)) == verdicts


@pytest.mark.parametrize(
    "answers",
    [
        None,
        ["key"],
        [READ | {"condition": "both"}],
        [READ | {"condition": ["passage"]}],
        [READ | {"judge": "ann"}],
        [READ | {"guesses": "key"}],
        [READ | {"guesses": [1]}],
        [READ, READ | {"condition": "sentence"}],
    ],
)
def test_malformed_answers_are_refused(tmp_path, answers):
    """The message names the passage; nobody may answer twice about one."""
    file = tmp_path / "said.jsonl"
    verdicts = VerdictFile(Task.GUESS, {}, 1, None, [{"id": "b:7", "answers": answers}])
    file.write_text(verdicts_jsonl(verdicts), encoding="utf-8")
    refused(partial(read_guessed, str(file)), FormatError, names="'b:7'")


@pytest.mark.parametrize(
    "text", ["", verdicts_jsonl(VerdictFile(Task.READ, {}, 1, None, []))], ids=["empty", "read"]
)
def test_a_file_of_another_task_is_refused(tmp_path, text):
    (tmp_path / "said.jsonl").write_text(text)
    refused(partial(read_guessed, str(tmp_path / "said.jsonl")), FormatError, names="said.jsonl")
    refused(partial(read_guessed, str(tmp_path / "gone.jsonl")), UsageError, names="gone.jsonl")
