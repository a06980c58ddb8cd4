"""Continuous bags of words: unsupervised (Mikolov et al. 2013) and supervised (LAMBADA 4)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse

from cloze_gen.corpus.arrays import SEPARATOR
from cloze_gen.models.network_layers import (
    VECTORS,
    Adagrad,
    ClassSoftmax,
    Floats,
    Ids,
    SoftmaxNetwork,
    fresh_output,
    fresh_weights,
    passage_vectors,
)
from cloze_gen.models.network_training import PassageBlock

WINDOW = 5  # words on each side, as Mikolov's program has it by default
# Adagrad's initial sums: gradients of context words are near 1e-5, so with the default 1e-6 most
# vectors would hardly move.
START = 1e-9
_AT_ONCE = 256  # passages; their cosines with 60,000 words, 60 MB, are held twice
_SHORTEST = np.float32(1e-12)


def fresh_cbow(bounds: Ids, *, vector: int, rng: np.random.Generator) -> dict[str, Floats]:
    return {
        VECTORS: fresh_weights((int(bounds[-1]), vector), rng, spread=0.1),
        **fresh_output(bounds, vector),
    }


class CbowNetwork:
    """Word vectors, and P(word | passage) from cosines.

    "The target word ... by cosine similarity between the passage vector and the target word vector"
    (LAMBADA 4). Our reading: a softmax of the raw cosines, nearly even, as in the paper, whose
    perplexity of 57,040 is near that of 60,000 equal words.
    """

    lead = 2 * WINDOW  # words of a block that are not predicted, half of them at its end

    def __init__(self, weights: Mapping[str, Floats], bounds: Ids) -> None:
        self._weights = weights
        self._output = ClassSoftmax(weights, bounds)
        self._directions: Floats | None = None

    def forget(self) -> None:
        """Does nothing: no state is kept between blocks."""

    def learn(self, block: Ids, optimizer: Adagrad) -> float:
        """Learn to predict middle words of a block; returns the mean of -ln P(word) before.

        The block has shape (streams, lead + steps); sentence ends and lone words are skipped.
        """
        windows = np.lib.stride_tricks.sliding_window_view(block, self.lead + 1, axis=1).reshape(
            -1, self.lead + 1
        )
        around = neighbours(windows)
        has_context = around.any(axis=1)
        if not has_context.any():
            return 0.0
        windows, around = windows[has_context], around[has_context]
        counts = around.sum(axis=1)
        rows, place = np.unique(windows[around], return_inverse=True)
        shares = np.repeat((1 / counts).astype(np.float32), counts)
        matrix = sparse.csr_array(
            (shares, place, np.concatenate([[0], np.cumsum(counts)])),
            shape=(len(windows), len(rows)),
        )
        states = np.asarray(matrix @ self._weights[VECTORS][rows])
        loss, by_states = self._output.learn(states, windows[:, WINDOW], optimizer)
        optimizer.move_rows(VECTORS, rows, np.asarray(matrix.T @ by_states))
        return loss

    def log_probs(self, ids: Ids, lengths: Ids) -> Floats:
        states, targets = self._states(ids, lengths), ids[np.cumsum(lengths) - 1]
        result = np.empty(len(lengths), np.float32)
        for first in range(0, len(lengths), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            result[part] = np.take_along_axis(
                self._softmax(states[part]), targets[part, None], axis=1
            )[:, 0]
        return result

    def all_log_probs(self, ids: Ids, lengths: Ids) -> Floats:
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
    """Words in the sentence of the middle word, itself excluded; bool, shape of `windows`."""
    ends = windows == SEPARATOR
    sentence = np.cumsum(ends, axis=1)
    same = (sentence == sentence[:, WINDOW, None]) & ~ends & ~ends[:, WINDOW, None]
    same[:, WINDOW] = False
    return same


def _directions(vectors: Floats) -> Floats:
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return vectors / np.maximum(lengths, _SHORTEST)[:, None]


def fresh_supervised_cbow(
    vectors: Floats, bounds: Ids, *, hidden: int, rng: np.random.Generator
) -> dict[str, Floats]:
    width = vectors.shape[1]
    return {
        VECTORS: vectors,
        "input": np.concatenate(
            [fresh_weights((width, hidden), rng), np.zeros((1, hidden), np.float32)]
        ),
        **fresh_output(bounds, hidden),
    }


class SupervisedCbowNetwork(SoftmaxNetwork):
    """P(word | the words of the passage before it, unordered); the vectors are never changed.

    "A bag-of-word representation of the passage" (LAMBADA 4). Our reading: one hidden layer over
    the mean of the vectors; a sum would mainly show the passage's length.
    """

    def forget(self) -> None:
        """Does nothing: no state is kept between blocks."""

    def learn(self, block: PassageBlock, optimizer: Adagrad) -> float:
        """Learn to predict last words; returns the mean of -ln P(last word) before."""
        inputs, states = self._layer(block.ids, block.lengths)
        loss, by_states = self._output.learn(
            states, block.ids[np.cumsum(block.lengths) - 1], optimizer
        )
        optimizer.move("input", inputs.T @ (by_states * (1 - states * states)))
        return loss

    def states(self, ids: Ids, lengths: Ids) -> Floats:
        return self._layer(ids, lengths)[1]

    def _layer(self, ids: Ids, lengths: Ids) -> tuple[Floats, Floats]:
        vectors = passage_vectors(self._weights[VECTORS], ids, lengths)
        inputs = np.concatenate([vectors, np.ones((len(vectors), 1), np.float32)], axis=1)
        return inputs, np.tanh(inputs @ self._weights["input"])
