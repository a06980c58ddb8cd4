"""Measures of words that a corpus gives: similarity, topicality, neighbour fit, evidence."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from cloze_gen.models.context_vectors import Associations
from cloze_gen.models.neighbour_counts import Blanks, NeighbourCounts, Side, flatten


@dataclass(frozen=True, slots=True)
class ContextSpace:
    """Vectors, associations and neighbour counts of option words; may be memory-mapped.

    Measures take the words of many blanks, and return one value a word, in that order.

    Attributes:
        row_of, column_of: row of each option word, association column of each topic word.
        feature_of: row in `features` of each neighbour.
        neighbour_of: column of each frequent neighbour, case-folded.
        window: tokens on each side that the vectors were made from.
        vectors: float32, shape (words, dimensions), unit rows.
        norms: float32, shape (words,): lengths of the vectors before normalisation.
        features: float32, shape (features, dimensions): vectors of the neighbours.
        frame_cues: uint32, shape (words, kinds before, kinds after): counts.
        counts: uint32, shape (words,): tokens of each word.
    """

    row_of: dict[str, int]
    column_of: dict[str, int]
    feature_of: dict[str, int]
    neighbour_of: dict[str, int]
    window: int
    vectors: np.ndarray
    norms: np.ndarray
    features: np.ndarray
    associations: Associations
    frame_cues: np.ndarray
    adjacent: NeighbourCounts
    counts: np.ndarray

    def similarity(self, words: Blanks, answers: Sequence[str]) -> np.ndarray:
        """Cosines with each blank's answer; float, shape (words,); 0 where either has no vector."""
        found = [np.zeros(0)]
        for some, own in zip(words, self._rows(answers).tolist(), strict=True):
            rows = self._rows(some)
            cosines = self.vectors[rows] @ self.vectors[own]
            found.append(np.where((rows >= 0) & (own >= 0), cosines, 0.0))
        return np.concatenate(found)

    def topicality(self, words: Blanks, others: Sequence[Iterable[str]]) -> np.ndarray:
        """Mean association with the topic words among each blank's `others`; shape (words,), in nats."""
        columns = [
            [self.column_of[token] for token in tokens if token in self.column_of]
            for tokens in others
        ]
        listed, blank = flatten(words)
        rows, times = self._rows(listed), np.array([*map(len, columns)], np.int64)[blank]
        owner = np.repeat(np.arange(len(rows)), times)
        topics = np.fromiter(chain.from_iterable(columns[i] for i in blank.tolist()), np.int64)
        total = np.bincount(owner, self.associations.pmi_of(rows[owner], topics), len(rows))
        return total / np.maximum(1, times)

    def frame_cues_of(self, words: Sequence[str]) -> np.ndarray:
        """Frame cues; int64, shape (words, kinds before, kinds after); zeros if unknown."""
        rows = self._rows(words)
        return np.where(rows[:, None, None] >= 0, self.frame_cues[rows], 0).astype(np.int64)

    def neighbour_fit(
        self,
        words: Blanks,
        before: Blanks,
        after: Blanks,
    ) -> np.ndarray:
        """Mean smoothed PMI of each word with its neighbours; float64, in nats; 0 where unknown.

        The product of two vectors of a truncated SVD is a smoothed PMI (Levy & Goldberg 2014).

        Args:
            before: printed tokens before each blank, the nearest last; the last `window` count.
            after: printed tokens after it, the nearest first; the first `window` count.
        """
        adjacent = [
            [
                self.feature_of[token]
                for token in (*left[-self.window :], *right[: self.window])
                if token in self.feature_of
            ]
            for left, right in zip(before, after, strict=True)
        ]
        counts = np.array([*map(len, adjacent)], np.int64)
        features = np.fromiter(chain.from_iterable(adjacent), np.int64)
        direction = np.zeros((len(counts), self.features.shape[1]))
        np.add.at(direction, np.repeat(np.arange(len(counts)), counts), self.features[features])
        direction /= np.maximum(1, counts)[:, None]
        named, blank = flatten(words)
        rows = self._rows(named)
        fit = np.einsum("ij,ij->i", self.vectors[rows], direction[blank])
        return np.where(rows >= 0, self.norms[rows] * fit, 0.0)

    def neighbour_frequency(
        self, words: Blanks, neighbours: Sequence[str], *, side: Side
    ) -> np.ndarray:
        """log10 of observed over expected adjacency; NaN for infrequent neighbours."""
        listed, blank = flatten(words)
        rows = self._rows(listed)
        column_of = (self.neighbour_of.get(neighbour.casefold(), -1) for neighbour in neighbours)
        columns = np.fromiter(column_of, np.int64, len(neighbours))[blank]
        frequent = np.flatnonzero(columns >= 0)
        found = np.full(len(rows), np.nan)
        found[frequent] = self.adjacent.over_chance(rows[frequent], columns[frequent], side=side)
        return found

    def evidence(self, words: Sequence[str]) -> np.ndarray:
        """Tokens of each word in the training books; shape (words,); 0 if unknown."""
        rows = self._rows(words)
        return np.where(rows >= 0, self.counts[rows], 0).astype(np.float64)

    def _rows(self, words: Sequence[str]) -> np.ndarray:
        return np.fromiter(map(self.row_of.get, words, itertools.repeat(-1)), np.int64, len(words))


_UNIT = 127  # steps between 0 and 1, of numbers kept in a signed byte
_PMI_STEP = 0.125  # nats
# Codes a power of e, of counts kept on a logarithmic scale: at most 2 and 3 % off, small counts not
# at all.
_CUE_STEPS, _NEIGHBOUR_STEPS = 24.0, 16.0


def pack_space(
    space: ContextSpace, *, topic_freq: np.ndarray, most_associations: int
) -> dict[str, np.ndarray]:
    """The arrays of a context space in fewer bits, by name, for `unpack_space`.

    The `most_associations` of a word are the largest by squared PMI times `topic_freq`.
    """
    kept = _kept_associations(space.associations, topic_freq, most_associations)
    owner = np.repeat(np.arange(len(space.row_of)), np.diff(space.associations.start))[kept]
    feature = space.associations.feature[kept].astype(np.int64)
    first = np.append(True, owner[1:] != owner[:-1])[: len(owner)]
    gap = np.where(first, feature, feature - np.append(0, feature[:-1]))
    longest = np.abs(space.features).max(axis=1, initial=0.0)
    longest = np.where(longest > 0, longest, 1.0).astype(np.float16)
    adjacent = np.zeros((len(space.adjacent.start) - 1, len(space.row_of)), np.uint32)
    adjacent[
        np.repeat(np.arange(len(adjacent)), np.diff(space.adjacent.start)), space.adjacent.row
    ] = space.adjacent.count
    return {
        "words": _as_bytes(space.row_of),
        "topic_words": _as_bytes(space.column_of),
        "feature_words": _as_bytes(space.feature_of),
        "neighbours": _as_bytes(space.neighbour_of),
        "window": np.array([space.window], np.uint8),
        "counts": np.asarray(space.counts, np.uint32),
        "vectors": np.round(space.vectors * _UNIT).astype(np.int8),
        "norms": np.asarray(space.norms, np.float16),
        "features": np.round(space.features / longest[:, None].astype(np.float32) * _UNIT)
        .clip(-_UNIT, _UNIT)
        .astype(np.int8),
        "feature_longest": longest,
        "association_pairs": np.bincount(owner, minlength=len(space.row_of)).astype(np.uint16),
        "association_gap_low": (gap & 255).astype(np.uint8),
        "association_gap_high": (gap >> 8).astype(np.uint8),
        "association_pmi": np.round(space.associations.pmi[kept].astype(np.float64) / _PMI_STEP)
        .clip(1, 255)
        .astype(np.uint8),
        "frame_cues": _log_code(space.frame_cues, _CUE_STEPS),
        "beside": _log_code(adjacent, _NEIGHBOUR_STEPS),
        "beside_places": np.asarray(space.adjacent.places, np.uint32),
        "beside_share": np.asarray(space.adjacent.share, np.float64),
    }


def unpack_space(arrays: Mapping[str, np.ndarray]) -> ContextSpace:
    pairs = arrays["association_pairs"].astype(np.int64)
    start = np.concatenate([[0], np.cumsum(pairs)])
    total = np.cumsum(
        arrays["association_gap_low"] + (arrays["association_gap_high"].astype(np.int64) << 8)
    )
    ahead = np.concatenate([[0], total])[start[:-1]]
    vectors = arrays["vectors"].astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    column, row = np.nonzero(arrays["beside"])
    return ContextSpace(
        row_of=_places(arrays["words"]),
        column_of=_places(arrays["topic_words"]),
        feature_of=_places(arrays["feature_words"]),
        neighbour_of=_places(arrays["neighbours"]),
        window=int(arrays["window"][0]),
        vectors=np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0),
        norms=arrays["norms"].astype(np.float32),
        features=arrays["features"]
        * (arrays["feature_longest"].astype(np.float32)[:, None] / _UNIT),
        associations=Associations(
            start=start,
            feature=(total - np.repeat(ahead, pairs)).astype(np.uint16),
            pmi=(arrays["association_pmi"] * np.float32(_PMI_STEP)).astype(np.float16),
        ),
        frame_cues=_from_log_code(arrays["frame_cues"], _CUE_STEPS),
        adjacent=NeighbourCounts(
            start=np.searchsorted(column, np.arange(len(arrays["beside"]) + 1)),
            row=row.astype(np.uint32),
            count=_from_log_code(arrays["beside"][column, row], _NEIGHBOUR_STEPS),
            places=arrays["beside_places"],
            share=arrays["beside_share"],
        ),
        counts=arrays["counts"],
    )


def _kept_associations(associations: Associations, topic_freq: np.ndarray, most: int) -> np.ndarray:
    weight = associations.pmi.astype(np.float64) ** 2 * topic_freq[associations.feature]
    bounds = associations.start.tolist()
    kept = [
        np.arange(first, last)
        if last - first <= most
        else first + np.sort(np.argsort(-weight[first:last], kind="stable")[:most])
        for first, last in pairwise(bounds)
    ]
    return np.concatenate(kept) if kept else np.zeros(0, np.int64)


def _log_code(counts: np.ndarray, steps: float) -> np.ndarray:
    """Counts on a logarithmic scale; uint8, shape of the counts.

    >>> _from_log_code(_log_code(np.array([0, 1, 5, 10, 1000]), 24.0), 24.0).tolist()
    [0, 1, 5, 10, 1008]
    """
    return np.round(np.log1p(counts) * steps).clip(0, 255).astype(np.uint8)


def _from_log_code(codes: np.ndarray, steps: float) -> np.ndarray:
    return np.rint(np.expm1(np.arange(256) / steps)).astype(np.uint32)[codes]


def _as_bytes(words: Iterable[str]) -> np.ndarray:
    return np.frombuffer("".join(f"{word}\n" for word in words).encode(), np.uint8)


def _places(text: np.ndarray) -> dict[str, int]:
    return {word: i for i, word in enumerate(text.tobytes().decode().split("\n")[:-1])}
