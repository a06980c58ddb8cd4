"""Rules of the passage alone, without a model: how often each says the target.

A set that one of them solves tests no understanding. Those that look for capitals need the cased tokens.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cloze_gen.english.names import PASSAGE_RULES


def rule_hits(passages: Sequence[Sequence[str]]) -> dict[str, NDArray[np.bool_]]:
    """Rule -> whether it says the target: bool, shape (n,).

    Args:
        passages: tokens of each, the target last.

    >>> {rule: hits.tolist() for rule, hits in rule_hits([("I", "saw", "Joe", "and", "asked", "Joe")]).items()}
    {'last name': [True], 'most repeated name': [True], 'most repeated content word': [False]}
    """
    return {
        name: np.array([rule(tokens[:-1]) == tokens[-1].casefold() for tokens in passages], np.bool_)
        for name, rule in PASSAGE_RULES.items()
    }
