"""Source books beside a source book: what they change, and what they do not."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_jsonl, read_parquet

SAMPLE = Path(__file__).parents[2] / "corpora" / "sample"
BOOK, SECOND = "the-clockmakers-debt", "zz-again"
Cli = Callable[..., Any]


@pytest.fixture(scope="module")
def more(finished: Any, cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The output folder of the finished run, with a run over its source book, another one, and a second printing of the first."""
    place = tmp_path_factory.mktemp("more")
    shutil.copytree(finished.out, place / "out", symlinks=True)
    shutil.copytree(SAMPLE / "source", place / "source")
    text = (place / "source" / f"{BOOK}.txt").read_text(encoding="utf-8")
    (place / "source" / f"{SECOND}.txt").write_text(text.replace("Chapter", "CHAPTER"), encoding="utf-8")
    books = replace(finished.corpus, source=place / "source")
    settings = ("--set", "overlap.within=keep", "--set", "choice.n_questions=200")
    common = ("run", *books.options, *settings, "--out", place / "out", "--workers", "1")
    for name, choice in (("more", ("--set", "choice.same_vocabulary=true")), ("loose", ("--set", "choice.method=random"))):
        outcome = cli(*common, "--name", name, *choice)
        assert outcome.status == 0, outcome.err
    return place / "out"


def of_book(out: Path, run: str, stage: str, file: str, book: str = BOOK) -> pd.DataFrame:
    table = read_parquet(stage_artifact(out / "runs" / run, stage).path(file)).to_pandas()
    table = table.astype({name: str for name in table if str(table[name].dtype) == "category"})
    return table[table["id"].str.startswith(f"{book}:")].reset_index(drop=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stage", "file"),
    [
        ("focus", "focus.parquet"), ("focus", "rejected.parquet"), ("focus", "sentences.parquet"), ("alternates", "alternates"),
        ("screening", "items.parquet"), ("forward", "scored"), ("grooming", "decisions"), ("grooming", "items.parquet"),
    ],
)  # fmt: skip
def test_another_book_changes_no_candidate(finished: Any, more: Path, stage: str, file: str) -> None:
    """Given the same counts and model, every verdict up to the choice is the record's own."""
    alone = of_book(finished.out, finished.name, stage, file)
    assert len(alone) > 20
    pd.testing.assert_frame_equal(of_book(more, "more", stage, file), alone)


@pytest.mark.slow
def test_no_sentence_is_printed_in_two_questions(more: Path) -> None:
    """Of a sentence and its second printing one is asked; the other is told which."""
    records = list(read_jsonl(more / "runs" / "more" / "release" / "questions.jsonl"))
    printed = [tuple(record["tokens"]) for record in records]
    assert len(set(printed)) == len(printed) > 60
    rejected = read_parquet(stage_artifact(more / "runs" / "more", "choice").path("rejected.parquet")).to_pandas()
    again = rejected[rejected["reason"].astype(str) == "sentence_printed_before"]
    assert len(again) > 20
    assert all(
        item.startswith(f"{SECOND}:") and first.startswith(f"{BOOK}:") for item, first in zip(again["id"], again["detail"], strict=True)
    )


@pytest.mark.slow
def test_an_impostor_is_a_focus_word_somewhere(more: Path) -> None:
    """With `choice.same_vocabulary`; without it words foreign to the source books come in, more seldom than others."""
    known = set(read_parquet(stage_artifact(more / "runs" / "more", "focus").path("focus.parquet"))["word"].to_pylist())
    foreign = {
        name: {word for record in read_jsonl(more / "runs" / name / "release" / "questions.jsonl") for word in record["options"]} - known
        for name in ("more", "loose")
    }
    assert not foreign["more"]
    assert foreign["loose"]
