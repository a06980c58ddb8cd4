"""What stands right before and right after a word, by kinds of closed-class words: cues to the subcategorization frames that it takes
(Brent 1993; Manning 1993).

Nothing is parsed: a form after a subject pronoun, an auxiliary or *to* is taken for a verb, and an article, a possessive or a pronoun right
after it for its object; a noun right after *a* is countable, one right after a preposition need not be. Crude for one occurrence,
sharp for hundreds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cloze_gen.english.closed_classes import After, Before, after, before
from cloze_gen.stats.token_ids import TokenIds

_CHUNK_TOKENS = 4_000_000


def count_frame_cues(corpus: TokenIds, *, words: Sequence[str], target_row: np.ndarray) -> np.ndarray:
    """How often each target stands between each two kinds of tokens.

    Args:
        corpus: word ids, 0 between sentences; word i of `words` has id i + 1.
        target_row: int64, shape (V,): row of each word that is a target, else -1.
    Returns:
        int64, shape (targets, kinds before, kinds after); a sentence's start is `OTHER`, its end closes.
    """
    before_of = np.array([Before.OTHER, *map(before, words)])
    after_of = np.array([After.CLOSED, *map(after, words)])
    shape = (int(target_row.max()) + 1, len(Before), len(After))
    total = np.zeros(shape, np.int64)
    for first in range(0, len(corpus), _CHUNK_TOKENS):
        last = min(len(corpus), first + _CHUNK_TOKENS)
        left = corpus[first - 1] if first else 0
        right = corpus[last] if last < len(corpus) else 0
        ids = np.concatenate([[left], corpus[first:last], [right]]).astype(np.int64)
        places = np.flatnonzero(target_row[ids[1:-1]] >= 0) + 1
        cells = np.ravel_multi_index((target_row[ids[places]], before_of[ids[places - 1]], after_of[ids[places + 1]]), shape)
        total += np.bincount(cells, minlength=total.size).reshape(shape)
    return total
