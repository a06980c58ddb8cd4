"""A memory network as a language model (Sukhbaatar et al. 2015, 5): memories are words.

Our reading: LAMBADA 4 likens it to Hill et al. 2016, whose windows have a target inside; a language
model has none. The first query is a layer over the last words (Sukhbaatar: a constant), and every
hop has a tanh (Sukhbaatar: a ramp on half of the units).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cloze_gen.corpus.arrays import SEPARATOR
from cloze_gen.models.network_layers import (
    VECTORS,
    Adagrad,
    Floats,
    Ids,
    SoftmaxNetwork,
    fresh_output,
    fresh_weights,
    learn_vectors,
)

VALUES = "told_vectors"
_READ_AT_ONCE = 512  # passages; the vectors of their memories are 40 MB


def fresh_memory(
    bounds: Ids, *, memories: int, query: int, hops: int, vector: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Initial weights; the last `query` of `memories` words make the first query."""
    n_words = int(bounds[-1])
    return {
        VECTORS: fresh_weights((n_words, vector), rng, spread=0.1),
        VALUES: fresh_weights((n_words, vector), rng, spread=0.1),
        "places": fresh_weights((memories, vector), rng, spread=0.1),
        "told_places": fresh_weights((memories, vector), rng, spread=0.1),
        "input": np.concatenate(
            [fresh_weights((query * vector, vector), rng), np.zeros((1, vector), np.float32)]
        ),
        "hops": np.concatenate([fresh_weights((vector, vector), rng) for _ in range(hops)]),
        **fresh_output(bounds, vector),
    }


@dataclass(frozen=True, slots=True)
class Looks:
    """Activations of the attention steps, for the backward pass.

    Attributes:
        seen, values: matching and reading vector of each word, shape (streams, words, width).
        histories: last words as one row with a last 1, (streams, steps, query * width + 1).
        queries: the first and the one after each hop, (streams, steps, width) each.
        shares: attention weights of each hop, (streams, steps, memories).
    """

    seen: Floats
    values: Floats
    histories: Floats
    queries: list[Floats]
    shares: list[Floats]


class MemoryNetwork(SoftmaxNetwork):
    """P(word | as many words before it as there are memories); weights as `fresh_memory`."""

    def __init__(self, weights: Mapping[str, Floats], bounds: Ids) -> None:
        super().__init__(weights, bounds)
        self.lead, self._width = weights["places"].shape
        self._query = (len(weights["input"]) - 1) // self._width
        self._hops = len(weights["hops"]) // self._width

    def forget(self) -> None:
        """Does nothing: no state is kept between blocks."""

    def learn(self, block: Ids, optimizer: Adagrad) -> float:
        """Learn a block, shape (streams, lead + steps); returns the mean of -ln P(word) before."""
        looks = self._look(block[:, :-1])
        states, targets = looks.queries[-1], block[:, self.lead :].reshape(-1)
        loss, by_states = self._output.learn(states.reshape(-1, self._width), targets, optimizer)
        gradients, by_seen, by_values = self._backwards(looks, by_states.reshape(states.shape))
        for name, gradient in gradients.items():
            optimizer.move(name, gradient)
        read = block[:, :-1].reshape(-1)
        learn_vectors(read, by_seen.reshape(len(read), -1), optimizer)
        learn_vectors(read, by_values.reshape(len(read), -1), optimizer, table=VALUES)
        return loss

    def states(self, ids: Ids, lengths: Ids) -> Floats:
        """States before each passage's last word; unused memories are masked."""
        lasts, back = np.cumsum(lengths) - 1, np.arange(self.lead, 0, -1)
        result = np.empty((len(lengths), self._width), np.float32)
        for first in range(0, len(lengths), _READ_AT_ONCE):
            part = slice(first, first + _READ_AT_ONCE)
            held = back < lengths[part, None]
            read = np.where(held, ids[np.maximum(lasts[part, None] - back, 0)], SEPARATOR)
            result[part] = self._look(read, held).queries[-1][:, 0]
        return result

    def _look(self, read: Ids, held: np.ndarray | None = None) -> Looks:
        """Query and attend after each run of `lead` words, (streams, lead + steps - 1).

        `held`, shape (streams, lead), masks the memories where there is one step.
        """
        weights, width = self._weights, self._width
        steps = read.shape[1] - self.lead + 1
        seen, values = weights[VECTORS][read], weights[VALUES][read]
        lasts = np.arange(steps)[:, None] + np.arange(self.lead - self._query, self.lead)
        histories = seen[:, lasts].reshape(len(read), steps, -1)
        histories = np.concatenate(
            [histories, np.ones((*histories.shape[:2], 1), np.float32)], axis=2
        )
        queries, shares = [np.tanh(histories @ weights["input"])], []
        for hop in weights["hops"].reshape(self._hops, width, width):
            scores: Floats = (
                band(queries[-1] @ seen.transpose(0, 2, 1), self.lead)
                + queries[-1] @ weights["places"].T
            )
            if held is not None:
                scores[~held[:, None]] = -np.inf
            scores = np.exp(scores - scores.max(axis=2, keepdims=True))
            shares.append(scores / scores.sum(axis=2, keepdims=True))
            found = banded(shares[-1]) @ values + shares[-1] @ weights["told_places"]
            queries.append(np.tanh(queries[-1] @ hop + found))
        return Looks(seen, values, histories, queries, shares)

    def _backwards(
        self, looks: Looks, by_query: Floats
    ) -> tuple[dict[str, Floats], Floats, Floats]:
        weights, width = self._weights, self._width
        hops = weights["hops"].reshape(self._hops, width, width)
        gradients = {
            name: np.zeros_like(weights[name]) for name in ("places", "told_places", "hops")
        }
        by_hops = gradients["hops"].reshape(hops.shape)
        by_seen, by_values = np.zeros_like(looks.seen), np.zeros_like(looks.values)
        for i in range(self._hops - 1, -1, -1):
            query, shares = looks.queries[i], looks.shares[i]
            by_found = by_query * (1 - looks.queries[i + 1] * looks.queries[i + 1])
            by_hops[i] = _flat(query).T @ _flat(by_found)
            by_shares = (
                band(by_found @ looks.values.transpose(0, 2, 1), self.lead)
                + by_found @ weights["told_places"].T
            )
            by_values += banded(shares).transpose(0, 2, 1) @ by_found
            gradients["told_places"] += _flat(shares).T @ _flat(by_found)
            by_scores = shares * (by_shares - (shares * by_shares).sum(axis=2, keepdims=True))
            wide = banded(by_scores)
            by_query = by_found @ hops[i].T + wide @ looks.seen + by_scores @ weights["places"]
            by_seen += wide.transpose(0, 2, 1) @ query
            gradients["places"] += _flat(by_scores).T @ _flat(query)
        by_layer = by_query * (1 - looks.queries[0] * looks.queries[0])
        gradients["input"] = _flat(looks.histories).T @ _flat(by_layer)
        by_histories = (by_layer @ weights["input"][:-1].T).reshape(
            *by_layer.shape[:2], self._query, width
        )
        for back in range(self._query):
            start = self.lead - self._query + back
            by_seen[:, start : start + by_layer.shape[1]] += by_histories[:, :, back]
        return gradients, by_seen, by_values


def band(wide: Floats, width: int) -> Floats:
    """Values t to t + width (exclusive) of row t, a step's memories; a view.

    >>> band(np.array([[[1, 2, 3], [4, 5, 6]]], np.float32), 2).tolist()
    [[[1.0, 2.0], [5.0, 6.0]]]
    """
    streams, steps, _ = wide.shape
    across, down, on = wide.strides
    return np.lib.stride_tricks.as_strided(wide, (streams, steps, width), (across, down + on, on))


def banded(narrow: Floats) -> Floats:
    """The inverse of `band`, zeros elsewhere; shape (streams, steps, width + steps - 1)."""
    streams, steps, width = narrow.shape
    wide = np.zeros((streams, steps, width + steps - 1), np.float32)
    band(wide, width)[...] = narrow
    return wide


def _flat(rows: Floats) -> Floats:
    return rows.reshape(-1, rows.shape[2])
