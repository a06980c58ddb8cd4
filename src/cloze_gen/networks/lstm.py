"""A layer of long short-term memory (Hochreiter & Schmidhuber 1997, with the forget gate of Gers et al. 2000), forwards and backwards.

One matrix makes the four gates of a step from its input and the state before it; the columns are: input, forget and output gate, and what
may be written to the cell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cloze_gen.networks.adagrad import Floats

_HALF = np.float32(0.5)


@dataclass(frozen=True, slots=True)
class Steps:
    """What a run of the layer over some steps leaves, for the way back.

    Attributes:
        gates: shape (steps, batch, 4 * width), after their squashing.
        cells: (steps + 1, batch, width), the first being what was given.
        states: the same, what the layer tells.
    """

    gates: Floats
    cells: Floats
    states: Floats


def open_gates(gates: Floats) -> None:
    """Squash the gates in place: the first three to (0, 1), the last to (-1, 1); shape (batch, 4 * width).

    A sigmoid is a stretched tanh, and one tanh over all is the fastest that NumPy has.
    """
    sigmoid = gates[:, : gates.shape[1] // 4 * 3]
    sigmoid *= _HALF
    np.tanh(gates, out=gates)
    sigmoid *= _HALF
    sigmoid += _HALF


def step(gates: Floats, cells: Floats) -> tuple[Floats, Floats]:
    """Cells and states after a step, both of shape (batch, width), from its squashed gates and the cells before it."""
    write, keep, tell, new = np.split(gates, 4, axis=1)
    cells = keep * cells + write * new
    return cells, tell * np.tanh(cells)


def forwards(inputs: Floats, cells: Floats, states: Floats, recurrent: Floats) -> Steps:
    """Run the layer.

    Args:
        inputs: shape (steps, batch, 4 * width): the inputs' share of the gates, the bias in it; becomes the gates.
        cells, states: before the first step, shape (batch, width).
        recurrent: shape (width, 4 * width): the states' share of the gates.
    """
    n_steps = len(inputs)
    all_cells, all_states = (np.empty((n_steps + 1, *cells.shape), np.float32) for _ in range(2))
    all_cells[0], all_states[0] = cells, states
    for t, gates in enumerate(inputs):
        gates += all_states[t] @ recurrent
        open_gates(gates)
        all_cells[t + 1], all_states[t + 1] = step(gates, all_cells[t])
    return Steps(inputs, all_cells, all_states)


def backwards(steps: Steps, gradient: Floats, recurrent: Floats) -> Floats:
    """Gradient by the gates before their squashing, shape (steps, batch, 4 * width).

    Args:
        gradient: by the states after each step, shape (steps, batch, width); what comes back from later steps is added here.
    """
    result = np.empty_like(steps.gates)
    d_cells = np.zeros_like(steps.cells[0])
    d_states = np.zeros_like(d_cells)
    for t in range(len(gradient) - 1, -1, -1):
        write, keep, tell, new = np.split(steps.gates[t], 4, axis=1)
        told = np.tanh(steps.cells[t + 1])
        d_states += gradient[t]
        d_cells += d_states * tell * (1 - told * told)
        d_write, d_keep, d_tell, d_new = np.split(result[t], 4, axis=1)
        np.multiply(d_cells * new, write * (1 - write), out=d_write)
        np.multiply(d_cells * steps.cells[t], keep * (1 - keep), out=d_keep)
        np.multiply(d_states * told, tell * (1 - tell), out=d_tell)
        np.multiply(d_cells * write, 1 - new * new, out=d_new)
        d_cells *= keep
        d_states = result[t] @ recurrent.T
    return result
