"""Books at a file, a folder or a pattern, through the command line."""

import itertools
import json
import shutil
from pathlib import Path

import pytest

from cloze_gen.api.run import task_of_run
from cloze_gen.errors import UsageError
from cloze_gen.pipelines.run import RunTask
from tests.conftest import SAMPLE


@pytest.fixture
def books(tmp_path, monkeypatch):
    """One folder of training and source books, with the output folder beside it."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "all [1]"
    folder.mkdir()
    for side in ("train", "source"):
        for path in (SAMPLE / side).glob("*.txt"):
            shutil.copy(path, folder / f"{side}-{path.name}")
    return folder


def give_splits(books):
    splits = itertools.cycle(("train", "validation", "test"))
    rows = (f"{path.name}\t{split}\n" for path, split in zip(sorted(books.iterdir()), splits, strict=False))  # fmt: skip
    (books / "manifest.tsv").write_text("file\trole\n" + "".join(rows))


def test_both_sides_may_be_patterns_of_one_folder(books, cli):
    """What was found on each side is printed once, before anything runs."""
    sides = ("--train", f"{books}/train-*.txt", "--source", f"{books}/source-*.txt")
    outcome = cli("run", "holmes-style", *sides, "--dry-run")
    assert outcome.status == 0, outcome.err
    lines = [line for line in outcome.err.splitlines() if " books in " in line]
    assert [line.split(" in ")[0] for line in lines] == ["train: 12 books", "source: 5 books"]
    assert not Path("artifacts").exists()


@pytest.mark.parametrize(
    ("train", "source", "settings", "said"),
    [
        ("", "", [], "share 17 files ("),
        ("*", "source-*", [], "share 5 files ('source-the-clockmakers-debt.txt', "),
        ("source-the-lamp*", "*", [], "share 1 file ('source-the-lamp-at-skerry-point.txt')"),
        ("*", "source-*", ["overlap.across=drop_train"], ""),
        ("*", "source-*", ["overlap.across=keep"], ""),
        ("", "", ["input.keep_splits=true"], ""),
    ],
)
def test_the_same_files_on_both_sides(books, cli, train, source, settings, said):
    """Refused where they would be dropped."""
    give_splits(books)
    options = [word for one in settings for word in ("--set", one)]
    sides = ("--train", f"{books}/{train}", "--source", f"{books}/{source}")
    outcome = cli("run", "holmes-style", *sides, *options, "--dry-run")
    assert (outcome.status, said in outcome.err) == (2 if said else 0, True), outcome.err


def test_a_run_is_planned_again_with_the_same_files(books):
    """`run.json` has the patterns, and no path of the machine."""
    sides = {
        "train": f"{books}/train-*.txt",
        "source": f"{books}/source-the-lamp-at-skerry-point.txt",
    }
    task = RunTask(style="holmes-style", name="mine", out="out", **sides)
    described = task.description()
    assert described["patterns"] == {
        "train": "train-*.txt", "source": "source-the-lamp-at-skerry-point.txt"
    }  # fmt: skip
    assert str(books) not in json.dumps(described)
    task.folder.mkdir(parents=True)
    (task.folder / "run.json").write_text(json.dumps(described))
    for name, target in task.links().items():
        (task.folder / name).symlink_to(target)
    assert task_of_run(task.folder, overrides=[]).description() == described


def test_a_pattern_in_a_run_cannot_leave_its_folder(books):
    task = RunTask(style="holmes-style", name="mine", out="out",
                   train=f"{books}/train-*.txt", source=f"{books}/source-*.txt")  # fmt: skip
    described = task.description() | {"patterns": {"train": "../*.txt"}}
    task.folder.mkdir(parents=True)
    (task.folder / "run.json").write_text(json.dumps(described))
    with pytest.raises(UsageError, match=r"'patterns\.train': leaves"):
        task_of_run(task.folder, overrides=[])


def test_short_options_are_settings(books, cli):
    give_splits(books)
    options = ("--text-column", "my text", "--keep-splits")
    outcome = cli("run", "lambada-style", "--books", books, *options, "--dry-run")
    assert outcome.status == 0, outcome.err
    same = cli("run", "lambada-style", "--books", books, "--set", 'input.text_column="my text"',
               "--set", "input.keep_splits=true", "--dry-run")  # fmt: skip
    assert outcome.out == same.out


@pytest.mark.parametrize("style", ["holmes-style", "lambada-style", "scde-style", "scs-style"])
def test_kept_splits_must_exist(books, cli, style):
    side = "--books" if style in {"lambada-style", "scde-style"} else "--source"
    outcome = cli("run", style, side, books, "--keep-splits", "--dry-run")
    assert outcome.status == 2
    assert "none of the 17 books there has one. A split is a folder named train, " in outcome.err


def test_inspect_a_place_without_books(tmp_path, cli):
    outcome = cli("corpus", "inspect", tmp_path)
    assert outcome.status == 2
    assert "no file of books in this folder or below it" in outcome.err
