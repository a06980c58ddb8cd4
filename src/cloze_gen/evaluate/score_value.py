"""One score as strangers write it."""

from __future__ import annotations

import math
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.notation import shown


def finite_score(value: Any, where: str) -> float:
    """A number, or a text that is one.

    Raises:
        FormatError: it is none, or not finite; names `where`.

    >>> finite_score("-1.5", "here"), finite_score(2, "here")
    (-1.5, 2.0)
    """
    try:
        # Python reads 1_5 as 15; nobody who writes scores means that.
        score = math.nan if isinstance(value, bool) or (isinstance(value, str) and "_" in value) else float(value)
    except (TypeError, ValueError, OverflowError):
        score = math.nan
    if not math.isfinite(score):
        raise FormatError(f"{where}: {shown(value)} is not a finite number")
    return score
