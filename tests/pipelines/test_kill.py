"""Killed and run again: the same bytes, nothing lost or left behind.

One kill a style hits a stage. As few operations replace a run's folder, a process forked from a loaded
program kills itself before the n-th audit event under `runs/` or `evaluations/`. All operations of
an exchange: tests/store/test_folder_replacement.py.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from cloze_gen.adapters.lmplz import find_lmplz
from cloze_gen.store.folder_replacement import find_change
from cloze_gen.store.tables import read_jsonl
from tests.conftest import FinishedRun

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc and relies on PDEATHSIG"),
]

# A style, the stage after whose first line on stderr the kill comes, seconds to the kill, workers.
KILLS = [
    ("holmes-style", "lm: 1/5", 0.3, 2),
    ("lambada-style", "networks", 0.05, 2),
    ("scde-style", "passages", 0.05, 2),
    ("scs-style", "corpus source", 0.05, 2),
]


def start(call):
    """The command line as a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "cloze_gen", *map(str, call)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def kill_after(process, stage, wait_seconds):
    """Kill the whole group a moment after a stage's line; False when the run was over before."""
    assert process.stderr is not None
    for line in iter(process.stderr.readline, "") if stage else ():
        if line.startswith(stage):
            break
    # else a full pipe would hold the run back
    drained = threading.Thread(target=process.stderr.read)
    drained.start()
    time.sleep(wait_seconds)
    alive = process.poll() is None
    if alive:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    drained.join()
    return alive


def processes_naming(text):
    """Command lines of living processes that hold a text."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and folder.name != str(os.getpid()):
            try:
                command = (
                    (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
            except OSError:
                continue
            if text in command:
                found.append(command)
    return found


def without_links(digests):
    """Where the links to the books lead differs between folders."""
    return {name: digest for name, digest in digests.items() if "/corpus-" not in name}


@pytest.mark.parametrize(("style", "stage", "wait_seconds", "workers"), KILLS)
def test_a_killed_run_ends_as_an_undisturbed_one(
    run_of,
    tmp_path,
    cli,
    digests,
    style,
    stage,
    wait_seconds,
    workers,
):
    """A kill of the whole process group at a moment of the run, then a run to the end."""
    run = run_of(style)
    for attempt in range(4):
        out = tmp_path / f"out{attempt}"
        with start((*run.call(out=out), "--workers", str(workers))) as process:
            killed = kill_after(process, stage, wait_seconds * (attempt < 3) / 4**attempt)
        if killed:
            break
    else:
        pytest.fail(f"every run was over before its kill: too little happens after {stage!r}")
    deadline = time.monotonic() + 10
    while processes_naming(str(out)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert processes_naming(str(out)) == [], "something outlived its run"
    again = cli(*run.call(out=out))
    assert again.status == 0, again.err
    assert without_links(digests(out)) == without_links(digests(run.out))
    assert [path for path in out.rglob(".*") if path.name != ".locks"] == []


@pytest.mark.thorough
def test_two_runs_at_once_under_one_name(finished, tmp_path):
    """One waits for the other and reports it; the last one's run remains, whole."""
    out = tmp_path / "out"
    pair = [start(finished.call("--set", f"choice.n_questions={n}", out=out)) for n in (10, 12)]
    said = [process.communicate(timeout=240)[1] for process in pair]
    assert [process.returncode for process in pair] == [0, 0], said
    assert sum("another command is building a run named 'tiny'" in one for one in said) == 1, said
    waited = next(n for n, one in zip((10, 12), said, strict=True) if "another command" in one)
    run = out / "runs" / "tiny"
    assert find_change(run) is None
    assert sum(1 for _ in read_jsonl(run / "release" / "questions.jsonl")) == waited


@pytest.mark.thorough
def test_two_runs_at_once_on_one_store(finished, tmp_path, digests):
    """Both end well, share their stages, and leave what one alone leaves."""
    out = tmp_path / "out"
    pair = [start((*finished.call(out=out), "--workers", workers)) for workers in ("1", "2")]
    said = [process.communicate(timeout=240)[1] for process in pair]
    assert [process.returncode for process in pair] == [0, 0], said
    assert without_links(digests(out)) == without_links(digests(finished.out))


# ---- while a run's folder is replaced

NOTE, GROOMED = (
    "I have read the first twenty of these.\n",
    '{"id": "mine", "verdict": "groomed by hand"}\n',
)
# Copies a folder for each moment, forks, and lets the child run until its moment comes. Moment 0
# never comes: that child writes the operations down.
PROGRAM = """
import json, os, shutil, signal, sys
from pathlib import Path
from cloze_gen.cli.app import app
from cloze_gen.api import evaluate, run, trace
from cloze_gen.cli_errors import run_and_report
from cloze_gen.pipelines import holmes_style

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
        status = run_and_report(lambda: app([argument.replace("HERE", str(here)) for argument in arguments], standalone_mode=False))
        (here / "operations.json").write_text(json.dumps(seen))
        sys.stderr.flush()
        os._exit(status)
    print(moment, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def kept(finished, tmp_path_factory, cli):
    """A finished and evaluated run in which a person has left a note and a list groomed by hand."""
    place = tmp_path_factory.mktemp("kept") / "run"
    shutil.copytree(finished.out.parent, place, symlinks=True)
    outcome = cli("evaluate", "tiny", "--out", place / "out", "--only", "longest")
    assert outcome.status == 0, outcome.err
    (place / "out" / "runs" / "tiny" / "note.txt").write_text(NOTE, encoding="utf-8")
    with open(
        place / "out" / "runs" / "tiny" / "release" / "candidates.jsonl", "a", encoding="utf-8"
    ) as handle:
        handle.write(GROOMED)
    return place


def perform(kept, place, moments, arguments):
    """Run a call in a copy of the kept run for every moment; the status of each."""
    command = [
        sys.executable,
        "-c",
        PROGRAM,
        str(kept),
        str(place),
        json.dumps(moments),
        json.dumps(arguments),
    ]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    return [
        int(line.split()[1])
        for line in done.stdout.splitlines()
        if line.split()[:1] in [[str(moment)] for moment in moments]
    ]


def chosen_moments(operations, name, most):
    """Some operations, from 1: half of them on whole folders or the run's own name."""
    numbered = list(enumerate(operations, 1))
    whole = [n for n, one in numbered if one.startswith(("os.rename", "shutil.rmtree"))]
    whole += [n for n, one in numbered if f" runs/{name}" in one]
    after = [n + 1 for n in whole if n < len(operations)]
    first = list(dict.fromkeys([*whole, *after]))[: most // 2]
    step = max(1, len(operations) // (most - len(first)))
    return sorted({*first, *range(1, len(operations) + 1, step)})


def assert_whole(run):
    """The run can be read, and its release holds what its checksums say."""
    assert json.loads((run / "run.json").read_text(encoding="utf-8"))["name"] == run.name
    lines = (run / "release" / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    differing = {name for digest, name in (line.split("  ", 1) for line in lines)
                 if hashlib.sha256((run / "release" / name).read_bytes()).hexdigest() != digest}  # fmt: skip
    assert differing <= {"candidates.jsonl"}, "only the person's own list differs"
    assert all(
        (link / "manifest.json").is_file()
        for link in run.iterdir()
        if link.is_symlink() and link.name[:2].isdigit()
    )


def holds(folder, text):
    """Whether a file below a folder holds a text."""
    return any(
        text.encode() in path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    )


@pytest.mark.parametrize(
    ("command", "most"),
    [
        ("run", 4),
        pytest.param("evaluate", 10, marks=pytest.mark.thorough),
    ],
)
def test_no_kill_loses_what_was_there(kept, finished, tmp_path, cli, command, most):
    """A person's files are kept, and the next call makes the run whole, with its evaluation."""
    here = FinishedRun(finished.corpus.below(Path("HERE/books")), Path("HERE/out"), "tiny", finished.outcome)  # fmt: skip
    if command == "run":  # writes the folder anew, and runs no stage
        arguments, laid = [*here.call("--set", "release.harness=false")], [NOTE, GROOMED]
    else:
        arguments = [
            "evaluate",
            "tiny",
            "--only",
            "shortest",
            "--out",
            "HERE/out",
            "--workers",
            "1",
        ]
        # The report of a release that was changed by hand is left as it is.
        kept, laid = shutil.copytree(kept, tmp_path / "kept", symlinks=True), [NOTE]
        own = kept / "out" / "runs" / "tiny" / "release" / "candidates.jsonl"
        shutil.copyfile(finished.release / "candidates.jsonl", own)
    arguments = [str(argument) for argument in arguments]
    assert perform(kept, tmp_path, [0], arguments) == [0]
    operations = json.loads((tmp_path / "0" / "operations.json").read_text(encoding="utf-8"))
    moments = chosen_moments(operations, "tiny", most)
    assert len(moments) >= most - 2
    assert set(perform(kept, tmp_path, moments, arguments)) == {-9}
    before = list(read_jsonl(kept / "out" / "runs" / "tiny" / "evaluation" / "predictions.jsonl"))
    for moment in moments:
        out = tmp_path / str(moment) / "out"
        where = f"killed before operation {moment}: {operations[moment - 1]}"
        run = out / "runs" / "tiny"
        assert run.is_dir(), where
        assert all(holds(out / "runs", text) for text in laid), where
        again = cli(*(part.replace("HERE", str(out.parent)) for part in arguments))
        assert again.status == 0, (where, again.err)
        assert_whole(run)
        if command == "run":
            assert_evaluated(run, before, where)
        assert all(holds(run, text) for text in laid), where
        shutil.rmtree(out.parent)


def assert_evaluated(run, before, where):
    """Every prediction that was there is there."""
    assert (run / "evaluation" / "predictions.jsonl").is_file(), where
    now = list(read_jsonl(run / "evaluation" / "predictions.jsonl"))
    assert all(row in now for row in before), where


def wait_for_end_or_rest(process):
    """Return when a process has ended, or has used no processor for five seconds."""
    used, since = 0, time.monotonic()
    while process.poll() is None and time.monotonic() - since < 5:
        time.sleep(0.1)
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        if (now := int(fields[11]) + int(fields[12])) > used:  # in user and in kernel mode
            used, since = now, time.monotonic()


@pytest.mark.thorough
def test_an_evaluation_is_of_the_questions_it_lies_beside(copied, tmp_path):
    # An `lmplz` that waits: until then the evaluation has read its questions and has written
    # nothing.
    asked, go, lmplz = tmp_path / "asked", tmp_path / "go", tmp_path / "lmplz"
    lmplz.write_text(
        f'#!/bin/sh\n: >"{asked}"\nwhile [ ! -e "{go}" ]; do sleep 0.05; done\nexec '
        f'"{find_lmplz()}" "$@"\n'
    )
    lmplz.chmod(0o755)
    (tmp_path / "build_binary").symlink_to(find_lmplz().with_name("build_binary"))
    program, where = (
        [sys.executable, "-m", "cloze_gen"],
        ["--out", str(copied.out), "--workers", "1"],
    )
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(
        [*program, "evaluate", "tiny", *where, "--only", "smoothed-3gram"],
        env={**os.environ, "CLOZE_GEN_LMPLZ": str(lmplz)},
        **pipes,
    ) as evaluating:
        while not asked.exists():
            assert evaluating.poll() is None, evaluating.communicate()
            time.sleep(0.05)
        changed = [*copied.corpus.options, "--name", "tiny", "--set", "choice.n_questions=10"]
        with subprocess.Popen([*program, "run", *changed, *where], **pipes) as running:
            # one that waits for the evaluation's end is right as well
            wait_for_end_or_rest(running)
            go.touch()
            said, told = evaluating.communicate()[1], running.communicate()[1]
    assert running.returncode == 0, told
    assert evaluating.returncode == 0 or "tiny" in said.splitlines()[-1], said
    assert "Traceback" not in said + told
    questions = {row["id"] for row in read_jsonl(copied.release / "questions.jsonl")}
    assert len(questions) == 10
    if (copied.folder / "evaluation").is_dir():
        assert {
            row["id"] for row in read_jsonl(copied.folder / "evaluation" / "predictions.jsonl")
        } == questions
    else:
        assert "Not measured yet" in (copied.release / "report.html").read_text(encoding="utf-8")
