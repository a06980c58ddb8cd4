"""Rewriting folders that people use: nothing of theirs is lost, whenever the writer dies."""

import os
from pathlib import Path

import pytest

from cloze_gen.errors import DamageError, StoreError
from cloze_gen.store.folder_replacement import (
    find_change,
    replace_entries,
    rewrite_entries,
)

SCHEMA = "cloze-gen/test"


def writes(**files):
    """A writer of files (`_` in a name stands for `/`) and of one link."""

    def write(folder):
        for name, text in files.items():
            path = folder / name.replace("_", "/")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        (folder / "link").symlink_to("../elsewhere")

    return write


def contents(folder):
    """Name -> text of every file below a folder, the manifest left out."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    return {
        name: path.read_text()
        for name, path in sorted(paths.items())
        if path.is_file() and path.name != "manifest.json"
    }


def test_a_folder_says_what_was_written(tmp_path):
    run = tmp_path / "run"
    assert replace_entries(run, SCHEMA, writes(a="1", release_b="2")) == []
    assert find_change(run) is None
    assert find_change(run, only=["a"]) is None
    assert "not written by this program" in str(find_change(run, only=["c"]))
    for name in ("a", "release/b", "link", "manifest.json"):
        path = run / name
        moved = path.rename(tmp_path / "moved")
        assert str(path if name != "manifest.json" else run) in str(find_change(run))
        moved.rename(path)
    assert find_change(run) is None
    (run / "a").write_text("3")
    assert f"{run / 'a'}: changed" in str(find_change(run))


def test_other_entries_are_not_touched(tmp_path):
    """Files, folders (empty ones too), links and pipes beside the entries that we write."""
    run = tmp_path / "run"
    replace_entries(run, SCHEMA, writes(a="1", release_b="2", full_x="1"))
    (run / "notes.txt").write_text("mine")
    (run / "mine").mkdir()
    (run / "mine" / "deep.txt").write_text("mine too")
    (run / "empty").mkdir()
    (run / "pointer").symlink_to("nowhere")
    os.mkfifo(run / "pipe")
    inodes = {path.name: path.lstat().st_ino for path in run.iterdir()}
    assert replace_entries(run, SCHEMA, writes(a="new", release_c="3")) == []
    assert contents(run) == {
        "a": "new",
        "notes.txt": "mine",
        "release/c": "3",
        "mine/deep.txt": "mine too",
    }
    for name in ("notes.txt", "mine", "empty", "pointer", "pipe", "link"):
        assert (run / name).lstat().st_ino == inodes[name]
    assert find_change(run) is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_a_link_to_another_folder_outside_is_replaced(tmp_path):
    """Its identity does not name the folder, which depends on the machine."""
    for books in ("/books/a", "/books/b"):
        replace_entries(
            tmp_path / "run", SCHEMA, lambda new, to=books: (new / "corpus").symlink_to(to)
        )
        assert str((tmp_path / "run" / "corpus").readlink()) == books


def test_permissions_of_a_folder_are_kept(tmp_path):
    run = tmp_path / "run"
    replace_entries(run, SCHEMA, writes(release_a="1"))
    (run / "release").chmod(0o700)
    replace_entries(run, SCHEMA, writes(release_a="2"))
    assert (run / "release").stat().st_mode & 0o777 == 0o700


def test_an_entry_that_a_person_changed_or_added_to_is_kept(tmp_path):
    run = tmp_path / "run"
    replace_entries(run, SCHEMA, writes(release_a="1", release_b="2"))
    expected = {"release/a": "2"}
    for turn, text in enumerate(("groomed", "groomed again"), 1):
        (run / "release" / "a").write_text(text)
        (run / "release" / "mine").mkdir()
        (run / "release" / "mine" / "deep").write_text("mine")
        (line,) = replace_entries(run, SCHEMA, writes(release_a="2"))
        aside = f"release.aside-{turn}"
        assert line.endswith(f": differs from what was written. It was moved to {aside}.")
        expected |= {f"{aside}/a": text, f"{aside}/mine/deep": "mine"}
        if turn == 1:
            expected[f"{aside}/b"] = "2"
    assert contents(run) == expected
    assert find_change(run) is None


def test_what_stands_in_an_entrys_place_is_kept(tmp_path):
    """A person's folder where we write a link, and a link where we write a folder."""
    run, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    for folder in (run / "link", elsewhere):
        folder.mkdir(parents=True)
        (folder / "x").write_text("mine")
    (run / "release").symlink_to(elsewhere)
    replace_entries(run, SCHEMA, writes(release_a="1"))
    assert (run / "link").is_symlink()
    assert not (run / "release").is_symlink()
    assert contents(run) == {"release/a": "1", "link.aside-1/x": "mine"}
    assert (run / "release.aside-1").is_symlink()
    assert contents(elsewhere) == {"x": "mine"}


def test_a_link_in_the_place_of_a_folder_is_a_change(tmp_path):
    run = tmp_path / "run"
    replace_entries(run, SCHEMA, writes(release_a="1"))
    (run / "release").rename(tmp_path / "elsewhere")
    (run / "release").symlink_to(tmp_path / "elsewhere")
    assert find_change(run) == f"{run / 'release' / 'a'}: missing."


@pytest.mark.parametrize(
    "manifest",
    [None, "", "{", "[]", '{"entries": 1}', '{"schema_version": 4, "entries": {"../x": "-> y"}}'],
)
def test_without_a_manifest_nothing_is_ours(tmp_path, manifest):
    """Everything is kept except what equals the new files."""
    run = tmp_path / "run"
    run.mkdir()
    (run / "a").write_text("same")
    (run / "b").write_text("other")
    if manifest is not None:
        (run / "manifest.json").write_text(manifest)
    assert find_change(run) is not None
    replace_entries(run, SCHEMA, writes(a="same", b="new"))
    assert contents(run) == {"a": "same", "b": "new", "b.aside-1": "other"}


def test_what_is_no_folder_is_refused(tmp_path):
    """A file or a link in the place of the folder is left alone."""
    (tmp_path / "file").write_text("mine")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    for name in ("file", "link"):
        with pytest.raises(StoreError, match="is not a folder"):
            replace_entries(tmp_path / name, SCHEMA, writes(a="1"))
    assert (tmp_path / "file").read_text() == "mine"
    assert list((tmp_path / "real").iterdir()) == []


def test_a_link_out_of_the_output_folder_is_known_by_its_name(tmp_path):
    """Its target depends on the machine."""
    manifests = []
    for place, books in (("a", "../../../books"), ("b", "../../../../elsewhere")):
        run = tmp_path / place / "runs" / "run"
        replace_entries(
            run, SCHEMA, lambda folder, books=books: (folder / "corpus").symlink_to(books)
        )
        assert find_change(run) is None
        manifests.append((run / "manifest.json").read_bytes())
    assert len(set(manifests)) == 1


def test_rewriting_keeps_the_rest_and_refuses_damage(tmp_path):
    run = tmp_path / "run"
    replace_entries(run, SCHEMA, writes(a="1", release_b="2"))
    os.utime(run / "a", (1_000_000_000, 1_000_000_000))
    (run / "mine").write_text("mine")
    rewrite_entries(run, SCHEMA, lambda folder: (folder / "release" / "b").write_text("3"))
    assert contents(run) == {"a": "1", "mine": "mine", "release/b": "3"}
    assert str((run / "link").readlink()) == "../elsewhere"
    assert (run / "a").stat().st_mtime == 1_000_000_000
    (run / "release" / "b").write_text("4")
    with pytest.raises(DamageError, match="changed since it was written"):
        rewrite_entries(run, SCHEMA, lambda folder: (folder / "a").write_text("3"))
    assert contents(run)["a"] == "1"


def test_killed_at_any_step_the_next_writer_finishes(tmp_path):
    """A half replaced folder is a change, and what a person changed or added is never lost."""
    for step in range(60):
        run = tmp_path / str(step) / "run"
        replace_entries(run, SCHEMA, writes(a="old", release_b="old", other_c="old"))
        (run / "notes").write_text("mine")
        (run / "release" / "b").write_text("groomed")
        finished = _die_at(step, run)
        assert finished == (find_change(run) is None)
        assert {"mine", "groomed"} <= set(contents(run).values())
        replace_entries(run, SCHEMA, writes(a="new", release_b="new", other_c="new"))
        assert find_change(run) is None
        assert contents(run) == {
            "a": "new",
            "notes": "mine",
            "other/c": "new",
            "release/b": "new",
            "release.aside-1/b": "groomed",
        }
        if finished:
            break
    assert finished, "the steps did not reach the end"
    assert step > 5


def _die_at(step, run):
    """Replace the folder in a child that dies before its step-th change; True when it finished."""
    child = os.fork()
    if not child:
        left = [step]

        def counted(call):
            def counting(*arguments, **options):
                if not left[0]:
                    os._exit(9)
                left[0] -= 1
                return call(*arguments, **options)

            return counting

        for name in ("rename", "replace", "unlink", "rmdir", "mkdir"):
            setattr(Path, name, counted(getattr(Path, name)))
        replace_entries(run, SCHEMA, writes(a="new", release_b="new", other_c="new"))
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
