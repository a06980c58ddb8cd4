"""A recurrent language model: word vectors, one layer of LSTM, a softmax over classes and their words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cloze_gen.networks import lstm
from cloze_gen.networks.adagrad import Adagrad, Floats
from cloze_gen.networks.class_softmax import fresh_output
from cloze_gen.networks.softmax_network import SoftmaxNetwork
from cloze_gen.networks.word_classes import Ids
from cloze_gen.networks.word_vectors import VECTORS, fresh_weights, learn_vectors

_READ_AT_ONCE = 512  # passages; their gates, 2 MB, stay near the processor


def fresh_recurrent(bounds: Ids, *, vector: int, hidden: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Weights of an untrained network: word vectors of `vector` numbers, a layer of `hidden` cells, an output over the classes."""
    bias = np.zeros((1, 4 * hidden), np.float32)
    bias[:, hidden : 2 * hidden] = 1  # forget gates begin open (Jozefowicz et al. 2015)
    return {
        VECTORS: fresh_weights((int(bounds[-1]), vector), rng, spread=0.1),
        "input": np.concatenate([fresh_weights((vector, 4 * hidden), rng), bias]),
        "recurrent": fresh_weights((hidden, 4 * hidden), rng),
        **fresh_output(bounds, hidden),
    }


class RecurrentNetwork(SoftmaxNetwork):
    """P(word | all words before it).

    Args:
        weights: of `fresh_recurrent`; they change only in `learn`.
        bounds: of the classes of words.

    Attributes:
        held: cells and states of the streams after the last block, each of shape (streams, hidden); None where they begin anew.
    """

    lead = 1  # words before the first of a block that `learn` asks for

    def __init__(self, weights: Mapping[str, Floats], bounds: Ids) -> None:
        super().__init__(weights, bounds)
        self._width = len(weights["recurrent"])
        self.held: tuple[Floats, Floats] | None = None

    def forget(self) -> None:
        """The next block of `learn` begins its streams anew."""
        self.held = None

    def learn(self, block: Ids, optimizer: Adagrad) -> float:
        """Learn to tell the words of a block from those before; the streams go on where the last block ended.

        Args:
            block: shape (streams, 1 + steps).
        Returns:
            the mean of -ln P(word) before.
        """
        read, told = block[:, :-1].T, block[:, 1:].T.reshape(-1)
        n_steps, n_streams = read.shape
        cells, states = self.held or self._silence(n_streams)
        inputs = self._with_ones(self._weights[VECTORS][read.reshape(-1)])
        gates = (inputs @ self._weights["input"]).reshape(n_steps, n_streams, -1)
        steps = lstm.forwards(gates, cells, states, self._weights["recurrent"])
        self.held = steps.cells[-1], steps.states[-1]
        loss, by_states = self._output.learn(steps.states[1:].reshape(-1, self._width), told, optimizer)
        by_gates = lstm.backwards(steps, by_states.reshape(n_steps, n_streams, -1), self._weights["recurrent"]).reshape(len(told), -1)
        by_inputs = by_gates @ self._weights["input"][:-1].T
        optimizer.move("input", inputs.T @ by_gates)
        optimizer.move("recurrent", steps.states[:-1].reshape(-1, self._width).T @ by_gates)
        learn_vectors(read.reshape(-1), by_inputs, optimizer)
        return loss

    def states(self, ids: Ids, lengths: Ids) -> Floats:
        """States before each passage's last word. The longest come first, so that those still being read are always the first rows."""
        order = np.argsort(-lengths, kind="stable")
        starts, steps = np.cumsum(lengths) - lengths, lengths - 1
        result = np.empty((len(lengths), self._width), np.float32)
        for first in range(0, len(lengths), _READ_AT_ONCE):
            rows = order[first : first + _READ_AT_ONCE]
            result[rows] = self._read(ids, starts[rows], steps[rows])
        return result

    def _read(self, ids: Ids, starts: Ids, steps: Ids) -> Floats:
        cells, states = self._silence(len(starts))
        vectors, matrix, recurrent = (self._weights[name] for name in (VECTORS, "input", "recurrent"))
        for t in range(int(steps[0])):
            n = int(np.searchsorted(-steps, -t, side="left"))
            gates = self._with_ones(vectors[ids[starts[:n] + t]]) @ matrix
            gates += states[:n] @ recurrent
            lstm.open_gates(gates)
            cells[:n], states[:n] = lstm.step(gates, cells[:n])
        return states

    def _silence(self, n: int) -> tuple[Floats, Floats]:
        return np.zeros((n, self._width), np.float32), np.zeros((n, self._width), np.float32)

    @staticmethod
    def _with_ones(inputs: Floats) -> Floats:
        return np.concatenate([inputs, np.ones((len(inputs), 1), np.float32)], axis=1)
