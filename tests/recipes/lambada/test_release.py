"""The published files of a LAMBADA set."""

import itertools
import json
import re
import shutil

import pytest

from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_jsonl


def test_the_published_files_hold_the_splits(lambada):
    """Line by line the `text` of the records, and of the tables that `datasets` reads."""
    records = [
        json.loads(line)
        for line in (lambada.release / "passages.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    for split, name in (
        ("validation", "development"),
        ("test", "test"),
        ("control", "control_test_data"),
    ):
        texts = [one["text"] for one in records if one["split"] == split]
        assert (lambada.release / f"lambada_{name}_plain_text.txt").read_text(
            encoding="utf-8"
        ).splitlines() == texts
        table = [
            json.loads(line)
            for line in (lambada.release / f"{split}.jsonl")
            .read_text(encoding="utf-8")
            .splitlines()
        ]
        assert [one["text"] for one in table] == texts
        assert len({tuple(one) for one in table}) == 1
    assert not (lambada.release / "rejected_plain_text.txt").exists()


def test_the_control_set_has_tasks_of_its_own(lambada):
    """In both renderings; the set's own tasks do not hold it."""
    for rendering in ("published", "cased"):
        task = (lambada.release / f"harness/tiny_control_{rendering}.yaml").read_text(
            encoding="utf-8"
        )
        assert f'task: "tiny_control_{rendering}"' in task
        assert f'test: "tiny_control_{rendering}.test.jsonl"' in task
        assert "control" not in (lambada.release / f"harness/tiny_{rendering}.yaml").read_text(
            encoding="utf-8"
        )
        lines = (
            (lambada.release / f"harness/tiny_control_{rendering}.test.jsonl")
            .read_text(encoding="utf-8")
            .count("\n")
        )
        assert lines == (lambada.release / "control.jsonl").read_text(encoding="utf-8").count("\n")


def test_the_card_names_what_is_there(lambada):
    """Passages and no questions, the set counted without its control, each file that it tells of."""
    card = (lambada.release / "README.md").read_text(encoding="utf-8")
    assert "question" not in card.replace("text-generation", "")
    assert 'task_categories: ["text-generation"]' in card
    n = sum(
        (lambada.release / f"{split}.jsonl").read_text(encoding="utf-8").count("\n")
        for split in ("validation", "test")
    )
    assert f"\n{n} LAMBADA-style passages with the last word as the target (" in card
    head = card.split("---")[1]
    named = re.findall(r'"path": "parquet/(\w+)\.parquet"', head)
    assert named == ["validation", "test", "control", "fewshot"]
    told = [
        name
        for line in card.partition("## Files\n")[2].partition("\n\n")[0].splitlines()
        for name in line.partition(": ")[0].split("`")[1::2]
    ]
    assert {"lambada-vocab-2.txt", "control.jsonl", "harness", "parquet"} <= set(told)
    assert all((lambada.release / name).exists() for name in told)


def test_examples_are_other_passages_of_the_development_novels(lambada):
    examples, published = (
        list(read_jsonl(lambada.release / file)) for file in ("fewshot.jsonl", "passages.jsonl")
    )
    assert len(examples) == 8
    assert {(one["part"], one["judged"], one["canary"]) for one in examples} == {
        ("development", "none", published[0]["canary"])
    }
    assert len({one["target"].casefold() for one in examples}) == len(examples)
    for one, other in itertools.chain(
        itertools.product(examples, published), itertools.combinations(examples, 2)
    ):
        assert (
            one["book_id"] != other["book_id"]
            or one["end"] <= other["start"]
            or other["end"] <= one["start"]
        )


@pytest.mark.slow
def test_a_set_that_the_limits_leave_short(lambada, cli, tmp_path):
    """The card says how many were wanted."""
    shutil.copytree(lambada.out, tmp_path / "out", symlinks=True)
    options = (*lambada.corpus.options, "--set", "ranking.order=signals")
    outcome = cli("run", *options, "--name", "x", "--out", tmp_path / "out", "--workers", "1")
    assert outcome.status == 0, outcome.err
    finished = stage_artifact(tmp_path / "out/runs/x", "passage set")
    assert finished.facts["wanted"] == 40 > finished.funnel["kept"]
    card = (tmp_path / "out/runs/x/release/README.md").read_text(encoding="utf-8")
    assert "The run requested 40; the funnel below shows why there are fewer." in card
