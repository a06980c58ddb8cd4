"""Killed at any moment and run again: the same bytes as an undisturbed run, and nothing left behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.store.folder_replacement import find_change

# The moments lie after a stage's own line on stderr, or before the first; one random wait later. So they spread over the run on a
# machine of any speed.
STAGES = ["", "ingest source", "ingest train", "corpus train", "counts", "text", "lm: 1/5", "lm: 4/5", "index", "alternates", "screening",
          "forward", "grooming", "choice"]  # fmt: skip
MAX_WAIT_SECONDS = 1.2
DRAW = random.Random(1911)
MOMENTS = [
    (STAGES[turn + DRAW.randrange(2)], DRAW.uniform(0, MAX_WAIT_SECONDS), 1 + turn % 2) for turn in range(14) if turn % 2 or turn in (4, 8)
]


def start(options: tuple[str, ...], out: Path, workers: int) -> subprocess.Popen[str]:
    """The command line as a process group of its own."""
    command = [sys.executable, "-m", "cloze_gen", "run", *options, "--name", "tiny", "--out", str(out), "--workers", str(workers)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)


def kill_after(process: subprocess.Popen[str], stage: str, wait_seconds: float) -> bool:
    """Kill the whole group a moment after a stage's line; False when the run was over before."""
    assert process.stderr is not None
    for line in iter(process.stderr.readline, "") if stage else ():
        if line.startswith(stage):
            break
    drained = threading.Thread(target=process.stderr.read)  # else a full pipe would hold the run back
    drained.start()
    time.sleep(wait_seconds)
    alive = process.poll() is None
    if alive:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    drained.join()
    return alive


def processes_naming(text: str) -> list[str]:
    """Command lines of living processes that hold a text."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and folder.name != str(os.getpid()):
            try:
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if text in command:
                found.append(command)
    return found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc and relies on PDEATHSIG")
@pytest.mark.parametrize(("stage", "wait_seconds", "workers"), MOMENTS)
def test_killed_runs_end_as_undisturbed_ones(
    finished: Any,
    tmp_path: Path,
    cli: Callable[..., Any],
    digests: Callable[[Path], dict[str, str]],
    stage: str,
    wait_seconds: float,
    workers: int,
) -> None:
    """A kill of the whole process group at a seeded random moment, followed by a rerun to the end."""
    options = finished.corpus.options
    expected = {name: digest for name, digest in digests(finished.out).items() if "/corpus-" not in name}
    for attempt in range(4):
        out = tmp_path / f"out{attempt}"
        with start(options, out, workers=workers) as process:
            killed = kill_after(process, stage, wait_seconds * (attempt < 3) / 4**attempt)
        if killed:
            break
    else:
        pytest.fail(f"every run was over before its kill: too little happens after {stage!r}")
    deadline = time.monotonic() + 10
    while processes_naming(str(out)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert processes_naming(str(out)) == [], "something outlived its run"
    again = cli("run", *options, "--name", "tiny", "--out", out, "--workers", "1")
    assert again.status == 0, again.err
    found = {name: digest for name, digest in digests(out).items() if "/corpus-" not in name}
    assert found == expected
    assert [path for path in out.rglob(".*") if path.name not in {".locks", ".checked"}] == []


@pytest.mark.slow
def test_interrupted_runs_stop_with_a_word(finished: Any, tmp_path: Path) -> None:
    """Ctrl-C: status 130, one line, no traceback, no child left, and what was finished stays."""
    out = tmp_path / "out"
    said = []
    with start(finished.corpus.options, out, workers=2) as process:
        assert process.stderr is not None
        for line in process.stderr:
            said.append(line)
            if line.startswith("text: "):
                os.killpg(process.pid, signal.SIGINT)
    assert process.returncode == 130, said
    assert "stopped; what was finished stays" in said[-1]
    assert "Traceback" not in "".join(said)
    assert processes_naming(str(out)) == []
    assert list((out / "store").glob("counts-*"))
    assert {path.name for path in (out / "store").iterdir() if path.name.startswith(".")} <= {".locks", ".checked"}


@pytest.mark.slow
def test_two_runs_at_once_under_one_name(finished: Any, tmp_path: Path) -> None:
    """With different settings: one waits for the other, saying so, and the run on disk is wholly that of the one that came last."""
    out = tmp_path / "out"
    pair = [start((*finished.corpus.options, "--set", f"choice.n_questions={n}"), out, 1) for n in (10, 12)]
    said = [process.communicate(timeout=240)[1] for process in pair]
    assert [process.returncode for process in pair] == [0, 0], said
    assert sum("another command is making a run named 'tiny'" in one for one in said) == 1, said
    waited = next(n for n, one in zip((10, 12), said, strict=True) if "another command" in one)
    run = out / "runs" / "tiny"
    assert find_change(run) is None
    assert len((run / "release" / "questions.jsonl").read_text(encoding="utf-8").splitlines()) == waited


@pytest.mark.slow
def test_two_runs_at_once_on_one_store(finished: Any, tmp_path: Path, digests: Callable[[Path], dict[str, str]]) -> None:
    """Both end well, share their stages, and leave what one alone leaves."""
    out = tmp_path / "out"
    pair = [start(finished.corpus.options, out, workers) for workers in (1, 2)]
    said = [process.communicate(timeout=240)[1] for process in pair]
    assert [process.returncode for process in pair] == [0, 0], said
    links = ("/corpus-train", "/corpus-source")
    assert {name: digest for name, digest in digests(out).items() if not name.endswith(links)} == {
        name: digest for name, digest in digests(finished.out).items() if not name.endswith(links)
    }
