"""Rules that need no understanding: what an options' list gives away by frequency, length, position, word class or article.

None of them reads more of the sentence than the token before the gap. A fair set leaves each near chance; `chance.joint_p` tests them
together. Source: Zweig & Burges 2011, 2.2 (bias tests), extended.

All return float64 of shape (n, k), NaN beyond an item's options; ties are the judge's to break, by the item's seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cloze_gen.english.articles import articles_of
from cloze_gen.evaluate.metrics import score_matrix
from cloze_gen.records.question import Question


def frequency_scores(questions: Sequence[Question], freq_of: Callable[[str], float]) -> NDArray[np.float64]:
    """Frequency of every option, a share of the word tokens: float64, shape (n, k).

    `freq_of` gives a word's case-folded share, 0 for an unknown one.
    """
    return score_matrix([freq_of(option) for option in question.options] for question in questions)


def length_scores(questions: Sequence[Question]) -> NDArray[np.float64]:
    """Length of every option in characters: float64, shape (n, k)."""
    return score_matrix([float(len(option)) for option in question.options] for question in questions)


def position_scores(questions: Sequence[Question], place: int) -> NDArray[np.float64]:
    """1 for the option printed at `place` (from 0), 0 for the others: float64, shape (n, k). Items with fewer options tie throughout."""
    return score_matrix([float(option == place) for option in range(len(question.options))] for question in questions)


def odd_one_out_scores(tags: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """How many of the other options do not share an option's tag: the one of a class of its own wins.

    Args:
        tags: one list of tags an item, one tag an option (the option's tag in the sentence).
    Returns:
        options, float64, shape (n, k).

    >>> odd_one_out_scores([["NN", "NN", "NNS"]]).tolist()
    [[1.0, 1.0, 2.0]]
    """
    return score_matrix([float(sum(other != tag for other in row)) for tag in row] for row in tags)


def majority_tag_scores(tags: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """How many options share an option's tag, itself among them: float64, shape (n, k). The rule opposite to `odd_one_out_scores`."""
    return score_matrix([float(Counter(row)[tag]) for tag in row] for row in tags)


def article_scores(questions: Sequence[Question]) -> NDArray[np.float64]:
    """1 for an option that agrees with an article ``a`` or ``an`` right before the gap, 0 for one that does not: float64, shape (n, k).

    Without an article there, 0 throughout.
    """
    rows = []
    for question in questions:
        before = question.tokens[question.position - 1].casefold() if question.position else ""
        rows.append([float(before in ("a", "an") and before in articles_of(option)) for option in question.options])
    return score_matrix(rows)


def freq_lookup(freqs: Mapping[str, float]) -> Callable[[str], float]:
    """`freq_of` from a table of case-folded words."""
    return lambda word: freqs.get(word.casefold(), 0.0)
