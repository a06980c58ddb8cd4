"""What scorers say of blanked passages, each by itself; and what rules and classifiers say of candidates without their passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.engine.progress import track
from cloze_gen.engine.threads import one_thread
from cloze_gen.evaluate.blanks.asked import AskedBlanks, BlankScorer, Direction
from cloze_gen.evaluate.blanks.candidate_classifier import judge_candidates, judgement_record
from cloze_gen.stages.evaluation.sentence_counts import read_freqs
from cloze_gen.store.artifacts import Artifact


def score_passages(name: str, scorer: BlankScorer, passages: Sequence[AskedBlanks]) -> list[Mapping[Direction, NDArray[np.float64]]]:
    """What a scorer says of each passage, with one thread, so that the figures are the same each time.

    Args:
        name: of the baseline, for the bar.
    """
    with one_thread():
        return [scorer.scores(one) for one in track(passages, stage=name, unit="passages", total=len(passages))]


def classifier_record(passages: Sequence[AskedBlanks], draws: NDArray[np.float64], counts: Artifact | None) -> Mapping[str, Any]:
    """What classifiers tell of the candidates alone (`candidate_classifier.judgement_record`), with one thread.

    Args:
        draws: of `metrics.bootstrap_draws`.
        counts: of `sentence_counts.write_sentence_counts`, for how common words are; without, they all count as equally common.
    """
    freqs = {} if counts is None else read_freqs(counts)
    with one_thread():
        return judgement_record(passages, judge_candidates(passages, draws, freq_of=lambda word: freqs.get(word, 0.0)))
