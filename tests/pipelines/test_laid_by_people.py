"""Files and folders that a person adds in any place that a command writes to are kept."""

import os
import shutil
from pathlib import Path

import pytest


def lay_everywhere(out):
    """Add a file, a folder, a hidden file and a name like ours to every output folder."""
    laid = {}
    for folder in [
        out,
        *(path for path in sorted(out.rglob("*")) if path.is_dir() and not path.is_symlink()),
    ]:
        for name in ("notes.txt", "my folder/deep.txt", ".hidden", ".x~partial-of-mine"):
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(f"{path.relative_to(out)}".encode())
            laid[path] = path.read_bytes()
    return laid


def lost(laid):
    return [path for path, data in laid.items() if not path.is_file() or path.read_bytes() != data]


def sequence_of_calls(run, out):
    rest = ("--out", out)
    return [
        (*run, "--set", "choice.n_questions=12"),
        (*run, "--seed", "2"),
        ("evaluate", "tiny", *rest, "--only", "most-frequent"),
        ("report", "tiny", *rest),
        run,
        (
            "evaluate",
            out / "runs" / "tiny" / "release" / "questions.jsonl",
            *rest,
            "--only",
            "longest",
        ),
        ("show", "tiny", *rest),
        ("runs", *rest),
        ("compare", "tiny", "tiny", *rest),
        ("explain", "tiny", *rest),
    ]


@pytest.mark.slow
def test_no_command_takes_what_a_person_laid(copied, cli):
    laid = lay_everywhere(copied.out)
    assert len(laid) > 100
    in_release = {path for path in laid if path.is_relative_to(copied.release)}
    first_aside = copied.folder / "release.aside-1"
    run = copied.call()
    for call in sequence_of_calls(run, copied.out):
        done = cli(*call)
        assert done.status == 0, (call, done.err)
        assert set(lost(laid)) == in_release, call
        assert [
            path
            for path in in_release
            if (first_aside / path.relative_to(copied.release)).read_bytes() != laid[path]
        ] == []


@pytest.mark.slow
def test_what_a_person_changed_in_a_run_is_kept(copied, cli):
    run = copied.call()
    for turn, options in enumerate(([], ["--set", "choice.n_questions=12"]), 1):
        with open(copied.release / "candidates.jsonl", "a", encoding="utf-8") as handle:
            handle.write(f"groomed {turn}\n")
        done = cli(*run, *options)
        assert done.status == 0, done.err
        assert (
            f"release: differs from what was written. It was moved to release.aside-{turn}"
            in done.err
        )
        assert (
            (copied.folder / f"release.aside-{turn}" / "candidates.jsonl")
            .read_text(encoding="utf-8")
            .endswith(f"groomed {turn}\n")
        )
        assert "groomed" not in (copied.release / "candidates.jsonl").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_folder_that_never_was_a_run(copied, cli):
    """A folder of the run's name with other things in it: the run comes beside them."""
    place = copied.out / "runs" / "mine"
    (place / "release").mkdir(parents=True)
    (place / "release" / "README.md").write_text("my own")
    (place / "novel.txt").write_text("Chapter one")
    done = cli(*copied.call(name="mine"))
    assert done.status == 0, done.err
    assert (place / "novel.txt").read_text() == "Chapter one"
    assert (place / "release.aside-1" / "README.md").read_text() == "my own"
    assert (place / "release" / "README.md").read_text(encoding="utf-8").startswith("---\n")


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_run_in_whose_place_something_else_stands(copied, cli, tmp_path, kind):
    """A file or a link of the run's name is refused and left alone."""
    place = copied.out / "runs" / "mine"
    if kind == "file":
        place.write_text("mine")
    else:
        (tmp_path / "elsewhere").mkdir()
        place.symlink_to(tmp_path / "elsewhere")
    done = cli(*copied.call(name="mine"))
    assert done.status == 1
    assert "is not a folder" in done.err
    assert (
        place.read_text() == "mine"
        if kind == "file"
        else list((tmp_path / "elsewhere").iterdir()) == []
    )


def test_an_evaluation_is_written_into_no_folder_of_other_things(copied, cli, tmp_path):
    work = tmp_path / "work"
    (work / "docs").mkdir(parents=True)
    (work / "docs" / "thesis.txt").write_text("three years")
    (work / "empty" / "here").mkdir(parents=True)
    (work / "link").symlink_to("empty")
    before = sorted(path.relative_to(work) for path in work.rglob("*"))
    evaluate = ("evaluate", "tiny", "--out", copied.out, "--only", "longest", "--write-to")
    old = Path.cwd()
    os.chdir(work / "empty" / "here")
    try:
        for place in (
            work,
            work / "docs",
            work / "docs" / "thesis.txt",
            work / "link",
            Path(),
            work / "empty",
        ):
            refused = cli(*evaluate, place)
            assert refused.status == 2, place
            assert "Nothing was written" in refused.err
    finally:
        os.chdir(old)
    assert sorted(path.relative_to(work) for path in work.rglob("*")) == before
    assert (work / "docs" / "thesis.txt").read_text() == "three years"


def test_an_evaluation_keeps_what_was_there(copied, cli, tmp_path):
    place = tmp_path / "new" / "evaluation"
    evaluate = ("evaluate", "tiny", "--out", copied.out, "--write-to", place)
    assert cli(*evaluate, "--only", "longest").status == 0
    (place / "notes.txt").write_text("mine")
    again = cli(*evaluate, "--only", "shortest")
    assert again.status == 0
    assert (place / "notes.txt").read_text() == "mine"
    text = (place / "evaluation.json").read_text(encoding="utf-8")
    assert '"longest"' in text
    assert '"shortest"' in text


def test_a_copy_of_a_run_is_evaluated_beside_nobody(copied, cli, tmp_path):
    copy = tmp_path / "elsewhere" / "deep" / "tiny"
    shutil.copytree(copied.folder, copy, symlinks=True)
    before = sorted(path for path in (tmp_path / "elsewhere").rglob("*"))
    done = cli("evaluate", copy, "--out", tmp_path / "out", "--only", "longest")
    assert done.status == 0, done.err
    assert sorted(path for path in (tmp_path / "elsewhere").rglob("*")) == before
    assert list((tmp_path / "out" / "evaluations").iterdir())
    assert cli("report", copy).status == 2
    assert sorted(path for path in (tmp_path / "elsewhere").rglob("*")) == before


def test_the_whole_output_folder_is_checked(copied, cli):
    assert (
        "artifacts, runs and evaluations are as they were written"
        in cli("doctor", "--store", copied.out).out
    )
    shutil.rmtree(next((copied.out / "store").glob("book-*/*")))
    (copied.release / "README.md").write_text("mine")
    shutil.rmtree(next(copied.folder.glob("*-choice")).resolve())
    told = cli("doctor", "--store", copied.out)
    assert told.status == 1
    assert "broken link" in told.out
    assert "README.md: changed since it was written" in told.out
    assert "-choice: broken link" in told.out


@pytest.mark.slow
def test_an_evaluation_comes_back_with_its_questions(copied, cli):
    run = copied.call()
    assert cli("evaluate", "tiny", "--out", copied.out, "--only", "longest").status == 0
    evaluation = copied.folder / "evaluation" / "evaluation.json"
    first = evaluation.read_bytes()
    assert cli(*run, "--set", "choice.n_questions=12").status == 0
    assert not evaluation.exists()
    assert "Not measured yet" in (copied.release / "report.html").read_text(encoding="utf-8")
    assert cli(*run).status == 0
    assert evaluation.read_bytes() == first
    assert "Not measured yet" not in (copied.release / "report.html").read_text(encoding="utf-8")


def test_a_run_that_was_copied_is_whole(copied, cli, tmp_path):
    """Other times and inodes: everything is checked again and nothing runs."""
    shutil.copytree(copied.out, tmp_path / "elsewhere", symlinks=True)
    done = cli(*copied.call("--dry-run", out=tmp_path / "elsewhere"))
    assert "would run" not in done.out
