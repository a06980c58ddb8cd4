"""What adversaries say in words."""

from __future__ import annotations

import pytest

from cloze_gen.evaluate.words.adversary_line import adversary_line
from cloze_gen.evaluate.words.baselines import ADVERSARIES


@pytest.mark.parametrize(
    ("figure", "said"),
    [((0.31, 0.28, 0.34), "more often than chance"), ((0.21, 0.19, 0.23), "no more often than guessing"), ((0.15, 0.13, 0.18), "below")],
)
def test_the_verdict_follows_the_interval(figure: tuple[float, float, float], said: str) -> None:
    """Above chance, holding it, below it."""
    line = adversary_line({"adversary-five": figure}, chance=0.2)
    assert f"in {100 * figure[0]:.0f} % (" in line
    assert said in line


def test_further_scores_go_on_behind_the_five() -> None:
    """Each with its figure; what was tried alone is named by itself, and nothing is said of nothing."""
    one = (0.5, 0.4, 0.6)
    line = adversary_line({"adversary-five": one, "adversary-ngrams": one, "adversary-all": one, "adversary-length": one}, chance=0.2)
    assert line.count("50 % (40-60)") == 3
    assert "of LSA besides" in line
    for name in ADVERSARIES:
        assert adversary_line({name: one}, chance=0.2).count("50 % (40-60)") == 1
    assert adversary_line({"lsa": one}, chance=0.2) == ""
