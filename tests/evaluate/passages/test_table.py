"""The table of passages."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.evaluate.passages.metrics import TargetScores, measure
from cloze_gen.evaluate.passages.table import chance_row, model_row, rule_row, table_text, untold_row
from cloze_gen.rng import derive_rng

MODEL = model_row("n-gram", measure(TargetScores.by_rank(np.array([-2.0]), np.array([1.0]), np.array([True]))), source="LAMBADA 4")
RANDOM = chance_row("random word", np.array([0.25]))


def test_rows_of_all_kinds_have_the_same_columns() -> None:
    """A row says nothing where a measure has no meaning; what cannot be measured says why besides."""
    rule = rule_row("last name", np.array([True, False]), interval=(0.1, 0.9))
    untold = untold_row("last name", "rule", 7, "no case")
    assert set(MODEL) == set(RANDOM) == set(rule) == set(untold) - {"note"}
    assert (rule["accuracy"], rule["correct"], rule["perplexity"]) == (0.5, 1, None)
    assert (untold["n"], untold["accuracy"], untold["note"]) == (7, None, "no case")


def test_the_sets_stand_side_by_side() -> None:
    """A line a baseline, its figures of each set in the set's own block; a baseline that one set lacks leaves its block empty."""
    rows = [RANDOM | {"set": "passages"}, MODEL | {"set": "passages"}, MODEL | {"set": "control", "accuracy": 0.5}]
    sets, head, first, second = table_text(rows).splitlines()
    assert sets.split() == ["passages", "(n", "=", "1)", "control", "(n", "=", "1)"]
    assert head.count("perplexity") == 2
    assert first.split() == ["random", "word", "25.00", "0.00", "-", "100.00", "-", "-", "-", "-"]
    assert second.split()[1] == "100.00"
    assert second[len(head) - (len(head) - len("baseline   ")) // 2 :].split()[0] == "50.00"


def test_what_was_not_measured_is_named_once() -> None:
    """One line below the table for each reason."""
    rows = [
        untold_row(name, "rule", 1, "no case") | {"set": one} for one in ("passages", "control") for name in ("last name", "first name")
    ]
    assert table_text(rows).splitlines()[-1] == "no case: last name, first name"


def test_the_interval_holds_what_drawing_gives() -> None:
    """Of 300 sets of draws about 95 % lie within it."""
    probs = np.linspace(0, 0.5, 200)
    row = chance_row("random word", probs)
    drawn = [(derive_rng(1, "test", str(n)).random(200) < probs).mean() for n in range(300)]
    assert np.mean([row["low"] <= share <= row["high"] for share in drawn]) == pytest.approx(0.95, abs=0.04)


def test_of_nothing_there_is_no_expectation() -> None:
    """An empty set has a row all the same."""
    row = chance_row("random word", np.zeros(0))
    assert (row["n"], row["accuracy"], row["low"], row["high"]) == (0, None, 0.0, 1.0)
