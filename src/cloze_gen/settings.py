"""What every group of settings has in common: nothing unknown, nothing turned into another kind, no infinity, no empty range.

A group stands above its step. Its bounds are of two kinds: what the step can mean (a share lies between 0 and 1), and what no corpus of
books can need (`MOST_COUNTED`, `MOST_EACH`), so that a slip of the finger is told at once and not after hours, or by lack of memory.
"""

from __future__ import annotations

import math
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

MOST_COUNTED = 10**9  # words, sentences, questions: 41 million words are the 522 books of the challenge, 10**9 some 12,000 books
MOST_EACH = 10_000  # rows kept for each of thousands of items (alternates, draws): the papers' largest is 150


def types_of(words: int) -> int:
    """How many different words a text of so many words has at most; an estimate, by Heaps' law with the figures of novels.

    >>> types_of(41_000_000), types_of(12_000)
    (512240, 8720)
    """
    return min(words, 80 * math.isqrt(words))


class SettingsGroup(BaseModel):
    """The settings of one step. Frozen; `true` is no number, `"3"` is none either.

    >>> class Lengths(SettingsGroup):
    ...     min_tokens: int = 6
    ...     max_tokens: int = 36
    >>> try:
    ...     Lengths(min_tokens=40)
    ... except ValueError as error:
    ...     print(str(error).splitlines()[1].split("[")[0].strip())
    Value error, min_tokens = 40 is above max_tokens = 36, so nothing could pass
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    def memory_bytes(self, words: int) -> int:
        """Memory that these settings ask for where the text has so many words, beside what any text takes; an estimate, not too low.

        Only groups ask for any whose tables grow with a setting.
        """
        return 0

    @model_validator(mode="after")
    def _ranges_hold_something(self) -> Self:
        """Of two settings `min_x` and `max_x` the first is not above the second."""
        for name in type(self).model_fields:
            most = f"max_{name.removeprefix('min_')}"
            if name.startswith("min_") and most in type(self).model_fields and getattr(self, name) > getattr(self, most):
                raise ValueError(f"{name} = {getattr(self, name)} is above {most} = {getattr(self, most)}, so nothing could pass")
        return self
