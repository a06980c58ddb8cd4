"""How well a sentence goes with what stands around a blank."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.scde.steps.coherence import coherence


@given(st.integers(1, 8), st.integers(1, 3), st.integers(0, 2**32), st.data())
def test_coherence_is_the_mean_over_the_sides_that_exist(sentences: int, candidates: int, seed: int, data: st.DataObject) -> None:
    """Other blanks are skipped; 0 where no sentence is shown."""
    behind, before = np.random.default_rng(seed).uniform(-1, 1, (2, sentences, candidates))
    blanks = sorted(data.draw(st.sets(st.integers(0, sentences - 1), min_size=1)))
    found = coherence(behind, before, np.array([blanks]))
    assert found.shape == (1, len(blanks), candidates)
    for b, blank in enumerate(blanks):
        last = [i for i in range(blank) if i not in blanks][-1:]
        following = [i for i in range(blank + 1, sentences) if i not in blanks][:1]
        sides = [*(behind[i] for i in last), *(before[i] for i in following)]
        assert found[0, b] == pytest.approx(np.mean(sides, axis=0) if sides else np.zeros(candidates))


def test_each_draw_is_by_itself() -> None:
    """Several draws at once are what each is alone."""
    behind, before = np.random.default_rng(1).uniform(-1, 1, (2, 7, 3))
    draws = np.array([[0, 2], [3, 4], [5, 6]])
    together = coherence(behind, before, draws)
    assert together == pytest.approx(np.concatenate([coherence(behind, before, draws[i : i + 1]) for i in range(3)]))
