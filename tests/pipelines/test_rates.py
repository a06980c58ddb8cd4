"""Progress of a run in stages, and the minutes and gigabytes that a dry run prints."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cloze_gen.api.run import make_task
from cloze_gen.engine.progress import LOGS
from cloze_gen.pipelines import rates
from cloze_gen.pipelines.rates import RATES, costs, read_rates
from cloze_gen.store.artifacts import Store


def test_each_stage_has_its_number_and_the_books_are_too_few_for_a_rate(finished: Any) -> None:
    """No time left, and no rate is kept: a small run measures how long programs take to start."""
    lines = re.findall(r"^stage (\d+) of (\d+): (.*)$", finished.outcome.err, re.MULTILINE)
    total = int(lines[0][1])
    assert sorted(int(number) for number, _, _ in lines) == list(range(1, total + 1))
    assert "left" not in " ".join(label for _, _, label in lines)
    assert not (finished.out / LOGS / RATES).exists()


@pytest.mark.slow
def test_a_second_run_and_its_plan_use_the_rates_of_the_first(
    copied: Any, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stages that run again have been measured; a stage never measured is named and not counted."""
    for module in (rates, __import__("cloze_gen.api.run", fromlist=["run"])):
        monkeypatch.setattr(module, "LEAST_BYTES", 1)
    call = (
        "run",
        *copied.corpus.options,
        "--name",
        "tiny",
        "--out",
        copied.out,
        "--workers",
        "1",
        "--set",
        "choice.method=random",
    )
    plan = cli(*call, "--set", "choice.n_questions=3", "--dry-run").out
    assert re.search(r"15 choice .*\(.* s, 0.00 GB\)", plan)
    assert "rates of our benchmark: all stages" in " ".join(plan.split())
    assert ", about" not in cli(*call, "--set", "choice.n_questions=3").err
    assert set(read_rates(Store(copied.out))) == {"holmes-style choice"}
    plan = cli(*call, "--set", "choice.n_questions=4", "--dry-run").out
    assert "MB of books" in plan
    assert "benchmark" not in plan
    done = cli(*call, "--set", "choice.n_questions=4")
    assert re.search(r"^stage 15 of 15: choice, about \d+ s left$", done.err, re.MULTILINE)


@pytest.mark.parametrize(
    "text", ["", "[1]", "{", '{"a": [1]}', '{"a": ["x", 1]}', '{"a": [-1, 2]}']
)
def test_a_damaged_file_of_rates_is_no_rate(text: str, tmp_path: Path) -> None:
    (tmp_path / LOGS).mkdir()
    (tmp_path / LOGS / RATES).write_text(text)
    assert read_rates(Store(tmp_path)) == {}
    (tmp_path / LOGS / RATES).write_text(json.dumps({"a b": [1, 2.5]}))
    assert read_rates(Store(tmp_path)) == {"a b": (1.0, 2.5)}


@pytest.mark.parametrize(
    ("name", "line"),
    [("a.txt", ""), ("a.epub", "about "), ("a.txt.gz", "about ")],
)
def test_packed_books_count_as_their_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, line: str
) -> None:
    """Four of ten million bytes are too few, unless they are packed text."""
    (tmp_path / name).write_bytes(b"")
    os.truncate(tmp_path / name, 4_000_000)
    task = make_task(config="lambada-style", name="x", out=tmp_path / "out", workers=1, seed=1, overrides=[], books=str(tmp_path / name))  # fmt: skip
    stages = task.stages()
    book = SimpleNamespace(path=tmp_path / name)
    monkeypatch.setattr(rates.Ingest, "books_found", lambda self: ((book,), ()))
    assert rates.size_of_books(stages) == (12_000_000 if line else 4_000_000)
    assert costs(stages, stages).line.startswith(line)
    assert bool(costs(stages, stages).line) == bool(line)


def test_many_novels_take_no_more_time_of_the_networks() -> None:
    """They read at most so many words."""
    stage: Any = SimpleNamespace(label="networks")
    rate = (2.0, 0.5)
    assert rates.stage_cost(stage, rate, 10_000_000) == (20_000_000, 5_000_000)
    most = rates.stage_cost(stage, rate, 100_000_000)
    assert most == rates.stage_cost(stage, rate, 600_000_000) < (200_000_000, 50_000_000)


@pytest.mark.slow
def test_a_disk_that_is_too_small_is_refused_before_a_stage_runs(
    copied: Any, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the estimate alone: few books have none; --ignore-space runs anyway."""
    call = copied.call("--set", "choice.method=random", "--set", "choice.n_questions=3")
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=0))
    before = sorted((copied.out / "store").iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(rates, "LEAST_BYTES", 1)
        outcome = cli(*call)
        assert outcome.status == 1
        assert re.search(r"^tiny: about \d+ s, 0\.00 GB .*; 0\.00 GB are free$", outcome.err, re.M)
        assert "0.00 GB are free. Nothing was run." in " ".join(outcome.err.split())
        assert sorted((copied.out / "store").iterdir()) == before
        assert "stage" not in re.sub("stages", "", outcome.err)
        assert cli(*call, "--ignore-space").status == 0
        assert "about" not in cli(*call).err
    assert cli(*call, "--seed", "2").status == 0
