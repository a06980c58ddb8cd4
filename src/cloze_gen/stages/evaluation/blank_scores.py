"""What scorers say of blanked passages: each passage by itself, and the scores of somebody's own model read from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cloze_gen.engine.progress import track
from cloze_gen.engine.threads import one_thread
from cloze_gen.evaluate.blanks.asked import AskedBlanks, BlankScorer, Direction


def score_passages(name: str, scorer: BlankScorer, passages: Sequence[AskedBlanks]) -> list[Mapping[Direction, NDArray[np.float64]]]:
    """What a scorer says of each passage, with one thread, so that the figures are the same each time.

    Args:
        name: of the baseline, for the bar.
    """
    with one_thread():
        return [scorer.scores(one) for one in track(passages, stage=name, unit="passages", total=len(passages))]
