"""What all tests share: a tiny corpus, one finished run, and the command line called as a user calls it."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

from cloze_gen.cli import app, guarded

# The machine may be busy: how long an example takes says nothing here.
settings.register_profile("cloze-gen", deadline=None, max_examples=60)
settings.load_profile("cloze-gen")

os.environ.pop("COLUMNS", None)  # the width of the terminal from which the tests are started changes what is printed

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "corpora" / "sample"
TRAIN_BOOKS = ("01-the-ferrymans-ledger.txt", "02-a-house-in-mercer-row.txt", "03-the-surgeon-of-the-halcyon.txt")
SOURCE_BOOK = "the-clockmakers-debt.txt"
# No tagger (its model takes a second to load) and the least memory that lmplz accepts.
QUICK = ("--set", "grooming.tagger=none", "--set", "lm.memory=100M", "--set", "contexts.features=500", "--set", "contexts.dimensions=20")


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
class FinishedRun:
    """A run that ended well."""

    corpus: Corpus
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


def folder_digests(folder: Path) -> dict[str, str]:
    """Every file below a folder with its sha256; a link with the place it leads to. Logs and the store's notes of what it has checked are
    left out: they tell times.
    """
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.parent.name == "logs" or "store/.checked/" in name:
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


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """One finished run over the tiny corpus with one worker, shared by all tests that only look."""
    place = tmp_path_factory.mktemp("finished")
    corpus = make_corpus(place / "books")
    outcome = call_cli("run", *corpus.options, "--name", "tiny", "--out", place / "out", "--workers", "1")
    assert outcome.status == 0, outcome.err
    return FinishedRun(corpus, place / "out", "tiny", outcome)


@pytest.fixture
def copied(finished: FinishedRun, tmp_path: Path) -> FinishedRun:
    """A copy of the finished run, with its books, that a test may change; links in it lead to the copied books."""
    shutil.copytree(finished.out.parent, tmp_path / "copy", symlinks=True)
    place = tmp_path / "copy"
    return FinishedRun(Corpus(place / "books" / "train", place / "books" / "source"), place / "out", finished.name, finished.outcome)
