"""Counts of lemmas, each of one word class: `walk` the verb and `walk` the noun are two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

Pair = tuple[str, str]  # (lemma, class)


def lemma_counts(form_counts: Iterable[tuple[Pair, int]]) -> Counter[Pair]:
    """Sum counts of (lemma, class) as they come, one item a (form, tag).

    >>> lemma_counts([(("go", "verb"), 3), (("go", "verb"), 2)])
    Counter({('go', 'verb'): 5})
    """
    total: Counter[Pair] = Counter()
    for pair, count in form_counts:
        total[pair] += count
    return total
