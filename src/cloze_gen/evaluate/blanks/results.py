"""What one baseline answers, from every context that it knows and by both decoders; how well, and what it was right about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluate.blanks.asked import Direction
from cloze_gen.evaluate.blanks.baselines import BlankBaseline
from cloze_gen.evaluate.blanks.chance import chance_metrics
from cloze_gen.evaluate.blanks.contexts import CONTEXTS, context_scores
from cloze_gen.evaluate.blanks.decoding import DECODERS, decode
from cloze_gen.evaluate.blanks.metrics import BlankMetrics, count_answers, measure
from cloze_gen.records.blanked_passage import BlankedPassage

Scores = Mapping[Direction, NDArray[np.float64]]


@dataclass(frozen=True, slots=True, eq=False)
class BlankResult:
    """One baseline from one context by one decoder, which is one row.

    Attributes:
        context: of `CONTEXTS`; empty where the scores come from no context that is told.
        decoder: `INC` or `EXH`; empty where nothing was decoded.
        answers: of each passage, int64, shape (blanks,); empty where nothing is known of single passages.
        seconds: of scoring all contexts, the opening of the model included.
    """

    baseline: BlankBaseline
    context: str
    decoder: str
    metrics: BlankMetrics
    answers: tuple[NDArray[np.int64], ...] = ()
    seconds: float = 0.0


def random_result(baseline: BlankBaseline, passages: Sequence[BlankedPassage]) -> BlankResult:
    """Answering at random, as an expectation."""
    return BlankResult(baseline, "", "", chance_metrics(passages))


def context_results(
    baseline: BlankBaseline, passages: Sequence[BlankedPassage], scores: Sequence[Scores], draws: NDArray[np.float64], *, seconds: float
) -> Iterator[BlankResult]:
    """The rows of a scorer: from each context of which it knows all directions, by each decoder.

    Args:
        scores: of a `BlankScorer`, a passage each.
        draws: of `bootstrap_draws`.
    Raises:
        ValueError: a score is infinite, or some of a row are none.
    """
    for context in CONTEXTS:
        found = [context_scores(one, context) for one in scores]
        given = [one for one in found if one is not None]
        if len(given) == len(passages):
            yield from matrix_results(baseline, passages, given, draws, context=context, seconds=seconds)


def matrix_results(
    baseline: BlankBaseline, passages: Sequence[BlankedPassage], scores: Sequence[NDArray[np.float64]], draws: NDArray[np.float64], *,
    context: str = "", seconds: float = 0.0,
) -> Iterator[BlankResult]:  # fmt: skip
    """The rows of scores as they are: by each decoder.

    Args:
        scores: of each passage, shape (blanks, candidates), finite.
    """
    for decoder in DECODERS:
        answers = tuple(decode(passage, one, decoder) for passage, one in zip(passages, scores, strict=True))
        yield BlankResult(baseline, context, decoder, measure(count_answers(passages, answers), draws), answers, seconds)


def prediction_rows(result: BlankResult, passages: Sequence[BlankedPassage]) -> Iterator[dict[str, Any]]:
    """A line a passage for ``predictions.jsonl``: the candidate chosen for each blank, whether it is right, whether it is a distractor."""
    for passage, answers in zip(passages, result.answers, strict=True) if result.answers else ():
        distractors, chosen = frozenset(passage.distractors), answers.tolist()
        yield {
            "baseline": result.baseline.name, "id": passage.id, "context": result.context, "decoder": result.decoder, "answers": chosen,
            "right": [one == own for one, own in zip(chosen, passage.answers, strict=True)],
            "distractors": [one for one in chosen if one in distractors],
        }  # fmt: skip
