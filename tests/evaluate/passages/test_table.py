"""The table of passages."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.evaluate.passages.metrics import TargetScores, measure
from cloze_gen.evaluate.passages.table import chance_row, model_row, table_text
from cloze_gen.rng import derive_rng


def test_rows_of_both_kinds_have_the_same_columns() -> None:
    """A chance row says nothing where a measure has no meaning; a line a row, the head first."""
    row = model_row("n-gram", measure(TargetScores(np.array([-2.0]), np.array([1.0]), np.array([True]))), source="LAMBADA 4")
    chance = chance_row("random word", np.array([0.25]))
    assert set(row) == set(chance)
    head, first, second = table_text([chance, row]).splitlines()
    assert first.split()[-5:] == ["1", "-", "-", "-", "-"]
    assert second.split()[-5:] == ["1", "100", "100", "1", "100.0%"]
    assert len(head) == len(first) == len(second)


def test_the_interval_holds_what_drawing_gives() -> None:
    """Of 300 sets of draws about 95 % lie within it."""
    probs = np.linspace(0, 0.5, 200)
    row = chance_row("random word", probs)
    drawn = [(derive_rng(1, "test", str(n)).random(200) < probs).mean() for n in range(300)]
    assert np.mean([row["low"] <= share <= row["high"] for share in drawn]) == pytest.approx(0.95, abs=0.04)


def test_of_nothing_there_is_no_expectation() -> None:
    """An empty set has a row all the same."""
    row = chance_row("random word", np.zeros(0))
    assert row["n"] == 0
    assert np.isnan(row["accuracy"])
