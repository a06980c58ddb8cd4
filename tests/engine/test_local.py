"""Shards in one process and in several, ahead of their use, and what is said meanwhile."""

import contextlib
import fcntl
import multiprocessing
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

import pytest

from cloze_gen.engine.local import (
    InProcessEngine,
    LocalEngine,
    engine_scope,
    make_engine,
    prefetch,
)
from cloze_gen.engine.progress import Stopwatch, keeping_log, note, phases, say, track
from cloze_gen.errors import BookError, ClozeGenError, ModelError, StoreError, ToolError, UsageError


def slow_square(n):
    time.sleep(0.02 if n % 2 else 0.0)
    return n * n


def fail(n):
    raise BookError("empty", f"shard {n}")


def die(n):
    os.kill(os.getpid(), signal.SIGKILL)
    return n


def sleep(seconds):
    time.sleep(seconds)
    return os.getpid()


def interrupt_myself(_):
    os.kill(os.getpid(), signal.SIGINT)
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def threads(_):
    import pyarrow as pa
    import sklearn.cluster  # noqa: F401 - brings libraries that were not there when the worker started
    from threadpoolctl import threadpool_info

    return {
        "pyarrow": pa.cpu_count(),
        **{info["filepath"]: info["num_threads"] for info in threadpool_info()},
    }


@pytest.fixture(scope="module")
def pool():
    engine = LocalEngine(2)
    yield engine
    engine.close()


def test_results_come_in_the_order_of_the_shards(pool):
    """Whoever is first, the order is the shards'."""
    assert list(pool.map(slow_square, range(25))) == [n * n for n in range(25)]
    assert list(InProcessEngine().map(slow_square, range(5))) == [0, 1, 4, 9, 16]


def test_few_shards_are_taken_ahead(pool):
    """Memory stays flat however many there are."""
    taken = []

    def shards():
        for n in range(100):
            taken.append(n)
            yield n

    results = pool.map(abs, shards())
    assert next(results) == 0
    assert len(taken) <= 4 * pool.workers
    assert list(results) == list(range(1, 100))


def test_one_thread_a_worker(pool):
    """Equal bytes need one BLAS thread; two processes must not use four cores."""
    (found,) = pool.map(threads, [0])
    assert set(found.values()) == {1}


def test_ctrl_c_is_the_parents_to_handle(pool):
    """A worker starts with the signal blocked, so not even its imports are interrupted."""
    assert list(pool.map(interrupt_myself, [0])) == [True]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_errors_of_a_worker_arrive_as_they_were_raised(pool):
    with pytest.raises(BookError, match="shard 3") as caught:
        list(pool.map(fail, [3]))
    assert caught.value.reason == "empty"
    assert list(pool.map(slow_square, [4])) == [16]


def test_a_killed_worker_is_one_message():
    """A worker that the kernel ended is told, with what to do."""
    engine = LocalEngine(2)
    with pytest.raises(ClozeGenError, match="fewer --workers"):
        list(engine.map(die, range(4)))
    engine.close()


def test_abandoned_workers_go_at_once():
    """A run broken off does not wait for its workers, and ends no other child of the program."""
    other = multiprocessing.get_context("spawn").Process(target=sleep, args=(60.0,))
    other.start()
    engine = LocalEngine(2)
    results = engine.map(sleep, [0.0, 60.0, 60.0])
    worker = next(results)
    start = time.monotonic()
    engine.abandon()
    while worker in {process.pid for process in multiprocessing.active_children()}:
        assert time.monotonic() - start < 20
        time.sleep(0.05)
    assert other in multiprocessing.active_children()
    other.kill()
    other.join()


@pytest.mark.parametrize("end", [None, KeyboardInterrupt(), ValueError()])
def test_an_engine_is_given_back_however_its_use_ends(end, monkeypatch):
    """Closed at the end; where a run is broken off, by Ctrl-C too, its workers are not waited for."""
    called = list[str]()
    monkeypatch.setattr(InProcessEngine, "close", lambda _: called.append("close"))
    monkeypatch.setattr(InProcessEngine, "abandon", lambda _: called.append("abandon"))
    with contextlib.suppress(BaseException), engine_scope(InProcessEngine()):
        if end is not None:
            raise end
    assert called == ["close" if end is None else "abandon"]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_workers_die_with_their_parent(platform, tmp_path):
    """A parent killed outright leaves no worker, also where only the worker itself can see it."""
    program = tmp_path / "program.py"  # whose first lines run in the worker too
    program.write_text(
        "import multiprocessing, os, sys, time\n"
        "from cloze_gen.engine.local import LocalEngine\n"
        f"sys.platform = {platform!r}\n"
        "if __name__ == '__main__':\n"
        "    engine = LocalEngine(1)\n"
        "    print(next(engine.map(os.getpgid, [0])), flush=True)\n"
        "    print(*(p.pid for p in multiprocessing.active_children()), flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        workers = [int(pid) for pid in parent.stdout.readline().split()]
        parent.kill()
    assert workers
    deadline = time.monotonic() + 20
    while any(alive(pid) for pid in workers):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as handle:
            return handle.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_engines_by_name(monkeypatch):
    """One local worker is this process; an unknown engine is a mistake of the call."""
    assert isinstance(make_engine("local", workers=1), InProcessEngine)
    assert make_engine("local", workers=3).workers == 3
    with pytest.raises(UsageError, match=r"Known: local, dask:ADDRESS"):
        make_engine("spark", workers=1)
    with pytest.raises(UsageError, match="--engine dask: needs an address"):
        make_engine("dask:", workers=1)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ToolError, match=r"cloze-gen\[dask\]"):
        make_engine("dask:tcp://127.0.0.1:1", workers=1)


# ---- ahead


def test_the_next_item_is_made_while_this_one_is_used():
    """The second item is begun before the caller comes back for it, in another thread."""
    begun = threading.Event()
    makers = []

    def items():
        for i in range(3):
            makers.append(threading.current_thread())
            if i == 1:
                begun.set()
            yield i

    coming = prefetch(items())
    assert next(coming) == 0
    assert begun.wait(10)
    assert list(coming) == [1, 2]
    assert threading.main_thread() not in makers


@pytest.mark.parametrize("values", [[], [0], [0, None, ""]])
def test_any_items_pass(values):
    """None and empty items are items."""
    assert list(prefetch(iter(values))) == values


def test_an_error_comes_out_after_the_items_before_it():
    def items():
        yield 1
        raise ModelError("ends early")

    coming = prefetch(items())
    assert next(coming) == 1
    with pytest.raises(ModelError, match="ends early"):
        next(coming)


# ---- progress

LMPLZ = (
    "1/2 Counting",
    "Reading text",
    "2/2 Writing",
    "Name:lmplz",
)


def test_items_pass_through_in_silence(capsys):
    """Off a terminal no bar is drawn, and every item comes out."""
    assert list(track(iter([1, 2]), stage="s", unit="books", total=2)) == [1, 2]
    assert capsys.readouterr() == ("", "")


def test_lines_go_to_stderr(capsys):
    """Standard output belongs to results."""
    say("counts: 3 words")
    assert capsys.readouterr() == ("", "counts: 3 words\n")


def test_time_passes():
    """A stopwatch only goes forward."""
    watch = Stopwatch()
    assert 0 <= watch.seconds <= watch.seconds


def test_off_a_terminal_a_phase_is_a_line(capsys):
    """Of what a program says only its phases are passed on."""
    with phases("lm") as hear:
        for line in LMPLZ:
            hear(line)
    assert capsys.readouterr() == ("", "lm: 1/2 Counting\nlm: 2/2 Writing\n")


@pytest.mark.slow
def test_on_a_terminal_all_phases_are_one_bar():
    """One line drawn anew, which is gone at the end, and no line besides."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    code = (
        "from cloze_gen.engine.progress import phases\nwith phases('lm') as hear:\n    for line "
        f"in {LMPLZ}:\n        hear(line)"
    )
    environment = {**os.environ, "TERM": "xterm"}
    subprocess.run(
        [sys.executable, "-c", code], stderr=terminal, env=environment, check=True, timeout=60
    )
    os.close(terminal)
    drawn = b""
    while True:
        try:
            drawn += os.read(master, 65536)
        except OSError:  # all has been read
            break
    os.close(master)
    shown = [
        part.split("|")[0] + part.split("|")[-1]
        for part in drawn.decode().split("\r")
        if part.strip()
    ]
    assert shown == [
        "lm    0 %",
        "lm: 1/2    0 %",
        "lm: 2/2   50 %",
    ]
    assert b"\n" not in drawn


def test_the_log_keeps_what_is_said_and_what_is_not_shown(tmp_path, capsys):
    """Lines follow a heading, printable, and what stood in the file stays."""
    path = tmp_path / "logs" / "a.log"
    path.parent.mkdir()
    path.write_text("a person's note\n")
    with keeping_log(path, "a run"):
        say("counts: 3 words")
        note("lm: \x1b[2J\nsecond")
    note("after the end")
    lines = [line.partition(" s  ")[2] or line for line in path.read_text().splitlines()]
    assert lines[0] == "a person's note"
    assert lines[1].endswith("UTC  a run")
    assert lines[2:] == ["counts: 3 words", "lm: \\x1b[2J", "second"]
    assert capsys.readouterr().err == "counts: 3 words\n"


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_a_log_goes_into_no_other_thing(tmp_path, kind):
    """A pipe without a reader would hold the run for ever."""
    path = tmp_path / "a.log"
    if kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with (
        pytest.raises(StoreError, match=r"a\.log: the log is to be written here"),
        keeping_log(path, "a run"),
    ):
        pass
