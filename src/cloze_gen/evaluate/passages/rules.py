"""Rules of the passage alone, without a model: how often each says the target.

A set that one of them solves tests no understanding. Those that look for capitals need the cased tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cloze_gen.english.names import PASSAGE_RULES
from cloze_gen.words import is_word


def most_repeated_word(tokens: Sequence[str]) -> str:
    """What a cache alone would say: the word that stands most often, function words too, of equals the last; empty without any.

    >>> most_repeated_word("The lamp by the sea lit the lamp .".split())
    'the'
    """
    words = [token.casefold() for token in tokens if is_word(token)]
    counts, last = Counter(words), {word: i for i, word in enumerate(words)}
    return max(counts, key=lambda word: (counts[word], last[word]), default="")


RULES: Mapping[str, Callable[[Sequence[str]], str]] = {**PASSAGE_RULES, "cache": most_repeated_word}


def rule_hits(passages: Sequence[Sequence[str]], rule: str) -> NDArray[np.bool_]:
    """Whether a rule of `RULES` says the target: bool, shape (n,).

    Args:
        passages: tokens of each, the target last.

    >>> [rule_hits([("I", "saw", "Joe", "and", "asked", "Joe")], rule).item() for rule in RULES]
    [True, True, False, False]
    """
    return np.array([RULES[rule](tokens[:-1]) == tokens[-1].casefold() for tokens in passages], np.bool_)
