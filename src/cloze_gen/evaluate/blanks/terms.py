"""The terms of some sentences as counts over their own small vocabulary: what scorers that compare bags of words multiply."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from cloze_gen.words import is_word


def count_terms(sentences: Sequence[Sequence[str]]) -> tuple[list[str], NDArray[np.float64]]:
    """The different terms of some sentences, in the order in which they come, and how often each stands in each.

    Returns:
        the terms; float64, shape (sentences, terms).

    >>> terms, counts = count_terms([["the", "sea", "the"], [], ["sea"]])
    >>> terms, counts.tolist()
    (['the', 'sea'], [[2.0, 1.0], [0.0, 0.0], [0.0, 1.0]])
    """
    place = {term: i for i, term in enumerate(dict.fromkeys(chain.from_iterable(sentences)))}
    columns = [place[term] for sentence in sentences for term in sentence]
    rows = np.repeat(np.arange(len(sentences)), [len(sentence) for sentence in sentences])
    counts = np.zeros((len(sentences), len(place)))
    np.add.at(counts, (rows, np.array(columns, np.int64)), 1.0)
    return list(place), counts


def words_of(tokens: Sequence[str]) -> list[str]:
    """The words of a sentence in small letters; marks are none.

    >>> words_of(("The", "sea", ",", "the", "SEA", "."))
    ['the', 'sea', 'the', 'sea']
    """
    return [token.casefold() for token in tokens if is_word(token)]


def cosines(rows: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """The cosine of each row with each of the others, shape (rows, others); 0 where one of the two is all 0."""
    lengths = np.linalg.norm(rows, axis=1)[:, None] * np.linalg.norm(others, axis=1)
    return np.divide(rows @ others.T, lengths, out=np.zeros((len(rows), len(others))), where=lengths > 0)
