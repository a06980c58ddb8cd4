"""Folders that we write and people use: nothing of a person's is lost, whatever is written anew and whenever the writer dies."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from cloze_gen.errors import DamageError, StoreError
from cloze_gen.store import folder_replacement as published
from cloze_gen.store.folder_replacement import find_change, leavings, replace_published, rewrite_published, settle
from cloze_gen.store.name_swap import exchange

SCHEMA = "cloze-gen/test"


def writes(**files: str) -> Callable[[Path], None]:
    """A writer of files (`_` in a name stands for `/`) and of one link."""

    def write(folder: Path) -> None:
        for name, text in files.items():
            path = folder / name.replace("_", "/")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        (folder / "link").symlink_to("../elsewhere")

    return write


def contents(folder: Path) -> dict[str, str]:
    """Name -> text of every file below a folder, the manifest left out."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    return {name: path.read_text() for name, path in sorted(found.items()) if path.is_file() and name != "manifest.json"}


def test_a_folder_says_what_was_written(tmp_path: Path) -> None:
    """A new folder is as written; each change of a file, a link or the manifest is told with its place."""
    run = tmp_path / "run"
    assert replace_published(run, SCHEMA, writes(a="1", release_b="2")) == []
    assert find_change(run) is None
    assert find_change(run, only=["a"]) is None
    assert "not among what was written" in str(find_change(run, only=["c"]))
    for name in ("a", "release/b", "link", "manifest.json"):
        path = run / name
        moved = path.rename(tmp_path / "moved")
        assert str(path if name != "manifest.json" else run) in str(find_change(run))
        moved.rename(path)
    assert find_change(run) is None
    (run / "a").write_text("3")
    assert f"{run / 'a'}: changed" in str(find_change(run))


def test_what_a_person_laid_stays_where_it_is(tmp_path: Path) -> None:
    """Files, folders (empty ones too), links and pipes that we did not write are in the new folder, in their places."""
    run = tmp_path / "run"
    replace_published(run, SCHEMA, writes(a="1", release_b="2"))
    (run / "notes.txt").write_text("mine")
    (run / "release" / "mine").mkdir()
    (run / "release" / "mine" / "deep.txt").write_text("mine too")
    (run / "empty").mkdir()
    (run / "pointer").symlink_to("nowhere")
    os.mkfifo(run / "pipe")
    assert replace_published(run, SCHEMA, writes(a="new", release_c="3")) == []
    assert contents(run) == {"a": "new", "notes.txt": "mine", "release/c": "3", "release/mine/deep.txt": "mine too"}
    assert (run / "empty").is_dir()
    assert str((run / "pointer").readlink()) == "nowhere"
    assert stat.S_ISFIFO((run / "pipe").lstat().st_mode)
    assert find_change(run) is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_what_a_person_changed_is_kept_beside(tmp_path: Path) -> None:
    """A file of ours with a line added is kept under another name, which is said; a second one under a second name."""
    run = tmp_path / "run"
    replace_published(run, SCHEMA, writes(release_a="1"))
    for turn, text in enumerate(("groomed", "groomed again"), 1):
        (run / "release" / "a").write_text(text)
        (line,) = replace_published(run, SCHEMA, writes(release_a="2"))
        assert line == f"{run / 'release' / 'a'}: changed by hand; kept as release/a.kept-{turn}."
    assert contents(run) == {"release/a": "2", "release/a.kept-1": "groomed", "release/a.kept-2": "groomed again"}


def test_who_may_look_in_stays(tmp_path: Path) -> None:
    """A folder that a person closed to others is closed afterwards, and a file rewritten unchanged is as old as it was."""
    run = tmp_path / "run"
    replace_published(run, SCHEMA, writes(a="1", release_b="2"))
    run.chmod(0o700)
    (run / "a").chmod(0o600)
    os.utime(run / "a", (1_000_000_000, 1_000_000_000))
    rewrite_published(run, SCHEMA, lambda folder: (folder / "release" / "b").write_text("3"))
    assert stat.S_IMODE(run.stat().st_mode) == 0o700
    assert stat.S_IMODE((run / "a").stat().st_mode) == 0o600
    assert (run / "a").stat().st_mtime == 1_000_000_000


def test_a_folder_in_the_way_of_a_link_or_file(tmp_path: Path) -> None:
    """Where the new folder has a file or link of the name, a person's folder is kept whole under another."""
    run = tmp_path / "run"
    (run / "link").mkdir(parents=True)
    for name in ("x", "y"):
        (run / "link" / name).write_text(name)
    replace_published(run, SCHEMA, writes(a="1"))
    assert (run / "link").is_symlink()
    assert contents(run) == {"a": "1", "link.kept-1/x": "x", "link.kept-1/y": "y"}


@pytest.mark.parametrize("manifest", [None, "", "{", "[]", '{"seal": 1}'])
def test_without_a_manifest_nothing_is_ours(tmp_path: Path, manifest: str | None) -> None:
    """A folder that was there before, or whose manifest is damaged: everything in it is kept, but what the new one has byte for byte."""
    run = tmp_path / "run"
    run.mkdir()
    (run / "a").write_text("same")
    (run / "b").write_text("other")
    if manifest is not None:
        (run / "manifest.json").write_text(manifest)
    replace_published(run, SCHEMA, writes(a="same", b="new"))
    kept = {} if manifest is None else {"manifest.json.kept-1": manifest}
    assert contents(run) == {"a": "same", "b": "new", "b.kept-1": "other", **kept}


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    """A file or a link in the place of the folder is left alone."""
    (tmp_path / "file").write_text("mine")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    for name in ("file", "link"):
        with pytest.raises(StoreError, match="is no folder"):
            replace_published(tmp_path / name, SCHEMA, writes(a="1"))
    assert (tmp_path / "file").read_text() == "mine"
    assert list((tmp_path / "real").iterdir()) == []


def test_a_link_out_of_the_output_folder_is_known_by_its_name(tmp_path: Path) -> None:
    """Where it leads depends on the machine: the manifest's bytes do not, and another target is no change by hand."""
    manifests = []
    for place, books in (("a", "../../../books"), ("b", "../../../../elsewhere"), ("b", "../../../moved")):
        run = tmp_path / place / "runs" / "run"
        run.parent.mkdir(parents=True, exist_ok=True)
        assert replace_published(run, SCHEMA, lambda folder, books=books: (folder / "corpus").symlink_to(books)) == []  # type: ignore[misc]
        assert find_change(run) is None
        manifests.append((run / "manifest.json").read_bytes())
    assert sorted(path.name for path in run.iterdir()) == ["corpus", "manifest.json"]
    assert len(set(manifests)) == 1


def test_rewriting_keeps_the_rest_and_refuses_damage(tmp_path: Path) -> None:
    """A change is made to a copy of all that is ours; where that is not as written, nothing is done."""
    run = tmp_path / "run"
    replace_published(run, SCHEMA, writes(a="1", release_b="2"))
    (run / "mine").write_text("mine")
    rewrite_published(run, SCHEMA, lambda folder: (folder / "a").write_text("2"))
    assert contents(run) == {"a": "2", "mine": "mine", "release/b": "2"}
    assert str((run / "link").readlink()) == "../elsewhere"
    (run / "release" / "b").write_text("3")
    with pytest.raises(DamageError, match="changed since it was written"):
        rewrite_published(run, SCHEMA, lambda folder: (folder / "a").write_text("3"))
    assert contents(run)["a"] == "2"


@pytest.mark.parametrize("swaps", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["one step", "two renames"])
def test_killed_at_any_step_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swaps: bool) -> None:
    """After every single change of the file system: the old folder or the new one is whole, and a person's things come back."""
    if not swaps:
        monkeypatch.setattr(published, "exchange", lambda one, other: False)
    whole = []
    for step in range(60):
        place = tmp_path / str(step)
        run = place / "run"
        place.mkdir()
        replace_published(run, SCHEMA, writes(a="old", release_b="2"))
        (run / "notes").write_text("mine")
        (run / "folder").mkdir()
        (run / "folder" / "deep").write_text("mine too")
        (run / "release" / "b").write_text("groomed")
        finished = _die_at(step, run)
        if not run.is_dir():
            assert not swaps, "the name was without its folder for a moment"
        settle(run)
        assert leavings(run) == []
        found = contents(run)
        assert found["notes"] == "mine"
        assert found["folder/deep"] == "mine too"
        assert "groomed" in (found.get("release/b"), found.get("release/b.kept-1"))
        assert found["a"] in ("old", "new")
        whole.append(found["a"])
        if finished:
            break
    assert finished, "the steps did not reach the end"
    assert whole[0] == "old"
    assert whole[-1] == "new"


def _die_at(step: int, run: Path) -> bool:
    """Replace the folder in a child that ends without a word before its step-th change of the file system; True when it came to its end."""
    child = os.fork()
    if not child:
        left = [step]

        def counted(call: Callable[..., object]) -> Callable[..., object]:
            def counting(*arguments: object, **options: object) -> object:
                if not left[0]:
                    os._exit(9)
                left[0] -= 1
                return call(*arguments, **options)

            return counting

        for name in ("rename", "unlink", "rmdir", "mkdir"):
            setattr(Path, name, counted(getattr(Path, name)))
        published.exchange = counted(published.exchange)  # type: ignore[assignment]
        replace_published(run, SCHEMA, writes(a="new", release_b="3"))
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_exchanging_names(tmp_path: Path) -> None:
    """Each folder has the other's name; a missing one is an error and changes nothing."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    if not exchange(tmp_path / "a", tmp_path / "b"):
        pytest.skip("this file system cannot exchange two names")
    assert [(path.name, next(path.iterdir()).name) for path in sorted(tmp_path.iterdir())] == [("a", "b"), ("b", "a")]
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "a", tmp_path / "c")
