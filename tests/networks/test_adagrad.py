"""The optimizer."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.networks.adagrad import LONGEST, Adagrad, fresh_squares


def moved(weights: dict[str, np.ndarray], *, tables: tuple[str, ...] = ()) -> Adagrad:
    return Adagrad(weights, fresh_squares(weights, tables=tables), rate=0.1)


def test_steps_shrink_as_a_weight_moves() -> None:
    """The same gradient twice: the second step is the first over the root of two, whatever the gradient's size."""
    weights = {"w": np.zeros(2, np.float32)}
    optimizer = moved(weights)
    optimizer.move("w", np.array([0.1, -0.01], np.float32))
    assert weights["w"] == pytest.approx([-0.1, 0.1], rel=0.01)
    optimizer.move("w", np.array([0.1, -0.01], np.float32))
    assert weights["w"] == pytest.approx([-0.1 - 0.1 / 2**0.5, 0.1 + 0.1 / 2**0.5], rel=0.01)


def test_a_row_shares_one_step() -> None:
    """Its gradient keeps its direction; rows that are not named stay where they are."""
    weights = {"t": np.zeros((3, 2), np.float32)}
    moved(weights, tables=("t",)).move_rows("t", np.array([2]), np.array([[0.3, 0.1]], np.float32))
    assert weights["t"][2] == pytest.approx([-0.1 * 0.3 / 0.05**0.5, -0.1 * 0.1 / 0.05**0.5], rel=0.01)
    assert not weights["t"][:2].any()


def test_a_gradient_that_is_too_long_is_cut() -> None:
    """A thousand times the bound counts, in the sums of squares, as the bound; one within it as it is."""
    weights = {"w": np.zeros(1, np.float32)}
    optimizer = moved(weights)
    optimizer.move("w", np.array([1000 * LONGEST], np.float32))
    assert optimizer.squares["w"][0] == pytest.approx(LONGEST**2, rel=0.01)
    optimizer.move("w", np.array([0.5 * LONGEST], np.float32))
    assert optimizer.squares["w"][0] == pytest.approx(1.25 * LONGEST**2, rel=0.01)
