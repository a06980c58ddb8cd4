"""Guessing at random: the exact expectations, no draw involved (LAMBADA 4).

A passage is its tokens, the target last; words are compared in small letters. All return the probability that the guess is right, float64,
shape (n,), one a passage; their mean is the accuracy that the paper's table has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from cloze_gen.words import is_word


def random_vocabulary_word(targets: Sequence[str], vocabulary: Collection[str]) -> NDArray[np.float64]:
    """Any word of the vocabulary, each as likely: float64, shape (n,). An unknown target is never guessed.

    The expected rank of a known one is (V + 1) / 2 and its perplexity V: the paper's 30,026 and 60,000.

    >>> random_vocabulary_word(["menu", "whatsit"], {"menu", "lamp"}).tolist()
    [0.5, 0.0]
    """
    return np.array([(target in vocabulary) / max(1, len(vocabulary)) for target in targets], np.float64)


def random_word(passages: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """A word token of the passage before its target: float64, shape (n,). Punctuation is no word.

    >>> random_word([("the", "menu", ",", "a", "menu", "menu")]).tolist()
    [0.5]
    """
    return _shares(passages, is_word)


def random_word_type(passages: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """A word of the passage before its target, each once: float64, shape (n,).

    >>> random_word_type([("the", "menu", ",", "a", "menu", "menu")]).round(2).tolist()
    [0.33]
    """
    return _shares([(*dict.fromkeys(token.casefold() for token in tokens[:-1]), tokens[-1]) for tokens in passages], is_word)


def random_capitalised_word(passages: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """A capitalised word token before the target, at the head of a sentence or not: float64, shape (n,); 0 without any.

    Needs the cased tokens: the published files, which are in small letters, give 0 throughout.

    >>> random_capitalised_word([("The", "cook", "saw", "Ann", "and", "ann"), ("no", "one", "came")]).tolist()
    [0.5, 0.0]
    """
    return _shares(passages, lambda token: token[:1].isupper())


def _shares(passages: Sequence[Sequence[str]], counts: Callable[[str], bool]) -> NDArray[np.float64]:
    shares = np.zeros(len(passages))
    for i, tokens in enumerate(passages):
        pool = [token.casefold() for token in tokens[:-1] if counts(token)]
        shares[i] = pool.count(tokens[-1].casefold()) / len(pool) if pool else 0.0
    return shares
