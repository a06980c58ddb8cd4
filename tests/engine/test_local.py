"""Maps over shards: results in order, errors as they were raised, no process left."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from cloze_gen.engine.local import Engine, InProcessEngine, LocalEngine, make_engine
from cloze_gen.errors import BookError, ClozeGenError, ToolError, UsageError


def slow_square(n: int) -> int:
    time.sleep(0.02 if n % 2 else 0.0)
    return n * n


def fail(n: int) -> int:
    raise BookError("empty", f"shard {n}")


def die(n: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return n


def sleep(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def interrupt_myself(_: int) -> bool:
    os.kill(os.getpid(), signal.SIGINT)
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def threads(_: int) -> dict[str, int]:
    import pyarrow as pa
    import sklearn.cluster  # noqa: F401 - brings libraries that were not there when the worker started
    from threadpoolctl import threadpool_info

    return {"pyarrow": pa.cpu_count(), **{info["filepath"]: info["num_threads"] for info in threadpool_info()}}


@pytest.fixture(scope="module")
def pool() -> Iterator[Engine]:
    engine = LocalEngine(2)
    yield engine
    engine.close()


def test_results_come_in_the_order_of_the_shards(pool: Engine) -> None:
    """Whoever is first, the order is the shards'."""
    assert list(pool.map(slow_square, range(25))) == [n * n for n in range(25)]
    assert list(InProcessEngine().map(slow_square, range(5))) == [0, 1, 4, 9, 16]


def test_one_thread_a_worker(pool: Engine) -> None:
    """Equal bytes need one BLAS thread; two processes must not use four cores."""
    (found,) = pool.map(threads, [0])
    assert set(found.values()) == {1}


def test_ctrl_c_is_the_parents_to_handle(pool: Engine) -> None:
    """A worker is born with the signal held, so not even its imports can be broken off; the parent's own is as it was."""
    assert list(pool.map(interrupt_myself, [0])) == [True]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_errors_of_a_worker_arrive_as_they_were_raised(pool: Engine) -> None:
    """An error keeps its class, its message and its attributes on the way from a worker, and the pool lives on."""
    with pytest.raises(BookError, match="shard 3") as caught:
        list(pool.map(fail, [3]))
    assert caught.value.reason == "empty"
    assert list(pool.map(slow_square, [4])) == [16]


def test_a_killed_worker_is_one_message() -> None:
    """A worker that the kernel ended is told, with what to do."""
    engine = LocalEngine(2)
    with pytest.raises(ClozeGenError, match="fewer --workers"):
        list(engine.map(die, range(4)))
    engine.close()


def test_abandoned_workers_go_at_once() -> None:
    """A run broken off does not wait for its workers."""
    engine = LocalEngine(2)
    results = engine.map(sleep, [0.0, 60.0, 60.0])
    worker = next(results)
    start = time.monotonic()
    engine.abandon()
    while worker in {process.pid for process in multiprocessing.active_children()}:
        assert time.monotonic() - start < 20
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_workers_die_with_their_parent() -> None:
    """A parent killed outright leaves no worker."""
    code = (
        "import os, time\n"
        "from cloze_gen.engine.local import LocalEngine\n"
        "if __name__ == '__main__':\n"
        "    engine = LocalEngine(1)\n"
        "    print(next(engine.map(os.getpgid, [0])), flush=True)\n"
        "    print(*(p.pid for p in __import__('multiprocessing').active_children()), flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        workers = [int(pid) for pid in parent.stdout.readline().split()]
        parent.kill()
    assert workers
    deadline = time.monotonic() + 20
    while any(alive(pid) for pid in workers):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as handle:
            return handle.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_engines_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
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
