"""Studies found and opened: what is refused, and what is noticed."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from cloze_gen.commands.studies import open_for
from cloze_gen.records.judgement import Task
from tests.cases.studies import make_tiny_study
from tests.conftest import FinishedRun, Outcome

Cli = Callable[..., Outcome]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """An output folder with one study."""
    (tmp_path / "judgements").mkdir()
    make_tiny_study(tmp_path / "judgements" / "tiny", Task.GROOM, n=2, judges="ann,bob").close()
    return tmp_path


def change_item(study: Path, shown: str) -> None:
    """Change what is shown of an item to the value of an SQL expression."""
    with contextlib.closing(sqlite3.connect(study / "study.sqlite")) as connection, connection:
        connection.execute(f"UPDATE items SET shown = {shown} WHERE place = 2")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--task", "sing"), "expected groom, guess, read, fill"),
        (("--task", "guess"), "has no task 'guess'"),
        (("--each", "0"), "--each"),
        (("--task", "read", "--draw", "balanced"), "--draw"),
        (("--task", "read", "--show-machine"), "--show-machine"),
        (("--pool", "-1"), "--pool"),
        (("--draw", "best"), "--draw"),
        (("--attention", "0.9"), "--attention"),
        (("--judges", "a/b"), "files bear the name"),
        (("--judges", "ann,Ann"), "the same person"),
        (("--judges", "ann", "--adjudicators", "ann"), "cannot judge and adjudicate"),
        (("--name", "../evil"), "use only A-Z"),
        (("--with", "nowhere.txt"), "--with"),
    ],
)
def test_a_study_that_cannot_be_made(options: tuple[str, ...], says: str, finished: FinishedRun, tmp_path: Path, cli: Cli) -> None:
    """One message that names the option, status 2, and no study."""
    shutil.copytree(finished.out / "runs", tmp_path / "runs", symlinks=True)
    (tmp_path / "store").symlink_to(finished.out / "store")
    task = () if "--task" in options else ("--task", "groom")
    outcome = cli("judge", "new", "tiny", *task, *options, "--out", tmp_path)
    assert (outcome.status, says in outcome.err) == (2, True), outcome.err
    assert not list(tmp_path.glob("judgements/*"))


def test_a_study_is_never_written_over(copied: FinishedRun, cli: Cli) -> None:
    """The second of a name is refused, and the first is as it was."""
    assert cli("judge", "new", "tiny", "--pool", "3", "--judges", "ann", "--out", copied.out).status == 0
    before = (copied.out / "judgements" / "tiny-groom" / "study.json").read_bytes()
    outcome = cli("judge", "new", "tiny", "--pool", "4", "--out", copied.out)
    assert (outcome.status, "is there already" in outcome.err) == (2, True)
    assert (copied.out / "judgements" / "tiny-groom" / "study.json").read_bytes() == before


@pytest.mark.slow
def test_a_changed_run_is_noticed(copied: FinishedRun, cli: Cli) -> None:
    """Whoever looks at the study is told; and what was said still stands."""
    cli("judge", "new", "tiny", "--pool", "3", "--judges", "ann", "--out", copied.out)
    assert "has changed" not in cli("judge", "status", "tiny-groom", "--out", copied.out).err
    other = ("--name", "tiny", "--out", copied.out, "--workers", "1", "--set", "forward.keep=20")
    assert cli("run", *copied.corpus.options, *other).status == 0
    assert "has changed since the study was made" in cli("judge", "status", "tiny-groom", "--out", copied.out).err
    shutil.rmtree(copied.folder)
    gone = cli("judge", "status", "tiny-groom", "--out", copied.out)
    assert (gone.status, "cannot be looked at" in gone.err) == (0, True)


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (lambda study: (study / "study.sqlite").unlink(), "missing"),
        (lambda study: (study / "study.sqlite").write_bytes(b"x" * 4096), "cannot be read as a study"),
        (lambda study: (study / "study.json").write_text("{}"), "study.json"),
        (lambda study: (study / "study.json").write_text((study / "study.json").read_text().replace("tiny", "tina")), "changed since"),
        (lambda study: change_item(study, "'['"), "not those that study.json names"),
        (lambda study: change_item(study, "'3'"), "not those that study.json names"),
    ],
)
def test_a_damaged_study_is_one_message(harm: Callable[[Path], None], says: str, out: Path, cli: Cli) -> None:
    """It says what is wrong; nothing is taken for a study that is none."""
    for file in (out / "judgements" / "tiny").glob("study.sqlite-*"):
        file.unlink()
    harm(out / "judgements" / "tiny")
    outcome = cli("judge", "status", "tiny", "--out", out)
    assert (outcome.status, says in outcome.err, "not foreseen" not in outcome.err) == (2, True, True), outcome.err


@pytest.mark.parametrize(
    "command",
    [
        ("serve", "tiny"), ("status", "tiny"), ("agree", "tiny"), ("cost", "tiny"), ("withdraw", "tiny", "ann"), ("apply", "tiny"),
        ("export", "tiny"), ("export", "tiny", "--answered", "--format", "jsonl"), ("import", "tiny", "nowhere.csv"),
        ("export", "tiny", "--endpoint", "http://127.0.0.1:1/v1", "--model", "m"),
    ],
)  # fmt: skip
def test_a_study_whose_items_have_changed_is_not_opened(command: tuple[str, ...], out: Path, cli: Cli) -> None:
    """Judges would work in vain: what they said of other items could not be applied."""
    change_item(out / "judgements" / "tiny", "replace(shown, 'before', 'Before')")
    outcome = cli("judge", *command, "--out", out)
    assert (outcome.status, "not those that study.json names" in outcome.err) == (2, True), outcome.err


def test_a_study_is_found_by_name_and_path(out: Path, cli: Cli, tmp_path: Path) -> None:
    """A copy elsewhere can be looked at; its run cannot, which is said."""
    shutil.copytree(out / "judgements" / "tiny", tmp_path / "elsewhere")
    assert cli("judge", "status", "tiny", "--out", out).out == cli("judge", "status", tmp_path / "elsewhere").out
    assert open_for(out, "tiny")[0].facts.name == "tiny"


@pytest.mark.parametrize(
    "options",
    [
        ("export", "tiny", "--names"),
        ("export", "tiny", "--endpoint", "http://127.0.0.1:1/v1", "--model", "m", "--again"),
        ("export", "tiny", "--endpoint", "http://127.0.0.1:1/v1", "--model", "m", "--pages", "2"),
        ("export", "tiny", "--limit", "5"),
        ("export", "tiny", "--answered", "--format", "jsonl", "--judges", "ann"),
        ("cost", "tiny", "--items", "3"),
        ("cost", "--items", "3", "--usd-per-hour", "18"),
    ],
)
def test_options_that_nobody_hears_are_told(options: tuple[str, ...], out: Path, cli: Cli) -> None:
    """Not passed over in silence."""
    assert cli("judge", *options, "--out", out).status == 2
