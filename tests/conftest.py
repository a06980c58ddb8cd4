"""What all tests share: a tiny corpus, one finished run, and the command line called as a user calls it."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from cloze_gen.cli import app
from cloze_gen.endings import guarded
from cloze_gen.report.data import ReportData
from cloze_gen.stages.release.facts import read_record
from cloze_gen.stages.release.write import read_published
from cloze_gen.stages.report import read_report_data
from cloze_gen.stages.style import Style
from cloze_gen.store.files import read_below
from cloze_gen.store.runs import released_folder

# The machine may be busy: how long an example takes says nothing here.
settings.register_profile("cloze-gen", deadline=None, max_examples=60)
settings.load_profile("cloze-gen")

os.environ.pop("COLUMNS", None)  # the width of the terminal from which the tests are started changes what is printed

# A shell that starts the tests in the background has them ignore Ctrl-C, and every program that they start and interrupt would too.
signal.signal(signal.SIGINT, signal.default_int_handler)

collect_ignore = ["toy"]  # laid into a copy of the package (test_new_style.py), and part of nothing here
ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "corpora" / "sample"
TRAIN_BOOKS = ("01-the-ferrymans-ledger.txt", "02-a-house-in-mercer-row.txt", "03-the-surgeon-of-the-halcyon.txt")
SOURCE_BOOK = "the-clockmakers-debt.txt"
# No tagger (its model takes a second to load) and the least memory that lmplz accepts.
QUICK = ("--set", "grooming.tagger=none", "--set", "lm.memory=100M", "--set", "contexts.features=500", "--set", "contexts.dimensions=20")
# Networks that have hardly begun to learn: what they say is of no account, that they say the same each time is.
QUICK_NOVELS = (
    "--set", "lm.memory=100M", "--set", "contexts.features=500", "--set", "contexts.dimensions=20",
    "--set", "networks.recurrent_words=4000", "--set", "networks.feedforward_words=4000",
    "--set", "ranking.n_passages=40", "--set", "control.n_passages=20",
)  # fmt: skip


# Processes of the suite: each loads spaCy and more (half a gigabyte), and some tests start processes of their own.
MOST_WORKERS = 4
SLOW_CPU_SECONDS = 2.0
SLOW_LIMIT_SECONDS = 600  # of a test marked slow; of any other: pyproject.toml


# ---- how the suite runs


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """`-p no:xdist`, for a debugger: what pyproject.toml says of workers means nothing then."""
    if not pluginmanager.hasplugin("xdist"):
        for option in ("--numprocesses", "--dist"):
            parser.addoption(option, help="without pytest-xdist: no meaning")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Whole folders are tested in parallel; files and single tests in this process, where no worker has to start and a debugger works."""
    if all(Path(argument).is_dir() for argument in config.args):
        return min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, MOST_WORKERS)
    return 0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A slow test has a longer limit, unless it names its own."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_LIMIT_SECONDS))


def cpu_seconds() -> float:
    """Of this process and of those it waited for; a busy machine does not lengthen it."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """What a test itself took, fixtures not counted: they are shared, and whoever comes first pays."""
    before = cpu_seconds()
    try:
        return (yield)
    finally:
        item.user_properties.append(("cpu_seconds", cpu_seconds() - before))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Which tests should be marked slow and are not."""
    took = {
        report.nodeid: dict(report.user_properties).get("cpu_seconds", 0.0)
        for report in terminalreporter.getreports("passed")
        if report.when == "call" and "slow" not in report.keywords
    }
    late = sorted((seconds, name) for name, seconds in took.items() if seconds > SLOW_CPU_SECONDS)
    for seconds, name in reversed(late):
        terminalreporter.write_line(f"not marked slow, yet {seconds:.1f} s of CPU: {name}")


# ---- what the tests share


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call of the command line ended."""

    status: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """Two folders of books."""

    train: Path
    source: Path

    @property
    def options(self) -> tuple[str, ...]:
        return "holmes-sample", "--train", str(self.train), "--source", str(self.source), *QUICK


@dataclass(frozen=True, slots=True)
class Novels:
    """One folder of novels, with a manifest, and what a style makes of it quickly."""

    books: Path
    config: str = "lambada-sample"
    quick: tuple[str, ...] = QUICK_NOVELS

    @property
    def options(self) -> tuple[str, ...]:
        return self.config, "--books", str(self.books), *self.quick


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run that ended well."""

    corpus: Corpus | Novels
    out: Path
    name: str
    outcome: Outcome

    @property
    def folder(self) -> Path:
        return self.out / "runs" / self.name

    @property
    def release(self) -> Path:
        return self.folder / "release"


def call_cli(*arguments: str | Path) -> Outcome:
    """Call the command line in this process; what it does not turn into a message and a status fails the test."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = guarded(lambda: app([str(argument) for argument in arguments], standalone_mode=False))
    return Outcome(status, out.getvalue(), err.getvalue())


def call_program(*arguments: str | Path, cwd: Path, env: dict[str, str] | None = None) -> Outcome:
    """Call the installed command line as a program of its own."""
    command = [sys.executable, "-m", "cloze_gen", *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True, text=True, check=False, timeout=240)
    return Outcome(done.returncode, done.stdout, done.stderr)


def make_corpus(folder: Path) -> Corpus:
    """Three training books and one source book of the embedded sample, in folders that a test may change."""
    for side, books in (("train", TRAIN_BOOKS), ("source", (SOURCE_BOOK,))):
        (folder / side).mkdir(parents=True)
        for book in books:
            shutil.copyfile(SAMPLE / side / book, folder / side / book)
    return Corpus(folder / "train", folder / "source")


def blanked(books: Path) -> Novels:
    """A folder of novels as SCDE-style reads it."""
    return Novels(books, "scde-sample", ())


def make_novels(folder: Path) -> Novels:
    """The eight novels of the embedded sample in one folder that a test may change; with seed 1 each part has two or more."""
    shutil.copytree(SAMPLE / "novels", folder)
    header, *lines = (SAMPLE / "manifest.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    own = [line.removeprefix("novels/") for line in lines if line.startswith("novels/")]
    (folder / "manifest.tsv").write_text("".join([header, *own]), encoding="utf-8")
    return Novels(folder)


def report_data(run: Path, style: Style) -> ReportData:
    """What the report of a run says, but for its samples."""
    released = released_folder(run)
    return read_report_data(run, style, read_published(partial(read_below, released), style=style, record=read_record(released)))


def without_canary(path: Path) -> list[dict[str, Any]]:
    """Records of a release without what tells runs of different names apart."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [{name: value for name, value in record.items() if name != "canary"} for record in records]


def folder_digests(folder: Path) -> dict[str, str]:
    """Every file below a folder with its sha256; a link with the place it leads to. Logs and the store's notes of what it has checked
    are left out, for they tell times, and locks, for they tell who has been here.
    """
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if {"logs", ".checked", ".locks"} & set(Path(name).parts):
            continue
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file():
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The real corpora; tests that need them skip, saying so, where they are not unpacked."""
    folder = ROOT / "data"
    if not (folder / "holmes-training").is_dir():
        pytest.skip("no real corpora here: make data SHARED=DIR unpacks them into data/")
    return folder


@pytest.fixture(scope="session")
def cli() -> Callable[..., Outcome]:
    """The command line, called in this process."""
    return call_cli


@pytest.fixture(scope="session")
def program() -> Callable[..., Outcome]:
    """The command line, called as a program."""
    return call_program


@pytest.fixture(scope="session")
def digests() -> Callable[[Path], dict[str, str]]:
    """The files below a folder with their sha256."""
    return folder_digests


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """A corpus of the test's own."""
    return make_corpus(tmp_path / "books")


def made_once(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Outcome]) -> tuple[Path, Outcome]:
    """A folder that is made by whichever process of the suite comes first, and how its making ended."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base  # a worker's folder lies in that of the whole suite
    place, told = shared / name, shared / f"{name}.json"
    with open(shared / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not told.exists():
            shutil.rmtree(place, ignore_errors=True)  # of a worker for which it failed
            outcome = make(place)
            assert outcome.status == 0, outcome.err
            told.write_text(json.dumps(asdict(outcome)), encoding="utf-8")
        return place, Outcome(**json.loads(told.read_text(encoding="utf-8")))


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """One finished run over the tiny corpus with one worker, shared by all tests that only look, whichever process they run in."""

    def make(place: Path) -> Outcome:
        return call_cli("run", *make_corpus(place / "books").options, "--name", "tiny", "--out", place / "out", "--workers", "1")

    place, outcome = made_once(tmp_path_factory, "finished", make)
    return FinishedRun(Corpus(place / "books" / "train", place / "books" / "source"), place / "out", "tiny", outcome)


@pytest.fixture(scope="session")
def lambada(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """One finished LAMBADA-style run over the eight novels with one worker, shared likewise."""

    def make(place: Path) -> Outcome:
        place.mkdir()
        return call_cli("run", *make_novels(place / "books").options, "--name", "tiny", "--out", place / "out", "--workers", "1")

    place, outcome = made_once(tmp_path_factory, "lambada", make)
    return FinishedRun(Novels(place / "books"), place / "out", "tiny", outcome)


@pytest.fixture(scope="session")
def scde(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """One finished SCDE-style run over the eight novels with one worker, shared likewise."""

    def make(place: Path) -> Outcome:
        place.mkdir()
        novels = blanked(make_novels(place / "books").books)
        return call_cli("run", *novels.options, "--name", "tiny", "--out", place / "out", "--workers", "1")

    place, outcome = made_once(tmp_path_factory, "scde", make)
    return FinishedRun(blanked(place / "books"), place / "out", "tiny", outcome)


@pytest.fixture
def copied(finished: FinishedRun, tmp_path: Path) -> FinishedRun:
    """A copy of the finished run, with its books, that a test may change; links in it lead to the copied books."""
    shutil.copytree(finished.out.parent, tmp_path / "copy", symlinks=True)
    place = tmp_path / "copy"
    return FinishedRun(Corpus(place / "books" / "train", place / "books" / "source"), place / "out", finished.name, finished.outcome)


@pytest.fixture(scope="module")
def scs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of a finished SCS-style run over the sample, with one worker; a module's own, for its tests write beside it."""
    out = tmp_path_factory.mktemp("scs")
    outcome = call_cli("run", "scs-style", "--out", out, "--workers", "1")
    assert outcome.status == 0, outcome.err
    return out


# Style -> the fixture that makes a finished run of it. A new style adds a line, or the laws of a run fail for it.
RUN_FIXTURES = {"holmes-style": "finished", "lambada-style": "lambada", "scde-style": "scde", "scs-style": "scs"}


@pytest.fixture
def finished_run(request: pytest.FixtureRequest) -> Callable[[str], Path]:
    """The output folder of a finished run of any style."""

    def out(style: str) -> Path:
        if style not in RUN_FIXTURES:
            pytest.fail(f"{style} has no finished run here: give tests/conftest.py a fixture that makes one, and name it in RUN_FIXTURES")
        made = request.getfixturevalue(RUN_FIXTURES[style])
        return made.out if isinstance(made, FinishedRun) else made

    return out
