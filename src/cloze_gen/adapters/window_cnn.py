"""spaCy's small CNN tagger (`MaxoutWindowEncoder` with window 1) computed by word type, several
times faster than `predict`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided

if TYPE_CHECKING:
    from spacy.language import Language

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

# Types in the table before it is emptied (3 KB each); a long novel has 20,000.
MAX_TYPES = 40_000
_BLOCK_TYPES = 64
_LN_EPSILON = np.float32(1e-8)  # thinc.layers.layernorm


class _Convolution:
    """One residual layer: window of three -> maxout -> layer norm -> added to its input.

    The shift of the layer norm is left out; `bias` and the softmax's include those before them.
    """

    def __init__(self, maxout: Any, layernorm: Any, shifts: Floats) -> None:
        weights = maxout.get_param("W")  # (width, pieces, 3 * width)
        self.width, self.pieces, _ = weights.shape
        # Columns ordered piece by piece, so that the maximum runs over whole contiguous halves
        # (0.02 us a token instead of 0.15).
        self.weights = np.ascontiguousarray(
            weights.transpose(1, 0, 2).reshape(self.pieces * self.width, -1).T
        )
        self.bias = maxout.get_param("b").T.reshape(-1) + np.tile(shifts, 3) @ self.weights
        self.scale, self.shift = layernorm.get_param("G"), layernorm.get_param("b")
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
        values += inputs
        return values


class WindowCnn:
    """A tagger network by word types. A type's row does not depend on the types before it."""

    def __init__(
        self,
        nlp: Language,
        embed: Any,
        convolutions: Sequence[_Convolution],
        softmax: Any,
        margin: float,
    ) -> None:
        self._nlp = nlp
        self._embed = embed
        self._convolutions = convolutions
        self._softmax_weights = np.ascontiguousarray(softmax.get_param("W").T)
        shifts = sum(layer.shift for layer in convolutions)
        self._softmax_bias = softmax.get_param("b") + shifts @ self._softmax_weights
        self._margin = np.float32(margin)
        self._width = convolutions[0].width
        first = convolutions[0]
        # (width, 3 * columns): the product with the left neighbour's, the word's own and the right
        # neighbour's share of the weights.
        self._first_weights = np.concatenate(np.split(first.weights, 3), axis=1)
        self._columns = first.pieces * self._width
        self.reset()

    @classmethod
    def from_pipeline(cls, nlp: Language, *, margin: float = math.inf) -> Self | None:
        """The pipeline's tagger, or None for another kind of network.

        `margin`: lead of a score that no later layer overturns.
        """
        tagger = nlp.get_pipe("tagger").model  # type: ignore[attr-defined]
        if not tagger.has_ref("tok2vec") or not tagger.has_ref("softmax"):
            return None
        layers = tagger.get_ref("tok2vec").layers
        if len(layers) != 2 or not layers[1].name.startswith("with_array(residual(expand_window"):
            # the first layer is the embedding; none of spaCy's depends on neighbours
            return None
        embed, encode = layers
        windows = [node for node in encode.walk() if node.name == "expand_window"]
        maxouts = [node for node in encode.walk() if node.name == "maxout"]
        norms = [node for node in encode.walk() if node.name == "layernorm"]
        if (
            not maxouts
            or not len(windows) == len(maxouts) == len(norms)
            or any(node.attrs["window_size"] != 1 for node in windows)
        ):
            return None
        convolutions: list[_Convolution] = []
        shifts = np.zeros(maxouts[0].get_dim("nO"), dtype=np.float32)
        for maxout, norm in zip(maxouts, norms, strict=True):
            convolutions.append(_Convolution(maxout, norm, shifts))
            shifts = shifts + convolutions[-1].shift
        return cls(nlp, embed, convolutions, tagger.get_ref("softmax"), margin)

    @property
    def reach(self) -> int:
        return len(self._convolutions)

    @property
    def type_count(self) -> int:
        return self._type_count

    def reset(self) -> None:
        """Empty the table but for type 0, the padding."""
        self._type_count = 1
        self._embedded: Floats = np.zeros((4096, self._width), dtype=np.float32)
        self._projected: Floats = np.zeros((4096, 3 * self._columns), dtype=np.float32)

    def add_types(self, words: Sequence[str]) -> None:
        """Append words; they get the ids `type_count`, `type_count + 1`, ..."""
        if not words:
            return
        # here, because spaCy takes a second to load and most commands do not need it
        from spacy.tokens import Doc

        # Products of one fixed shape round alike, so a row is the same beside any other words.
        padded = [*words, *["a"] * (-len(words) % _BLOCK_TYPES)]
        blocks = [
            self._embed.predict([Doc(self._nlp.vocab, words=padded[first : first + _BLOCK_TYPES])])[
                0
            ]
            for first in range(0, len(padded), _BLOCK_TYPES)
        ]
        embedded = np.concatenate(blocks)[: len(words)]
        projected = np.concatenate([block @ self._first_weights for block in blocks])[: len(words)]
        stop = self._type_count + len(words)
        if stop > len(self._embedded):
            capacity = max(stop, 2 * len(self._embedded))
            for name in ("_embedded", "_projected"):
                old = getattr(self, name)
                grown = np.zeros((capacity, old.shape[1]), dtype=np.float32)
                grown[: self._type_count] = old[: self._type_count]
                setattr(self, name, grown)
        self._embedded[self._type_count : stop] = embedded
        self._projected[self._type_count : stop] = projected
        self._type_count = stop

    def predict(self, type_ids: Ints, lengths: Ints, wanted: Ints) -> Ints:
        """Tag numbers of the `wanted` places of concatenated sentences of the given lengths.

        A place whose best score leads by the margin before the last layer is done: the layers
        left add less.
        """
        pad = len(self._convolutions)
        # As thinc's `with_array(..., pad=depth)`: empty rows before, between and after the
        # sentences.
        rows = np.arange(len(type_ids)) + np.repeat(np.arange(1, len(lengths) + 1) * pad, lengths)
        padded = np.zeros(len(type_ids) + (len(lengths) + 1) * pad, dtype=np.int64)
        padded[rows] = type_ids
        at, unsure = rows[wanted], np.arange(len(wanted))
        winners = np.zeros(len(wanted), dtype=np.int64)
        values = np.zeros((len(padded), self._width), dtype=np.float32)
        windows = as_strided(values, (len(padded) - 2, 3 * self._width), values.strides)
        for depth, layer in enumerate(self._convolutions):
            near = _within(at, pad - depth - 1, len(padded))
            if depth == 0:
                inputs = self._embedded[padded[near]]
                products = self._first_products(padded, near)
            else:
                window = windows[near - 1]
                inputs = window[:, self._width : 2 * self._width]
                products = window @ layer.weights
            values[near] = layer.finish(products, inputs)
            last = depth == pad - 1
            if last or self._margin < np.inf:
                scores: Floats = values[at] @ self._softmax_weights
                scores += self._softmax_bias
                winners[unsure] = best = scores.argmax(axis=1)
                if not last:
                    each = np.arange(len(best))
                    limit = scores[each, best] - self._margin
                    scores[each, best] = -np.inf
                    near_ties = scores.max(axis=1) > limit
                    at, unsure = at[near_ties], unsure[near_ties]
        return winners

    def _first_products(self, padded: Ints, at: Ints) -> Floats:
        bounds = [0, self._columns, 2 * self._columns, 3 * self._columns]
        left, own, right = (slice(start, stop) for start, stop in pairwise(bounds))
        products = self._projected[padded[at], own]
        products += self._projected[padded[at - 1], left]
        products += self._projected[padded[at + 1], right]
        return products


def _within(at: Ints, reach: int, size: int) -> Ints:
    """The places up to `reach` from given ones, ascending.

    >>> _within(np.array([2, 7]), 1, 9).tolist()
    [1, 2, 3, 6, 7, 8]
    """
    near = np.zeros(size, dtype=np.bool_)
    for shift in range(-reach, reach + 1):
        near[at + shift] = True
    return np.flatnonzero(near)
