"""A feed-forward language model (Bengio et al. 2003): the vectors of the last words, one hidden layer, a softmax over classes and words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cloze_gen.networks.adagrad import Adagrad, Floats
from cloze_gen.networks.class_softmax import fresh_output
from cloze_gen.networks.softmax_network import SoftmaxNetwork
from cloze_gen.networks.word_classes import Ids
from cloze_gen.networks.word_vectors import VECTORS, fresh_weights, learn_vectors
from cloze_gen.text.word_ids import SEPARATOR


def fresh_feedforward(bounds: Ids, *, history: int, vector: int, hidden: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Weights of an untrained network: vectors of the last `history` words, a layer of `hidden` units, an output over the classes."""
    return {
        VECTORS: fresh_weights((int(bounds[-1]), vector), rng, spread=0.1),
        "input": np.concatenate([fresh_weights((history * vector, hidden), rng), np.zeros((1, hidden), np.float32)]),
        **fresh_output(bounds, hidden),
    }


class FeedForwardNetwork(SoftmaxNetwork):
    """P(word | the last words before it).

    Args:
        weights: of `fresh_feedforward`; they change only in `learn`.
        bounds: of the classes of words.
    """

    def __init__(self, weights: Mapping[str, Floats], bounds: Ids) -> None:
        super().__init__(weights, bounds)
        self.lead = (len(weights["input"]) - 1) // weights[VECTORS].shape[1]

    def forget(self) -> None:
        """Nothing is held between blocks."""

    def learn(self, block: Ids, optimizer: Adagrad) -> float:
        """Learn to tell the words of a block from those before.

        Args:
            block: shape (streams, lead + steps).
        Returns:
            the mean of -ln P(word) before.
        """
        histories = np.lib.stride_tricks.sliding_window_view(block[:, :-1], self.lead, axis=1).reshape(-1, self.lead)
        inputs, states = self._layer(histories)
        loss, by_states = self._output.learn(states, block[:, self.lead :].reshape(-1), optimizer)
        by_layer = by_states * (1 - states * states)
        by_inputs = by_layer @ self._weights["input"][:-1].T
        optimizer.move("input", inputs.T @ by_layer)
        learn_vectors(histories.reshape(-1), by_inputs.reshape(histories.size, -1), optimizer)
        return loss

    def states(self, ids: Ids, lengths: Ids) -> Floats:
        """States before each passage's last word; before a passage stand ends of sentences."""
        lasts, back = np.cumsum(lengths) - 1, np.arange(self.lead, 0, -1)
        histories = np.where(back < lengths[:, None], ids[np.maximum(lasts[:, None] - back, 0)], SEPARATOR)
        return self._layer(histories)[1]

    def _layer(self, histories: Ids) -> tuple[Floats, Floats]:
        """Inputs, a last column of ones with them, and states, shape (n, hidden)."""
        vectors = self._weights[VECTORS][histories.reshape(-1)].reshape(len(histories), len(self._weights["input"]) - 1)
        inputs = np.concatenate([vectors, np.ones((len(vectors), 1), np.float32)], axis=1)
        return inputs, np.tanh(inputs @ self._weights["input"])
