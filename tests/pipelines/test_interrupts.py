"""Interrupted at any moment, every command ends in time: status 130, one line, no traceback, no process left."""

from __future__ import annotations

import importlib.util
import random
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import luigi
import pytest

from cloze_gen.commands.run import build
from cloze_gen.pipelines.worker import InProcessFactory

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def campaign() -> Any:
    """The program that interrupts hundreds of runs; here some twenty."""
    spec = importlib.util.spec_from_file_location("benchmarks_interrupts", ROOT / "benchmarks" / "interrupts.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def ctrl_c_is_heard() -> Iterator[None]:
    """A script's background job, as a test run may be, has Ctrl-C ignored and hands that down."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.usefixtures("ctrl_c_is_heard")
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_interrupted_commands_end_in_time(finished: Any, campaign: Any, tmp_path: Path) -> None:
    """A dozen interrupts: on lines of a run, at random, twice, while importing, and in commands that look at a run."""
    draw = random.Random(1911)
    reference = str(finished.release / "questions.jsonl")
    moments = []
    for number in range(8):
        run = ("run", *finished.corpus.options, "--name", "tiny", "--out", str(tmp_path / str(number)), "--workers", str(1 + number % 2))
        line, seconds = draw.randrange(1, 45), draw.uniform(0, 8)
        moments.append(
            [
                campaign.Moment("lines", run, line=line),
                campaign.Moment("random", run, line=1, imports=True, seconds=seconds),
                campaign.Moment("double", run, line=1, imports=True, seconds=seconds, again=draw.uniform(0, 0.3)),
                campaign.Moment("imports", run, line=draw.randrange(1, 1500), imports=True),
            ][number // 2 % 4]
        )
    looks = [
        ("evaluate", "tiny", "--out", str(finished.out), "--only", "longest", "--write-to", str(tmp_path / "evaluation")),
        ("corpus", "rank", str(finished.corpus.train), "--reference", reference, "--out", str(tmp_path / "rank")),
        ("report", "tiny", "--out", str(finished.out)),
        ("trace", reference_item(reference), "--out", str(finished.out)),
    ]
    moments += [campaign.Moment(look[0], look, line=draw.randrange(100, 600), imports=True) for look in looks]
    with ThreadPoolExecutor(2) as pool:
        ends = list(pool.map(campaign.interrupted, moments))
    assert [end for end in ends if not end.good] == []
    assert sum(not end.over for end in ends) >= 8, "too many runs were over before their interrupt: the moments lie too late"


def reference_item(questions: str) -> str:
    with open(questions, encoding="utf-8") as handle:
        return handle.readline().split('"id": "')[1].split('"')[0]


class Links(luigi.Task):  # type: ignore[misc]
    """A chain of tasks, each of which notes the threads that there are while it runs."""

    left = luigi.IntParameter()
    seen: ClassVar[dict[int, set[str]]] = {}

    def requires(self) -> list[luigi.Task]:
        return [Links(left=self.left - 1)] if self.left else []

    def complete(self) -> bool:
        return self.left in self.seen

    def run(self) -> None:
        self.seen[self.left] = {thread.name for thread in threading.enumerate()}


@pytest.fixture
def links(monkeypatch: pytest.MonkeyPatch) -> Links:
    monkeypatch.setattr(Links, "seen", {})
    return Links(left=3)


def test_luigi_starts_no_thread(links: Links) -> None:
    """An interrupt can leave a queue's feeder thread asleep for ever, and a thread can take a signal that the main thread holds back."""
    before = {thread.name for thread in threading.enumerate()}
    build(links)
    assert list(links.seen) == [0, 1, 2, 3]
    assert set().union(*links.seen.values()) <= before
    assert {thread.name for thread in threading.enumerate()} <= before


def test_long_stages_are_not_forgotten(links: Links, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing tells Luigi's scheduler that a worker at a long stage is alive; it must not give its tasks up."""
    create = InProcessFactory.create_local_scheduler

    def impatient(self: InProcessFactory) -> Any:
        scheduler = create(self)
        scheduler._config.worker_disconnect_delay = -1.0  # every stage is too long
        return scheduler

    monkeypatch.setattr(InProcessFactory, "create_local_scheduler", impatient)
    build(links)
    assert list(links.seen) == [0, 1, 2, 3]


def test_an_interrupt_comes_out_of_luigi(links: Links, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no failure of a task; what ran before it stays done, and the next build goes on from there."""
    run: Callable[[Links], None] = Links.run

    def broken_off(self: Links) -> None:
        if self.left == 2:
            raise KeyboardInterrupt
        run(self)

    monkeypatch.setattr(Links, "run", broken_off)
    with pytest.raises(KeyboardInterrupt):
        build(links)
    assert list(links.seen) == [0, 1]
    monkeypatch.setattr(Links, "run", run)
    build(links)
    assert list(links.seen) == [0, 1, 2, 3]
