"""Answering at random, every blank with another candidate: exact expectations, no draw involved (Kong et al. 2020, 3.1 and appendix 8).

For b blanks and c candidates there are P(c, b) = c! / (c - b)! answer lists, each as likely. In general BA = 1 / c and DE = b (c - b) / c.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from cloze_gen.evaluate.blanks.metrics import BlankMetrics
from cloze_gen.records.blanked_passage import BlankedPassage

_TWO_SIDED = float(ndtri(0.975))


def right_probability(right: int, blanks: int, candidates: int) -> float:
    """P(exactly so many blanks are right).

    By inclusion and exclusion the lists that leave m of m blanks wrong are ``sum_j (-1)^j C(m, j) P(c - j, m - j)``; the right ones are
    chosen in C(b, right) ways and use up as many candidates. The paper counts the permutations instead: 48.2 % of them have none right.

    >>> f"{right_probability(0, 5, 7):.3f}", 1 / right_probability(5, 5, 7)
    ('0.482', 2520.0)
    >>> sum(right_probability(right, 5, 7) for right in range(6))
    1.0
    """
    wrong = blanks - right
    lists = sum((-1) ** j * math.comb(wrong, j) * math.perm(candidates - right - j, wrong - j) for j in range(wrong + 1))
    return math.comb(blanks, right) * lists / math.perm(candidates, blanks)


def expected_distractors(blanks: int, candidates: int, distractors: int) -> float:
    """DE: how many of the answers are distractors, on average.

    >>> f"{expected_distractors(5, 7, 2):.3f}"
    '1.429'
    """
    return blanks * distractors / candidates


def chance_metrics(passages: Sequence[BlankedPassage]) -> BlankMetrics:
    """What random answers to these passages score on average, be their sizes equal or not; the bounds are those of the middle 95 %.

    The bounds are normal, from exact variances: each measure is a mean over passages that are answered independently. In a passage the
    right answers have the variance of `right_probability`; the distractors are drawn without replacement (hypergeometric).

    *Read:* two blanks may share their answer in a file of somebody else's; then no list has all right, and more candidates answer none. The
    variance of BA is still that of blanks with an answer each.

    >>> passage = BlankedPassage("b:0", tuple("ABCDE"), (0, 1, 2, 3, 4), tuple("ABCDEFG"), (0, 1, 2, 3, 4))
    >>> row = chance_metrics([passage])
    >>> f"{row.ba:.4f} {row.ba_micro:.4f} {row.pa:.6f} {row.de:.3f}"
    '0.1429 0.1429 0.000397 1.429'
    """
    kinds = Counter((len(one.blanks), len(one.candidates), len(one.distractors)) for one in passages)
    n, blanks = len(passages), sum(len(one.blanks) for one in passages)
    total, variance, right = np.zeros(3), np.zeros(3), 0.0
    for (b, c, d), count in kinds.items():
        means, variances = _moments(b, c, d)
        total += count * means
        variance += count * variances
        right += count * b / c
    mean, reach = total / n, _TWO_SIDED * np.sqrt(variance) / n
    (ba, pa, de), (ba_low, pa_low, de_low), (ba_high, pa_high, de_high) = mean.tolist(), (mean - reach).tolist(), (mean + reach).tolist()
    most = sum(min(b, d) * count for (b, _, d), count in kinds.items()) / n
    return BlankMetrics(
        n=n, blanks=blanks, ba=ba, ba_low=max(0.0, ba_low), ba_high=min(1.0, ba_high), ba_micro=right / blanks,
        pa=pa, pa_low=max(0.0, pa_low), pa_high=min(1.0, pa_high), de=de, de_low=max(0.0, de_low), de_high=min(most, de_high),
    )  # fmt: skip


def _moments(blanks: int, candidates: int, distractors: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and variance of a passage's BA, PA and DE, shape (3,) each."""
    b, c, d = blanks, candidates, distractors
    shared = b + d > c  # of two blanks with one answer, one is wrong
    all_right = 0.0 if shared else 1 / math.perm(c, b)
    shares = [(right / b, right_probability(right, b, c)) for right in range(b + 1)]
    ba_variance = math.fsum(prob * (share - 1 / c) ** 2 for share, prob in shares)
    de_variance = b * (d / c) * (1 - d / c) * (c - b) / (c - 1) if c > 1 else 0.0
    return np.array([1 / c, all_right, expected_distractors(b, c, d)]), np.array([ba_variance, all_right * (1 - all_right), de_variance])
