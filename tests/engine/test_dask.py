"""A real Dask cluster (a scheduler, two workers of three threads) gives what one process gives."""

from __future__ import annotations

import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

import cloze_gen
from cloze_gen.corpus.collect import Book
from cloze_gen.corpus.ingest import BookShard, ingest_book
from cloze_gen.corpus.parse_book import IngestSettings
from cloze_gen.engine import dask as dask_cluster
from cloze_gen.engine.dask import (
    DaskEngine,
    Job,
    Terms,
    code_digest,
    do,
    own_versions,
    with_absolute_paths,
)
from cloze_gen.errors import BookError, ToolError
from cloze_gen.store.manifest import file_sha256

ROOT = Path(__file__).parents[2]
THREADS = 3
PATIENCE = 120  # seconds for anything on a busy machine


def until(condition):
    """What the condition gives as soon as it holds."""
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


@dataclass
class Cluster:
    """Processes on this machine, as `dask scheduler` and `dask worker` start them."""

    folder: Path
    paths: tuple[Path, ...] = (ROOT,)  # the processes' PYTHONPATH
    address: str = ""
    scheduler: subprocess.Popen[bytes] | None = None
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, n_workers):
        place = self.folder / "scheduler.json"
        self.scheduler = self._start(
            "dask_scheduler",
            "--port",
            "0",
            "--no-dashboard",
            "--no-jupyter",
            "--scheduler-file",
            str(place),
        )
        self.address = until(lambda: address_in(place))
        self.add(n_workers)
        return self

    def add(self, n_workers):
        """Start workers and wait until the scheduler knows of all that live."""
        options = (
            "--nthreads",
            str(THREADS),
            "--no-nanny",
            "--no-dashboard",
            "--local-directory",
            str(self.folder),
        )
        self.workers += [
            self._start("dask_worker", self.address, *options) for _ in range(n_workers)
        ]
        living = sum(worker.poll() is None for worker in self.workers)
        until(lambda: self.look("len(scheduler.workers)") == living)

    def _start(self, program, *options):
        command = [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            f"distributed.cli.{program}",
            *options,
            "--host",
            "127.0.0.1",
        ]
        with open(self.folder / "log.txt", "ab") as log:
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, self.paths))}
            return subprocess.Popen(
                command, cwd=self.folder, env=environment, stdout=log, stderr=log
            )

    def look(self, expression):
        """What the scheduler has to say of itself."""
        engine = dask_cluster._connect(self.address)
        try:
            return engine.run_on_scheduler(scheduler_says, expression)
        finally:
            engine.close()

    def stop(self):
        for process in (*self.workers, self.scheduler):
            if process is not None:
                process.kill()
                process.wait()


def address_in(place):
    """The address that a scheduler wrote down; empty while it has not, or not all of it."""
    written = place.read_text() if place.exists() else ""
    return json.loads(written)["address"] if written.rstrip().endswith("}") else ""


def scheduler_says(expression, dask_scheduler=None):
    return eval(expression, {"scheduler": dask_scheduler})  # noqa: S307 - an expression of this file


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    started = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield started.start(2)
    finally:
        started.stop()


@pytest.fixture
def engine(cluster):
    connected = DaskEngine(cluster.address)
    yield connected
    connected.close()


# ---- what shards do


def fail(n):
    raise BookError("empty", f"shard {n}")


def together(seconds):
    """How many threads of this process were in here at once while this one was."""
    inside.append(0)
    time.sleep(seconds)
    found = len(inside)
    inside.pop()
    return found


inside = []


def small_books(folder, n):
    """A novel cut into n books."""
    folder.mkdir()
    lines = (
        (ROOT / "corpora" / "sample" / "source" / "the-clockmakers-debt.txt")
        .read_text(encoding="utf-8", errors="replace")
        .splitlines()
    )
    for i in range(n):
        (folder / f"{i:03}.txt").write_text(
            "\n".join(lines[i * len(lines) // n : (i + 1) * len(lines) // n]), encoding="utf-8"
        )
    return [
        Book(
            folder,
            f"{i:03}.txt",
            folder / f"{i:03}.txt",
            f"{i:03}",
            sha256=file_sha256(folder / f"{i:03}.txt"),
        )
        for i in range(n)
    ]


# ---- the same as in one process


@pytest.mark.thorough
def test_a_run_on_a_cluster_gives_the_local_bytes(cluster, finished, corpus, cli, digests, tmp_path,
                                                  monkeypatch):  # fmt: skip
    """The folders are given relative to one that no worker is in."""
    monkeypatch.chdir(tmp_path)
    options = [option.replace(f"{tmp_path}/", "") for option in corpus.options]
    outcome = cli(
        "run", *options, "--name", "tiny", "--out", "out", "--engine", f"dask:{cluster.address}"
    )
    assert outcome.status == 0, outcome.err
    assert digests(tmp_path / "out") == digests(finished.out)
    assert cluster.look("len(scheduler.tasks)") == 0


# ---- what dies


@pytest.mark.thorough
def test_a_run_outlives_a_worker(cluster, finished, corpus, digests, tmp_path):
    """A worker killed in the midst of a run: the other ends it with the same bytes."""
    out = tmp_path / "out"
    try:
        with subprocess.Popen(
            run_command(corpus, out, cluster), stderr=subprocess.PIPE, text=True
        ) as run:
            until(
                lambda: (
                    run.poll() is not None or list((out / "store").glob("book-*/*/manifest.json"))
                )
            )
            next(worker for worker in cluster.workers if worker.poll() is None).kill()
            _, said = run.communicate(timeout=PATIENCE)
    finally:
        cluster.add(1)
    assert run.returncode == 0, said
    assert not noise(said)
    assert digests(out) == digests(finished.out)


def noise(said):
    """What of Dask's inner life came out to the user."""
    return [
        word
        for word in (
            "Traceback",
            "Exception ignored",
            "Task was",
            "distributed",
            "tornado",
            "asyncio",
        )
        if word in said
    ]


def run_command(corpus, out, cluster):
    return [sys.executable, "-m", "cloze_gen", "run", *corpus.options, "--name", "tiny", "--out", str(out),
            "--engine", f"dask:{cluster.address}"]  # fmt: skip


@pytest.mark.thorough
def test_an_interrupted_client_clears_the_cluster(
    cluster, finished, corpus, cli, digests, tmp_path
):
    """Ctrl-C: the usual line and status, nothing left to do on the cluster, and a rerun ends well."""
    out = tmp_path / "out"
    with subprocess.Popen(
        run_command(corpus, out, cluster), stderr=subprocess.PIPE, text=True
    ) as run:
        until(
            lambda: run.poll() is not None or list((out / "store").glob("book-*/*/manifest.json"))
        )
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=PATIENCE)
    assert (run.returncode, said.splitlines()[-1]) == (
        130,
        "cloze-gen: stopped. Finished stages are kept; run again to continue.",
    )
    assert not noise(said)
    until(lambda: cluster.look("len(scheduler.tasks)") == 0)
    outcome = cli("run", *corpus.options, "--name", "tiny", "--out", out, "--workers", "1")
    assert outcome.status == 0, outcome.err
    assert digests(out) == digests(finished.out)


# ---- what a worker must have in common with the run


@pytest.mark.thorough
def test_an_address_where_no_scheduler_is(cluster, engine, monkeypatch):
    """Nobody, or a worker: each has a message that names the address and what to do."""
    monkeypatch.setattr(dask_cluster, "_CONNECT_SECONDS", 1)
    for wrong in ("tcp://127.0.0.1:1", "nonsense://x", "localhost"):
        with pytest.raises(
            ToolError,
            match=rf"{wrong}: no Dask scheduler answers there \(.+\). Start one, or use --engine local",
        ):
            DaskEngine(wrong)
    (worker, *_) = engine._client.nthreads()
    with pytest.raises(ToolError, match=rf"{worker}: a Dask Worker answers there"):
        DaskEngine(worker)


@pytest.mark.thorough
def test_other_code_on_a_worker_is_refused(tmp_path):
    """One line differs, the version number does not."""
    package = tmp_path / "copy" / "cloze_gen"
    shutil.copytree(
        Path(cloze_gen.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    with open(package / "rng.py", "a", encoding="utf-8") as changed:
        changed.write("\n# one more line\n")
    own = Cluster(tmp_path, paths=(package.parent, ROOT))
    try:
        own.start(1)
        engine = DaskEngine(own.address)
        code = r"0\.2\.0 with code [0-9a-f]{8}"
        with pytest.raises(
            ToolError,
            match=rf"the Dask worker on \S+ has cloze-gen {code} \(the run: {code}\); .* Install the same",
        ):
            list(engine.map(fail, [0]))
        engine.close()
    finally:
        own.stop()


@pytest.mark.parametrize(
    ("file", "is_code"),
    [
        ("rng.py", True),
        ("english/offensive_words.txt", True),
        ("__pycache__/rng.pyc", False),
        ("pipelines/corpus.py", False),
    ],
)
def test_the_digest_of_the_code_is_of_what_workers_run(file, is_code, tmp_path):
    """Sources and data files, not compiled files and folders that no worker uses."""
    for name in ("rng.py", "english/offensive_words.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("before", encoding="utf-8")
    before = code_digest(tmp_path)
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("after", encoding="utf-8")
    assert (code_digest(tmp_path) != before) is is_code


def test_a_worker_that_does_not_see_the_output_folder(tmp_path):
    """As on another machine, where the mark that the run put there is missing."""
    with pytest.raises(
        ToolError, match=rf"does not see the output folder: no {tmp_path}/mark there.*the same path"
    ):
        do(Job(fail, 0, (), Terms(own_versions(), tmp_path / "mark")))


def test_a_worker_that_does_not_see_a_book(tmp_path):
    """A book is not dropped as unreadable because a worker's machine lacks it."""
    (book,) = small_books(tmp_path / "books", 1)
    shard = BookShard(tmp_path / "out", book, IngestSettings())
    assert shard.needs == (book.path,)
    book.path.unlink()
    with pytest.raises(ToolError, match=rf"does not see {book.path}.*same path on every machine"):
        do(Job(ingest_book, shard, shard.needs, Terms(own_versions())))


def test_paths_travel_absolute(monkeypatch, tmp_path):
    """Wherever they stand in a shard; a shard without a relative path stays as it is."""
    monkeypatch.chdir(tmp_path)
    book = Book(Path("books"), "a.txt", Path("books/a.txt"), "a", sha256="0")
    shard = BookShard(Path("out"), book, IngestSettings())
    there = with_absolute_paths(shard)
    assert (there.out, there.book.text) == (tmp_path / "out", tmp_path / "books" / "a.txt")
    assert there.key == shard.key
    assert with_absolute_paths(there) is there
    assert with_absolute_paths(replace(there, book="a")).book == "a"


def test_arguments_of_a_function_travel_with_absolute_paths():
    bound = with_absolute_paths(functools.partial(print, 1, sep=Path("here"), end=Path()))
    assert bound.keywords == {"sep": Path("here").absolute(), "end": Path()}
    assert bound.args == (1,)


def test_threads_of_one_process_take_turns():
    """Whoever's threads they are."""
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(do, [Job(together, 0.02, (), Terms(own_versions()))] * 12)) == {1}
