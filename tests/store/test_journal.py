"""Files that only grow."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cloze_gen.store.journal import append_lines


def test_lines_are_appended(tmp_path: Path) -> None:
    """What stood before stays as it was, byte for byte; the folder is made."""
    file = tmp_path / "new" / "journal"
    for n in range(3):
        append_lines(file, f"{n}\n", torn=" #torn")
    assert file.read_bytes() == b"0\n1\n2\n"


def test_a_torn_line_is_ended(tmp_path: Path) -> None:
    """Nothing is taken back: the torn line is given its mark, and the new ones stand on lines of their own."""
    file = tmp_path / "journal"
    file.write_bytes(b"0\n1")
    append_lines(file, "2\n", torn=" #torn")
    assert file.read_bytes() == b"0\n1 #torn\n2\n"


def test_lines_are_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is synced, and the folder where the file is new."""
    synced: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink())))
    for _ in range(2):
        append_lines(tmp_path / "journal", "0\n", torn="")
    assert synced == [str(tmp_path / "journal"), str(tmp_path), str(tmp_path / "journal")]
