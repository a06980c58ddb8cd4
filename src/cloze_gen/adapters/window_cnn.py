"""spaCy's small CNN tagger (`MaxoutWindowEncoder` with window 1) computed by word type, several
times faster than `predict`.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from spacy.language import Language

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

# Types in the table before it is emptied (3 KB each at width 128); a long novel has 20,000.
MAX_TYPES = 40_000
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
        self.bias = np.ascontiguousarray(maxout.get_param("b").T.reshape(-1))
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
        values += self.shift
        values += inputs
        return values


class WindowCnn:
    """A tagger network by word types. The table affects results by rounding; for equal bytes, reset
    it at the start of each unit of work.
    """

    def __init__(
        self, nlp: Language, embed: Any, convolutions: Sequence[_Convolution], softmax: Any
    ) -> None:
        self._nlp = nlp
        self._embed = embed
        self._convolutions = convolutions
        self._softmax_weights = np.ascontiguousarray(softmax.get_param("W").T)
        self._softmax_bias = softmax.get_param("b")
        self._width = convolutions[0].width
        first = convolutions[0]
        # (width, 3 * columns): the product with the left neighbour's, the word's own and the right
        # neighbour's share of the weights.
        self._first_weights = np.concatenate(np.split(first.weights, 3), axis=1)
        self._columns = first.pieces * self._width
        self.reset()

    @classmethod
    def from_pipeline(cls, nlp: Language) -> Self | None:
        """The pipeline's tagger, or None for another kind of network."""
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
        return cls(
            nlp,
            embed,
            [_Convolution(*pair) for pair in zip(maxouts, norms, strict=True)],
            tagger.get_ref("softmax"),
        )

    @property
    def reach(self) -> int:
        return len(self._convolutions)

    @property
    def type_count(self) -> int:
        return self._type_count

    def fresh(self) -> WindowCnn:
        twin = copy(self)
        twin.reset()
        return twin

    def reset(self) -> None:
        """Empty the table but for type 0, the padding."""
        self._type_count = 1
        self._embedded: Floats = np.zeros((4096, self._width), dtype=np.float32)
        self._projected: Floats = np.zeros((4096, 3 * self._columns), dtype=np.float32)

    def add_types(self, words: Sequence[str]) -> None:
        """Append words; they get the ids `type_count`, `type_count + 1`, ..."""
        if not words:
            return
        from spacy.tokens import (
            Doc,
        )  # here, because spaCy takes a second to load and most commands do not need it

        embedded = self._embed.predict([Doc(self._nlp.vocab, words=list(words))])[0]
        stop = self._type_count + len(words)
        if stop > len(self._embedded):
            capacity = max(stop, 2 * len(self._embedded))
            for name in ("_embedded", "_projected"):
                old = getattr(self, name)
                grown = np.zeros((capacity, old.shape[1]), dtype=np.float32)
                grown[: self._type_count] = old[: self._type_count]
                setattr(self, name, grown)
        self._embedded[self._type_count : stop] = embedded
        self._projected[self._type_count : stop] = embedded @ self._first_weights
        self._type_count = stop

    def predict(self, type_ids: Ints, lengths: Ints, wanted: Ints) -> Ints:
        """Tag numbers of the `wanted` places of concatenated sentences of the given lengths."""
        pad = len(self._convolutions)
        # As thinc's `with_array(..., pad=depth)`: empty rows before, between and after the
        # sentences.
        rows = np.arange(len(type_ids)) + np.repeat(np.arange(1, len(lengths) + 1) * pad, lengths)
        padded = np.zeros(len(type_ids) + (len(lengths) + 1) * pad, dtype=np.int64)
        padded[rows] = type_ids
        needed = [rows[wanted]]  # rows of each layer, the last first
        for _ in range(pad - 1):
            near = np.zeros(len(padded), dtype=np.bool_)
            for shift in (-1, 0, 1):
                near[needed[0] + shift] = True
            needed.insert(0, np.flatnonzero(near))
        values = self._embedded[padded]
        for depth, (layer, at) in enumerate(zip(self._convolutions, needed, strict=True)):
            if depth == 0:
                products = self._first_products(padded, at)
            else:
                products = np.hstack([values[at - 1], values[at], values[at + 1]]) @ layer.weights
            values[at] = layer.finish(products, values[at])
        scores: Floats = values[needed[-1]] @ self._softmax_weights
        scores += self._softmax_bias
        winners: Ints = scores.argmax(axis=1)
        return winners

    def _first_products(self, padded: Ints, at: Ints) -> Floats:
        bounds = [0, self._columns, 2 * self._columns, 3 * self._columns]
        left, own, right = (slice(start, stop) for start, stop in pairwise(bounds))
        products = self._projected[padded[at], own]
        products += self._projected[padded[at - 1], left]
        products += self._projected[padded[at + 1], right]
        return products
