"""The order in which a judge sees things: drawn for each judge and item, so that no place of a list is read more kindly than another."""

from __future__ import annotations

from cloze_gen.rng import derive_rng


def shown_order(seed: int, judge: str, item: str, n: int) -> list[int]:
    """Which of n things stands at each place that a judge sees.

    >>> sorted(shown_order(1, "ann", "b:7", 4))
    [0, 1, 2, 3]
    """
    return [int(i) for i in derive_rng(seed, "judging.order", f"{judge}:{item}").permutation(n)]
