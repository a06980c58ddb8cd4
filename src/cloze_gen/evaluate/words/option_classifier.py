"""Two trained judges that never see the sentence: one of the options themselves, one of the ranks that scores give them.

What they learn on some books and repeat on others is a trace of how impostors are made, not of what the sentence means. Both are a
conditional logit (McFadden 1974): an option's score is linear in its features, the options of an item share one softmax, so only
differences within an item count. Settings are fixed by convention (ridge 1, five folds), none is searched.

Cross-validation is by book: no book is on both sides of a fold. With one book, its items fall into two halves by their ids.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cloze_gen.evaluate.metrics import score_matrix, within_item_ranks
from cloze_gen.records.question import Question
from cloze_gen.rng import stable_fraction
from cloze_gen.stats.conditional_logit import fit_conditional_logit

HASH_BUCKETS = 4096  # character n-grams: 1,040 items have about 20,000 different ones; the ridge bears the collisions
CHAR_NGRAM_SIZES = (1, 2, 3, 4)  # with the word's borders marked: prefixes and suffixes up to three letters
FOLD_COUNT = 5


@dataclass(frozen=True, slots=True, eq=False)
class Folds:
    """Which fold an item is in.

    Attributes:
        fold_of_item: int64, shape (n,).
        note: how the folds were made, in words.
    """

    fold_of_item: NDArray[np.int64]
    note: str


def book_folds(questions: Sequence[Question], *, fold_count: int = FOLD_COUNT) -> Folds:
    """Folds that keep books whole: the largest book first, each to the smallest fold so far; the order of the items does not matter.

    With one book only, two halves by a digest of the item's id.
    """
    sizes = Counter(question.book_id for question in questions)
    if len(sizes) < 2:
        order = sorted(range(len(questions)), key=lambda item: stable_fraction("evaluate.halves", questions[item].id))
        halves = np.zeros(len(questions), np.int64)
        halves[order[len(order) // 2 :]] = 1
        return Folds(halves, "two halves of the items (one book)")
    count = min(fold_count, len(sizes))
    loads = [0] * count
    fold_of_book = {}
    for book_id, size in sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0])):
        fold = loads.index(min(loads))
        fold_of_book[book_id] = fold
        loads[fold] += size
    return Folds(np.array([fold_of_book[question.book_id] for question in questions], np.int64), f"{count} folds by book")


def options_only_scores(questions: Sequence[Question], folds: Folds, *, freq_of: Callable[[str], float]) -> NDArray[np.float64]:
    """Out-of-fold scores from the options alone: hashed character n-grams, log frequency, length.

    Args:
        freq_of: a word's case-folded share of the word tokens, 0 for an unknown one.
    Returns:
        utilities of the logit (their differences within an item are log-odds, natural), float64, shape (n, k).
    """
    options = [option for question in questions for option in question.options]
    features = sparse.vstack([_word_features(option, freq_of(option)) for option in options], format="csr")
    return _cross_validated(features, questions, folds)


def rank_scores(scores: Sequence[NDArray[np.float64]], questions: Sequence[Question], folds: Folds) -> NDArray[np.float64]:
    """Out-of-fold scores from the options' ranks within their item under each of several scores.

    Features: every rank of every score as an indicator (so "in the middle" can be learned) and the products of two scores' centred
    ranks.

    Args:
        scores: arrays of shape (n, k): history, forward, sentence score, frequency, length.
    Returns:
        utilities of the logit, as `options_only_scores`: float64, shape (n, k).
    """
    present = ~np.isnan(scores[0])
    ranks = [within_item_ranks(array)[present] for array in scores]
    middle = np.repeat((present.sum(axis=1) - 1) / 2, present.sum(axis=1))
    option_count = present.shape[1]
    columns = [np.maximum(0, 1 - np.abs(rank - place)) for rank in ranks for place in range(option_count)]  # a shared rank is split
    columns += [(a - middle) * (b - middle) / option_count for a, b in combinations(ranks, 2)]
    return _cross_validated(sparse.csr_array(np.column_stack(columns)), questions, folds)


def ngram_buckets(word: str) -> list[int]:
    """The buckets of the character n-grams of ``<word>``, ascending, each once."""
    marked = f"<{word}>"
    grams = {marked[i : i + size] for size in CHAR_NGRAM_SIZES for i in range(len(marked) - size + 1)}
    return sorted({zlib.crc32(gram.encode()) % HASH_BUCKETS for gram in grams})


def _cross_validated(features: sparse.csr_array, questions: Sequence[Question], folds: Folds) -> NDArray[np.float64]:
    item_of_row = np.repeat(np.arange(len(questions)), [len(question.options) for question in questions])
    is_answer = np.concatenate([np.arange(len(question.options)) == question.answer_index for question in questions])
    out = np.zeros(len(item_of_row))
    for fold in np.unique(folds.fold_of_item):
        held = (folds.fold_of_item == fold)[item_of_row]
        trained_items = np.unique(item_of_row[~held], return_inverse=True)[1]
        if len(trained_items):
            out[held] = features[held] @ fit_conditional_logit(features[~held], trained_items, is_answer[~held])
    # Options with equal features get sums that differ in the last bits: rounding makes them the ties they are.
    rows = np.split(np.round(out, 9), np.flatnonzero(np.diff(item_of_row)) + 1)
    return score_matrix(row.tolist() for row in rows)


def _word_features(word: str, freq: float) -> sparse.csr_array:
    """One row: hashed n-grams of ``<word>`` (signless, each counted once), then log10 frequency, length, capital, hyphen, apostrophe."""
    buckets = ngram_buckets(word)
    more = [np.log10(freq + 1e-8) + 6, len(word) / 8, float(word[:1].isupper()), float("-" in word), float("'" in word)]
    values = np.concatenate((np.full(len(buckets), len(buckets) ** -0.5), more))  # unit length, so that long words do not weigh more
    columns = np.concatenate((buckets, np.arange(HASH_BUCKETS, HASH_BUCKETS + len(more))))
    return sparse.csr_array((values, (np.zeros(len(columns), int), columns)), shape=(1, HASH_BUCKETS + len(more)))
