"""What adversaries say in words."""

from __future__ import annotations

import pytest

from cloze_gen.evaluate.words.adversary_line import adversary_line
from cloze_gen.evaluate.words.baselines import ADVERSARIES


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        ((0.15, 0.13, 0.18), ". Below chance"),
        ((0.45, 0.2, 0.6), ". No more often than guessing"),
        ((0.25, 0.22, 0.28), ". Slightly above chance, as if 6 % of"),
        ((0.27, 0.24, 0.30), ". Slightly above chance, as if 9 % of"),
        ((0.29, 0.26, 0.32), ". Clearly above chance, as if 11 % of"),
        ((0.43, 0.40, 0.46), ". Clearly above chance, as if 29 % of"),
        ((0.45, 0.42, 0.48), ". Far above chance, as if 31 % of"),
        ((0.60, 0.57, 0.63), ". Far above chance, as if 50 % of"),
    ],
)
def test_the_verdict_follows_the_interval_and_the_size_of_the_effect(figure: tuple[float, float, float], said: str) -> None:
    """Below chance, holding it, or above it: slightly below 10 % of the answers given away, far from 30 % on."""
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
