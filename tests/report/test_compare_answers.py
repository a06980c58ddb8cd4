"""Two runs' baselines on the passages that both have."""

from __future__ import annotations

import re

from cloze_gen.report.compare_answers import AnsweredPassage, paired_lines


def answered(right: list[int]) -> dict[str, AnsweredPassage]:
    return {f"b:{number}": AnsweredPassage(5, one, 0) for number, one in enumerate(right)}


def test_a_difference_is_of_the_passages_in_both() -> None:
    """A baseline of one run alone has no line; a passage of one run alone counts in none."""
    one = {"lsa, AP+AN": answered([1, 2, 3]), "left": answered([1])}
    other = {"lsa, AP+AN": answered([2, 3, 4, 0, 0, 0]), "right": answered([1])}
    (line,) = paired_lines(one, other, seed=1)
    assert re.sub(" +", " ", line) == "lsa, AP+AN 40.0 % -> 60.0 %, +20.0 (+20.0 to +20.0) over 3 passages"


def test_the_same_answers_differ_in_nothing() -> None:
    """Whatever the draws."""
    one = {"lsa": answered([1, 5, 2, 0])}
    assert "+0.0 (+0.0 to +0.0) over 4 passages" in next(paired_lines(one, one, seed=7))
