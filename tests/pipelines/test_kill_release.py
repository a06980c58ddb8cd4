"""A run's folder is killed while it is being replaced, at one operation on the file system after another: nothing that was there is lost.

Where a wait of random length would hit the few operations that matter once in a thousand, the process kills itself before the n-th
operation under `runs/` or `evaluations/`, as Python's audit events tell them. It is forked off a process that has loaded the program
already. Every single operation of an exchange: tests/store/test_folder_replacement.py.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.adapters.lmplz import find_lmplz
from cloze_gen.store.tables import read_jsonl

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="asks /proc where a removed name lay")]

MOMENTS = 10  # at most: operations in the run's folder itself come first, the others are spread
NOTE, GROOMED = "I have read the first twenty of these.\n", '{"id": "mine", "verdict": "groomed by hand"}\n'
# Copies a folder for each moment, forks, and lets the child run until its moment comes. Moment 0 never comes: that child writes the
# operations down.
PROGRAM = """
import json, os, shutil, signal, sys
from pathlib import Path
from cloze_gen.cli import app
from cloze_gen.commands import evaluate, report, run
from cloze_gen.endings import guarded
from cloze_gen.pipelines import holmes_style
from matplotlib.backends import backend_svg

finished, place, moments, arguments = Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3]), json.loads(sys.argv[4])
CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.symlink", "os.link", "open", "os.truncate", "shutil.rmtree"}


def watch(out, moment):
    seen = []
    places = tuple(os.path.join(out, name) + os.sep for name in ("runs", "evaluations"))

    def tell(event, arguments):
        if event not in CHANGES or not isinstance(arguments[0], str | bytes | os.PathLike):
            return
        if event == "open" and not (isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)):
            return
        paths = [os.fsdecode(part) for part in arguments[:2] if isinstance(part, str | bytes | os.PathLike)]
        descriptor = next((part for part in arguments[1:] if isinstance(part, int) and part >= 0), -1)
        if event in {"os.remove", "os.rmdir"} and descriptor >= 0:
            paths[0] = os.path.join(os.readlink(f"/proc/self/fd/{descriptor}"), paths[0])
        if any(os.path.abspath(path).startswith(places) for path in paths):
            seen.append(f"{event} {' '.join(os.path.relpath(os.path.abspath(path), out) for path in paths)}")
            if len(seen) == moment:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(tell)
    return seen


for moment in moments:
    here = place / f"{moment}"
    if not here.exists():
        shutil.copytree(finished, here, symlinks=True)
    child = os.fork()
    if child == 0:
        seen = watch(str(here / "out"), moment)
        status = guarded(lambda: app([argument.replace("HERE", str(here)) for argument in arguments], standalone_mode=False))
        (here / "operations.json").write_text(json.dumps(seen))
        sys.stderr.flush()
        os._exit(status)
    print(moment, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def kept(finished: Any, tmp_path_factory: pytest.TempPathFactory, cli: Callable[..., Any]) -> Path:
    """A finished and evaluated run in which a person has left a note and a list groomed by hand."""
    place = tmp_path_factory.mktemp("kept") / "run"
    shutil.copytree(finished.out.parent, place, symlinks=True)
    outcome = cli("evaluate", "tiny", "--out", place / "out", "--only", "longest")
    assert outcome.status == 0, outcome.err
    (place / "out" / "runs" / "tiny" / "note.txt").write_text(NOTE, encoding="utf-8")
    with open(place / "out" / "runs" / "tiny" / "release" / "candidates.jsonl", "a", encoding="utf-8") as handle:
        handle.write(GROOMED)
    return place


def perform(kept: Path, place: Path, moments: list[int], arguments: list[str]) -> list[int]:
    """Run a call in a copy of the kept run for every moment; the status of each."""
    command = [sys.executable, "-c", PROGRAM, str(kept), str(place), json.dumps(moments), json.dumps(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    return [int(line.split()[1]) for line in done.stdout.splitlines() if line.split()[:1] in [[str(moment)] for moment in moments]]


def chosen_moments(operations: list[str], name: str) -> list[int]:
    """Those that touch a folder as a whole or the run's own name, and others evenly among the rest, in order; counted from 1."""
    whole = [n for n, told in enumerate(operations, 1) if told.startswith(("os.rename", "shutil.rmtree"))]
    whole += [n for n, told in enumerate(operations, 1) if any(part.startswith(f"runs/{name}") for part in told.split(" ")[1:])]
    after = [n + 1 for n in whole if n < len(operations)]
    first = list(dict.fromkeys([*whole, *after]))[: MOMENTS // 2]
    step = max(1, len(operations) // (MOMENTS - len(first)))
    return sorted({*first, *range(1, len(operations) + 1, step)})


def assert_whole(run: Path) -> None:
    """The run can be read, and its release holds what its checksums say."""
    assert json.loads((run / "run.json").read_text(encoding="utf-8"))["name"] == run.name
    lines = (run / "release" / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    differing = {name for digest, name in (line.split("  ", 1) for line in lines)
                 if hashlib.sha256((run / "release" / name).read_bytes()).hexdigest() != digest}  # fmt: skip
    assert differing <= {"candidates.jsonl"}, "only the person's own list differs"
    assert all((link / "manifest.json").is_file() for link in run.iterdir() if link.is_symlink() and link.name[:2].isdigit())


def holds(folder: Path, text: str) -> bool:
    """Whether a file below a folder holds a text."""
    return any(text.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


@pytest.mark.parametrize(
    "change",
    [
        ["run", "holmes-sample", "{corpus}", "--set", "release.harness=false"],  # writes the folder anew, and runs no stage
        ["evaluate", "tiny", "--only", "shortest"],
    ],
    ids=["run", "evaluate"],
)
def test_no_kill_loses_what_was_there(kept: Path, finished: Any, tmp_path: Path, cli: Callable[..., Any], change: list[str]) -> None:
    """The old run's folder or the new one's is whole, its evaluation is in it, and a person's files are still under the runs; then the
    same call ends well, and all are in the run's folder."""
    corpus = ["--train", "HERE/books/train", "--source", "HERE/books/source", *finished.corpus.options[5:], "--name", "tiny"]
    laid = [NOTE, GROOMED]
    if change[0] == "evaluate":  # the report of a release that was changed by hand is left as it is
        kept = shutil.copytree(kept, tmp_path / "kept", symlinks=True)
        shutil.copyfile(finished.release / "candidates.jsonl", kept / "out" / "runs" / "tiny" / "release" / "candidates.jsonl")
        laid = [NOTE]
    arguments = [part for given in change for part in (corpus if given == "{corpus}" else [given])] + [
        "--out",
        "HERE/out",
        "--workers",
        "1",
    ]
    assert perform(kept, tmp_path, [0], arguments) == [0]
    operations = json.loads((tmp_path / "0" / "operations.json").read_text(encoding="utf-8"))
    moments = chosen_moments(operations, "tiny")
    assert len(moments) >= 8
    assert set(perform(kept, tmp_path, moments, arguments)) == {-9}
    before = list(read_jsonl(kept / "out" / "runs" / "tiny" / "evaluation" / "predictions.jsonl"))
    for moment in moments:
        out, where = tmp_path / str(moment) / "out", f"killed before operation {moment}: {operations[moment - 1]}"
        run = out / "runs" / "tiny"
        assert run.is_dir(), where
        assert_whole(run)
        assert_evaluated(run, before, where)
        assert all(holds(out / "runs", text) for text in laid), where
        again = cli(*(part.replace("HERE", str(out.parent)) for part in arguments))
        assert again.status == 0, (where, again.err)
        assert_whole(run)
        assert_evaluated(run, before, where)
        assert all(holds(run, text) for text in laid), where
        shutil.rmtree(out.parent)  # fifty copies need not be kept


def assert_evaluated(run: Path, before: list[dict[str, Any]], where: str) -> None:
    """Every prediction that was there is there."""
    assert (run / "evaluation" / "predictions.jsonl").is_file(), where
    now = list(read_jsonl(run / "evaluation" / "predictions.jsonl"))
    assert all(row in now for row in before), where


def wait_for_end_or_rest(process: subprocess.Popen[str]) -> None:
    """Return when a process has ended, or has used no processor for five seconds."""
    used, since = 0, time.monotonic()
    while process.poll() is None and time.monotonic() - since < 5:
        time.sleep(0.1)
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        if (now := int(fields[11]) + int(fields[12])) > used:  # in user and in kernel mode
            used, since = now, time.monotonic()


def test_an_evaluation_is_of_the_questions_it_lies_beside(copied: Any, tmp_path: Path) -> None:
    """While a run is evaluated it is made anew with other questions: no evaluation is left there, or one of the new questions."""
    # An `lmplz` that waits: until then the evaluation has read its questions and has written nothing.
    asked, go, lmplz = tmp_path / "asked", tmp_path / "go", tmp_path / "lmplz"
    lmplz.write_text(f'#!/bin/sh\n: >"{asked}"\nwhile [ ! -e "{go}" ]; do sleep 0.05; done\nexec "{find_lmplz()}" "$@"\n')
    lmplz.chmod(0o755)
    (tmp_path / "build_binary").symlink_to(find_lmplz().with_name("build_binary"))
    program, where = [sys.executable, "-m", "cloze_gen"], ["--out", str(copied.out), "--workers", "1"]
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(
        [*program, "evaluate", "tiny", *where, "--only", "smoothed-3gram"], env={**os.environ, "CLOZE_GEN_LMPLZ": str(lmplz)}, **pipes
    ) as evaluating:
        while not asked.exists():
            assert evaluating.poll() is None, evaluating.communicate()
            time.sleep(0.05)
        changed = [*copied.corpus.options, "--name", "tiny", "--set", "choice.n_questions=10"]
        with subprocess.Popen([*program, "run", *changed, *where], **pipes) as running:
            wait_for_end_or_rest(running)  # one that waits for the evaluation's end is right as well
            go.touch()
            said, told = evaluating.communicate()[1], running.communicate()[1]
    assert running.returncode == 0, told
    assert evaluating.returncode == 0 or "tiny" in said.splitlines()[-1], said
    assert "Traceback" not in said + told
    questions = {row["id"] for row in read_jsonl(copied.release / "questions.jsonl")}
    assert len(questions) == 10
    if (copied.folder / "evaluation").is_dir():
        assert {row["id"] for row in read_jsonl(copied.folder / "evaluation" / "predictions.jsonl")} == questions
    else:
        assert "has not been evaluated yet" in (copied.release / "report.html").read_text(encoding="utf-8")
