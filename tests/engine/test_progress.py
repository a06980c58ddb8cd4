"""Progress: on stderr, silent where nobody looks."""

from __future__ import annotations

import pytest

from cloze_gen.engine.progress import Stopwatch, say, track


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
