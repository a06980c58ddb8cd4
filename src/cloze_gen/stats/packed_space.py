"""A context space made small: what ships with the package is one of these, of many books.

Vectors keep seven bits a number and a sign, mutual information an eighth of a nat, counts two digits or so: far less than what another
half of the same books would change. Of a word's associations those are kept that sentences are likeliest to ask for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

import numpy as np

from cloze_gen.stats.associations import Associations
from cloze_gen.stats.context_space import ContextSpace
from cloze_gen.stats.frequent_neighbours import BesideCounts

_UNIT = 127  # steps between 0 and 1, of numbers kept in a signed byte
_PMI_STEP = 0.125  # nats
# Codes a power of e, of counts kept on a logarithmic scale: at most 2 and 3 % off, small counts not at all.
_CUE_STEPS, _BESIDE_STEPS = 24.0, 16.0


def pack_space(space: ContextSpace, *, topic_freq: np.ndarray, most_associations: int) -> dict[str, np.ndarray]:
    """The arrays of a context space, in fewer bits.

    Args:
        topic_freq: float64, shape (topic words,): how frequent each word is that tells a topic.
        most_associations: of each word those with the largest square of PMI times the topic word's frequency are kept: what they add to
            the mean square of a topicality where sentences are drawn at random.
    Returns:
        arrays by name, what `unpack_space` reads.
    """
    kept = _kept_associations(space.associations, topic_freq, most_associations)
    owner = np.repeat(np.arange(len(space.row_of)), np.diff(space.associations.start))[kept]
    feature = space.associations.feature[kept].astype(np.int64)
    first = np.append(True, owner[1:] != owner[:-1])[: len(owner)]
    gap = np.where(first, feature, feature - np.append(0, feature[:-1]))
    longest = np.abs(space.features).max(axis=1, initial=0.0)
    longest = np.where(longest > 0, longest, 1.0).astype(np.float16)
    beside = np.zeros((len(space.beside.start) - 1, len(space.row_of)), np.uint32)
    beside[np.repeat(np.arange(len(beside)), np.diff(space.beside.start)), space.beside.row] = space.beside.count
    return {
        "words": _as_bytes(space.row_of),
        "topic_words": _as_bytes(space.column_of),
        "feature_words": _as_bytes(space.feature_of),
        "neighbours": _as_bytes(space.neighbour_of),
        "window": np.array([space.window], np.uint8),
        "counts": np.asarray(space.counts, np.uint32),
        "vectors": np.round(space.vectors * _UNIT).astype(np.int8),
        "norms": np.asarray(space.norms, np.float16),
        "features": np.round(space.features / longest[:, None].astype(np.float32) * _UNIT).clip(-_UNIT, _UNIT).astype(np.int8),
        "feature_longest": longest,
        "association_pairs": np.bincount(owner, minlength=len(space.row_of)).astype(np.uint16),
        "association_gap_low": (gap & 255).astype(np.uint8),
        "association_gap_high": (gap >> 8).astype(np.uint8),
        "association_pmi": np.round(space.associations.pmi[kept].astype(np.float64) / _PMI_STEP).clip(1, 255).astype(np.uint8),
        "frame_cues": _log_code(space.frame_cues, _CUE_STEPS),
        "beside": _log_code(beside, _BESIDE_STEPS),
        "beside_places": np.asarray(space.beside.places, np.uint32),
        "beside_share": np.asarray(space.beside.share, np.float64),
    }


def unpack_space(arrays: Mapping[str, np.ndarray]) -> ContextSpace:
    """The context space of packed arrays, as near as their bits allow."""
    pairs = arrays["association_pairs"].astype(np.int64)
    start = np.concatenate([[0], np.cumsum(pairs)])
    total = np.cumsum(arrays["association_gap_low"] + (arrays["association_gap_high"].astype(np.int64) << 8))
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
        features=arrays["features"] * (arrays["feature_longest"].astype(np.float32)[:, None] / _UNIT),
        associations=Associations(
            start=start,
            feature=(total - np.repeat(ahead, pairs)).astype(np.uint16),
            pmi=(arrays["association_pmi"] * np.float32(_PMI_STEP)).astype(np.float16),
        ),
        frame_cues=_from_log_code(arrays["frame_cues"], _CUE_STEPS),
        beside=BesideCounts(
            start=np.searchsorted(column, np.arange(len(arrays["beside"]) + 1)),
            row=row.astype(np.uint32),
            count=_from_log_code(arrays["beside"][column, row], _BESIDE_STEPS),
            places=arrays["beside_places"],
            share=arrays["beside_share"],
        ),
        counts=arrays["counts"],
    )


def _kept_associations(associations: Associations, topic_freq: np.ndarray, most: int) -> np.ndarray:
    """Indices of the pairs that are kept, ascending; int64."""
    worth = associations.pmi.astype(np.float64) ** 2 * topic_freq[associations.feature]
    bounds = associations.start.tolist()
    kept = [
        np.arange(first, last) if last - first <= most else first + np.sort(np.argsort(-worth[first:last], kind="stable")[:most])
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
    """Words a line each, UTF-8; uint8, shape (bytes,)."""
    return np.frombuffer("".join(f"{word}\n" for word in words).encode(), np.uint8)


def _places(text: np.ndarray) -> dict[str, int]:
    return {word: i for i, word in enumerate(text.tobytes().decode().split("\n")[:-1])}
