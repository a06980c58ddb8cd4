"""Opening what a user's path leads to."""

import os
import socket

import pytest

from cloze_gen.store.files import open_below, open_regular, read_below, read_regular_text


def test_a_regular_file_is_read_through_a_link(tmp_path):
    """Bytes come as they lie, text with its line ends made one."""
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfone\r\ntwo")
    (tmp_path / "b").symlink_to("a")
    with open_regular(tmp_path / "b") as handle:
        assert handle.read() == b"\xef\xbb\xbfone\r\ntwo"
    assert read_regular_text(tmp_path / "b", encoding="utf-8-sig") == "one\ntwo"


@pytest.mark.parametrize("kind", ["named pipe", "device", "socket", "folder"])
def test_what_is_no_file_is_refused_at_once(tmp_path, kind):
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


def test_a_missing_file_is_an_error_as_ever(tmp_path):
    """A path to nowhere, and a link to it."""
    (tmp_path / "b").symlink_to("a")
    for name in "ab":
        with pytest.raises(FileNotFoundError):
            open_regular(tmp_path / name)


def test_more_than_can_be_meant_is_refused_unread(tmp_path):
    """The limit is inclusive."""
    (tmp_path / "a").write_text("12345")
    assert read_regular_text(tmp_path / "a", max_bytes=5) == "12345"
    with pytest.raises(OSError, match="larger than"):
        read_regular_text(tmp_path / "a", max_bytes=4)


def test_a_file_below_a_folder_is_read(tmp_path):
    """The folder itself may be a link, for the user named it."""
    (tmp_path / "it" / "sub").mkdir(parents=True)
    (tmp_path / "it" / "sub" / "a.txt").write_text("one")
    (tmp_path / "linked").symlink_to("it")
    assert read_below(tmp_path / "linked", "sub/a.txt", max_bytes=3) == b"one"
    with pytest.raises(OSError, match="3 bytes, more than the 2"):
        read_below(tmp_path / "it", "sub/a.txt", max_bytes=2)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("link.txt", "a link, not a file"),
        ("nowhere.txt", "a link, not a file"),
        ("linked/a.txt", "a link, not a folder"),
        ("sub", "a folder, not a file"),
        ("pipe", "a named pipe, not a file"),
        ("sub/a.txt/b", "a file, not a folder"),
        ("../a.txt", "not the name of a file in this folder"),
        ("/etc/hostname", "not the name of a file in this folder"),
        ("sub/../sub/a.txt", "not the name of a file in this folder"),
        ("a\0b", "not the name of a file in this folder"),
        ("", "not the name of a file in this folder"),
        ("gone", "No such file"),
    ],
)
def test_a_name_leads_to_no_other_place(name, said, tmp_path):
    """No part of a name below a folder may be a link."""
    it = tmp_path / "it"
    (it / "sub").mkdir(parents=True)
    for place in (tmp_path / "a.txt", it / "sub" / "a.txt"):
        place.write_text("one")
    (it / "link.txt").symlink_to("../a.txt")
    (it / "nowhere.txt").symlink_to("nothing")
    (it / "linked").symlink_to("sub")
    os.mkfifo(it / "pipe")
    with pytest.raises(OSError, match=said):
        open_below(it, name)
