"""Screening: a sentence whose right word scores best is rejected (MSR 2.2 step 3 as the changelog of 20 February 2012 corrects it).

The text of step 3 says "better score"; the changelog: "a sentence was discarded if the correct answer scored best (not worst) according to
the language model prediction score". *Prediction score* is read as the score that drew the alternates, P(word | two-word history); the
whole sentence's score is the other reading and a setting.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from cloze_gen.settings import SettingsGroup


class ScreeningSettings(SettingsGroup):
    """Settings of the screening."""

    score: Literal["history", "sentence"] = Field("history", description="P(word | history), or the whole sentence's probability")


def answer_scores_best(answer_log10: float, alternates_log10: np.ndarray) -> bool:
    """True when the right word scores better than every alternate, or there is none: the question is to be rejected.

    Args:
        answer_log10: of the right word, by whichever score screens.
        alternates_log10: shape (n,): of its alternates, by the same score.

    >>> answer_scores_best(-2.0, np.array([-3.0, -2.5])), answer_scores_best(-2.0, np.array([-3.0, -1.5]))
    (True, False)
    """
    return bool(len(alternates_log10) == 0 or answer_log10 > alternates_log10.max())


def answer_rank(answer_log10: float, alternates_log10: np.ndarray) -> int:
    """Rank of the right word among itself and its alternates, 1 = best; a tie goes to it.

    >>> answer_rank(-2.0, np.array([-3.0, -1.5, -1.0]))
    3
    """
    return 1 + int((alternates_log10 > answer_log10).sum())
