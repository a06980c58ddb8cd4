"""Stages as Luigi tasks: what they need, what runs beside them, the books and models they are given."""

import json
import os
import subprocess
import sys

import luigi
import pytest

from cloze_gen.errors import CorpusError, UsageError
from cloze_gen.pipelines.baseline_models import corpus_of_run
from cloze_gen.pipelines.corpus import Counts, Ingest
from cloze_gen.pipelines.holmes_style import Focus
from cloze_gen.pipelines.run import RunTask
from cloze_gen.pipelines.task import Build, StageTask
from cloze_gen.store.artifacts import funnel
from cloze_gen.store.runs import read_run

DONE = []


class Plain(StageTask):
    """A stage without inputs."""

    stage = "plain"
    name = luigi.Parameter()

    @property
    def label(self):
        return f"{self.stage} {self.name}"

    def settings(self):
        return {"name": self.name}

    def work(self, writer, ctx):
        writer.path("done.txt").write_text(self.name)
        DONE.append(self.label)


class Waiting(Plain):
    """A stage that waits for an outside program, and lets others work meanwhile."""

    stage = "waiting"
    outside = True

    def work(self, writer, ctx):
        self.build.run_those_ready()
        super().work(writer, ctx)


class After(Plain):
    """A stage that needs what a waiting one makes."""

    stage = "after"

    def inputs(self):
        return {"waiting": self.clone(Waiting, name="one")}


@pytest.fixture(autouse=True)
def clean():
    DONE.clear()


@pytest.mark.timeout(30)
def test_beside_a_program_no_other_program_is_begun(tmp_path):
    place = {"out": str(tmp_path), "processes": 1, "build": Build()}
    one, two, plain, after = (
        Waiting(name="one", **place),
        Waiting(name="two", **place),
        Plain(name="x", **place),
        After(name="y", **place),
    )
    one.build.stages = [one, two, plain, after]
    one.run()
    assert DONE == ["plain x", "waiting one"]
    two.run()
    assert DONE == ["plain x", "waiting one", "after y", "waiting two"]


class Picky(Plain):
    """A stage that rejects all that it sees."""

    stage = "picky"

    def work(self, writer, ctx):
        super().work(writer, ctx)
        writer.funnel = funnel("words", kept=0, rejected={"too_short": 2, "name": 1200})


class Lenient(Picky):
    """One that may reject all."""

    may_keep_nothing = True


def test_a_stage_that_keeps_nothing_is_an_error(tmp_path):
    place = {"out": str(tmp_path), "processes": 1, "build": Build()}
    picky, lenient = Picky(name="one", **place), Lenient(name="two", **place)
    with pytest.raises(
        CorpusError,
        match=r"^picky one: none of 1,202 words is kept \(1,200 name, 2 too_short\), so no set can be made\.",
    ):
        picky.run()
    lenient.run()
    assert (picky.complete(), lenient.complete()) == (False, True)


# Both print the numbers of threads of libraries that are loaded inside.
STAGE = """
class Heavy(StageTask):
    stage = "heavy"

    def work(self, writer, ctx):
        report()

Heavy(out=sys.argv[1], processes=1, build=Build()).run()
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

from threadpoolctl import threadpool_info

from cloze_gen.api import evaluate
from cloze_gen.pipelines.task import Build, StageTask

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


# ---- style task


@pytest.mark.parametrize("config", ["", "holmes-sample"])
@pytest.mark.parametrize(
    "given", [{"train": "there"}, {"books": "there"}, {"train": "a", "source": "b", "books": "c"}]
)
def test_half_the_books_are_no_books(config, given):
    task = RunTask(style="holmes-style", config=config, **given)
    with pytest.raises(UsageError, match="--"):
        task.stages()


def test_a_config_file_with_one_side_is_refused(tmp_path, cli):
    """Nothing is planned for books of which half would be the sample's."""
    config = tmp_path / "mine.toml"
    config.write_text('style = "holmes-style"\n', encoding="utf-8")
    done = cli("run", config, "--train", tmp_path, "--dry-run", "--out", tmp_path / "out")
    assert done.status == 2
    assert "give both --train and --source" in done.err


def test_a_side_that_a_style_has_not_is_no_sample():
    with pytest.raises(ValueError, match="has no side 'books'"):
        Ingest(style="holmes-style", side="books").location("books")


def test_inputs_are_those_that_are_declared():
    """`needs` names stages, of a side where it says one."""
    inputs = Focus(style="holmes-style").inputs()
    assert {name: task.label for name, task in inputs.items()} == {
        "source": "corpus source",
        "counts": "counts",
    }
    assert {name: task.label for name, task in Counts(style="holmes-style").inputs().items()} == {
        "corpus": "corpus train"
    }


# ---- baseline models


@pytest.mark.parametrize(
    ("book_bytes", "lm"), [("1000", {"discount_fallback": True}), ("9000000", {})]
)
def test_a_run_without_a_language_model_is_measured_by_its_size(
    finished, monkeypatch, book_bytes, lm
):
    """Books too small to estimate discounts get the fixed ones, as those of `--train` do."""
    described = read_run(finished.folder)
    described["sample"] = False
    described["settings"].pop("lm")
    monkeypatch.setattr(
        "cloze_gen.pipelines.baseline_models.kept_books", lambda _: [{"book_bytes": book_bytes}]
    )
    corpus = corpus_of_run(finished.folder, described, trained_on="corpus train", workers=1)
    assert corpus is not None
    assert json.loads(corpus.lm) == lm


def test_a_run_without_training_books_has_no_corpus(finished):
    """A style that has no training side is evaluated without one."""
    described = read_run(finished.folder)
    described["stages"] = [
        stage for stage in described["stages"] if stage["label"] != "corpus train"
    ]
    assert corpus_of_run(finished.folder, described, trained_on="corpus train", workers=1) is None
