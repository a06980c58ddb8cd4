"""Counts of (lemma, class)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def lemma_counts(form_counts: Iterable[tuple[tuple[str, str], int]]) -> Counter[tuple[str, str]]:
    """Sum counts of (lemma, class) as they come, one item a (form, tag).

    >>> lemma_counts([(("go", "verb"), 3), (("go", "verb"), 2)])
    Counter({('go', 'verb'): 5})
    """
    total: Counter[tuple[str, str]] = Counter()
    for pair, count in form_counts:
        total[pair] += count
    return total
