"""spaCy's small CNN tagger (`MaxoutWindowEncoder` with window 1) computed by word type, several
times faster than `predict`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided

if TYPE_CHECKING:
    from spacy.language import Language

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

# Types in the table before it is emptied (3 KB each); a long novel has 20,000.
MAX_TYPES = 40_000
# Tokens a batch; 1,024 to 8,192 measured within 5 % of each other, memory grows with it.
BATCH_TOKENS = 2048
# The lead of a score at which the layers left are skipped, an approximation: they overturned no
# lead of this size in 3,943,288 tokens of 40 books.
EARLY_EXIT_MARGIN = 3.0
_BLOCK_TYPES = 64
_LN_EPSILON = np.float32(1e-8)  # thinc.layers.layernorm


class _Convolution:
    """One residual layer: window of three -> maxout -> layer norm -> added to its input."""

    def __init__(self, maxout: Any, layernorm: Any) -> None:
        weights = maxout.get_param("W")  # (width, pieces, 3 * width)
        self.width, self.pieces, _ = weights.shape
        # Columns ordered piece by piece, so that the maximum runs over whole contiguous halves
        # (0.02 us a token instead of 0.15).
        self.weights = np.ascontiguousarray(
            weights.transpose(1, 0, 2).reshape(self.pieces * self.width, -1).T
        )
        self.bias = maxout.get_param("b").T.reshape(-1)
        self.scale = layernorm.get_param("G")
        self.shift = layernorm.get_param("b")
        self.mean = np.full(self.width, 1 / self.width, dtype=np.float32)

    def finish(self, products: Floats, inputs: Floats) -> Floats:
        """Maxout, layer norm and residual; shapes (n, pieces * width) and (n, width)."""
        products += self.bias
        values = products[:, : self.width]
        for piece in range(1, self.pieces):
            values = np.maximum(values, products[:, piece * self.width : (piece + 1) * self.width])
        values = values - (values @ self.mean)[:, None]
        variance = np.einsum("ij,ij->i", values, values) / np.float32(self.width) + _LN_EPSILON
        values *= (1 / np.sqrt(variance))[:, None]
        values *= self.scale
        values += self.shift
        values += inputs
        return values


class WindowCnn:
    """A tagger network by word types. A type's row does not depend on the types before it."""

    def __init__(self, nlp: Language) -> None:
        self._nlp = nlp
        tagger = nlp.get_pipe("tagger").model  # type: ignore[attr-defined]
        self._embed, encode = tagger.get_ref("tok2vec").layers
        maxouts = [node for node in encode.walk() if node.name == "maxout"]
        norms = [node for node in encode.walk() if node.name == "layernorm"]
        self._convolutions = [
            _Convolution(maxout, norm) for maxout, norm in zip(maxouts, norms, strict=True)
        ]
        softmax = tagger.get_ref("softmax")
        self._softmax_weights = np.ascontiguousarray(softmax.get_param("W").T)
        self._softmax_bias = softmax.get_param("b")
        first = self._convolutions[0]
        self._width = first.width
        # The shares of the left neighbour, the word itself and the right neighbour, side by side.
        self._first_weights = np.concatenate(np.split(first.weights, 3), axis=1)
        self._forget_types()

    @property
    def reach(self) -> int:
        return len(self._convolutions)

    def _forget_types(self) -> None:
        """Leave only type 0, the padding."""
        columns = self._first_weights.shape[1] // 3
        self._id_of: dict[str, int] = {}
        self._embedded: Floats = np.zeros((1, self._width), dtype=np.float32)
        self._projected: Floats = np.zeros((1, 3, columns), dtype=np.float32)

    def type_ids(self, words: Sequence[str]) -> Ints:
        """The type of each word, computed if it is new. They hold until the next call."""
        if len(self._id_of) > MAX_TYPES:
            self._forget_types()
        new = [word for word in dict.fromkeys(words) if word not in self._id_of]
        if new:
            self._add_types(new)
        return np.array([self._id_of[word] for word in words], np.int64)

    def _add_types(self, words: Sequence[str]) -> None:
        # here, because spaCy takes a second to load and most commands do not need it
        from spacy.tokens import Doc

        # Products of one fixed shape round alike, so a row is the same beside any other words.
        padded = [*words, *["a"] * (-len(words) % _BLOCK_TYPES)]
        embedded, projected = [self._embedded], [self._projected]
        for first in range(0, len(padded), _BLOCK_TYPES):
            doc = Doc(self._nlp.vocab, words=padded[first : first + _BLOCK_TYPES])
            [block] = self._embed.predict([doc])
            embedded.append(block)
            projected.append((block @ self._first_weights).reshape(len(block), 3, -1))
        stop = len(self._embedded) + len(words)
        self._id_of.update(zip(words, range(len(self._embedded), stop), strict=True))
        self._embedded = np.concatenate(embedded)[:stop]
        self._projected = np.concatenate(projected)[:stop]

    def predict(self, type_ids: Ints, lengths: Ints, wanted: Ints) -> Ints:
        """Tag numbers of the `wanted` places (ascending) of concatenated sentences of the given
        lengths.
        """
        tags = np.zeros(len(wanted), dtype=np.int64)
        stops = np.cumsum(lengths)
        # the first sentence of each batch of about `BATCH_TOKENS` tokens
        firsts = np.flatnonzero(np.diff(stops // BATCH_TOKENS, prepend=-1))
        for first, last in pairwise([*firsts.tolist(), len(lengths)]):
            start, stop = stops[first] - lengths[first], stops[last - 1]
            inside = slice(*np.searchsorted(wanted, [start, stop]))
            tags[inside] = self._predict_batch(
                type_ids[start:stop], lengths[first:last], wanted[inside] - start
            )
        return tags

    def _predict_batch(self, type_ids: Ints, lengths: Ints, wanted: Ints) -> Ints:
        """The best tag of each wanted place; a layer is the last where its lead is `EARLY_EXIT_MARGIN`."""
        pad = len(self._convolutions)
        # As thinc's `with_array(..., pad=depth)`: empty rows before, between and after the
        # sentences.
        rows = np.arange(len(type_ids)) + np.repeat(np.arange(1, len(lengths) + 1) * pad, lengths)
        padded = np.zeros(len(type_ids) + (len(lengths) + 1) * pad, dtype=np.int64)
        padded[rows] = type_ids
        places = rows[wanted]
        unsure = np.arange(len(wanted))
        winners = np.zeros(len(wanted), dtype=np.int64)
        values = np.zeros((len(padded), self._width), dtype=np.float32)
        windows = as_strided(values, (len(padded) - 2, 3 * self._width), values.strides)
        for depth, layer in enumerate(self._convolutions):
            near = _within(places[unsure], pad - depth - 1, len(padded))
            if depth == 0:
                inputs = self._embedded[padded[near]]
                products = self._projected[padded[near], 1]
                products += self._projected[padded[near - 1], 0]
                products += self._projected[padded[near + 1], 2]
            else:
                window = windows[near - 1]
                inputs = window[:, self._width : 2 * self._width]
                products = window @ layer.weights
            values[near] = layer.finish(products, inputs)
            scores: Floats = values[places[unsure]] @ self._softmax_weights
            scores += self._softmax_bias
            winners[unsure] = scores.argmax(axis=1)
            second, best = np.partition(scores, -2, axis=1)[:, -2:].T
            unsure = unsure[best - second < np.float32(EARLY_EXIT_MARGIN)]
        return winners


def _within(at: Ints, reach: int, size: int) -> Ints:
    """The places up to `reach` from these, ascending.

    >>> _within(np.array([2, 7]), 1, 9).tolist()
    [1, 2, 3, 6, 7, 8]
    """
    near = np.zeros(size, dtype=np.bool_)
    for shift in range(-reach, reach + 1):
        near[at + shift] = True
    return np.flatnonzero(near)
