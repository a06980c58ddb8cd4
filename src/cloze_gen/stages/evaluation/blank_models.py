"""The scorers of blanks by the names of `evaluate.blanks.baselines`, each opened with what it is made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cloze_gen.evaluate.blanks.asked import AskedBlanks, BlankScorer
from cloze_gen.evaluate.blanks.overlap import OverlapScorer
from cloze_gen.evaluate.blanks.pmi import PmiScorer
from cloze_gen.store.artifacts import Artifact


def open_scorer(name: str, models: Mapping[str, Artifact], training: Sequence[AskedBlanks]) -> BlankScorer:
    """A scorer.

    Args:
        models: what the baseline is made from, by the names of its `BlankBaseline.models`.
        training: the passages to learn from.
    """
    if name.startswith("pmi-"):
        return PmiScorer((one.sentences for one in training), most=int(name.removeprefix("pmi-")))
    return OverlapScorer()
