"""Rewriting folders that people use: nothing of theirs is lost, whenever the writer dies."""

import errno
import os
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from cloze_gen.errors import DamageError, StoreError
from cloze_gen.store import folder_replacement as published
from cloze_gen.store.folder_replacement import (
    exchange,
    find_change,
    replace_published,
    replace_within,
    rewrite_within,
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
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    return {
        name: path.read_text()
        for name, path in sorted(found.items())
        if path.is_file() and path.name != "manifest.json"
    }


def test_a_folder_says_what_was_written(tmp_path):
    run = tmp_path / "run"
    assert replace_published(run, SCHEMA, writes(a="1", release_b="2")) == []
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
    replace_within(run, SCHEMA, writes(a="1", release_b="2"))
    (run / "notes.txt").write_text("mine")
    (run / "mine").mkdir()
    (run / "mine" / "deep.txt").write_text("mine too")
    (run / "empty").mkdir()
    (run / "pointer").symlink_to("nowhere")
    os.mkfifo(run / "pipe")
    inodes = {path.name: path.lstat().st_ino for path in run.iterdir()}
    assert replace_within(run, SCHEMA, writes(a="new", release_c="3")) == []
    assert contents(run) == {
        "a": "new",
        "notes.txt": "mine",
        "release/c": "3",
        "mine/deep.txt": "mine too",
    }
    for name in ("notes.txt", "mine", "empty", "pointer", "pipe"):
        assert (run / name).lstat().st_ino == inodes[name]
    assert find_change(run) is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


@pytest.mark.parametrize(
    ("replace", "aside", "kept_in"),
    [
        (replace_within, "release.aside-{}", "run/release.aside-{}"),
        (replace_published, "run.aside-{}", "run.aside-{}/release"),
    ],
)
def test_what_a_person_changed_or_added_is_aside(tmp_path, replace, aside, kept_in):
    run = tmp_path / "run"
    replace(run, SCHEMA, writes(release_a="1", release_b="2"))
    expected = {"run/release/a": "2"}
    for turn, text in enumerate(("groomed", "groomed again"), 1):
        (run / "release" / "a").write_text(text)
        (run / "release" / "mine").mkdir()
        (run / "release" / "mine" / "deep").write_text("mine")
        (line,) = replace(run, SCHEMA, writes(release_a="2"))
        assert line.endswith(
            f": changed by hand. The changed files were moved to {aside.format(turn)}."
        )
        expected |= {
            f"{kept_in.format(turn)}/a": text,
            f"{kept_in.format(turn)}/mine/deep": "mine",
        }
    assert contents(tmp_path) == expected
    assert find_change(run) is None


def test_an_entry_that_is_not_written_any_more(tmp_path):
    """Goes, but for what a person added; a link of ours that a person replaced is kept."""
    run = tmp_path / "run"
    replace_within(run, SCHEMA, writes(full_a="1", b="2"))
    (run / "full" / "mine").write_text("mine")
    said = replace_within(run, SCHEMA, lambda folder: (folder / "c").write_text("3"))
    assert [line.partition(":")[0] for line in said] == [str(run / "full")]
    assert contents(run) == {"c": "3", "full.aside-1/mine": "mine"}
    assert not (run / "link").is_symlink()


def test_who_may_look_in_stays(tmp_path):
    """Modes are kept, and the time of a file that is rewritten unchanged."""
    run = tmp_path / "run"
    replace_within(run, SCHEMA, writes(a="1", release_b="2"))
    for folder in (run, run / "release"):
        folder.chmod(0o700)
    (run / "a").chmod(0o600)
    os.utime(run / "a", (1_000_000_000, 1_000_000_000))
    rewrite_within(run, SCHEMA, lambda folder: (folder / "release" / "b").write_text("3"))
    for folder in (run, run / "release"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((run / "a").stat().st_mode) == 0o600
    assert (run / "a").stat().st_mtime == 1_000_000_000


def test_a_folder_in_the_way_of_a_link_or_file(tmp_path):
    """A person's folder is kept whole under another name."""
    run = tmp_path / "run"
    (run / "link").mkdir(parents=True)
    for name in ("x", "y"):
        (run / "link" / name).write_text(name)
    replace_within(run, SCHEMA, writes(a="1"))
    assert (run / "link").is_symlink()
    assert contents(run) == {"a": "1", "link.aside-1/x": "x", "link.aside-1/y": "y"}


def test_a_link_in_the_way_of_a_folder(tmp_path):
    """What is behind a person's link is none of ours; nothing is written or deleted there."""
    run, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    replace_within(run, SCHEMA, writes(release_a="1"))
    (run / "release").rename(elsewhere)
    (run / "release").symlink_to(elsewhere)
    assert find_change(run) == f"{run / 'release' / 'a'}: missing."
    replace_within(run, SCHEMA, writes(release_a="2"))
    assert (run / "release" / "a").read_text() == "2"
    assert (run / "release.aside-1").is_symlink()
    assert (elsewhere / "a").read_text() == "1"


@pytest.mark.parametrize("manifest", [None, "", "{", "[]", '{"seal": 1}'])
def test_without_a_manifest_nothing_is_ours(tmp_path, manifest):
    """Everything is kept except what equals the new files."""
    run = tmp_path / "run"
    run.mkdir()
    (run / "a").write_text("same")
    (run / "b").write_text("other")
    if manifest is not None:
        (run / "manifest.json").write_text(manifest)
    replace_within(run, SCHEMA, writes(a="same", b="new"))
    kept = {} if manifest is None else {"manifest.json.aside-1": manifest}
    assert contents(run) == {"a": "same", "b": "new", "b.aside-1": "other", **kept}


def test_what_is_no_folder_is_refused(tmp_path):
    """A file or a link in the place of the folder is left alone."""
    (tmp_path / "file").write_text("mine")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    for name in ("file", "link"):
        with pytest.raises(StoreError, match="is not a folder"):
            replace_published(tmp_path / name, SCHEMA, writes(a="1"))
    assert (tmp_path / "file").read_text() == "mine"
    assert list((tmp_path / "real").iterdir()) == []


def test_a_link_out_of_the_output_folder_is_known_by_its_name(tmp_path):
    """Its target depends on the machine."""
    manifests = []
    for place, books in (
        ("a", "../../../books"),
        ("b", "../../../../elsewhere"),
        ("b", "../../../moved"),
    ):
        run = tmp_path / place / "runs" / "run"
        run.parent.mkdir(parents=True, exist_ok=True)
        assert (
            replace_published(
                run, SCHEMA, lambda folder, books=books: (folder / "corpus").symlink_to(books)
            )
            == []
        )
        assert find_change(run) is None
        manifests.append((run / "manifest.json").read_bytes())
    assert sorted(path.name for path in run.iterdir()) == ["corpus", "manifest.json"]
    assert len(set(manifests)) == 1


def test_rewriting_keeps_the_rest_and_refuses_damage(tmp_path):
    run = tmp_path / "run"
    replace_within(run, SCHEMA, writes(a="1", release_b="2"))
    (run / "mine").write_text("mine")
    rewrite_within(run, SCHEMA, lambda folder: (folder / "a").write_text("2"))
    assert contents(run) == {"a": "2", "mine": "mine", "release/b": "2"}
    assert str((run / "link").readlink()) == "../elsewhere"
    (run / "release" / "b").write_text("3")
    with pytest.raises(DamageError, match="changed since it was written"):
        rewrite_within(run, SCHEMA, lambda folder: (folder / "a").write_text("3"))
    assert contents(run)["a"] == "2"


@pytest.mark.parametrize("swaps", [True, False], ids=["one step", "two renames"])
@pytest.mark.parametrize("replace", [replace_within, replace_published])
def test_killed_at_any_step_nothing_is_lost(
    tmp_path,
    monkeypatch,
    replace,
    swaps,
):
    """After each change of the file system the old or the new release is whole."""
    if not swaps:
        monkeypatch.setattr(published, "exchange", lambda one, other: False)
    whole = []
    for step in range(60):
        place = tmp_path / str(step)
        run = place / "run"
        place.mkdir()
        replace(run, SCHEMA, writes(a="old", release_b="old", release_c="old"))
        (run / "notes").write_text("mine")
        (run / "release" / "c").write_text("groomed")
        finished = _die_at(step, run, replace)
        if swaps or (run / "release").is_dir():
            release = contents(run / "release")
            assert release in ({"b": "old", "c": "groomed"}, {"b": "new", "c": "new"})
            whole.append(release["b"])
        assert {"mine", "groomed"} <= set(contents(place).values())
        replace(run, SCHEMA, writes(a="new", release_b="new", release_c="new"))
        assert find_change(run) is None
        assert contents(run / "release") == {"b": "new", "c": "new"}
        assert {"mine", "groomed"} <= set(contents(place).values())
        assert (run / "notes").exists() == (replace is replace_within)
        if finished:
            break
    assert finished, "the steps did not reach the end"
    assert whole[0] == "old"
    assert whole[-1] == "new"


def _die_at(step, run, replace):
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
        published.exchange = counted(published.exchange)
        replace(run, SCHEMA, writes(a="new", release_b="new", release_c="new"))
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("library", ["without the call", "ENOSYS", "EINVAL"])
def test_a_system_that_cannot_exchange(tmp_path, monkeypatch, library):
    """An old C library, kernel or file system changes nothing; then names are moved in two steps."""
    number = getattr(errno, library, 0)
    call = {} if not number else dict.fromkeys(("renameat2", "renamex_np"), lambda *_: -1)
    monkeypatch.setattr(published.ctypes, "CDLL", lambda *_, **__: SimpleNamespace(**call))
    monkeypatch.setattr(published.ctypes, "get_errno", lambda: number)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "a" / "one").touch()
    assert not exchange(tmp_path / "a", tmp_path / "b")
    assert list(tmp_path.glob("*/*")) == [tmp_path / "a" / "one"]
    for text in ("old", "new"):
        replace_within(tmp_path / "run", SCHEMA, writes(a=text))
    assert contents(tmp_path / "run")["a"] == "new"


def test_exchanging_names(tmp_path):
    """Each folder has the other's name; a missing one is an error and changes nothing."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    if not exchange(tmp_path / "a", tmp_path / "b"):
        pytest.skip("this file system cannot exchange two names")
    assert [(path.name, next(path.iterdir()).name) for path in sorted(tmp_path.iterdir())] == [
        ("a", "b"),
        ("b", "a"),
    ]
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "a", tmp_path / "c")
