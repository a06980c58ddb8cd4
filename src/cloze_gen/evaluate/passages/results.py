"""What one baseline of a passage scored on one set: its row, and of each passage whether it was right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluate.metrics import wilson_interval
from cloze_gen.evaluate.passages.asked import AskedPassage
from cloze_gen.evaluate.passages.baselines import PassageBaseline
from cloze_gen.evaluate.passages.chance import random_capitalised_word, random_vocabulary_word, random_word, random_word_type
from cloze_gen.evaluate.passages.metrics import TargetScores, measure
from cloze_gen.evaluate.passages.rules import rule_hits
from cloze_gen.evaluate.passages.table import chance_row, model_row, rule_row, untold_row

_NO_CASE = "not measured, for the file is in small letters"


@dataclass(frozen=True, slots=True, eq=False)
class PassageResult:
    """One baseline on one set.

    Attributes:
        row: of ``evaluation.json`` (`evaluate.passages.table`).
        ids: of the passages.
        right: bool, shape (n,); None where nothing is known of single passages.
        scores: of a model.
    """

    row: Mapping[str, Any]
    ids: tuple[str, ...] = ()
    right: NDArray[np.bool_] | None = None
    scores: TargetScores | None = None


def random_result(row: PassageBaseline, set_name: str, passages: Sequence[AskedPassage], *, words: Sequence[str]) -> PassageResult:
    """Guessing at random, as an expectation.

    Args:
        words: the closed vocabulary, where one is drawn from it: then also its perplexity and the expected rank.
    """
    tokens, cased = [one.tokens for one in passages], [one.cased for one in passages]
    if row.of_case and not all(cased):
        return PassageResult(_of_set(untold_row(row.name, row.kind, len(passages), _NO_CASE), set_name))
    if words:
        vocabulary, targets = frozenset(words), [one.target for one in passages]
        known = float(np.mean([target in vocabulary for target in targets]))
        probs = random_vocabulary_word(targets, vocabulary)
        found = chance_row(row.name, probs, perplexity=float(len(words)), median_rank=(len(words) + 1) / 2, coverage=known)
        return PassageResult(_of_set(found, set_name))
    measures = {"random word": random_word, "random word type": random_word_type}
    probs = random_capitalised_word(cased) if row.of_case else measures[row.name](tokens)
    return PassageResult(_of_set(chance_row(row.name, probs), set_name))


def rule_result(row: PassageBaseline, set_name: str, passages: Sequence[AskedPassage]) -> PassageResult:
    """A rule of the passage alone; of case where it needs it and the passages have it."""
    if row.of_case and not all(one.cased for one in passages):
        return PassageResult(_of_set(untold_row(row.name, row.kind, len(passages), _NO_CASE), set_name))
    hits = rule_hits([one.cased or one.tokens for one in passages], row.name)
    interval = wilson_interval(int(hits.sum()), len(hits))
    return PassageResult(_of_set(rule_row(row.name, hits, interval=interval), set_name), tuple(one.id for one in passages), hits)


def scored_result(
    name: str, kind: str, source: str, set_name: str, passages: Sequence[AskedPassage], scores: TargetScores, *, seconds: float = 0.0
) -> PassageResult:
    """A model that gives probabilities.

    Args:
        seconds: of scoring, its model's opening included.
    Raises:
        UsageError: a probability is none.
    """
    row = model_row(name, measure(scores), kind=kind, source=source)
    return PassageResult(_of_set(row, set_name, seconds), tuple(one.id for one in passages), scores.right, scores)


def prediction_rows(result: PassageResult) -> Iterator[dict[str, Any]]:
    """One row a passage for ``predictions.jsonl``: log10 P(target), its rank, whether it is the first choice; None where nobody told."""
    for i, passage_id in enumerate(result.ids):
        scores = result.scores
        rank = None if scores is None or np.isnan(scores.rank[i]) else float(scores.rank[i])
        yield {
            "baseline": result.row["name"], "id": passage_id, "set": result.row["set"],
            "log10_prob": None if scores is None else round(float(scores.log10_prob[i]), 6), "rank": rank,
            "right": None if result.right is None else bool(result.right[i]),
        }  # fmt: skip


def _of_set(row: Mapping[str, Any], set_name: str, seconds: float = 0.0) -> dict[str, Any]:
    return {"set": set_name, "note": "", **row, "seconds": round(seconds, 3)}
