"""Supervised CBOW (LAMBADA 4): the words of a passage as one bag of ready-made vectors, and a network that tells the last word from it."""

from __future__ import annotations

import numpy as np

from cloze_gen.networks.adagrad import Adagrad, Floats
from cloze_gen.networks.class_softmax import fresh_output
from cloze_gen.networks.passages import PassageBlock
from cloze_gen.networks.softmax_network import SoftmaxNetwork
from cloze_gen.networks.word_classes import Ids
from cloze_gen.networks.word_vectors import VECTORS, fresh_weights, passage_vectors


def fresh_supervised_cbow(vectors: Floats, bounds: Ids, *, hidden: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Weights of an untrained network over vectors that are ready: a layer of `hidden` units, an output over the classes.

    Args:
        vectors: shape (words, width), of the same vocabulary.
    """
    width = vectors.shape[1]
    return {
        VECTORS: vectors,
        "input": np.concatenate([fresh_weights((width, hidden), rng), np.zeros((1, hidden), np.float32)]),
        **fresh_output(bounds, hidden),
    }


class SupervisedCbowNetwork(SoftmaxNetwork):
    """P(word | the words of the passage before it, in no order).

    "A simple neural network that takes as input a bag-of-word representation of the passage and attempts to predict the final word"
    (LAMBADA 4). *Read:* one hidden layer; the vectors stay as they are; their mean, for a sum would tell of the passage's length first.

    Args:
        weights: of `fresh_supervised_cbow`; they change only in `learn`, the vectors never.
        bounds: of the classes of words.
    """

    def forget(self) -> None:
        """Nothing is held between blocks."""

    def learn(self, block: PassageBlock, optimizer: Adagrad) -> float:
        """Learn to tell the last words of some passages.

        Returns:
            the mean of -ln P(last word) before.
        """
        inputs, states = self._layer(block.ids, block.lengths)
        loss, by_states = self._output.learn(states, block.ids[np.cumsum(block.lengths) - 1], optimizer)
        optimizer.move("input", inputs.T @ (by_states * (1 - states * states)))
        return loss

    def states(self, ids: Ids, lengths: Ids) -> Floats:
        """The layer over the mean of a passage's vectors."""
        return self._layer(ids, lengths)[1]

    def _layer(self, ids: Ids, lengths: Ids) -> tuple[Floats, Floats]:
        """Inputs, a last column of ones with them, and states, shape (n, hidden)."""
        vectors = passage_vectors(self._weights[VECTORS], ids, lengths)
        inputs = np.concatenate([vectors, np.ones((len(vectors), 1), np.float32)], axis=1)
        return inputs, np.tanh(inputs @ self._weights["input"])
