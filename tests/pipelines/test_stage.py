"""Stages: their fingerprints, what runs beside them, the books and models they are given."""

import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from cloze_gen.corpus.offensive_words import words_digest
from cloze_gen.errors import CorpusError, UsageError
from cloze_gen.models.language_model import LmSettings
from cloze_gen.pipelines.evaluation_models import books_of_run, question_models
from cloze_gen.pipelines.run import RunTask
from cloze_gen.pipelines.shared import word_list
from cloze_gen.pipelines.stage import Content, Pipeline, StageTask
from cloze_gen.settings import SettingsGroup, Unhashed
from cloze_gen.store.artifacts import Store, funnel
from cloze_gen.store.runs import read_run
from tests.support.errors import refused


class Small(SettingsGroup):
    """A group of settings."""

    size: int = 3
    memory: Unhashed[str] = "1G"


@dataclass(frozen=True)
class Sizes:
    order: int = 3


@pytest.fixture
def run(tmp_path):
    return Pipeline(store=Store(tmp_path), workers=1)


def write_name(writer, ctx, **arguments):
    writer.path("name.txt").write_text(ctx.stage)


# ---- arguments and fingerprints


def key_of(tmp_path, **arguments):
    run = Pipeline(store=Store(tmp_path), workers=1)
    first = run.stage("first", write_name, v=arguments.pop("of_first", 1))
    return run.stage("second", write_name, first=first, **arguments).key


def test_every_argument_is_hashed(tmp_path):
    usual = {
        "settings": Small(),
        "limits": Small(),
        "sizes": Sizes(),
        "words": Content({"a"}, "00"),
        "seed": 1,
    }
    key = key_of(tmp_path, **usual)
    assert key.settings == {
        "size": 3,
        "limits": {"size": 3},
        "sizes": {"order": 3},
        "seed": 1,
    }
    assert list(key.inputs) == ["first", "words"]
    changes = (
        {"settings": Small(size=4)},
        {"limits": Small(size=4)},
        {"sizes": Sizes(4)},
        {"words": Content({"a"}, "01")},
        {"seed": 2},
        {"v": 2},
        {"of_first": 2},
    )
    keys = [key_of(tmp_path, **usual | change).fingerprint for change in changes]
    assert len({key.fingerprint, *keys}) == 1 + len(changes)


def test_what_does_not_change_the_result_is_not_hashed(tmp_path):
    key = key_of(tmp_path, settings=Small())
    same = key_of(tmp_path, settings=Small(memory="2G"))
    assert same.fingerprint == key.fingerprint


def test_two_arguments_never_share_a_name(run):
    with pytest.raises(ValueError, match="size"):
        run.stage("twice", write_name, settings=Small(), size=4)


def test_a_function_gets_artifacts_and_contents(run):
    given = {}

    def write(writer, ctx, **arguments):
        given.update(arguments)
        writer.path("name.txt").write_text(ctx.stage)

    first = run.stage("first", write_name)
    words, members = Content({"a"}, "00"), {"n-gram": first}
    last = run.stage("last", write, first=first, words=words, members=members, none=None)
    run.run([first, last])
    assert given == {
        "first": run.open(first),
        "words": {"a"},
        "members": {"n-gram": run.open(first)},
        "none": None,
    }


def test_a_file_that_changes_while_it_is_read_is_an_error(run, tmp_path):
    file = tmp_path / "scores.jsonl"
    file.write_text("1")

    def write(writer, ctx, scores):
        file.write_text("2")

    scores = run.file_input(f"scores:{file}", setting="committee.members")
    stage = run.stage("scored", write, scores=scores)
    said = refused(lambda: run.run([stage]), UsageError, names="committee.members")
    assert "changed while it was read" in said
    assert not run.is_complete(stage)


# ---- order


@pytest.mark.timeout(30)
def test_beside_a_program_no_other_program_is_begun(run):
    done = []

    def write(writer, ctx, **_):
        if ctx.stage in {"one", "two"}:
            ctx.meanwhile()
        write_name(writer, ctx)
        done.append(ctx.stage)

    one = run.stage("one", write, waits=True)
    two = run.stage("two", write, number=2, waits=True)
    run.stage("plain", write)
    run.stage("after", write, one=one)
    run.run_stage(one)
    assert done == ["plain", "one"]
    run.run_stage(two)
    assert done == ["plain", "one", "after", "two"]


def test_luigi_runs_what_is_missing_with_inputs_first(run, capsys):
    first = run.stage("first", write_name)
    second = run.stage("second", write_name, first=first)
    third = run.stage("third", write_name, second=second)
    run.run_stage(first)
    run.run([third, second, first])
    assert all(map(run.is_complete, (first, second, third)))
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("stage ")]
    assert said == ["stage 2 of 3: second", "stage 3 of 3: third"]


@pytest.mark.timeout(30)
def test_many_stages_that_read_all_earlier_ones_are_planned_at_once(run):
    """Luigi prints the parameters of a task, and a printed stage must not print its inputs."""
    stages = []
    for number in range(40):
        earlier = {f"stage_{one}": stage for one, stage in enumerate(stages)}
        stages.append(run.stage("next", write_name, label=f"next {number}", **earlier))
    task = StageTask(stage=stages[-1], pipeline=run)
    assert len(str(task)) + len(repr(run)) < 500
    run.run(stages)
    assert run.is_complete(stages[-1])


def test_a_stage_that_keeps_nothing_is_an_error(run):
    def write(writer, ctx):
        write_name(writer, ctx)
        writer.funnel = funnel("words", kept=0, rejected={"too_short": 2, "name": 1200})

    picky = run.stage("picky", write, advice="Wait.")
    lenient = run.stage("lenient", write, may_keep_nothing=True)
    with pytest.raises(
        CorpusError,
        match=r"^picky: none of 1,202 words is kept \(1,200 name, 2 too_short\), so no set can be made\. Give more books\. Wait\.$",
    ):
        run.run_stage(picky)
    run.run_stage(lenient)
    assert (run.is_complete(picky), run.is_complete(lenient)) == (False, True)


# Both print the numbers of threads of libraries that are loaded inside.
STAGE = """
run = Pipeline(store=Store(Path(sys.argv[1])), workers=1)
run.run_stage(run.stage("heavy", lambda writer, ctx: report()))
"""
EVALUATION = """
evaluate.measure = lambda kind, data, request: report()
evaluate.evaluate(sys.argv[1])
"""


@pytest.mark.slow
@pytest.mark.parametrize("call", [STAGE, EVALUATION], ids=["stage", "evaluation"])
def test_a_stage_and_an_evaluation_use_one_thread(call, tmp_path, finished):
    """Also of a library that is loaded first inside: a limit set before does not hold for it."""
    code = f"""
import sys
from pathlib import Path

from threadpoolctl import threadpool_info

from cloze_gen.api import evaluate
from cloze_gen.pipelines.stage import Pipeline
from cloze_gen.store.artifacts import Store

def report():
    import sklearn.ensemble
    print(*(info["num_threads"] for info in threadpool_info()))

assert "sklearn" not in sys.modules
{call}
"""
    place = tmp_path if call is STAGE else finished.release / "questions.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", code, place],
        env=os.environ | {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(done.stdout.split()) == {"1"}


# ---- books


@pytest.mark.parametrize("config", ["", "holmes-sample"])
@pytest.mark.parametrize(
    "given", [{"train": "there"}, {"books": "there"}, {"train": "a", "source": "b", "books": "c"}]
)
def test_half_the_books_are_no_books(config, given):
    task = RunTask(style="holmes-style", config=config, **given)
    with pytest.raises(UsageError, match="--"):
        _ = task.stages


def test_a_config_file_with_one_side_is_refused(tmp_path, cli):
    """Nothing is planned for books of which half would be the sample's."""
    config = tmp_path / "mine.toml"
    config.write_text('style = "holmes-style"\n', encoding="utf-8")
    done = cli("run", config, "--train", tmp_path, "--dry-run", "--out", tmp_path / "out")
    assert done.status == 2
    assert "Give --train and --source" in done.err


def test_a_list_of_words_is_read_once(tmp_path):
    """The stages that use it get the same words, and the words are those of the digest."""
    words = tmp_path / "words.txt"
    words.write_text("clock\n")
    read = word_list(str(words))
    words.write_text("debt\n")
    assert read == Content(frozenset({"clock"}), words_digest(frozenset({"clock"})))
    assert word_list(str(words)).digest != read.digest


# ---- baseline models


def test_an_evaluation_reads_no_config(finished, monkeypatch):
    """The settings of the generating model are those of the run."""

    def fail(*_):
        raise AssertionError

    monkeypatch.setattr("cloze_gen.config.read_toml", fail)
    described = read_run(finished.folder)
    books = books_of_run(finished.folder, described, workers=1)
    assert books is not None
    assert books.lm.model_dump(mode="json") == described["settings"]["lm"]
    made = {stage["label"]: stage["fingerprint"] for stage in described["stages"]}
    assert books.text.key.fingerprint == made["text"]
    assert question_models(books)["index"].key.fingerprint == made["index"]


def test_a_run_without_a_language_model_gets_the_default(finished):
    """Books too small to estimate discounts get the fixed ones, as those of `--train` do."""
    described = read_run(finished.folder)
    described["settings"].pop("lm")
    books = books_of_run(finished.folder, described, workers=1)
    assert books is not None
    assert books.lm == LmSettings(discount_fallback=True)


def test_a_run_without_training_books_has_no_corpus(finished):
    """A style that has no training side is evaluated without one."""
    described = read_run(finished.folder)
    described["stages"] = [
        stage for stage in described["stages"] if stage["label"] != "corpus train"
    ]
    assert books_of_run(finished.folder, described, workers=1) is None
