"""Shared by all tests: a tiny corpus, a finished run, and the command line."""

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
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path

import pytest
import typer
from hypothesis import settings

from cloze_gen.cli.app import app
from cloze_gen.cli_errors import run_and_report
from cloze_gen.release.facts import read_record
from cloze_gen.release.report import read_report_data
from cloze_gen.release.write import read_published
from cloze_gen.store.files import read_below
from cloze_gen.store.runs import released_folder

# The machine may be busy: how long an example takes says nothing here.
settings.register_profile("cloze-gen", deadline=None, max_examples=60)
settings.load_profile("cloze-gen")

# the width of the terminal from which the tests are started changes `--help`
os.environ.pop("COLUMNS", None)
# The processes of the suite share the cores; scikit-learn reads this when it is first imported.
os.environ["OMP_NUM_THREADS"] = "1"

# A shell that starts the tests in the background has them ignore Ctrl-C, and every program that
# they start and interrupt would too.
signal.signal(signal.SIGINT, signal.default_int_handler)

# laid into a copy of the package (test_new_style.py), and part of nothing here
collect_ignore = ["toy"]
ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "corpora" / "sample"
TRAIN_BOOKS = (
    "01-the-ferrymans-ledger.txt",
    "02-a-house-in-mercer-row.txt",
    "03-the-surgeon-of-the-halcyon.txt",
)
SOURCE_BOOK = "the-clockmakers-debt.txt"
# No tagger (its model takes a second to load) and the least memory that lmplz accepts.
QUICK = (
    "--set",
    "grooming.tagger=none",
    "--set",
    "lm.memory=100M",
    "--set",
    "contexts.features=500",
    "--set",
    "contexts.dimensions=20",
)
# Networks that have hardly begun to learn: what they say is of no account, that they say the same
# each time is.
QUICK_NOVELS = (
    "--set", "lm.memory=100M", "--set", "contexts.features=500", "--set", "contexts.dimensions=20",
    "--set", "networks.recurrent_words=4000", "--set", "networks.feedforward_words=4000",
    "--set", "ranking.n_passages=40", "--set", "control.n_passages=20",
    "--set", "ranking.order=random",  # signals support six passages of so few novels
)  # fmt: skip


# Processes of the suite: each loads spaCy and more (half a gigabyte), and some tests start
# processes of their own.
MOST_WORKERS = 4
SLOW_CPU_SECONDS = 2.0
SLOW_LIMIT_SECONDS = 600  # of a test marked slow; of any other: pyproject.toml


# ---- how the suite runs


def pytest_addoption(parser, pluginmanager):
    """`-p no:xdist`, for a debugger: what pyproject.toml says of workers means nothing then."""
    if not pluginmanager.hasplugin("xdist"):
        for option in ("--numprocesses", "--dist"):
            parser.addoption(option, help="without pytest-xdist: no meaning")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Folders are tested in parallel, files and single tests in this process for a debugger."""
    if all(Path(argument).is_dir() for argument in config.args):
        return min(
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1,
            MOST_WORKERS,
        )
    return 0


def pytest_collection_modifyitems(items):
    """A thorough test is slow, and a slow one has a longer limit, unless it names its own."""
    for item in items:
        if item.get_closest_marker("thorough"):
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_LIMIT_SECONDS))


def cpu_seconds():
    """Of this process and of those it waited for; a busy machine does not lengthen it."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """What a test itself took, fixtures not counted: they are shared, and whoever comes first pays."""
    before = cpu_seconds()
    try:
        return (yield)
    finally:
        item.user_properties.append(("cpu_seconds", cpu_seconds() - before))


def pytest_terminal_summary(terminalreporter):
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
    def options(self):
        return "holmes-sample", "--train", str(self.train), "--source", str(self.source), *QUICK

    @property
    def folders(self):
        return self.train, self.source

    def below(self, books):
        """The same folders in a copy of the books."""
        return Corpus(books / "train", books / "source")


@dataclass(frozen=True, slots=True)
class SampleBooks(Corpus):
    """The books of the embedded sample, in folders of their own, as SCS-style reads them."""

    @property
    def options(self):
        return "scs-sample", "--train", str(self.train), "--source", str(self.source)

    def below(self, books):
        return SampleBooks(books / "train", books / "source")


@dataclass(frozen=True, slots=True)
class Novels:
    """One folder of novels, with a manifest, and what a style makes of it quickly."""

    books: Path
    config: str = "lambada-sample"
    quick: tuple[str, ...] = QUICK_NOVELS

    @property
    def options(self):
        return self.config, "--books", str(self.books), *self.quick

    @property
    def folders(self):
        return (self.books,)

    def below(self, books):
        return replace(self, books=books)


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run that ended well."""

    corpus: Corpus | Novels
    out: Path
    name: str
    outcome: Outcome

    @property
    def folder(self):
        return self.out / "runs" / self.name

    @property
    def release(self):
        return self.folder / "release"

    def call(self, *more, name="", out=None):
        """The call that made it, with one worker; under another name or into another folder."""
        place = ("--name", name or self.name, "--out", out or self.out, "--workers", "1")
        return "run", *self.corpus.options, *place, *more

    def copy(self, place):
        """A copy with its books, that a test may change; links in it lead to the copied books."""
        shutil.copytree(self.out.parent, place, symlinks=True)
        return replace(self, corpus=self.corpus.below(place / "books"), out=place / "out")


@cache
def command_tree():
    """The commands of the program; Typer builds them anew for each call of its app."""
    return typer.main.get_command(app)


def call_cli(*arguments):
    """Call the command line in this process; an unhandled exception fails the test."""
    words = [str(argument) for argument in arguments]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run_and_report(lambda: command_tree()(words, standalone_mode=False))
    return Outcome(status, out.getvalue(), err.getvalue())


def call_program(*arguments, cwd, env=None):
    """Call the installed command line as a program of its own."""
    command = [sys.executable, "-m", "cloze_gen", *map(str, arguments)]
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def make_corpus(folder):
    """Three training books and a source book of the sample, in folders that a test may change."""
    for side, books in (("train", TRAIN_BOOKS), ("source", (SOURCE_BOOK,))):
        (folder / side).mkdir(parents=True)
        for book in books:
            shutil.copyfile(SAMPLE / side / book, folder / side / book)
    return Corpus(folder / "train", folder / "source")


def make_sample(folder):
    """All training and source books of the embedded sample, in folders that a test may change."""
    for side in ("train", "source"):
        shutil.copytree(SAMPLE / side, folder / side)
    return SampleBooks(folder / "train", folder / "source")


def blanked(books):
    """A folder of novels as SCDE-style reads it."""
    return Novels(books, "scde-sample", ())


def make_novels(folder):
    """The sample's eight novels in a folder to change; with seed 1 each part has two or more."""
    shutil.copytree(SAMPLE / "novels", folder)
    header, *lines = (SAMPLE / "manifest.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    own = [line.removeprefix("novels/") for line in lines if line.startswith("novels/")]
    (folder / "manifest.tsv").write_text("".join([header, *own]), encoding="utf-8")
    return Novels(folder)


def report_data(run, style):
    """What the report of a run says, but for its samples."""
    released = released_folder(run)
    return read_report_data(
        run,
        style,
        read_published(partial(read_below, released), style=style, record=read_record(released)),
    )


def without_canary(path):
    """Records of a release without what tells runs of different names apart."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        {name: value for name, value in record.items() if name != "canary"} for record in records
    ]


def folder_digests(folder):
    """sha256 of every file and target of every link below a folder, but logs, notes and locks."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if {"logs", ".locks"} & set(Path(name).parts):
            continue
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file():
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


@pytest.fixture(scope="session")
def data_dir():
    """The real corpora; tests that need them skip, saying so, where they are not unpacked."""
    folder = ROOT / "data"
    if not (folder / "holmes-training").is_dir():
        pytest.skip("no real corpora here: make data SHARED=DIR unpacks them into data/")
    return folder


@pytest.fixture(scope="session")
def cli():
    """The command line, called in this process."""
    return call_cli


@pytest.fixture(scope="session")
def program():
    """The command line, called as a program."""
    return call_program


@pytest.fixture(scope="session")
def digests():
    """The files below a folder with their sha256."""
    return folder_digests


@pytest.fixture
def corpus(tmp_path):
    """A corpus of the test's own."""
    return make_corpus(tmp_path / "books")


def made_once(tmp_path_factory, name, make):
    """A folder made by the first process of the suite that needs it, and the result."""
    base = tmp_path_factory.getbasetemp()
    # a worker's folder lies in that of the whole suite
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    place, told = shared / name, shared / f"{name}.json"
    with open(shared / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not told.exists():
            shutil.rmtree(place, ignore_errors=True)  # of a worker for which it failed
            outcome = make(place)
            assert outcome.status == 0, outcome.err
            told.write_text(json.dumps(asdict(outcome)), encoding="utf-8")
        return place, Outcome(**json.loads(told.read_text(encoding="utf-8")))


def finished_once(
    tmp_path_factory,
    name,
    corpus,
    make_books,
    run="tiny",
):
    """A finished run with one worker, shared by all tests that only look at it."""

    def make(place):
        place.mkdir()
        make_books(place / "books")
        return call_cli(*unmade(place).call())

    def unmade(place, outcome=None):
        return FinishedRun(
            corpus.below(place / "books"), place / "out", run, outcome or Outcome(0, "", "")
        )

    return unmade(*made_once(tmp_path_factory, name, make))


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A Holmes-style run over the tiny corpus."""
    return finished_once(tmp_path_factory, "finished", Corpus(Path(), Path()), make_corpus)


@pytest.fixture(scope="session")
def lambada(tmp_path_factory):
    """A LAMBADA-style run over the eight novels."""
    return finished_once(tmp_path_factory, "lambada", Novels(Path()), make_novels)


@pytest.fixture(scope="session")
def scde(tmp_path_factory):
    """An SCDE-style run over the eight novels."""
    return finished_once(tmp_path_factory, "scde", blanked(Path()), make_novels)


@pytest.fixture(scope="session")
def scs_run(tmp_path_factory):
    """An SCS-style run over the books of the sample."""
    books = SampleBooks(Path(), Path())
    return finished_once(tmp_path_factory, "scs", books, make_sample, "scs-style")


@pytest.fixture(scope="session")
def scs(scs_run):
    """Its output folder."""
    return scs_run.out


@pytest.fixture
def copied(finished, tmp_path):
    """A copy of the finished run, with its books, that a test may change."""
    return finished.copy(tmp_path / "copy")


# Style -> the fixture that makes a finished run of it. A new style adds a line, or the tests of
# runs fail for it.
RUN_FIXTURES = {
    "holmes-style": "finished",
    "lambada-style": "lambada",
    "scde-style": "scde",
    "scs-style": "scs_run",
}


@pytest.fixture
def run_of(request):
    """A finished run of any style."""

    def run(style):
        if style not in RUN_FIXTURES:
            pytest.fail(
                f"{style} has no finished run here: give tests/conftest.py a fixture that "
                "makes one, and name it in RUN_FIXTURES"
            )
        return request.getfixturevalue(RUN_FIXTURES[style])

    return run


@pytest.fixture
def finished_run(run_of):
    """The output folder of a finished run of any style."""
    return lambda style: run_of(style).out
