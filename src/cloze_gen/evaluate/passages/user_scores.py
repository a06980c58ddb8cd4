"""What lm-evaluation-harness kept of a model that it asked about passages, as scores of the targets."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from cloze_gen.errors import FormatError
from cloze_gen.evaluate.passages.asked import AskedPassage
from cloze_gen.evaluate.passages.metrics import TargetScores
from cloze_gen.evaluate.sample_log import parse_sample_log


def target_scores_of_log(text: str, passages: Sequence[AskedPassage], *, name: str = "scores") -> TargetScores:
    """Log10 of the targets' probabilities, and whether the model would have written them, which is the harness's `acc`.

    No rank: the harness asks about one continuation. A passage of two sets has one answer; other passages may be.

    Args:
        text: a log (`sample_log`), or several put into one file.
        name: of the file, for messages.
    Raises:
        FormatError: it is no log of one likelihood a passage, one is above 0, a target is another, or a passage lacks its answer.

    >>> asked = AskedPassage("b:1", "passages", (("it", "was"),), "ann")
    >>> found = target_scores_of_log('{"doc": {"id": "b:1", "target": "Ann"}, "resps": [[["-2.302585092994046", "True"]]]}', [asked])
    >>> found.log10_prob.tolist(), found.right.tolist()
    ([-1.0], [True])
    """
    samples = {sample.id: sample for sample in parse_sample_log(text, name=name)}
    missing = list(dict.fromkeys(passage.id for passage in passages if passage.id not in samples))
    if missing:
        of = len({passage.id for passage in passages})
        lacks = f"no answer for {len(missing):,} of {of:,} passages, the first is {missing[0][:80]}"
        raise FormatError(f"{name}: {lacks}. A log holds one split; put those of all measured splits into one file")
    ln_probs, right = np.empty(len(passages)), np.empty(len(passages), np.bool_)
    for row, passage in enumerate(passages):
        sample = samples[passage.id]
        targets = {text.strip().casefold() for text in (passage.target, *(asked for _, asked in passage.prompts.values()))}
        told = sample.doc.get("target", passage.target)
        if len(sample.ln_probs) != 1:
            raise FormatError(f"{sample.where}: {len(sample.ln_probs)} answers for the one target of {passage.id[:80]}")
        if not isinstance(told, str) or told.casefold() not in targets:
            raise FormatError(
                f"{sample.where}: the target of {passage.id[:80]} is another; the log is of another set, or of another version"
            )
        if sample.ln_probs[0] > 0:
            raise FormatError(f"{sample.where}: {sample.ln_probs[0]} is above 0, so it is the logarithm of no probability")
        ln_probs[row], right[row] = sample.ln_probs[0], sample.greedy[0]
    return TargetScores(ln_probs / math.log(10), np.full(len(passages), np.nan), np.ones(len(passages), np.bool_), right)
