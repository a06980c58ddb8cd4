"""The machine files: what is wrong in one is named, and other makers' sets are read."""

from __future__ import annotations

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.formats.msr.machine import format_machine, parse_machine
from cloze_gen.records.question import Question

ITEM = Question("msr:1", "msr", ("I", "could", "climb", "it", "."), 2, ("write", "migrate", "climb", "swear", "go"), 2)


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [("1b)", "1c)", "line 2"), ("[write]", "write", "line 1"), ("I could [go]", "I would [go]", "line 5"), ("1a)", "a)", "line 1")],
)
def test_a_broken_line_is_named(old: str, new: str, where: str) -> None:
    """The error of a machine file says file and line."""
    text, answers = format_machine([ITEM])
    with pytest.raises(FormatError, match=f"mine.txt, {where}"):
        parse_machine(text.replace(old, new), answers, name="mine.txt")


def test_answers_of_another_set_are_refused() -> None:
    """An answer line that is no option's line, or a missing one, is an error."""
    text, answers = format_machine([ITEM])
    for wrong in (answers.replace("climb", "swim"), "", answers * 2):
        with pytest.raises(FormatError, match="matching answers file"):
            parse_machine(text, wrong)


def test_two_to_twenty_six_options_are_read() -> None:
    """Other makers' sets with fewer or more options can be evaluated."""
    for count in (2, 26):
        lines = "".join(f"1{chr(97 + k)}) I [w{k}] .\n" for k in range(count))
        assert len(parse_machine(lines)[0].options) == count
