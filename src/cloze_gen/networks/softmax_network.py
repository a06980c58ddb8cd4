"""What all networks share that end in a class softmax: their state before a word tells every word's probability."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np

from cloze_gen.networks.adagrad import Floats
from cloze_gen.networks.class_softmax import ClassSoftmax
from cloze_gen.networks.word_classes import Ids


class SoftmaxNetwork(ABC):
    """A network with the states of a passage; `stages.models.network_training.NeuralModel` says what it is asked.

    Args:
        weights: of the network's own `fresh_*`; they change only in `learn`.
        bounds: of the classes of words.
    """

    def __init__(self, weights: Mapping[str, Floats], bounds: Ids) -> None:
        self._weights = weights
        self._output = ClassSoftmax(weights, bounds)

    @abstractmethod
    def states(self, ids: Ids, lengths: Ids) -> Floats:
        """States before each passage's last word, shape (n, hidden); arguments as `log_probs`."""

    def log_probs(self, ids: Ids, lengths: Ids) -> Floats:
        """ln P(last word | the words before it) of each passage, shape (n,).

        Args:
            ids: the passages' words one after the other, shape (the sum of the lengths,).
            lengths: shape (n,), each at least 2.
        """
        return self._output.log_probs(self.states(ids, lengths), ids[np.cumsum(lengths) - 1])

    def all_log_probs(self, ids: Ids, lengths: Ids) -> Floats:
        """ln P(word | the words before the last) of every word of the vocabulary, shape (n, words); arguments as `log_probs`."""
        return self._output.all_log_probs(self.states(ids, lengths))
