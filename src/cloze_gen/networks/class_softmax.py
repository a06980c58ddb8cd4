"""The output of a network: P(word | state) = P(class | state) P(word | class, state).

Classes are runs of consecutive word numbers (`word_classes`), so the words of one class are a slice of the table and nothing is copied.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from cloze_gen.networks.adagrad import Adagrad, Floats
from cloze_gen.networks.word_classes import Ids

TABLES = ("class_weights", "word_weights")


def fresh_output(bounds: Ids, width: int) -> dict[str, Floats]:
    """Weights of an output that knows nothing: all zero, every class and every word of a class being as likely.

    Returns:
        `class_weights`, shape (classes, width + 1), and `word_weights`, (words, width + 1), the last column being the bias; `bounds`
        as given is no weight.
    """
    return {
        "class_weights": np.zeros((len(bounds) - 1, width + 1), np.float32),
        "word_weights": np.zeros((int(bounds[-1]), width + 1), np.float32),
    }


class ClassSoftmax:
    """Probabilities of words after states of a network.

    Args:
        weights: with those of `fresh_output`; they may be memory-mapped, and change only in `learn`.
        bounds: of the classes, shape (classes + 1,).
    """

    def __init__(self, weights: Mapping[str, Floats], bounds: Ids) -> None:
        self._weights = weights
        self._bounds = bounds
        self._class_of = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))

    def log_probs(self, states: Floats, words: Ids) -> Floats:
        """ln P(word | state), shape (n,), of states of shape (n, width) and a word each."""
        states, classes = _with_ones(states), self._class_of[words]
        result = _log_softmax(states @ self._weights["class_weights"].T)[np.arange(len(words)), classes]
        for rows, span in self._by_class(classes):
            logits = _log_softmax(states[rows] @ self._weights["word_weights"][span].T)
            result[rows] += logits[np.arange(len(rows)), words[rows] - span.start]
        return result

    def all_log_probs(self, states: Floats) -> Floats:
        """ln P(word | state) of every word, shape (n, words); exp of a row sums to one."""
        states = _with_ones(states)
        logits = states @ self._weights["word_weights"].T
        starts = self._bounds[:-1]
        logits -= np.maximum.reduceat(logits, starts, axis=1)[:, self._class_of]
        sums = np.log(np.add.reduceat(np.exp(logits), starts, axis=1))
        logits += (_log_softmax(states @ self._weights["class_weights"].T) - sums)[:, self._class_of]
        return logits

    def learn(self, states: Floats, words: Ids, optimizer: Adagrad) -> tuple[float, Floats]:
        """Move the weights towards the words.

        Returns:
            the mean of -ln P(word | state) before the move, and its gradient by the states, shape (n, width).
        """
        states, classes, n = _with_ones(states), self._class_of[words], np.float32(len(words))
        every = np.arange(len(words))
        log_probs = _log_softmax(states @ self._weights["class_weights"].T)
        loss = -float(log_probs[every, classes].sum(dtype=np.float64))
        errors = np.exp(log_probs)
        errors[every, classes] -= 1
        errors /= n
        gradient = errors @ self._weights["class_weights"]
        optimizer.move_rows("class_weights", slice(None), errors.T @ states)
        for rows, span in self._by_class(classes):
            own, table = states[rows], self._weights["word_weights"][span]
            log_probs = _log_softmax(own @ table.T)
            at = np.arange(len(rows)), words[rows] - span.start
            loss -= float(log_probs[at].sum(dtype=np.float64))
            errors = np.exp(log_probs)
            errors[at] -= 1
            errors /= n
            gradient[rows] += errors @ table
            optimizer.move_rows("word_weights", span, errors.T @ own)
        return loss / len(words), gradient[:, :-1]

    def _by_class(self, classes: Ids) -> Iterator[tuple[NDArray[np.int64], slice]]:
        """The rows of each class that occurs, and its words; a class of one word is passed over, for P(word | class) is one."""
        order = np.argsort(classes, kind="stable")
        found, starts = np.unique(classes[order], return_index=True)
        for one, (start, stop) in zip(found.tolist(), itertools.pairwise([*starts.tolist(), len(classes)]), strict=True):
            first, last = int(self._bounds[one]), int(self._bounds[one + 1])
            if last - first > 1:
                yield order[start:stop], slice(first, last)


def _with_ones(states: Floats) -> Floats:
    """The states with a last column of ones, which the bias is multiplied by."""
    return np.concatenate([states, np.ones((len(states), 1), np.float32)], axis=1)


def _log_softmax(logits: Floats) -> Floats:
    logits = logits - logits.max(axis=1, keepdims=True)
    logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return logits
