"""Folders that are whole or not there, and what killed writers leave."""

import multiprocessing
import os
import threading
import time

import pytest

from cloze_gen.store.locks import (
    exclusive_lock,
    partial_folder,
    publish_folder,
    remove_stale_temp_dirs,
)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_published_folder_has_its_name_and_nothing_else_stays(tmp_path):
    """The folder appears under its name when it is whole."""
    with partial_folder(tmp_path / "a") as folder:
        (folder / "x").write_text("1")
        assert "a" not in names(tmp_path)
        publish_folder(folder, tmp_path / "a")
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a" / "x").read_text() == "1"


def test_an_error_leaves_nothing(tmp_path):
    """A writer that fails takes its temporary folder with it."""

    def fail():
        with partial_folder(tmp_path / "a") as folder:
            (folder / "x").write_text("1")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert names(tmp_path) == []


def test_the_second_of_two_equal_writers_lets_go(tmp_path):
    """Where another run was first, its folder stays and ours goes."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x").write_text("first")
    with partial_folder(tmp_path / "a") as folder:
        (folder / "x").write_text("second")
        publish_folder(folder, tmp_path / "a")
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a" / "x").read_text() == "first"


def _leave_behind(folder):
    context = partial_folder(folder / "dead")
    place = context.__enter__()
    (place / "half").write_text("x")
    os._exit(9)  # as a kill: no clean-up runs


def test_sweeping_takes_the_dead_and_spares_the_living(tmp_path):
    """A killed writer's folder goes, a living writer's and a user's own stay."""
    process = multiprocessing.get_context("spawn").Process(target=_leave_behind, args=(tmp_path,))
    process.start()
    process.join(30)
    (tmp_path / ".hidden.partial").mkdir()
    (tmp_path / ".a.partial-of-a-user").mkdir()
    (tmp_path / ".a~partial-of-a-user").mkdir()
    (tmp_path / ".b~partial-0123abcd").symlink_to(tmp_path / ".hidden.partial")
    theirs = [
        ".a.partial-of-a-user",
        ".a~partial-of-a-user",
        ".b~partial-0123abcd",
        ".hidden.partial",
    ]
    assert len(names(tmp_path)) == 5
    with partial_folder(tmp_path / "living") as folder:
        assert remove_stale_temp_dirs(tmp_path) == 1
        assert folder.is_dir()
        assert len(names(tmp_path)) == 5
    assert names(tmp_path) == theirs
    assert remove_stale_temp_dirs(tmp_path / "none") == 0


def test_one_holder_at_a_time(tmp_path):
    """The second waits, after saying so, until the first has gone."""
    order = []

    def second():
        with exclusive_lock(tmp_path / "locks" / "a", on_wait=lambda: order.append("waits")):
            order.append("second")

    with exclusive_lock(tmp_path / "locks" / "a"):
        thread = threading.Thread(target=second)
        thread.start()
        while "waits" not in order:
            time.sleep(0.01)
        order.append("first")
    thread.join(10)
    assert order == ["waits", "first", "second"]
