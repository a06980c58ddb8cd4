"""Continuous bag of words (Mikolov et al. 2013): vectors of words, learnt by telling a word from the mean of those around it.

The window is of a fixed size and ends where the sentence does. The word is told by a softmax over classes and their words, where Mikolov's
program takes a tree of binary choices or a sample of wrong words: the three differ in what a step costs, and this one has probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse

from cloze_gen.networks.adagrad import Adagrad, Floats
from cloze_gen.networks.class_softmax import ClassSoftmax, fresh_output
from cloze_gen.networks.word_classes import Ids
from cloze_gen.networks.word_vectors import VECTORS, fresh_weights, passage_vectors
from cloze_gen.text.word_ids import SEPARATOR

WINDOW = 5  # words on each side, as Mikolov's program has it by default
# Of the optimizer's sums of squares: a word has a tenth of the gradient of each word that it stands around, some 1e-5; beside 1e-6, the
# square of 1e-3, the vectors of all but the commonest words would stay as they were drawn.
START = 1e-9
_AT_ONCE = 256  # passages; their cosines with 60,000 words, 60 MB, are held twice
_SHORTEST = np.float32(1e-12)


def fresh_cbow(bounds: Ids, *, vector: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Weights of vectors that have not been trained: `vector` numbers a word, and an output over the classes."""
    return {VECTORS: fresh_weights((int(bounds[-1]), vector), rng, spread=0.1), **fresh_output(bounds, vector)}


class CbowNetwork:
    """Vectors of words, and P(word | passage) from cosines.

    The paper's unsupervised baseline gives "the target word ... by cosine similarity between the passage vector and the target word vector"
    (LAMBADA 4), the passage's vector being the sum of its words'. *Read:* the probability is a softmax of the cosines as they stand.
    Cosines lie within two of each other, so every word is about as likely, as in the paper, whose perplexity of 57,040 is nearly that of
    60,000 equal words.

    Args:
        weights: of `fresh_cbow`; they change only in `learn`.
        bounds: of the classes of words.
    """

    lead = 2 * WINDOW  # words of a block that are not told: half of them stand behind the last that is

    def __init__(self, weights: Mapping[str, Floats], bounds: Ids) -> None:
        self._weights = weights
        self._output = ClassSoftmax(weights, bounds)
        self._directions: Floats | None = None

    def forget(self) -> None:
        """Nothing is held between blocks."""

    def learn(self, block: Ids, optimizer: Adagrad) -> float:
        """Learn to tell the words in the middle of a block from those around; ends of sentences, and words that stand alone, are not told.

        Args:
            block: shape (streams, lead + steps).
        Returns:
            the mean of -ln P(word) before; 0 where there is no word to tell.
        """
        windows = np.lib.stride_tricks.sliding_window_view(block, self.lead + 1, axis=1).reshape(-1, self.lead + 1)
        around = neighbours(windows)
        told = around.any(axis=1)
        if not told.any():
            return 0.0
        windows, around = windows[told], around[told]
        counts = around.sum(axis=1)
        rows, place = np.unique(windows[around], return_inverse=True)
        shares = np.repeat((1 / counts).astype(np.float32), counts)
        matrix = sparse.csr_array((shares, place, np.concatenate([[0], np.cumsum(counts)])), shape=(len(windows), len(rows)))
        states = np.asarray(matrix @ self._weights[VECTORS][rows])
        loss, by_states = self._output.learn(states, windows[:, WINDOW], optimizer)
        optimizer.move_rows(VECTORS, rows, np.asarray(matrix.T @ by_states))
        return loss

    def log_probs(self, ids: Ids, lengths: Ids) -> Floats:
        """ln P(last word | the words before it) of each passage, shape (n,).

        Args:
            ids: the passages' words one after the other, shape (the sum of the lengths,).
            lengths: shape (n,), each at least 2.
        """
        states, targets = self._states(ids, lengths), ids[np.cumsum(lengths) - 1]
        result = np.empty(len(lengths), np.float32)
        for first in range(0, len(lengths), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            result[part] = np.take_along_axis(self._softmax(states[part]), targets[part, None], axis=1)[:, 0]
        return result

    def all_log_probs(self, ids: Ids, lengths: Ids) -> Floats:
        """ln P(word | the words before the last) of every word of the vocabulary, shape (n, words); arguments as `log_probs`."""
        return self._softmax(self._states(ids, lengths))

    def _states(self, ids: Ids, lengths: Ids) -> Floats:
        return _directions(passage_vectors(self._weights[VECTORS], ids, lengths))

    def _softmax(self, states: Floats) -> Floats:
        if self._directions is None:
            self._directions = _directions(self._weights[VECTORS])
        cosines: Floats = states @ self._directions.T
        cosines -= np.log(np.exp(cosines).sum(axis=1, keepdims=True))
        return cosines


def neighbours(windows: Ids) -> np.ndarray:
    """Which words of each window stand around its middle one, in the same sentence; shape (n, 2 * WINDOW + 1), bool.

    None do of an end of a sentence.
    """
    ends = windows == SEPARATOR
    sentence = np.cumsum(ends, axis=1)
    same = (sentence == sentence[:, WINDOW, None]) & ~ends & ~ends[:, WINDOW, None]
    same[:, WINDOW] = False
    return same


def _directions(vectors: Floats) -> Floats:
    """Vectors of length one; one of length zero stays as it is."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return vectors / np.maximum(lengths, _SHORTEST)[:, None]
