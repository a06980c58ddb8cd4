"""The published files of a LAMBADA set."""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.formats.lambada import parse_plain_text
from cloze_gen.recipes.lambada.release import genre_folder
from cloze_gen.store.tables import read_jsonl
from tests.conftest import FinishedRun, Outcome


@given(st.text())
def test_a_genre_is_one_folder_below(domain: str) -> None:
    folder = genre_folder(domain)
    assert 0 < len(folder) <= 100
    assert folder.isascii()
    assert "/" not in folder
    assert not folder.startswith(".")


def test_a_plain_genre_keeps_its_name() -> None:
    """As the published ones are called; without one there is a name for that."""
    assert [genre_folder(name) for name in ("Science_fiction", "Romance", "")] == [
        "Science_fiction",
        "Romance",
        "no-genre",
    ]


def test_the_published_files_hold_the_splits(lambada: FinishedRun) -> None:
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
    assert not (lambada.release / "train-novels").exists()


def test_the_control_set_has_tasks_of_its_own(lambada: FinishedRun) -> None:
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


def test_the_card_names_what_is_there(lambada: FinishedRun) -> None:
    """Passages and no questions, the set counted without its control, each file that it tells of."""
    card = (lambada.release / "README.md").read_text(encoding="utf-8")
    assert "question" not in card.replace("text-generation", "")
    assert '- "text-generation"' in card
    n = sum(
        (lambada.release / f"{split}.jsonl").read_text(encoding="utf-8").count("\n")
        for split in ("validation", "test")
    )
    assert f"\n{n} LAMBADA-style passages with the last word as the target (" in card
    head = card.split("---")[1]
    named = [line.split('"')[1] for line in head.splitlines() if line.startswith("    path: ")]
    assert named == ["validation.jsonl", "test.jsonl", "control.jsonl", "fewshot.jsonl"]
    told = [
        name
        for line in card.partition("## Files\n")[2].partition("\n\n")[0].splitlines()
        for name in line.partition(": ")[0].split("`")[1::2]
    ]
    assert {"lambada-vocab-2.txt", "control.jsonl", "harness", "parquet"} <= set(told)
    assert all((lambada.release / name).exists() for name in told)


def test_examples_are_other_passages_of_the_development_novels(lambada: FinishedRun) -> None:
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
def test_the_training_novels_are_released_where_asked_for(
    lambada: FinishedRun, cli: Callable[..., Outcome], tmp_path: Path
) -> None:
    """As links within the output folder or as equal files; checksums cover both."""
    shutil.copytree(lambada.out, tmp_path / "out", symlinks=True)
    found: dict[str, dict[str, bytes]] = {}
    for how in ("link", "copy"):
        options = (
            *lambada.corpus.options,
            "--set",
            "guessing.judges=machine",
            "--set",
            f"release.train_text={how}",
        )
        outcome = cli("run", *options, "--name", how, "--out", tmp_path / "out", "--workers", "1")
        assert outcome.status == 0, outcome.err
        release = tmp_path / "out" / "runs" / how / "release"
        files = sorted((release / "train-novels").rglob("*.txt"))
        assert all(path.is_symlink() == (how == "link") for path in files)
        assert all(path.resolve().is_relative_to((tmp_path / "out").resolve()) for path in files)
        found[how] = {path.relative_to(release).as_posix(): path.read_bytes() for path in files}
        sums = dict(
            reversed(line.split("  "))
            for line in (release / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
        )
        assert {
            name: hashlib.sha256(text).hexdigest() for name, text in found[how].items()
        }.items() <= sums.items()
        rejected = parse_plain_text(
            (release / "rejected_plain_text.txt").read_text(encoding="utf-8")
        )
        assert len(rejected) > 0
        assert cli("report", how, "--out", tmp_path / "out").status == 0
    assert found["link"] == found["copy"]
    vocabulary = [
        line.split("\t")[0]
        for line in (release / "lambada-vocab-2.txt").read_text(encoding="utf-8").splitlines()
    ]
    words = {
        word for text in found["copy"].values() for word in text.decode().split() if word.isalpha()
    }
    assert words <= set(vocabulary)
    assert vocabulary == sorted(vocabulary)
