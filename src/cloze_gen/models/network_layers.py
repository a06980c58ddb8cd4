"""Parts of the networks: optimizer (Duchi et al. 2011), closed vocabulary, vectors, class softmax.

Word numbers are those of the training text: 0 ends a sentence, then the commonest first; a closed
vocabulary is a bound on the number. P(word | state) = P(class | state) P(word | class, state).
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cloze_gen.corpus.arrays import SEPARATOR

Floats = NDArray[np.float32]
LONGEST = 0.25  # clipping length of a matrix's gradient
START = 1e-6  # of the sums of squares; gradients are means over a batch, some 1e-3


VECTORS = "word_vectors"
TABLES = (VECTORS, "class_weights", "word_weights")  # learned by rows


class Adagrad:
    """Updates weights (name -> float32) in place; steps are full-sized beyond `START`.

    Of `TABLES` it keeps one sum of squares a row.
    """

    def __init__(self, weights: Mapping[str, Floats], *, rate: float) -> None:
        self._weights = weights
        self._squares = {
            name: np.full(len(weight) if name in TABLES else weight.shape, START, np.float32)
            for name, weight in weights.items()
        }
        self.rate = rate

    def move(self, name: str, gradient: Floats) -> None:
        """Update all weights of one name; a gradient longer than `LONGEST` is clipped."""
        length = float(np.sqrt(np.vdot(gradient, gradient)))
        if length > LONGEST:
            gradient = gradient * np.float32(LONGEST / length)
        squares = self._squares[name]
        squares += gradient * gradient
        self._weights[name] -= np.float32(self.rate) * gradient / np.sqrt(squares)

    def move_rows(self, name: str, rows: slice | NDArray[np.int64], gradient: Floats) -> None:
        """Update distinct rows of a table; the gradient has shape (rows, width)."""
        squares = self._squares[name]
        squares[rows] += np.einsum("ij,ij->i", gradient, gradient) / np.float32(gradient.shape[1])
        steps = np.float32(self.rate) / np.sqrt(squares[rows])
        self._weights[name][rows] -= steps[:, None] * gradient


Ids = NDArray[np.int64]


def close_ids(ids: NDArray[np.integer], size: int) -> Ids:
    """Closed vocabulary: words beyond the `size` commonest become `size` + 1, the unknown word.

    >>> close_ids(np.array([3, 0, 9]), 4)
    array([3, 0, 5])
    """
    return np.minimum(ids, size + 1).astype(np.int64)


def class_bounds(counts: NDArray[np.int64], n_classes: int) -> Ids:
    """Where each class of consecutive words begins, and the number of words; int64.

    Classes have equal sums of the square roots of `counts`, commonest first (Mikolov's rnnlm
    toolkit, `-class`, used by the paper's model); with plain counts the last would hold most words.

    >>> class_bounds(np.array([100, 4, 4, 1, 1, 1]), 3)
    array([0, 1, 6])
    """
    shares = np.cumsum(np.sqrt(np.maximum(counts, 1)))
    cuts = np.searchsorted(shares, shares[-1] * np.arange(1, n_classes) / n_classes, side="right")
    return np.unique(np.concatenate([[0], np.maximum(cuts, 1), [len(counts)]])).astype(np.int64)


def fresh_weights(
    shape: tuple[int, int], rng: np.random.Generator, *, spread: float | None = None
) -> Floats:
    """Uniform random weights, float32, up to `spread` (default: Glorot & Bengio 2010)."""
    spread = float(np.sqrt(6 / sum(shape))) if spread is None else spread
    return rng.uniform(-spread, spread, shape).astype(np.float32)


def learn_vectors(words: Ids, gradient: Floats, optimizer: Adagrad) -> None:
    """Update the vectors of words, which may repeat, by a gradient of shape (n, width)."""
    rows, place = np.unique(words, return_inverse=True)
    optimizer.move_rows(VECTORS, rows, summed(place, gradient, len(rows)))


def summed(place: NDArray[np.int64], values: Floats, n: int) -> Floats:
    """Sums of the rows with the same place, shape (n, width); ten times faster than `np.add.at`.

    >>> summed(np.array([1, 0, 1]), np.array([[1], [2], [4]], np.float32), 2).tolist()
    [[2.0], [5.0]]
    """
    ones = np.ones(len(place), np.float32)
    return np.asarray(
        sparse.csr_array((ones, (place, np.arange(len(place)))), shape=(n, len(place))) @ values
    )


def fresh_output(bounds: Ids, width: int) -> dict[str, Floats]:
    """Zero weights of classes and words, shapes (classes, width + 1) and (words, width + 1)."""
    return {
        "class_weights": np.zeros((len(bounds) - 1, width + 1), np.float32),
        "word_weights": np.zeros((int(bounds[-1]), width + 1), np.float32),
    }


class ClassSoftmax:
    """Probabilities of words given states of a network; weights as `fresh_output`."""

    def __init__(self, weights: Mapping[str, Floats], bounds: Ids) -> None:
        self._weights = weights
        self._bounds = bounds
        self._class_of = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))

    def log_probs(self, states: Floats, words: Ids) -> Floats:
        """ln P(word | state), shape (n,), for states of shape (n, width)."""
        states, classes = _with_ones(states), self._class_of[words]
        result = _log_softmax(states @ self._weights["class_weights"].T)[
            np.arange(len(words)), classes
        ]
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
        logits += (_log_softmax(states @ self._weights["class_weights"].T) - sums)[
            :, self._class_of
        ]
        return logits

    def learn(self, states: Floats, words: Ids, optimizer: Adagrad) -> tuple[float, Floats]:
        """Update; returns the mean of -ln P(word | state) before, and its gradient by states."""
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
        order = np.argsort(classes, kind="stable")
        found, starts = np.unique(classes[order], return_index=True)
        for one, (start, stop) in zip(
            found.tolist(), itertools.pairwise([*starts.tolist(), len(classes)]), strict=True
        ):
            first, last = int(self._bounds[one]), int(self._bounds[one + 1])
            if last - first > 1:
                yield order[start:stop], slice(first, last)


def _with_ones(states: Floats) -> Floats:
    return np.concatenate([states, np.ones((len(states), 1), np.float32)], axis=1)


def _log_softmax(logits: Floats) -> Floats:
    logits = logits - logits.max(axis=1, keepdims=True)
    logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return logits


class SoftmaxNetwork(ABC):
    """A network whose state before a word gives every word's probability.

    Words are numbers of the closed vocabulary; 0 is the end of a sentence. Passages are their words
    concatenated (`ids`) and their `lengths`, at least 2 each.

    Attributes:
        lead: words before the first predicted one of a block.
    """

    lead: int

    def __init__(self, weights: Mapping[str, Floats], bounds: Ids) -> None:
        self._weights = weights
        self._output = ClassSoftmax(weights, bounds)

    @abstractmethod
    def states(self, ids: Ids, lengths: Ids) -> Floats:
        """States before each passage's last word, shape (n, hidden)."""

    @abstractmethod
    def learn(self, block: Ids, optimizer: Adagrad) -> float:
        """Learn a block, shape (streams, lead + steps); returns the mean of -ln P(word) before."""

    @abstractmethod
    def forget(self) -> None:
        """Forget the state that is kept between blocks."""

    def log_probs(self, ids: Ids, lengths: Ids) -> Floats:
        """ln P(last word | the words before it) of each passage, shape (n,)."""
        return self._output.log_probs(self.states(ids, lengths), ids[np.cumsum(lengths) - 1])

    def all_log_probs(self, ids: Ids, lengths: Ids) -> Floats:
        """ln P(word | the words before the last) of every word, shape (n, words)."""
        return self._output.all_log_probs(self.states(ids, lengths))


# ---- an LSTM layer (Hochreiter & Schmidhuber 1997; forget gate of Gers et al

_HALF = np.float32(0.5)


@dataclass(frozen=True, slots=True)
class Steps:
    """Activations: `gates` (steps, batch, 4 * width), squashed; rest (steps + 1, batch, width)."""

    gates: Floats
    cells: Floats
    states: Floats


def open_gates(gates: Floats) -> None:
    """Squash gates (batch, 4 * width) in place: three to (0, 1), the last to (-1, 1)."""
    sigmoid = gates[:, : gates.shape[1] // 4 * 3]
    sigmoid *= _HALF
    np.tanh(gates, out=gates)
    sigmoid *= _HALF
    sigmoid += _HALF


def step(gates: Floats, cells: Floats) -> tuple[Floats, Floats]:
    """Cells and states, (batch, width), after a step from squashed gates and earlier cells."""
    write, keep, output, new = np.split(gates, 4, axis=1)
    cells = keep * cells + write * new
    return cells, output * np.tanh(cells)


def forwards(inputs: Floats, cells: Floats, states: Floats, recurrent: Floats) -> Steps:
    """Run the layer; `inputs`, shape (steps, batch, 4 * width), become the gates in place."""
    n_steps = len(inputs)
    all_cells, all_states = (np.empty((n_steps + 1, *cells.shape), np.float32) for _ in range(2))
    all_cells[0], all_states[0] = cells, states
    for t, gates in enumerate(inputs):
        gates += all_states[t] @ recurrent
        open_gates(gates)
        all_cells[t + 1], all_states[t + 1] = step(gates, all_cells[t])
    return Steps(inputs, all_cells, all_states)


def backwards(steps: Steps, gradient: Floats, recurrent: Floats) -> Floats:
    """Gradient by the unsquashed gates, (steps, batch, 4 * width), from that by the states."""
    result = np.empty_like(steps.gates)
    d_cells = np.zeros_like(steps.cells[0])
    d_states = np.zeros_like(d_cells)
    for t in range(len(gradient) - 1, -1, -1):
        write, keep, output, new = np.split(steps.gates[t], 4, axis=1)
        targets = np.tanh(steps.cells[t + 1])
        d_states += gradient[t]
        d_cells += d_states * output * (1 - targets * targets)
        d_write, d_keep, d_tell, d_new = np.split(result[t], 4, axis=1)
        np.multiply(d_cells * new, write * (1 - write), out=d_write)
        np.multiply(d_cells * steps.cells[t], keep * (1 - keep), out=d_keep)
        np.multiply(d_states * targets, output * (1 - output), out=d_tell)
        np.multiply(d_cells * write, 1 - new * new, out=d_new)
        d_cells *= keep
        d_states = result[t] @ recurrent.T
    return result


# ---- A recurrent language model

_READ_AT_ONCE = 512  # passages; their gates, 2 MB, stay near the processor


def fresh_recurrent(
    bounds: Ids, *, vector: int, hidden: int, rng: np.random.Generator
) -> dict[str, Floats]:
    bias = np.zeros((1, 4 * hidden), np.float32)
    bias[:, hidden : 2 * hidden] = 1  # forget gates begin open (Jozefowicz et al. 2015)
    return {
        VECTORS: fresh_weights((int(bounds[-1]), vector), rng, spread=0.1),
        "input": np.concatenate([fresh_weights((vector, 4 * hidden), rng), bias]),
        "recurrent": fresh_weights((hidden, 4 * hidden), rng),
        **fresh_output(bounds, hidden),
    }


class RecurrentNetwork(SoftmaxNetwork):
    """P(word | all words before it); `held`: cells and states of the streams, or None."""

    lead = 1

    def __init__(self, weights: Mapping[str, Floats], bounds: Ids) -> None:
        super().__init__(weights, bounds)
        self._width = len(weights["recurrent"])
        self.held: tuple[Floats, Floats] | None = None

    def forget(self) -> None:
        self.held = None

    def learn(self, block: Ids, optimizer: Adagrad) -> float:
        """Begins with the state after the last block."""
        read, targets = block[:, :-1].T, block[:, 1:].T.reshape(-1)
        n_steps, n_streams = read.shape
        cells, states = self.held or self._silence(n_streams)
        inputs = _with_ones(self._weights[VECTORS][read.reshape(-1)])
        gates = (inputs @ self._weights["input"]).reshape(n_steps, n_streams, -1)
        steps = forwards(gates, cells, states, self._weights["recurrent"])
        self.held = steps.cells[-1], steps.states[-1]
        loss, by_states = self._output.learn(
            steps.states[1:].reshape(-1, self._width), targets, optimizer
        )
        by_gates = backwards(
            steps, by_states.reshape(n_steps, n_streams, -1), self._weights["recurrent"]
        ).reshape(len(targets), -1)
        by_inputs = by_gates @ self._weights["input"][:-1].T
        optimizer.move("input", inputs.T @ by_gates)
        optimizer.move("recurrent", steps.states[:-1].reshape(-1, self._width).T @ by_gates)
        learn_vectors(read.reshape(-1), by_inputs, optimizer)
        return loss

    def states(self, ids: Ids, lengths: Ids) -> Floats:
        """States before each passage's last word; longest first, so active rows are a prefix."""
        order = np.argsort(-lengths, kind="stable")
        starts, steps = np.cumsum(lengths) - lengths, lengths - 1
        result = np.empty((len(lengths), self._width), np.float32)
        for first in range(0, len(lengths), _READ_AT_ONCE):
            rows = order[first : first + _READ_AT_ONCE]
            result[rows] = self._read(ids, starts[rows], steps[rows])
        return result

    def _read(self, ids: Ids, starts: Ids, steps: Ids) -> Floats:
        cells, states = self._silence(len(starts))
        vectors, matrix, recurrent = (
            self._weights[name] for name in (VECTORS, "input", "recurrent")
        )
        for t in range(int(steps[0])):
            n = int(np.searchsorted(-steps, -t, side="left"))
            gates = _with_ones(vectors[ids[starts[:n] + t]]) @ matrix
            gates += states[:n] @ recurrent
            open_gates(gates)
            cells[:n], states[:n] = step(gates, cells[:n])
        return states

    def _silence(self, n: int) -> tuple[Floats, Floats]:
        return np.zeros((n, self._width), np.float32), np.zeros((n, self._width), np.float32)


# ---- A feed-forward language model (Bengio et al


def fresh_feedforward(
    bounds: Ids, *, history: int, vector: int, hidden: int, rng: np.random.Generator
) -> dict[str, Floats]:
    return {
        VECTORS: fresh_weights((int(bounds[-1]), vector), rng, spread=0.1),
        "input": np.concatenate(
            [fresh_weights((history * vector, hidden), rng), np.zeros((1, hidden), np.float32)]
        ),
        **fresh_output(bounds, hidden),
    }


class FeedForwardNetwork(SoftmaxNetwork):
    """P(word | the last words before it); weights as `fresh_feedforward`."""

    def __init__(self, weights: Mapping[str, Floats], bounds: Ids) -> None:
        super().__init__(weights, bounds)
        self.lead = (len(weights["input"]) - 1) // weights[VECTORS].shape[1]

    def forget(self) -> None:
        """Does nothing: no state is kept between blocks."""

    def learn(self, block: Ids, optimizer: Adagrad) -> float:
        histories = np.lib.stride_tricks.sliding_window_view(
            block[:, :-1], self.lead, axis=1
        ).reshape(-1, self.lead)
        inputs, states = self._layer(histories)
        loss, by_states = self._output.learn(states, block[:, self.lead :].reshape(-1), optimizer)
        by_layer = by_states * (1 - states * states)
        by_inputs = by_layer @ self._weights["input"][:-1].T
        optimizer.move("input", inputs.T @ by_layer)
        learn_vectors(histories.reshape(-1), by_inputs.reshape(histories.size, -1), optimizer)
        return loss

    def states(self, ids: Ids, lengths: Ids) -> Floats:
        """States before each passage's last word; short passages are padded with sentence ends."""
        lasts, back = np.cumsum(lengths) - 1, np.arange(self.lead, 0, -1)
        histories = np.where(
            back < lengths[:, None], ids[np.maximum(lasts[:, None] - back, 0)], SEPARATOR
        )
        return self._layer(histories)[1]

    def _layer(self, histories: Ids) -> tuple[Floats, Floats]:
        vectors = self._weights[VECTORS][histories.reshape(-1)].reshape(
            len(histories), len(self._weights["input"]) - 1
        )
        inputs = _with_ones(vectors)
        return inputs, np.tanh(inputs @ self._weights["input"])
