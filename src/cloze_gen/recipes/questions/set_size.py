"""The size of a set: the largest that does not give its answers away (`choice.n_questions = "auto"`).

The more of its pool a set uses, the less its draws can be balanced, and the more answers a classifier
finds. The size is bisected between 100 questions and half of the sentences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_LEAST = 100  # questions; the check of a smaller set is too uncertain
_STEP = 1.2  # ratio of neighbouring sizes


@dataclass(frozen=True, slots=True, order=True)
class Leak:
    """Accuracy of the check, on other folds than those that chose the set, and its standard error."""

    accuracy: float
    error: float


def is_hidden(leak: Leak, max_leak: float) -> bool:
    """Whether the answers stay hidden, with the standard error as a margin against luck."""
    return leak.accuracy + leak.error <= max_leak


def sizes_of(n_sentences: int) -> list[int]:
    """Sizes to choose from, ascending; one if half of the sentences are 100 or fewer.

    >>> sizes_of(400), sizes_of(120)
    ([116, 139, 167, 200], [60])
    """
    most = max(1, n_sentences // 2)
    steps = int(math.log(max(1.0, most / _LEAST), _STEP))
    return [round(most / _STEP**step) for step in range(steps, -1, -1)]


def largest_hidden(
    sizes: Sequence[int], leak_of: Callable[[int], Leak], *, max_leak: float
) -> tuple[int, dict[int, Leak]]:
    """Index of the largest size whose answers stay hidden, and the sizes tried; the first is not tried.

    >>> largest_hidden([100, 120, 144, 173], lambda n: Leak(n / 550, 0.01), max_leak=0.25)[0]
    1
    """
    low, high = 0, len(sizes)
    tried = {}
    while high - low > 1:
        middle = (low + high) // 2
        tried[sizes[middle]] = leak_of(sizes[middle])
        low, high = (middle, high) if is_hidden(tried[sizes[middle]], max_leak) else (low, middle)
    return low, tried
