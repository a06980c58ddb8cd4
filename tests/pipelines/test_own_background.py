"""Source books alone: they are their own background, and no question's own book is behind it."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from cloze_gen.corpus.cross_fitting import of_model, read_groups
from cloze_gen.models.language_model import open_index
from cloze_gen.pipelines.run import RunTask
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_jsonl, read_parquet
from tests.conftest import QUICK, folder_digests, make_corpus

# As the tests of other runs have it, and the bounds that so little text asks for.
SMALL = (
    "--set",
    "focus.max_freq=2e-3",
    "--set",
    "focus.min_count=3",
    "--set",
    "focus.min_tokens=6",
    "--set",
    "choice.n_questions=24",
)


def options(books):
    return "run", "holmes-few-books", "--source", str(books), *QUICK, *SMALL, "--name", "alone"


@pytest.fixture(scope="module")
def alone(tmp_path_factory, cli):
    """The output folder of a run over three sample books without training books."""
    place = tmp_path_factory.mktemp("alone")
    books = make_corpus(place / "books").train
    done = cli(*options(books), "--out", place / "out", "--workers", "1")
    assert done.status == 0, done.err
    assert (
        "no --train: the books of --source are also the background, with the settings of "
        "holmes-few-books" in done.err
    )
    return place / "out"


def stages_of(out):
    return {
        stage["label"]: stage
        for stage in json.loads((out / "runs" / "alone" / "run.json").read_text(encoding="utf-8"))[
            "stages"
        ]
    }


def test_one_artifact_is_the_books_of_both_sides(alone):
    stages = stages_of(alone)
    books = stages["corpus source"]["fingerprint"]
    assert stages["corpus train"]["fingerprint"] == books
    run = alone / "runs" / "alone"
    assert f"|train:{books[:8]}|source:{books[:8]}|" in (
        run / "release" / "signature.txt"
    ).read_text(encoding="utf-8")
    assert (run / "corpus-source").is_symlink()
    assert not (run / "corpus-train").exists()
    assert sorted(read_groups(stage_artifact(run, "index")).values()) == [1, 2, 3]
    assert {row["book_id"] for row in read_jsonl(run / "release" / "questions.jsonl")} <= set(
        read_groups(stage_artifact(run, "index"))
    )


def test_every_option_is_known_without_the_book(alone):
    run = alone / "runs" / "alone"
    indexes = stage_artifact(run, "index")
    models = {
        book: open_index(of_model(indexes, number)) for book, number in read_groups(indexes).items()
    }
    asked = list(read_jsonl(run / "release" / "questions.jsonl"))
    assert len({row["book_id"] for row in asked}) == 3
    for row in asked:
        model = models[row["book_id"]]
        assert set(row["options"]) <= model.id_of.keys()
        told = {one["word"]: one["history_log10_prob"] for one in row["option_scores"]}
        history = model.next_word_log10_probs(row["history"])
        assert {
            word: round(float(history[model.id_of[word]]), 4) for word in told
        } == pytest.approx(told, abs=1e-4)


def test_words_of_one_book_are_told_as_such(alone):
    """The model of their book does not know them, and the rejection says why."""
    run = alone / "runs" / "alone"
    indexes = stage_artifact(run, "index")
    models = {
        book: open_index(of_model(indexes, number)) for book, number in read_groups(indexes).items()
    }
    words = read_parquet(stage_artifact(run, "focus").path("focus.parquet")).to_pylist()
    items = read_parquet(stage_artifact(run, "forward").path("items.parquet")).to_pylist()
    unknown = {
        word["id"]
        for word in words
        if word["word"] not in models[word["id"].rsplit(":", 2)[0]].id_of
    }
    assert unknown
    assert unknown == {row["id"] for row in items if row["status"] == "word_in_no_other_book"}


def test_card_and_report_say_it(alone):
    """What was held out, what was not, and nothing of two sides."""
    release = alone / "runs" / "alone" / "release"
    card = (release / "README.md").read_text(encoding="utf-8")
    for text in (card, (release / "report.html").read_text(encoding="utf-8")):
        assert "no training books were given" in text
        assert "3 books, 3 models, each trained without one book" in text
        assert "without the sentences of the" in text
    assert "books on both sides" not in card


def test_every_command_knows_the_run(alone, cli):
    again = cli(*options(alone.parent / "books" / "train"), "--out", alone, "--workers", "1")
    assert "nothing to do" in again.err
    explained = cli("explain", "alone", "--out", alone)
    assert "would run" not in explained.out
    first = next(iter(read_jsonl(alone / "runs" / "alone" / "release" / "questions.jsonl")))["id"]
    for call, told in (
        (("trace", first, "--run", "alone"), "in the set: line 1 of"),
        (("runs",), "name:alone"),
        (("show", "alone", "index"), "model-3/"),
        (("show", "alone", "lm"), "cross-fitting.tsv"),
    ):
        done = cli(*call, "--out", alone)
        assert done.status == 0, done.err
        assert told in done.out, done.out


@pytest.mark.slow
def test_baselines_have_not_read_the_questions(alone, tmp_path, cli):
    done = cli(
        "evaluate",
        "alone",
        "--only",
        "simple-4gram",
        "--out",
        alone,
        "--workers",
        "1",
        "--write-to",
        tmp_path / "e",
    )
    assert done.status == 0, done.err
    assert "|without:items|" in done.out
    run = alone / "runs" / "alone"
    asked = {" ".join(row["tokens"]) for row in read_jsonl(run / "release" / "questions.jsonl")}
    (text,) = (alone / "store").glob("eval-text-*")
    lines = (text / "sentences.txt").read_text(encoding="utf-8").splitlines()
    assert not asked & set(lines)
    facts = json.loads((text / "manifest.json").read_text(encoding="utf-8"))["facts"]
    assert (facts["left_out"], facts["not_found"]) == (len(asked), 0)
    whole = (
        (stage_artifact(run, "text").path("sentences.txt")).read_text(encoding="utf-8").splitlines()
    )
    assert len(whole) - 2 * len(asked) < len(lines) <= len(whole) - len(asked)


@pytest.mark.thorough
def test_neither_workers_nor_order_nor_a_kill_change_a_byte(alone, tmp_path, cli):
    books, out = tmp_path / "books" / "train", tmp_path / "out"
    books.mkdir(parents=True)
    for book in sorted((alone.parent / "books" / "train").iterdir(), reverse=True):
        shutil.copyfile(book, books / book.name)
    command = [
        *(sys.executable, "-m", "cloze_gen", *options(books)),
        *("--out", str(out), "--workers", "2"),
    ]
    with subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        seen = 0
        for line in process.stderr:
            seen += line.startswith("lm: 5/5")
            if seen == 2:  # the first model is whole, the second is being written
                os.killpg(process.pid, 9)
                break
    assert not list((out / "store").glob("lm-*"))
    done = cli(*options(books), "--out", out, "--workers", "2")
    assert done.status == 0, done.err
    first, second = folder_digests(alone), folder_digests(out)
    made = {
        name for name in first if not name.startswith(("store/eval", "store/match", "evaluations"))
    }
    assert made == second.keys()
    assert {name for name in made if first[name] != second[name]} <= {"runs/alone/corpus-source"}


def test_one_book_is_told_what_to_do(tmp_path, cli):
    """Nothing would be left to learn from, which is known before any stage."""
    corpus = make_corpus(tmp_path / "books")
    done = cli(*options(corpus.source), "--out", tmp_path / "out", "--workers", "1")
    assert done.status == 1
    assert "is the only book" in done.err
    assert "--train DIR" in done.err
    assert "scs-style works with one book" in done.err
    assert "stage 1" not in done.err


@pytest.mark.thorough
def test_two_books_are_a_warning(tmp_path, cli):
    """They serve, and the card says how little each model knows."""
    books = make_corpus(tmp_path / "books").train
    max(books.iterdir()).unlink()
    done = cli(
        *options(books), "--set", "focus.min_count=2", "--out", tmp_path / "out", "--workers", "1"
    )
    assert done.status == 0, done.err
    card = (tmp_path / "out" / "runs" / "alone" / "release" / "README.md").read_text(
        encoding="utf-8"
    )
    assert "With two books, each model is trained on one" in card


def test_without_a_config_the_one_for_few_books_serves(tmp_path, cli):
    books = make_corpus(tmp_path / "books").train
    task = RunTask(style="holmes-style", source=str(books), out=str(tmp_path / "out"))
    assert task.settings.focus.min_count == 8
    assert (
        RunTask(
            style="holmes-style", config="holmes-style", source=str(books), out=str(tmp_path)
        ).settings.focus.min_count
        == 20
    )
    planned = cli("run", "holmes-style", "--source", books, "--dry-run", "--out", tmp_path / "out")
    assert "with the settings of holmes-few-books" in planned.err
    assert planned.status == 0


def test_one_folder_on_both_sides_is_told_of_it(tmp_path, cli):
    """The way to let books be their own background is to name them once."""
    books = make_corpus(tmp_path / "books").train
    done = cli(
        "run", "holmes-style", "--train", books, "--source", books, "--out", tmp_path / "out"
    )
    assert done.status == 2
    assert "only --source, to use its books as background too" in done.err


@pytest.mark.thorough
def test_scs_style_takes_source_books_alone(tmp_path, cli):
    """Its statistics are of single words, so nothing has to be held out, and the card says so."""
    books = make_corpus(tmp_path / "books").train
    done = cli(
        "run",
        "scs-sample",
        "--source",
        books,
        "--name",
        "alone",
        "--out",
        tmp_path / "out",
        "--workers",
        "1",
    )
    assert done.status == 0, done.err
    card = (tmp_path / "out" / "runs" / "alone" / "release" / "README.md").read_text(
        encoding="utf-8"
    )
    assert "no books had to be held out" in card
