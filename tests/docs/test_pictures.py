"""The pictures that the pages show: few bytes, each shown somewhere, and made by a program of ours."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from cloze_gen.records.judgement import Task

ROOT = Path(__file__).parents[2]
PICTURES = sorted((ROOT / "docs" / "pictures").iterdir())
PROGRAM = ROOT / "scripts" / "pictures.py"
pictures = SimpleNamespace(**runpy.run_path(str(PROGRAM)))
MOST_BYTES = 400 * 1024
OF_JUDGES = {f"judge-{task}{screen}" for task in Task for screen in ("", "-phone")}  # made by scripts/judge_pictures.py
_COLOUR_TYPE, _PALETTE = 25, 3  # where a PNG's header tells it, and what it says of a picture with a palette
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]


def test_they_are_small() -> None:
    """All together, for everybody clones them; each is a picture of few colours."""
    assert 0 < sum(path.stat().st_size for path in PICTURES) <= MOST_BYTES
    assert {(header[:8], header[_COLOUR_TYPE]) for header in (path.read_bytes()[:32] for path in PICTURES)} == {
        (b"\x89PNG\r\n\x1a\n", _PALETTE)
    }


def test_each_is_shown_by_a_page() -> None:
    """With words for whoever cannot see it. (That links lead to files is asked in `test_links.py`.)"""
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [path.name for path in PICTURES if f"pictures/{path.name})" not in text] == []
    assert "![](" not in text


def test_the_program_makes_each_of_them() -> None:
    """None lies there that it would not make anew."""
    ours = {path.stem for path in PICTURES if path.stem not in OF_JUDGES}
    assert ours == {view.name for view in pictures.VIEWS}


def test_no_picture_shows_figures_that_grow_old() -> None:
    """The report's head holds the signature and other sections hold accuracies; both change with every version."""
    assert {view.section for view in pictures.VIEWS} <= {"funnel", "samples"}
    for view in pictures.VIEWS:
        assert "header" in pictures.ALONE.format(view.section, view.css).split("{")[0]


def test_the_question_shown_is_one_that_ci_looks_up() -> None:
    """`scripts/check_examples.py` finds in a run of the sample whatever the README traces."""
    assert f"cloze-gen trace {pictures.QUESTION} " in (ROOT / "README.md").read_text(encoding="utf-8")


def test_without_a_browser_it_says_so() -> None:
    """Before anything is run or written."""
    done = subprocess.run([sys.executable, PROGRAM], env=os.environ | {"PATH": "/nowhere"}, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "no browser here" in done.stderr
    assert "apt-get install chromium" in done.stderr
