"""Signals: held while a child is started, handled at any time, never mistaken for another end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from typing import ClassVar

import luigi
import numpy as np
import pytest

from cloze_gen.cli import app as cli
from cloze_gen.cli_errors import run_and_report
from cloze_gen.engine.local import LocalEngine
from cloze_gen.interrupts import GRACE_SECONDS, STOPPED, held
from cloze_gen.pipelines.stage import InProcessFactory, run_tasks

# The command line as a program, with some of it replaced before it is called.
PROGRAM = """\
import hashlib, os, signal, sys, threading, time
sys.argv = ["cloze-gen", {arguments}]
signal.signal(signal.SIGINT, {at_first})  # a test run may have it ignored, in the background of a script, and hands that down
def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
class Finder:
    def find_spec(name, path=None, target=None):
        if name == {interrupted_import!r}:
            interrupt()
sys.meta_path.insert(0, Finder)
from cloze_gen.__main__ import main
if {work!r}:
    from cloze_gen.cli import app as cli
    def work(standalone_mode):
        exec({work!r}, globals())
    cli.app = work
main()
"""


def ended(
    *,
    arguments="",
    interrupted_import="",
    work="",
    at_first="signal.default_int_handler",
):
    """Status, stderr and seconds of a program that gets its interrupt from itself."""
    code = PROGRAM.format(
        arguments=arguments, interrupted_import=interrupted_import, work=work, at_first=at_first
    )
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stderr, time.monotonic() - start


@pytest.fixture
def other_thread():
    """A thread that may take any signal which the main thread holds back."""
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    yield
    over.set()
    thread.join()


@pytest.mark.usefixtures("other_thread")
@pytest.mark.parametrize("times", [1, 2])
def test_held_signals_wait_even_where_another_thread_takes_them(times):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    done = []
    try:
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012, SIM117 - how far it gets is the point
            with held():
                for _ in range(times):
                    os.kill(os.getpid(), signal.SIGINT)
                    time.sleep(0.05)
                done.append("whole")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == ["whole"]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_arrow_leaves_signals_alone():
    code = """
import io, os, signal, time
import cloze_gen.engine.local
import pyarrow.csv
signal.signal(signal.SIGINT, lambda *_: None)
heard, wakes = os.pipe()
os.set_blocking(heard, False)
os.set_blocking(wakes, False)
signal.set_wakeup_fd(wakes)
class Text(io.BytesIO):
    def read(self, size=-1):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
        print(*os.read(heard, 1))
        return super().read(size)
pyarrow.csv.read_csv(Text(b"a,b\\n1,2\\n"))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, set(done.stdout.split()), done.stderr) == (0, {"2"}, "")


def test_held_signals_are_none_where_none_came():
    """An error inside comes out as it is; a child started inside has Ctrl-C blocked."""
    with held():
        child = (
            subprocess.run(
                ["cat", "/proc/self/status"], capture_output=True, text=True, check=False
            )
            if sys.platform == "linux"
            else None
        )
    if child is not None:
        (blocked,) = [
            int(line.split()[1], 16)
            for line in child.stdout.splitlines()
            if line.startswith("SigBlk")
        ]
        assert blocked & (1 << (signal.SIGINT - 1))
    with pytest.raises(ValueError, match="as it is"), held():
        raise ValueError("as it is")


@pytest.mark.parametrize(
    ("arguments", "module"),
    [
        ("'--version'", "typer"),
        ("'--version'", "cloze_gen.cli.app"),
        ("'--version'", "cloze_gen.errors"),
        ("'explain', 'nothing'", "luigi"),
        ("'explain', 'nothing'", "numpy"),
        ("'explain', 'nothing'", "pyarrow.lib"),
    ],
)
def test_an_interrupt_while_importing_ends_alike(arguments, module):
    """From our first line on: status 130, our one line, nothing else."""
    status, said, _ = ended(arguments=arguments, interrupted_import=module)
    assert (status, said) == (130, f"{STOPPED}\n")


def test_an_interrupt_before_signals_are_listened_to():
    """The first import of all is ours, and even that one may be broken off."""
    status, said, _ = ended(arguments="'--version'", interrupted_import="cloze_gen.interrupts")
    assert (status, said) == (130, "cloze-gen: stopped\n")


@pytest.mark.parametrize(
    "work",
    [
        # a second and a third while clearing up
        "try:\n    interrupt()\n    time.sleep(60)\nfinally:\n    interrupt()\n    interrupt()",
        "try:\n    interrupt()\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    raise "
        "ValueError('a consequence')",
        "try:\n    interrupt()\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    print('a "
        "consequence', file=sys.stderr)",
        "class Lost:\n    def __del__(self):\n        interrupt()\nLost()\nraise "
        "ValueError('a consequence')",
        "threading.Thread(target=lambda: (time.sleep(0.3), 1 / "
        "0)).start()\ninterrupt()\ntime.sleep(60)",
    ],
)
def test_whatever_follows_an_interrupt_is_part_of_it(work):
    """Further interrupts, errors and words in consequence are neither told nor change the status."""
    status, said, _ = ended(work=work)
    assert (status, said) == (130, f"{STOPPED}\n")


def test_a_second_interrupt_does_not_end_the_clearing_up(tmp_path):
    """What a run clears up after the first one is cleared up to its end."""
    work = f"try:\n    interrupt()\n    time.sleep(60)\nfinally:\n    interrupt()\n    open({str(tmp_path / 'end')!r}, 'w').close()"
    assert ended(work=work)[0] == 130
    assert (tmp_path / "end").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "work",
    [
        "while True:\n    try:\n        interrupt()\n        time.sleep(60)\n    except "
        "KeyboardInterrupt:\n        pass",
        # long, in C
        "threading.Timer(0.1, interrupt).start()\nhashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)",
        # a thread that nobody ends
        "threading.Thread(target=time.sleep, args=(60,)).start()\ninterrupt()",
        "import atexit\natexit.register(time.sleep, 60)\ninterrupt()",
    ],
)
def test_a_program_that_does_not_end_is_ended(work):
    status, said, seconds = ended(work=work)
    assert (status, said) == (130, f"{STOPPED}\n")
    assert seconds < GRACE_SECONDS + 10  # the start included, on a busy machine


def test_an_interrupt_after_the_work_ends_at_once():
    """Nor is an interrupt lost that comes while the interpreter takes itself apart."""
    status, said, _ = ended(work="import atexit\natexit.register(interrupt)")
    assert (status, said) == (130, f"{STOPPED}\n")


def test_sigterm_ends_with_its_own_status():
    """128 and 15, and the same line."""
    status, said, _ = ended(work="os.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(60)")
    assert (status, said) == (143, f"{STOPPED}\n")


def test_ignored_signals_stay_ignored():
    """Under `nohup`, or in the background of a script, Ctrl-C is not ours to take."""
    status, said, _ = ended(
        work="interrupt()\ntime.sleep(0.1)\nprint('done', file=sys.stderr)",
        at_first="signal.SIG_IGN",
    )
    assert (status, said) == (0, "done\n")


def test_a_file_that_ends_early_is_no_interrupt(cli, monkeypatch):
    """The parser takes an EOFError for Ctrl-C; the command line does not."""
    monkeypatch.setattr("cloze_gen.cli.runs.list_runs", fail_with(EOFError("No data left in file")))
    with pytest.raises(EOFError, match="No data left"):
        cli("runs")


@pytest.mark.parametrize("how", [KeyboardInterrupt(), cli.typer.Abort()])
def test_interrupts_of_a_call_are_told(how, cli, monkeypatch):
    """Called inside another program, an interrupt is a status and a line as well."""
    monkeypatch.setattr("cloze_gen.cli.runs.list_runs", fail_with(how))
    outcome = cli("runs")
    assert (outcome.status, outcome.err) == (130, f"{STOPPED}\n")


@pytest.mark.parametrize(
    "error", [EOFError("No data\nleft in file"), ZeroDivisionError(), RecursionError("x" * 5000)]
)
def test_what_nobody_foresaw_is_one_line_and_a_file(
    error,
    tmp_path,
    monkeypatch,
    capsys,
):
    """The line names the error and a file, which only its owner may read, with the traceback."""
    monkeypatch.setattr("cloze_gen.cli.runs.list_runs", fail_with(error))
    monkeypatch.setattr("sys.argv", ["cloze-gen", "runs"])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert cli.call() == 1
    (path,) = tmp_path.iterdir()
    (line,) = capsys.readouterr().err.splitlines()
    assert type(error).__name__ in line
    assert str(path) in line
    assert len(line) < 500 + len(str(path))
    assert path.stat().st_mode & 0o777 == 0o600
    assert "in fail\n" in path.read_text(encoding="utf-8")


def test_what_nobody_foresaw_is_told_where_nothing_can_be_written(tmp_path, monkeypatch, capsys):
    """Without a temporary folder there is still one line."""
    monkeypatch.setattr("cloze_gen.cli.runs.list_runs", fail_with(ZeroDivisionError()))
    monkeypatch.setattr("sys.argv", ["cloze-gen", "runs"])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    assert cli.call() == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "ZeroDivisionError" in line
    assert "could not be saved" in line


def fail_with(error):
    def fail(*_):
        raise error

    return fail


# ---- endings


def ask_for_too_much(_):
    """In this process or in a worker."""
    np.empty(1 << 60, np.uint8)


@pytest.mark.parametrize("workers", [0, 1])
def test_lack_of_memory_is_one_message(workers, capsys):
    engine = LocalEngine(workers) if workers else None
    status = run_and_report(
        lambda: list(engine.map(ask_for_too_much, [1])) if engine else ask_for_too_much(1)
    )
    if engine:
        engine.abandon()
    said = capsys.readouterr().err
    assert (status, said.count("\n")) == (1, 1)
    assert said.startswith("cloze-gen: not enough memory (Unable to allocate 1.00 EiB")
    assert "Use fewer --workers" in said


# ---- Luigi


class Links(luigi.Task):
    """A chain of tasks, each of which notes the threads that there are while it runs."""

    left = luigi.IntParameter()
    seen: ClassVar[dict[int, set[str]]] = {}

    def requires(self):
        return [Links(left=self.left - 1)] if self.left else []

    def complete(self):
        return self.left in self.seen

    def run(self):
        self.seen[self.left] = {thread.name for thread in threading.enumerate()}


@pytest.fixture
def links(monkeypatch):
    monkeypatch.setattr(Links, "seen", {})
    return Links(left=3)


def test_luigi_starts_no_thread(links):
    """A queue's feeder thread may hang, and a thread may take a signal held by the main thread."""
    before = {thread.name for thread in threading.enumerate()}
    run_tasks([links], [])
    assert list(links.seen) == [0, 1, 2, 3]
    assert set().union(*links.seen.values()) <= before
    assert {thread.name for thread in threading.enumerate()} <= before


def test_long_stages_are_not_forgotten(links, monkeypatch):
    """Luigi's scheduler must not drop a worker that is silent during a long stage."""
    create = InProcessFactory.create_local_scheduler

    def impatient(self):
        scheduler = create(self)
        scheduler._config.worker_disconnect_delay = -1.0  # every stage is too long
        return scheduler

    monkeypatch.setattr(InProcessFactory, "create_local_scheduler", impatient)
    run_tasks([links], [])
    assert list(links.seen) == [0, 1, 2, 3]


def test_an_interrupt_comes_out_of_luigi(links, monkeypatch):
    run = Links.run

    def broken_off(self):
        if self.left == 2:
            raise KeyboardInterrupt
        run(self)

    monkeypatch.setattr(Links, "run", broken_off)
    with pytest.raises(KeyboardInterrupt):
        run_tasks([links], [])
    assert list(links.seen) == [0, 1]
    monkeypatch.setattr(Links, "run", run)
    run_tasks([links], [])
    assert list(links.seen) == [0, 1, 2, 3]
