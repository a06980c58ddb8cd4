"""What a trained adversary sees of an option: values of scores within its question, or its letters and tag.

Every feature is of an option among the options of its question; none tells at which place it is printed. Two views of the same are made,
one for each family: `dense` for trees, which find bends and products by themselves, `linear` for the logit, which must be given them.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cloze_gen.evaluate.metrics import within_item_ranks
from cloze_gen.evaluate.words.option_classifier import HASH_BUCKETS, ngram_buckets

_LEAST_FREQ = 1e-8  # a share of the word tokens: below that of any word seen once in a hundred million
_ENDING_CHARS = (1, 2, 3)


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """Rows are the options of all items, those of an item together.

    Attributes:
        dense: float64, shape (rows, f): without unit, or in that of the score.
        linear: shape (rows, g): columns of like size, so that one ridge suits them all.
    """

    dense: NDArray[np.float64]
    linear: sparse.csr_array


def value_features(scores: Sequence[NDArray[np.float64]]) -> Features:
    """Of every score: its value less the item's mean, the gap to the best other option, the gap to the lowest other, z-score and rank.

    The linear view has these by their size over the whole set, and the products of any two z-scores, squares among them, so that an answer
    that lies in the middle, or whose scores disagree, can be found.

    Args:
        scores: arrays of shape (n, k), at least one, NaN beyond an item's options (two or more). Frequencies come as logarithms
            (`log10_freqs`), for a margin between shares means nothing.
    """
    columns: list[NDArray[np.float64]] = []
    z_scores = []
    present = ~np.isnan(scores[0])
    for values in scores:
        centred = values - np.nanmean(values, axis=1, keepdims=True)
        spread = np.nanstd(values, axis=1, keepdims=True)
        z = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 1e-12 * (1 + np.abs(values)))
        ranks = within_item_ranks(values)
        columns += [centred, values - _extreme_other(values, 1), values - _extreme_other(values, -1), z, ranks]
        z_scores.append(z[present])
    dense = np.column_stack([column[present] for column in columns])
    products = [a * b for a, b in combinations(z_scores, 2)] + [z**2 for z in z_scores]
    linear = np.column_stack([dense, *products])
    size = linear.std(axis=0)
    return Features(dense, sparse.csr_array(linear / np.where(size > 0, size, 1)))


def log10_freqs(freqs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm of shares of the word tokens, an unknown word's being that of a very rare one: float64, shape as given."""
    return np.log10(np.maximum(freqs, _LEAST_FREQ))


def option_features(options: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> Features:
    """Of the options alone: word identity, shape, tag, and what an option shares with the others of its question.

    Both views: length, vowels, capital, digit, hyphen, apostrophe; how many other options share its tag, its first letter, its last one,
    two or three letters; its length less the mean; in how many questions the word is offered; its tag. The trees see first and last letters
    as numbers besides; the logit hashed character n-grams and the whole word.

    Args:
        options, tags: a list an item; the tag of the word standing alone.
    """
    offered = Counter(word for row in options for word in dict.fromkeys(map(str.casefold, row)))
    known = {tag: place for place, tag in enumerate(sorted({tag for row in tags for tag in row}))}
    shapes, letters, hashed = [], [], []
    for row, row_tags in zip(options, tags, strict=True):
        folded = [word.casefold() for word in row]
        alike = [
            [float(sum(other[part] == word[part] for other in folded) - 1) for word in folded]
            for part in (slice(1), *(slice(-length, None) for length in _ENDING_CHARS))
        ]
        mean_length = sum(map(len, row)) / len(row)
        for option, (word, tag) in enumerate(zip(row, row_tags, strict=True)):
            of_tag = np.zeros(len(known))
            of_tag[known[tag]] = 1
            shares = [float(sum(other == tag for other in row_tags) - 1), *(counts[option] for counts in alike)]
            shapes.append([*_shape(word), *shares, len(word) - mean_length, np.log2(offered[word.casefold()]), *of_tag])
            letters.append([float(ord(letter)) for letter in (folded[option][:1] + folded[option][-3:].rjust(3)).rjust(4)])
            hashed.append(_hashed(word))
    shape = np.array(shapes)
    size = shape.std(axis=0)
    linear = sparse.hstack([sparse.csr_array(shape / np.where(size > 0, size, 1)), sparse.vstack(hashed)], format="csr")
    return Features(np.column_stack([shape, np.array(letters)]), linear)


def _extreme_other(values: NDArray[np.float64], sign: int) -> NDArray[np.float64]:
    """The highest (`sign` 1) or lowest (-1) score among the other options of the item; an option that stands alone has its own."""
    signed = np.where(np.isnan(values), -np.inf, sign * values)
    best = np.sort(signed, axis=1)[:, ::-1]
    second = best[:, 1:2] if values.shape[1] > 1 else best[:, :1]
    leads = np.arange(values.shape[1]) == signed.argmax(axis=1)[:, None]
    found = np.where(leads, second, best[:, :1])
    return sign * np.where(np.isfinite(found), found, signed)


def _shape(word: str) -> list[float]:
    vowels = sum(letter in "aeiouy" for letter in word.casefold())
    marks = [word[:1].isupper(), any(map(str.isdigit, word)), "-" in word, "'" in word]
    return [float(len(word)), vowels / max(1, len(word)), *map(float, marks)]


def _hashed(word: str) -> sparse.csr_array:
    """One row: the word's character n-grams, and in buckets of their own the whole word."""
    grams = ngram_buckets(word)
    whole = HASH_BUCKETS + zlib.crc32(word.casefold().encode()) % HASH_BUCKETS
    values = np.concatenate((np.full(len(grams), len(grams) ** -0.5), [1.0]))
    return sparse.csr_array((values, (np.zeros(len(values), int), [*grams, whole])), shape=(1, 2 * HASH_BUCKETS))
