"""Progress: on stderr, silent where nobody looks."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from cloze_gen.engine.logbook import keeping_log, note
from cloze_gen.engine.progress import Stopwatch, phases, say, track
from cloze_gen.errors import StoreError

LMPLZ = ("1/2 Counting", "Reading text", "1/2 Counting: 50 %", "1/2 Counting: 100 %", "2/2 Writing", "Name:lmplz")


def test_items_pass_through_in_silence(capsys: pytest.CaptureFixture[str]) -> None:
    """Off a terminal no bar is drawn, and every item comes out."""
    assert list(track(iter([1, 2]), stage="s", unit="books", total=2)) == [1, 2]
    assert capsys.readouterr() == ("", "")


def test_lines_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output belongs to results."""
    say("counts: 3 words")
    assert capsys.readouterr() == ("", "counts: 3 words\n")


def test_time_passes() -> None:
    """A stopwatch only goes forward."""
    watch = Stopwatch()
    assert 0 <= watch.seconds <= watch.seconds


def test_off_a_terminal_a_phase_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Of what a program says only its phases are passed on."""
    with phases("lm") as hear:
        for line in LMPLZ:
            hear(line)
    assert capsys.readouterr() == ("", "lm: 1/2 Counting\nlm: 2/2 Writing\n")


@pytest.mark.slow
def test_on_a_terminal_all_phases_are_one_bar() -> None:
    """One line drawn anew, which is gone at the end, and no line besides."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    code = f"from cloze_gen.engine.progress import phases\nwith phases('lm') as hear:\n    for line in {LMPLZ}:\n        hear(line)"
    environment = {**os.environ, "TERM": "xterm"}
    subprocess.run([sys.executable, "-c", code], stderr=terminal, env=environment, check=True, timeout=60)
    os.close(terminal)
    drawn = b""
    while True:
        try:
            drawn += os.read(master, 65536)
        except OSError:  # all has been read
            break
    os.close(master)
    shown = [part.split("|")[0] + part.split("|")[-1] for part in drawn.decode().split("\r") if part.strip()]
    assert shown == ["lm    0 %", "lm: 1/2    0 %", "lm: 1/2   25 %", "lm: 1/2   50 %", "lm: 2/2   50 %"]
    assert b"\n" not in drawn


def test_the_log_keeps_what_is_said_and_what_is_not_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lines follow a heading, printable, and what stood in the file stays."""
    path = tmp_path / "logs" / "a.log"
    path.parent.mkdir()
    path.write_text("a person's note\n")
    with keeping_log(path, "a run"):
        say("counts: 3 words")
        note("lm: \x1b[2J\nsecond")
    note("after the end")
    lines = [line.partition(" s  ")[2] or line for line in path.read_text().splitlines()]
    assert lines[0] == "a person's note"
    assert lines[1].endswith("UTC  a run")
    assert lines[2:] == ["counts: 3 words", "lm: \\x1b[2J", "second"]
    assert capsys.readouterr().err == "counts: 3 words\n"


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_a_log_goes_into_no_other_thing(tmp_path: Path, kind: str) -> None:
    """A pipe without a reader would hold the run for ever."""
    path = tmp_path / "a.log"
    if kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with pytest.raises(StoreError, match=r"a\.log: the log is to be written here"), keeping_log(path, "a run"):
        pass
