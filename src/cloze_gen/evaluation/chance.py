"""Exact results of random answers to questions, passages and blanked passages."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluation.blanks import BlankMetrics
from cloze_gen.evaluation.metrics import Z95
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.word_tokens import is_word

# ---- Questions


def chance_accuracy(option_counts: Sequence[int]) -> float:
    """Accuracy of random answers: the mean of 1/k over the items; NaN without items.

    >>> chance_accuracy([2, 4])
    0.375
    """
    return (
        math.fsum(1 / count for count in option_counts) / len(option_counts)
        if option_counts
        else math.nan
    )


def correct_count_distribution(option_counts: Sequence[int]) -> NDArray[np.float64]:
    """P(c items right at random) for c = 0 .. n, as a convolution of binomials.

    >>> correct_count_distribution([2, 2]).round(12).tolist()
    [0.25, 0.5, 0.25]
    """
    from scipy.stats import binom  # slow to import

    distribution, first = np.ones(1), 0
    for size, n in sorted(Counter(option_counts).items()):
        shares = binom.pmf(np.arange(n + 1), n, 1 / size)
        positive = np.flatnonzero(shares)  # values far from the mean underflow to 0
        distribution, first = (
            np.convolve(distribution, shares[positive[0] : positive[-1] + 1]),
            first + int(positive[0]),
        )
    return np.pad(distribution, (first, len(option_counts) + 1 - first - len(distribution)))


def positions_balanced(answers: NDArray[np.int64], *, option_count: int) -> bool:
    """Whether the numbers of answers per position differ by at most one.

    >>> [positions_balanced(np.array(one), option_count=3) for one in ([2, 0, 1, 0], [2, 0, 0, 0])]
    [True, False]
    """
    counts = np.bincount(answers, minlength=option_count)
    return bool(counts.max() - counts.min() <= 1)


# ---- Passages: P(guess is right), float64, shape (n,). A passage is its tokens, the target last.
# Words are compared in lower case (LAMBADA 4).


def random_vocabulary_word(
    targets: Sequence[str], vocabulary: Collection[str]
) -> NDArray[np.float64]:
    """Any word of the vocabulary, uniformly; 0 for a target outside the vocabulary.

    >>> random_vocabulary_word(["menu", "whatsit"], {"menu", "lamp"}).tolist()
    [0.5, 0.0]
    """
    return np.array(
        [(target in vocabulary) / max(1, len(vocabulary)) for target in targets], np.float64
    )


def random_word(passages: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """A word token of the passage before its target, punctuation excluded.

    >>> random_word([("the", "menu", ",", "a", "menu", "menu")]).tolist()
    [0.5]
    """
    return _shares(passages, is_word)


def random_word_type(passages: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """A distinct word of the passage before its target.

    >>> random_word_type([("the", "menu", ",", "a", "menu", "menu")]).round(2).tolist()
    [0.33]
    """
    return _shares(
        [
            (*dict.fromkeys(token.casefold() for token in tokens[:-1]), tokens[-1])
            for tokens in passages
        ],
        is_word,
    )


def random_capitalised_word(passages: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """A capitalised word token before the target; needs cased tokens.

    >>> random_capitalised_word([("The", "cook", "saw", "Ann", "and", "ann"),
    ...     ("no", "one", "came")]).tolist()
    [0.5, 0.0]
    """
    return _shares(passages, lambda token: token[:1].isupper())


def _shares(
    passages: Sequence[Sequence[str]], counts: Callable[[str], bool]
) -> NDArray[np.float64]:
    shares = np.zeros(len(passages))
    for i, tokens in enumerate(passages):
        pool = [token.casefold() for token in tokens[:-1] if counts(token)]
        shares[i] = pool.count(tokens[-1].casefold()) / len(pool) if pool else 0.0
    return shares


# ---- Blanked passages: each blank gets a different candidate (Kong et al. 2020, 3.1). For b blanks
# and c candidates there are P(c, b) = c! / (c - b)! equally likely lists of answers.


def right_probability(right: int, blanks: int, candidates: int) -> float:
    """P(exactly `right` blanks are right), by inclusion-exclusion.

    >>> f"{right_probability(0, 5, 7):.3f}", 1 / right_probability(5, 5, 7)
    ('0.482', 2520.0)
    >>> sum(right_probability(right, 5, 7) for right in range(6))
    1.0
    """
    wrong = blanks - right
    lists = sum(
        (-1) ** j * math.comb(wrong, j) * math.perm(candidates - right - j, wrong - j)
        for j in range(wrong + 1)
    )
    return math.comb(blanks, right) * lists / math.perm(candidates, blanks)


def expected_distractors(blanks: int, candidates: int, distractors: int) -> float:
    """DE: the mean number of answers that are distractors.

    >>> f"{expected_distractors(5, 7, 2):.3f}"
    '1.429'
    """
    return blanks * distractors / candidates


def chance_metrics(passages: Sequence[BlankedPassage]) -> BlankMetrics:
    """Expected measures of random answers, with normal 95 % intervals.

    *Read:* if two blanks share their answer, no list is all right. The variance of BA ignores this.

    >>> passage = BlankedPassage("b:0", tuple("ABCDE"), (0, 1, 2, 3, 4), tuple("ABCDEFG"),
    ...     (0, 1, 2, 3, 4))
    >>> row = chance_metrics([passage])
    >>> f"{row.ba:.4f} {row.ba_micro:.4f} {row.pa:.6f} {row.de:.3f}"
    '0.1429 0.1429 0.000397 1.429'
    """
    kinds = Counter(
        (len(one.blanks), len(one.candidates), len(one.distractors)) for one in passages
    )
    n, blanks = len(passages), sum(len(one.blanks) for one in passages)
    total, variance, right = np.zeros(3), np.zeros(3), 0.0
    for (b, c, d), count in kinds.items():
        means, variances = _moments(b, c, d)
        total += count * means
        variance += count * variances
        right += count * b / c
    mean, reach = total / n, Z95 * np.sqrt(variance) / n
    (ba, pa, de), (ba_low, pa_low, de_low), (ba_high, pa_high, de_high) = (
        mean.tolist(),
        (mean - reach).tolist(),
        (mean + reach).tolist(),
    )
    most = sum(min(b, d) * count for (b, _, d), count in kinds.items()) / n
    return BlankMetrics(
        n=n, blanks=blanks, ba=ba, ba_low=max(0.0, ba_low), ba_high=min(1.0, ba_high), ba_micro=right / blanks,
        pa=pa, pa_low=max(0.0, pa_low), pa_high=min(1.0, pa_high), de=de, de_low=max(0.0, de_low), de_high=min(most, de_high),
    )  # fmt: skip


def _moments(
    blanks: int, candidates: int, distractors: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and variance of a passage's BA, PA and DE, shape (3,) each."""
    b, c, d = blanks, candidates, distractors
    shared = b + d > c  # of two blanks with one answer, one is wrong
    all_right = 0.0 if shared else 1 / math.perm(c, b)
    shares = [(right / b, right_probability(right, b, c)) for right in range(b + 1)]
    ba_variance = math.fsum(prob * (share - 1 / c) ** 2 for share, prob in shares)
    de_variance = b * (d / c) * (1 - d / c) * (c - b) / (c - 1) if c > 1 else 0.0
    return np.array([1 / c, all_right, expected_distractors(b, c, d)]), np.array(
        [ba_variance, all_right * (1 - all_right), de_variance]
    )
