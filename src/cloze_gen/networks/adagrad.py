"""Adagrad (Duchi et al. 2011): every weight has a step of its own, smaller the more it has moved.

Of a table, which has a row a word, a whole row shares one step: a third of the memory and of the time, and rare words still take large
steps when they come.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
LONGEST = 0.25  # of a matrix's gradient: one odd batch does not throw a network off
START = 1e-6  # of the sums of squares; gradients are means over a batch, some 1e-3


def fresh_squares(weights: Mapping[str, Floats], *, tables: Collection[str], start: float = START) -> dict[str, Floats]:
    """Sums of squares of weights that have not moved; `tables` are the names of those that have a row a word.

    Args:
        start: the first of them: what a gradient must come up to before its steps are full ones.
    """
    return {name: np.full(len(weight) if name in tables else weight.shape, start, np.float32) for name, weight in weights.items()}


class Adagrad:
    """Moves weights, in place.

    Args:
        weights: name -> float32 array, changed by every call.
        squares: of `fresh_squares`, or as an earlier optimizer left them; changed too.

    Attributes:
        squares: name -> the sums of squares so far, float32, of the shape of the weights; of a table, shape (rows,).
        rate: size of a step of a weight that has just begun to move.
    """

    def __init__(self, weights: Mapping[str, Floats], squares: Mapping[str, Floats], *, rate: float) -> None:
        self._weights = weights
        self.squares = squares
        self.rate = rate

    def move(self, name: str, gradient: Floats) -> None:
        """Move all weights of one name against their gradient, of the same shape; one longer than `LONGEST` is cut to that."""
        length = float(np.sqrt(np.vdot(gradient, gradient)))
        if length > LONGEST:
            gradient = gradient * np.float32(LONGEST / length)
        squares = self.squares[name]
        squares += gradient * gradient
        self._weights[name] -= np.float32(self.rate) * gradient / np.sqrt(squares)

    def move_rows(self, name: str, rows: slice | NDArray[np.int64], gradient: Floats) -> None:
        """Move some rows of a table, each named once; the gradient has shape (rows, width)."""
        squares = self.squares[name]
        squares[rows] += np.einsum("ij,ij->i", gradient, gradient) / np.float32(gradient.shape[1])
        steps = np.float32(self.rate) / np.sqrt(squares[rows])
        self._weights[name][rows] -= steps[:, None] * gradient
