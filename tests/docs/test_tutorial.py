"""`docs/tutorial.md` is typed from top to bottom in an empty folder, and prints what it shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
LEFT_OUT = "..."
_BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def steps(page):
    """(commands, what they are said to print) of each block of commands; None where nothing is
    said.
    """
    found = []
    for kind, text in _BLOCK.findall(page):
        if kind == "sh":
            found.append((text, None))
        else:
            assert found, "what is printed stands after what is typed"
            assert found[-1][1] is None, "two outputs of one block of commands"
            found[-1] = (found[-1][0], text)
    return found


def is_shown(shown, printed):
    """Whether a page's block is what was printed: a line of dots stands for any lines, dots in a
    line for any text of it.

    >>> is_shown("one\\n...\\nn:...|end\\n", "one\\ntwo\\nthree\\nn:54|end\\n"), is_shown("one\\n", "one\\ntwo\\n")
    (True, False)
    """
    lines = [
        r"(?:.*\n)*?"
        if line == LEFT_OUT
        else re.escape(line).replace(re.escape(LEFT_OUT), ".*") + r"\n"
        for line in shown.splitlines()
    ]
    return re.fullmatch("".join(lines), f"{printed.rstrip()}\n") is not None


@pytest.mark.thorough
def test_every_command_prints_what_is_shown(tmp_path):
    """In order, in one folder; a command that fails fails its whole block."""
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    typed = steps(PAGE.read_text(encoding="utf-8"))
    assert len(typed) >= 8
    for commands, shown in typed:
        call = ["bash", "-e", "-o", "pipefail", "-c", commands]
        done = subprocess.run(
            call, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{commands}\n{done.stderr}"
        assert shown is None or is_shown(shown, done.stdout), f"{commands}\nprints\n{done.stdout}"


def test_a_page_that_lies_is_found():
    """A figure that is another, a line that is not there, a line too many, an end that was not
    told.
    """
    printed = "stage  3 -> 2\n    reason  1\nrelease  a/b\n"
    assert is_shown("stage  3 -> 2\n...\nrelease  a/...\n", printed)
    assert is_shown("...\nrelease  a/b\n", printed)
    assert not is_shown("stage  3 -> 1\n...\n", printed)
    assert not is_shown("stage  3 -> 2\nrelease  a/b\n", printed)
    assert not is_shown("stage  3 -> 2\n...\nreason  1\n...\n", printed)
    assert not is_shown("stage  3 -> 2\n", printed)


def test_what_is_printed_belongs_to_what_is_typed():
    """Output without a command, and two outputs of one, are mistakes of the page."""
    assert steps("```sh\na\n```\n```text\nb\n```\n```sh\nc\n```\n") == [
        ("a\n", "b\n"),
        ("c\n", None),
    ]
    for page in ("```text\nb\n```\n", "```sh\na\n```\n```text\nb\n```\n```text\nc\n```\n"):
        with pytest.raises(AssertionError):
            steps(page)
