"""`--stems`: a question for each given stem that can have one, and a reason for each other."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_jsonl, read_parquet
from tests.conftest import QUICK, SAMPLE, TRAIN_BOOKS, make_corpus

LOOSE = (
    *("--set", "focus.max_freq=2e-3", "--set", "focus.min_count=3"),
    *("--set", "grooming.min_tokens=6", "--set", "choice.max_triviality=1"),
    *("--set", "choice.max_ambiguity=1", "--set", "grooming.max_ambiguity=1"),
    *("--set", "grooming.max_ungrammatical=1"),
)
TEXT = "They carried the old _____ through the rain and left it near the door of the mill."
OLD = "But I do not see that it helps us to find the _____ of the man who took the boat."
STEMS = [
    {"id": "lamp", "text": TEXT, "answer": "lamp"},
    {"id": "again", "text": TEXT, "answer": "lamp"},
    {"id": "frequent", "text": OLD, "answer": "name"},
    {"id": "last", "text": "I went with the old man and with the boy to see the _____.", "answer": "boat"},
    {"id": "unknown", "text": TEXT, "answer": "zyzzyva"},
    {"id": "first", "text": "_____ went with the old man to the mill.", "answer": "Lamp"},
    {"id": "short", "text": "He saw the _____.", "answer": "lamp"},
]  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, cli: Callable[..., Any]) -> Path:
    """The folder of a run on given stems, one of them copied from a training book."""
    place = tmp_path_factory.mktemp("stems")
    train = make_corpus(place / "books").train
    book = (SAMPLE / "train" / TRAIN_BOOKS[0]).read_text(encoding="utf-8")
    leaked = "she had been told that the ferry would not cross again before the morning"
    paragraphs = book.split("\n\n")
    paragraphs.insert(len(paragraphs) // 2, f"Then {leaked}.")
    (train / TRAIN_BOOKS[0]).write_text("\n\n".join(paragraphs), encoding="utf-8")
    leak = {"id": "leak", "text": f"Later {leaked.replace('ferry', '___')}.", "answer": "ferry"}
    file = place / "bank.jsonl"
    lines = [json.dumps(one) for one in [*STEMS, leak]]
    file.write_text("\n\n".join(lines), encoding="utf-8")
    done = cli(
        *("run", "holmes-style", "--train", train, "--stems", file, *QUICK, *LOOSE),
        *("--set", "choice.n_questions=1", "--out", place / "out", "--workers", "1"),
    )
    assert done.status == 0, done.err
    assert "choice.n_questions is ignored" in done.err
    assert "1 of the stems are in a training book and are dropped" in done.err
    return place / "out" / "runs" / "holmes-style"


def test_each_stem_has_a_question_or_a_reason(made: Path) -> None:
    """A frequent answer and a last word are the user's choice; what cannot be scored is rejected."""
    rejected = read_parquet(stage_artifact(made, "focus").path("rejected.parquet")).to_pylist()
    assert {row["detail"]: row["reason"] for row in rejected} == {
        "unknown": "answer_not_in_training",
        "first": "word_without_two_predecessors",
        "short": "sentence_too_short",
        "leak": "stem_in_training",
    }
    kept = read_parquet(stage_artifact(made, "focus").path("focus.parquet")).to_pylist()
    assert [(row["stem"], row["stem_line"], row["word"]) for row in kept] == [
        ("lamp", 1, "lamp"),
        ("again", 3, "lamp"),
        ("frequent", 5, "name"),
        ("last", 7, "boat"),
    ]
    steps = (stage_artifact(made, stage).funnel for stage in ("screening", "grooming", "choice"))
    assert all(one["seen"] == one["kept"] + sum(one["rejected"].values()) for one in steps)


def test_questions_have_the_ids_of_their_stems(made: Path) -> None:
    """More than choice.n_questions: one for each stem that can have one."""
    questions = list(read_jsonl(made / "release" / "questions.jsonl"))
    given = {one["id"]: one for one in STEMS}
    assert len(questions) > 1
    for question in questions:
        stem = given[question["stem"]]
        assert question["answer"] == stem["answer"]
        assert question["input"] == stem["text"]


def test_a_trace_names_the_line(made: Path, cli: Callable[..., Any]) -> None:
    """And the raw text is the stem with its answer."""
    item = next(iter(read_jsonl(made / "release" / "questions.jsonl")))
    out = made.parents[1]
    done = cli("trace", item["id"], "--run", "holmes-style", "--out", out)
    line = {one["id"]: 2 * place + 1 for place, one in enumerate(STEMS)}[item["stem"]]
    assert f"stem       line {line} of bank.jsonl, id {item['stem']}" in done.out
    assert item["source"]["text"] in done.out


def test_a_run_is_explained_without_the_file(made: Path, cli: Callable[..., Any]) -> None:
    """The store has a copy of the stems."""
    (made.parents[2] / "bank.jsonl").rename(made.parents[2] / "gone.jsonl")
    done = cli("explain", "holmes-style", "--out", made.parents[1])
    (made.parents[2] / "gone.jsonl").rename(made.parents[2] / "bank.jsonl")
    assert done.status == 0, done.err
    assert "would run" not in done.out


def test_the_card_names_the_file_and_verify_reads_the_stems(
    made: Path, cli: Callable[..., Any], tmp_path: Path
) -> None:
    """The licence of the books is not that of the stems."""
    card = (made / "release" / "README.md").read_text(encoding="utf-8")
    assert "stems and answers: given in bank.jsonl" in card
    books = shutil.copytree(made / "corpus-source", tmp_path / "books")
    done = cli("verify", made / "release", "--books", books)
    assert done.status == 0, done.err


@pytest.mark.parametrize(
    ("config", "options", "said"),
    [
        ("scs-style", ("--train", "b"), "--stems: scs-style does not read it"),
        ("holmes-style", (), "needs a background"),
        ("holmes-style", ("--train", "b", "--source", "c"), "no other books"),
    ],
)
def test_options_that_do_not_go_together(
    config: str, options: tuple[str, ...], said: str, cli: Callable[..., Any], tmp_path: Path
) -> None:
    """One message, before any work."""
    done = cli("run", config, *options, "--stems", "bank.jsonl", "--out", tmp_path / "out")
    assert done.status == 2
    assert said in done.err
    assert not (tmp_path / "out").exists()
