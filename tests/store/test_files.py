"""Opening what a user's path leads to."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from cloze_gen.store.files import open_regular, read_regular_text


def test_a_regular_file_is_read_through_a_link(tmp_path: Path) -> None:
    """Bytes come as they lie, text with its line ends made one."""
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfone\r\ntwo")
    (tmp_path / "b").symlink_to("a")
    with open_regular(tmp_path / "b") as handle:
        assert handle.read() == b"\xef\xbb\xbfone\r\ntwo"
    assert read_regular_text(tmp_path / "b", encoding="utf-8-sig") == "one\ntwo"


@pytest.mark.parametrize("kind", ["named pipe", "device", "socket", "folder"])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    """Nothing waits for a writer or reads without end; the error names the path and what lies there."""
    path = tmp_path / "x.txt"
    if kind == "named pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    else:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(os.path.relpath(path))  # a socket's path may be no longer than 108 bytes
        listener.close()
    for read in (open_regular, read_regular_text):
        with pytest.raises(OSError, match=f"a {kind}, not a file") as caught:
            read(path)
        assert caught.value.filename == str(path)


def test_a_missing_file_is_an_error_as_ever(tmp_path: Path) -> None:
    """A path to nowhere, and a link to it."""
    (tmp_path / "b").symlink_to("a")
    for name in "ab":
        with pytest.raises(FileNotFoundError):
            open_regular(tmp_path / name)


def test_more_than_can_be_meant_is_refused_unread(tmp_path: Path) -> None:
    """The limit is inclusive."""
    (tmp_path / "a").write_text("12345")
    assert read_regular_text(tmp_path / "a", max_bytes=5) == "12345"
    with pytest.raises(OSError, match="larger than"):
        read_regular_text(tmp_path / "a", max_bytes=4)
