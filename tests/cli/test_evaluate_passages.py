"""`cloze-gen evaluate` from passages to files."""

import json
import math
from pathlib import Path

import pytest

from cloze_gen.store.tables import read_jsonl, write_jsonl

TRAIN = Path(__file__).parents[2] / "corpora" / "sample" / "train"
# A published form of our own: the target stands twice in the first's context, once in the second's.
LINES = (
    "the ferry lay by the landing all night . `` who is there ? '' asked the ferryman . the "
    "ferryman waited ; nobody answered the ferryman",
    "she shut the ledger and the lamp went out . he did n't know where to look for the ledger",
    "there was no wind that morning . they walked to the harbour and looked at the zyzzogeton",
)
PASSAGE_ROWS = ("random word", "most repeated content word", "cache", "n-gram", "n-gram + cache")


def rows_of(folder):
    record = json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))
    return {(row["name"], row["set"]): row for row in record["baselines"]}


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("evaluated") / "out"


@pytest.fixture(scope="module")
def published(out):
    path = out.parent / "lambada_tiny_plain_text.txt"
    path.write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def run(out, cli):
    """A finished LAMBADA-style run over the sample, its committee the n-gram model alone."""
    quick = (
        "--set",
        'committee.members=["ngram"]',
        "--set",
        "lm.memory=100M",
        "--set",
        "control.n_passages=40",
    )
    outcome = cli("run", "lambada-style", "--name", "tiny", "--out", out, "--workers", "1", *quick)
    assert outcome.status == 0, outcome.err
    return out / "runs" / "tiny"


@pytest.fixture(scope="module")
def measured(published, out, cli):
    """The published file, measured with everything that trains no network, and the call."""
    outcome = cli(
        "evaluate",
        published,
        "--train",
        TRAIN,
        "--out",
        out,
        "--workers",
        "1",
        "--write-to",
        out.parent / "measured",
    )
    assert outcome.status == 0, outcome.err
    return out.parent / "measured", outcome


def test_a_published_file_is_measured(measured):
    folder, outcome = measured
    rows = rows_of(folder)
    assert {which for _, which in rows} == {"passages"}
    assert rows["random word", "passages"]["accuracy"] == pytest.approx((2 / 20 + 1 / 17 + 0) / 3)
    assert rows["most repeated content word", "passages"]["correct"] == 1
    assert rows["last name", "passages"]["accuracy"] is None
    assert "no capital letters: random capitalised word, last name" in outcome.out
    plain, cached = (rows[name, "passages"] for name in ("n-gram", "n-gram + cache"))
    assert plain["coverage"] == cached["coverage"] == pytest.approx(2 / 3)
    assert cached["perplexity"] < plain["perplexity"] < math.inf
    assert all(row["n"] == 3 for row in rows.values())
    assert all(name in outcome.out for name in PASSAGE_ROWS)
    assert "left out: feed-forward, recurrent" in outcome.out
    assert "give --only NAME)" in outcome.out


def test_predictions_tell_the_figures(measured):
    rows, predicted = rows_of(measured[0]), list(read_jsonl(measured[0] / "predictions.jsonl"))
    own = [line for line in predicted if line["baseline"] == "n-gram + cache"]
    assert [line["id"] for line in own] == ["1", "2", "3"]
    row = rows["n-gram + cache", "passages"]
    assert 10 ** -(sum(line["log10_prob"] for line in own) / 3) == pytest.approx(
        row["perplexity_with_unknown"], rel=1e-4
    )
    assert 10 ** -(sum(line["log10_prob"] for line in own[:2]) / 2) == pytest.approx(
        row["perplexity"], rel=1e-4
    )
    assert own[2]["rank"] is None
    content = [
        line["right"] for line in predicted if line["baseline"] == "most repeated content word"
    ]
    assert content.count(True) == rows["most repeated content word", "passages"]["correct"]


def test_without_books_what_needs_none_is_measured(published, cli, tmp_path):
    """Models are left out and named."""
    outcome = cli("evaluate", published, "--out", tmp_path, "--write-to", tmp_path / "here")
    assert outcome.status == 0, outcome.err
    assert (
        "left out: random vocabulary word, n-gram, n-gram + cache (no training corpus; pass "
        "--train DIR)" in outcome.out
    )
    assert {name for name, _ in rows_of(tmp_path / "here")} >= {"random word", "cache"}


@pytest.mark.usefixtures("measured")
def test_rows_stay_until_the_models_are_others(published, out, cli, tmp_path):
    for options, kept in ((("--only", "cache"), {"cache"}), (("--only", "random word"), {"cache", "random word"}),
                          (("--only", "cache", "--seed", "2"), {"cache"})):  # fmt: skip
        outcome = cli(
            "evaluate",
            published,
            "--train",
            TRAIN,
            "--out",
            out,
            "--write-to",
            tmp_path / "here",
            *options,
        )
        assert outcome.status == 0, outcome.err
        assert {name for name, _ in rows_of(tmp_path / "here")} == kept


def test_scores_of_your_own(published, cli, tmp_path):
    lines = [
        {"id": 1, "log10_prob": -0.5, "rank": 1},
        {"id": 2, "log10_prob": -2, "rank": 7},
        {"id": 3, "log10_prob": -3.5, "rank": 9},
    ]
    write_jsonl(tmp_path / "mine.jsonl", lines)
    outcome = cli(
        "evaluate",
        published,
        "--out",
        tmp_path,
        "--scores",
        tmp_path / "mine.jsonl",
        "--only",
        "user",
        "--write-to",
        tmp_path / "w",
    )
    assert outcome.status == 0, outcome.err
    (row,) = rows_of(tmp_path / "w").values()
    told = {name: row[name] for name in ("name", "kind", "correct", "median_rank", "coverage")}
    assert told == {
        "name": "user:mine",
        "kind": "user",
        "correct": 1,
        "median_rank": 7.0,
        "coverage": 1.0,
    }
    assert row["perplexity"] == pytest.approx(100)


def test_a_run_is_measured_beside_its_control_set(run, out, cli):
    outcome = cli("evaluate", "tiny", "--out", out, "--workers", "1")
    assert outcome.status == 0, outcome.err
    (folder,) = out.joinpath("evaluations").glob("tiny-*")
    record, rows = (
        json.loads((folder / "evaluation.json").read_text(encoding="utf-8")),
        rows_of(folder),
    )
    splits = [line["split"] for line in read_jsonl(run / "release" / "passages.jsonl")]
    sizes = {"passages": len(splits) - splits.count("control"), "control": splits.count("control")}
    assert record["sets"] == sizes
    assert all(row["n"] == sizes[which] for (_, which), row in rows.items())
    assert rows["last name", "passages"]["correct"] is not None
    assert "|trained:" in record["signature"]
    assert set(record["left_out"]) == {"feed-forward", "recurrent"}
    again = cli("evaluate", run, "--out", out, "--only", "n-gram")
    assert "passage-ngrams:" in outcome.err
    assert "passage-ngrams:" not in again.err, "what is trained is on disk"
    assert rows_of(folder).keys() == rows.keys()


@pytest.mark.thorough
def test_networks_are_trained_when_asked_for(published, out, cli, tmp_path):
    options = (
        "--train",
        TRAIN,
        "--out",
        out,
        "--workers",
        "1",
        "--write-to",
        tmp_path / "here",
        "--only",
        "feed-forward",
    )
    first = cli("evaluate", published, *options, "--only", "recurrent")
    assert first.status == 0, first.err
    assert "passage-network recurrent:" in first.err
    rows = rows_of(tmp_path / "here")
    assert {name for name, _ in rows} == {"feed-forward", "recurrent"}
    assert all(
        row["kind"] == "model" and row["perplexity"] > 1 and row["median_rank"] >= 1
        for row in rows.values()
    )
    again = cli("evaluate", published, *options)
    assert "passage-network feedforward:" not in again.err
    assert (
        rows_of(tmp_path / "here")["feed-forward", "passages"]["perplexity"]
        == rows["feed-forward", "passages"]["perplexity"]
    )
    other = cli("evaluate", published, *options, "--seed", "2")
    assert "passage-network feedforward:" in other.err
    assert (
        rows_of(tmp_path / "here")["feed-forward", "passages"]["perplexity"]
        != rows["feed-forward", "passages"]["perplexity"]
    )


def test_answers_are_for_questions_only(published, cli, tmp_path):
    outcome = cli("evaluate", published, "--answers", "x.txt", "--out", tmp_path / "out")
    assert outcome.status != 0
    assert "passages contain their own answers" in outcome.err
    assert not (tmp_path / "out" / "evaluations").exists()


@pytest.mark.thorough
@pytest.mark.realdata
def test_the_published_set_is_as_hard_as_it_should_be(data_dir, cli, tmp_path):
    """The n-gram model is right in at most 1 %; a cache cuts perplexity to 0.4, rank to 0.2."""
    path = data_dir / "published" / "lambada-dev" / "lambada_development_plain_text.txt"
    if not path.is_file():
        pytest.skip("the published LAMBADA development set is not unpacked (make data SHARED=DIR)")
    books = tmp_path / "books"
    books.mkdir()
    for book in sorted((data_dir / "holmes-training").glob("*.TXT"))[::16]:
        (books / book.name).symlink_to(book)
    outcome = cli(
        "evaluate",
        path,
        "--train",
        books,
        "--out",
        tmp_path / "out",
        "--write-to",
        tmp_path / "here",
    )
    assert outcome.status == 0, outcome.err
    rows = {name: row for (name, _), row in rows_of(tmp_path / "here").items()}
    assert 0.014 <= rows["random word"]["accuracy"] <= 0.019
    assert max(rows[name]["accuracy"] for name in ("n-gram", "n-gram + cache")) <= 0.01
    assert rows["n-gram + cache"]["perplexity"] <= 0.4 * rows["n-gram"]["perplexity"]
    assert rows["n-gram + cache"]["median_rank"] <= rows["n-gram"]["median_rank"] / 5
