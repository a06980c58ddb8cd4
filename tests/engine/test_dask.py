"""A real Dask cluster (a scheduler, two workers of three threads) gives what one process gives."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

import cloze_gen
from cloze_gen.adapters.spacy_tagger import travelling_name
from cloze_gen.corpus.books import SENTENCES
from cloze_gen.corpus.ingest import BookShard, ingest_book
from cloze_gen.corpus.parse_book import IngestSettings
from cloze_gen.corpus.scan import BookFile
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
from cloze_gen.engine.local import InProcessEngine
from cloze_gen.errors import BookError, ToolError
from cloze_gen.store.artifacts import Store
from cloze_gen.store.tables import read_parquet
from tests.cases import pictures

ROOT = Path(__file__).parents[2]
THREADS = 3
PATIENCE = 120  # seconds for anything on a busy machine


def until(condition: Callable[[], Any]) -> Any:
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

    def start(self, n_workers: int) -> Cluster:
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

    def add(self, n_workers: int) -> None:
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

    def _start(self, program: str, *options: str) -> subprocess.Popen[bytes]:
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

    def look(self, expression: str) -> Any:
        """What the scheduler has to say of itself."""
        engine = dask_cluster._connect(self.address)
        try:
            return engine.run_on_scheduler(scheduler_says, expression)
        finally:
            engine.close()

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            if process is not None:
                process.kill()
                process.wait()


def address_in(place: Path) -> str:
    """The address that a scheduler wrote down; empty while it has not, or not all of it."""
    written = place.read_text() if place.exists() else ""
    return json.loads(written)["address"] if written.rstrip().endswith("}") else ""


def scheduler_says(expression: str, dask_scheduler: Any = None) -> Any:
    return eval(expression, {"scheduler": dask_scheduler})  # noqa: S307 - an expression of this file


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    started = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield started.start(2)
    finally:
        started.stop()


@pytest.fixture
def engine(cluster: Cluster) -> Iterator[DaskEngine]:
    connected = DaskEngine(cluster.address)
    yield connected
    connected.close()


# ---- what shards do


@dataclass(frozen=True)
class Note:
    """A shard that writes down who computes it, and takes its time."""

    log: Path
    number: int
    seconds: float = 0.0


def note(shard: Note) -> int:
    line = f"{shard.number} {os.getpid()}\n".encode()
    with open(shard.log, "ab", buffering=0) as log:
        log.write(line)
    time.sleep(shard.seconds)
    return shard.number**2


def noted(log: Path) -> list[tuple[int, int]]:
    """(shard, process) of every beginning, in order."""
    return (
        [(int(number), int(pid)) for number, pid in map(str.split, log.read_text().splitlines())]
        if log.exists()
        else []
    )


def fail(n: int) -> int:
    raise BookError("empty", f"shard {n}")


def refuse_a_file(n: int) -> int:
    raise FileNotFoundError(2, "No such file or directory", f"part-{n}")


def die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def threads(_: int) -> dict[str, int]:
    import pyarrow as pa
    import scipy.linalg  # noqa: F401
    import sklearn.cluster  # noqa: F401
    from threadpoolctl import threadpool_info

    return {
        "pyarrow": pa.cpu_count(),
        **{info["filepath"]: info["num_threads"] for info in threadpool_info()},
    }


def together(seconds: float) -> int:
    """How many threads of this process were in here at once while this one was."""
    inside.append(0)
    time.sleep(seconds)
    found = len(inside)
    inside.pop()
    return found


inside: list[int] = []


def small_books(folder: Path, n: int) -> list[BookFile]:
    """A novel cut into n books, so that chunks recur from book to book."""
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
    return [BookFile(folder, f"{i:03}.txt", f"{i:03}") for i in range(n)]


def ingest_hastily(shard: BookShard) -> dict[str, Any]:
    """Ingest in a process whose threads switch after a microsecond, to provoke races."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        return ingest_book(shard)
    finally:
        sys.setswitchinterval(before)


def ingested(engine: Any, books: list[BookFile], out: Path) -> list[tuple[Any, ...]]:
    """What the engine makes of the books: audit rows, sentences and tokens."""
    settings = IngestSettings(min_word_tokens=0, min_function_word_share=0)
    shards = [BookShard(out, book, book.digest(), settings) for book in books]
    rows = list(engine.map(ingest_hastily, shards))
    tables = (
        read_parquet(Store(out).folder(shard.key) / SENTENCES).to_pydict() for shard in shards
    )
    return list(zip(rows, tables, strict=True))


# ---- the same as in one process


@pytest.mark.thorough
def test_a_run_on_a_cluster_gives_the_local_bytes(cluster: Cluster, finished: Any, corpus: Any, cli: Any, digests: Any, tmp_path: Path,
                                                  monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """The folders are given relative to one that no worker is in."""
    monkeypatch.chdir(tmp_path)
    options = [option.replace(f"{tmp_path}/", "") for option in corpus.options]
    outcome = cli(
        "run", *options, "--name", "tiny", "--out", "out", "--engine", f"dask:{cluster.address}"
    )
    assert outcome.status == 0, outcome.err
    assert digests(tmp_path / "out") == digests(finished.out)
    assert cluster.look("len(scheduler.tasks)") == 0


@pytest.mark.thorough
def test_120_texts_by_several_threads(engine: DaskEngine, tmp_path: Path) -> None:
    """Workers with several threads read every book as one process alone reads it."""
    books = small_books(tmp_path / "books", 120)
    assert ingested(engine, books, tmp_path / "cluster") == ingested(
        InProcessEngine(), books, tmp_path / "alone"
    )


@pytest.mark.thorough
def test_one_shard_at_a_time_in_a_process(engine: DaskEngine) -> None:
    """What stages keep belongs to a process, so its threads take turns."""
    assert set(engine.map(together, [0.05] * 12)) == {1}


@pytest.mark.thorough
def test_one_thread_a_task(engine: DaskEngine) -> None:
    """Of BLAS, OpenMP and Arrow, be the library loaded before the task or by it."""
    for found in engine.map(threads, range(4)):
        assert set(found.values()) == {1}


@pytest.mark.thorough
def test_results_come_in_the_order_of_the_shards(engine: DaskEngine, tmp_path: Path) -> None:
    """Whoever is first, the order is the shards'."""
    shards = [Note(tmp_path / "log", i, 0.0 if i % 2 else 0.03) for i in range(25)]
    assert list(engine.map(note, shards)) == [i * i for i in range(25)]


@pytest.mark.thorough
def test_errors_of_a_worker_arrive_as_they_were_raised(engine: DaskEngine, tmp_path: Path) -> None:
    """A file that a shard lacks is not mistaken for a lost scheduler."""
    with pytest.raises(BookError, match="shard 3") as caught:
        list(engine.map(fail, [3]))
    assert caught.value.reason == "empty"
    with pytest.raises(FileNotFoundError, match="part-3"):
        list(engine.map(refuse_a_file, [3]))
    assert list(engine.map(note, [Note(tmp_path / "log", 4)])) == [16]


# ---- little at a time


@pytest.mark.thorough
@pytest.mark.parametrize("asked", ["Future.result", "Client.nthreads"])
def test_a_connection_that_breaks_at_a_question(
    engine: DaskEngine, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    """The client still believes that it is connected."""
    import distributed
    from distributed.comm.core import CommClosedError

    def broken(*_: Any, **__: Any) -> Any:
        raise CommClosedError(
            "in <TCP (closed) ConnectionPool.gather>: ConnectionResetError: [Errno 104]"
        )

    kind, method = asked.split(".")
    monkeypatch.setattr(getattr(distributed, kind), method, broken)
    if kind == "Future":
        with pytest.raises(ToolError, match=r"the Dask scheduler is gone .*Run again to continue"):
            list(engine.map(str, [1]))
    else:
        known = engine.workers
        assert (list(engine.map(str, [1, 2])), engine.workers) == (["1", "2"], known)


@pytest.mark.thorough
def test_few_shards_are_on_the_cluster_at_once(
    cluster: Cluster, engine: DaskEngine, tmp_path: Path
) -> None:
    log, window = tmp_path / "log", 4 * 2
    results = engine.map(note, [Note(log, i) for i in range(60)])
    for i in range(10):
        assert next(results) == i * i
    time.sleep(0.5)
    assert len(noted(log)) <= 10 + window
    assert cluster.look("len(scheduler.tasks)") <= window
    results.close()
    until(lambda: cluster.look("len(scheduler.tasks)") == 0)
    assert len(noted(log)) <= 10 + window


# ---- what dies


@pytest.mark.thorough
def test_a_killed_worker_costs_what_it_was_at(
    cluster: Cluster, engine: DaskEngine, tmp_path: Path
) -> None:
    log = tmp_path / "log"

    def kill_one() -> subprocess.Popen[bytes]:
        until(lambda: len(noted(log)) >= 12)
        victim = next(worker for worker in cluster.workers if worker.pid == noted(log)[-1][1])
        victim.kill()
        return victim

    with ThreadPoolExecutor(1) as killer:
        killed = killer.submit(kill_one)
        try:
            got = list(engine.map(note, [Note(log, i, 0.1) for i in range(40)]))
            victim = killed.result()
        finally:
            cluster.add(1)
    assert got == [i * i for i in range(40)]
    begun = Counter(number for number, _ in noted(log))
    again = {number for number, times in begun.items() if times > 1}
    assert begun.keys() == set(range(40))
    assert max(begun.values()) <= 2
    assert again <= set([number for number, pid in noted(log) if pid == victim.pid][-4:])


@pytest.mark.thorough
def test_a_run_outlives_a_worker(
    cluster: Cluster, finished: Any, corpus: Any, digests: Any, tmp_path: Path
) -> None:
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


@pytest.mark.thorough
def test_a_reader_who_stops_leaves_nothing_behind(engine: DaskEngine, tmp_path: Path) -> None:
    """The engine may be closed before the results are let go."""
    results = engine.map(note, [Note(tmp_path / "log", i, 0.1) for i in range(8)])
    assert next(results) == 0
    engine.abandon()
    results.close()


@pytest.mark.thorough
def test_a_shard_that_kills_workers_is_one_message(tmp_path: Path) -> None:
    """After as many dead workers as Dask allows, the run ends with what to do."""
    own = Cluster(tmp_path)
    try:
        os.environ["DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"] = "0"
        own.start(1)
        engine = DaskEngine(own.address)
        with pytest.raises(
            ToolError, match=r"1 Dask workers died on the same shard.*tcp.*memory.*Run again"
        ):
            list(engine.map(die, [0]))
        engine.close()
    finally:
        del os.environ["DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"]
        own.stop()


def noise(said: str) -> list[str]:
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


def run_command(corpus: Any, out: Path, cluster: Cluster) -> list[str]:
    return [sys.executable, pictures.__file__, "run", *corpus.options, "--name", "tiny", "--out", str(out),
            "--engine", f"dask:{cluster.address}"]  # fmt: skip


@pytest.mark.thorough
def test_a_scheduler_killed_is_one_message(
    finished: Any, corpus: Any, cli: Any, digests: Any, tmp_path: Path
) -> None:
    """Nothing that was finished is lost, and a local run goes on to the same bytes."""
    out, own = tmp_path / "out", Cluster(tmp_path)
    try:
        own.start(1)
        with subprocess.Popen(
            run_command(corpus, out, own), stderr=subprocess.PIPE, text=True
        ) as run:
            until(
                lambda: (
                    run.poll() is not None or list((out / "store").glob("book-*/*/manifest.json"))
                )
            )
            assert own.scheduler is not None
            own.scheduler.kill()
            _, said = run.communicate(timeout=PATIENCE)
    finally:
        own.stop()
    last = " ".join(
        said.rpartition("cloze-gen: ")[2].split()
    )  # what Dask says of a lost scheduler has one line or five
    assert run.returncode == ToolError.exit_status, said
    assert last.startswith(f"{own.address}: the Dask scheduler is gone"), said
    assert last.endswith("Run again to continue, or use --engine local.")
    assert not noise(said)
    outcome = cli("run", *corpus.options, "--name", "tiny", "--out", out, "--workers", "1")
    assert outcome.status == 0, outcome.err
    assert digests(out) == digests(finished.out)


@pytest.mark.thorough
def test_an_interrupted_client_clears_the_cluster(
    cluster: Cluster, finished: Any, corpus: Any, cli: Any, digests: Any, tmp_path: Path
) -> None:
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


@pytest.mark.thorough
def test_a_cluster_without_workers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Told at once, and told after a while when the last worker goes during the work."""
    monkeypatch.setattr(dask_cluster, "_CONNECT_SECONDS", 5)
    monkeypatch.setattr(dask_cluster, "_WORKERLESS_SECONDS", 1)
    own = Cluster(tmp_path)
    try:
        own.start(0)
        with pytest.raises(ToolError, match=r"has no worker.*dask worker tcp"):
            DaskEngine(own.address)
        own.add(1)
        engine = DaskEngine(own.address)
        own.workers[0].kill()
        with pytest.raises(ToolError, match=r"no worker for 1 s"):
            list(engine.map(note, [Note(tmp_path / "log", 0)]))
        engine.close()
    finally:
        own.stop()


# ---- what a worker must have in common with the run


@pytest.mark.thorough
def test_an_address_where_no_scheduler_is(
    cluster: Cluster, engine: DaskEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
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
def test_other_versions_on_a_worker_are_refused(
    engine: DaskEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal bytes need equal libraries: the message names what differs, and where."""
    older = tuple((name, "0.0.1" if name == "pyarrow" else found) for name, found in own_versions())
    monkeypatch.setattr(engine, "_terms", Terms(older))
    with pytest.raises(
        ToolError,
        match=r"the Dask worker on \S+ has pyarrow [\d.]+ \(the run: 0\.0\.1\); .* Install the same versions",
    ):
        list(engine.map(fail, [0]))


@pytest.mark.thorough
def test_other_code_on_a_worker_is_refused(tmp_path: Path) -> None:
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
            list(engine.map(note, [Note(tmp_path / "log", 0)]))
        engine.close()
    finally:
        own.stop()
    assert not noted(tmp_path / "log")


@pytest.mark.parametrize(
    ("file", "is_code"),
    [
        ("rng.py", True),
        ("english/offensive_words.txt", True),
        ("__pycache__/rng.pyc", False),
        ("pipelines/corpus.py", False),
    ],
)
def test_the_digest_of_the_code_is_of_what_workers_run(
    file: str, is_code: bool, tmp_path: Path
) -> None:
    """Sources and data files, not compiled files and folders that no worker uses."""
    for name in ("rng.py", "english/offensive_words.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("before", encoding="utf-8")
    before = code_digest(tmp_path)
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("after", encoding="utf-8")
    assert (code_digest(tmp_path) != before) is is_code


@pytest.mark.thorough
def test_a_worker_without_us(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told before the first shard, of which such a worker would die."""
    monkeypatch.setattr(dask_cluster, "_PACKAGE", "no-such-package")
    with pytest.raises(
        ToolError,
        match=r"Dask worker tcp\S+, Dask worker tcp\S+: no no-such-package there. Run pip install",
    ):
        DaskEngine(cluster.address)


def test_a_worker_that_does_not_see_the_output_folder(tmp_path: Path) -> None:
    """As on another machine, where the mark that the run put there is missing."""
    with pytest.raises(
        ToolError, match=rf"does not see the output folder: no {tmp_path}/mark there.*the same path"
    ):
        do(Job(fail, 0, (), Terms(own_versions(), tmp_path / "mark")))


@pytest.mark.thorough
def test_a_shared_folder_is_seen_and_left_clean(engine: DaskEngine, tmp_path: Path) -> None:
    """The mark lies in the folder while the engine is open, and workers see it."""
    engine.share(tmp_path / "store")
    assert len(list((tmp_path / "store").iterdir())) == 1
    with pytest.raises(BookError, match="shard 0"):
        list(engine.map(fail, [0]))
    engine.close()
    assert not list((tmp_path / "store").iterdir())


def test_a_worker_that_does_not_see_a_book(tmp_path: Path) -> None:
    """A book is not dropped as unreadable because a worker's machine lacks it."""
    (book,) = small_books(tmp_path / "books", 1)
    shard = BookShard(tmp_path / "out", book, book.digest(), IngestSettings())
    assert shard.needs == (book.path,)
    book.path.unlink()
    with pytest.raises(ToolError, match=rf"does not see {book.path}.*same path on every machine"):
        do(Job(ingest_book, shard, shard.needs, Terms(own_versions())))


@pytest.mark.thorough
def test_only_files_that_are_here_are_asked_for(engine: DaskEngine, tmp_path: Path) -> None:
    """A book that nobody can read stays a dropped book with its reason."""
    (book,) = small_books(tmp_path / "books", 1)
    book.path.unlink()
    (row,) = engine.map(
        ingest_book, [BookShard(tmp_path / "out", book, book.digest(), IngestSettings())]
    )
    assert (row["status"], row["reason"]) == ("rejected", "unreadable")


def test_paths_travel_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Wherever they stand in a shard; a shard without a relative path stays as it is."""
    monkeypatch.chdir(tmp_path)
    shard = BookShard(Path("out"), BookFile(Path("books"), "a.txt", "a"), "0", IngestSettings())
    there = with_absolute_paths(shard)
    assert (there.out, there.book.path) == (tmp_path / "out", tmp_path / "books" / "a.txt")
    assert there.key == shard.key
    assert with_absolute_paths(there) is there
    assert with_absolute_paths(replace(there, book="a")).book == "a"


def test_a_tagger_given_as_a_folder_travels_absolute(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A name stays a name."""
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "none"):
        (tmp_path / name).mkdir()
    assert travelling_name("mine") == str(tmp_path / "mine")
    assert [travelling_name(name) for name in ("builtin", "none", "en_core_web_sm")] == [
        "builtin",
        "none",
        "en_core_web_sm",
    ]


def test_threads_of_one_process_take_turns() -> None:
    """Whoever's threads they are."""
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(do, [Job(together, 0.02, (), Terms(own_versions()))] * 12)) == {1}
