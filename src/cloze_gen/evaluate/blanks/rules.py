"""Rules that answer without reading the passage: by the candidates' positions, lengths, kinds and names.

A fair set leaves each near chance. A rule puts the candidates in an order, and is measured twice:

- As an answer: the first blank gets its first candidate, the second its second, and so on. Chance is 1 / candidates.
- As a finder of distractors: it names some candidates, and it is told how many of them are distractors. A rule that grades (length) names
  as many of its first as the passage has distractors, one that tells yes from no (a question) all of which it is true. Chance is the share
  of distractors among the passage's candidates, 2/7 in the paper's usual passage.

Candidates that a rule holds equal are each as likely to come first: both figures are expectations, no draw is involved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.english.cohesion import surface_ties
from cloze_gen.evaluate.blanks.asked import AskedBlanks
from cloze_gen.evaluate.blanks.terms import words_of

Values = NDArray[np.float64]
_MIDDLE = (2.5, 97.5)  # percentiles


@dataclass(frozen=True, slots=True)
class PassageRule:
    """What a rule goes by.

    Attributes:
        values: of each candidate of a passage, shape (candidates,): the highest comes first.
        grades: how much, not whether: then it names as many candidates as there are distractors.
    """

    name: str
    values: Callable[[AskedBlanks], Values]
    grades: bool = True


@dataclass(frozen=True, slots=True)
class RuleResult:
    """One rule. Bounds are the middle 95 % of the bootstrap by passage; shares are of 1.

    Attributes:
        ba: blank accuracy, averaged over passages, and what chance has.
        named: how many candidates it names, in all passages; a candidate it is undecided about counts in part.
        distractors: share of distractors among them, and what chance has; None, and its bounds, where it names none.
    """

    name: str
    ba: float
    ba_low: float
    ba_high: float
    ba_chance: float
    named: float
    distractors: float | None
    distractors_low: float | None
    distractors_high: float | None
    distractors_chance: float | None


def rule_results(passages: Sequence[AskedBlanks], draws: NDArray[np.float64]) -> Iterator[Mapping[str, Any]]:
    """The rows of all rules, as `evaluation.json` has them (`RuleResult`).

    Args:
        draws: shape (draws, passages): of `metrics.bootstrap_draws`.
    """
    for rule in rules_for(max(len(one.candidates) for one in passages)):
        yield asdict(_measured(rule, passages, draws))


def rules_for(most_candidates: int) -> list[PassageRule]:
    """All rules, for passages of up to so many candidates."""
    return [
        PassageRule("printed first", lambda asked: -np.arange(len(asked.candidates), dtype=np.float64)),
        *(PassageRule(f"printed as {place + 1}", _printed_at(place), grades=False) for place in range(most_candidates)),
        PassageRule("longest", _lengths),
        PassageRule("shortest", lambda asked: -_lengths(asked)),
        PassageRule("nearest to the mean length", _nearness_to_mean),
        PassageRule("questions", lambda asked: _of_ties(asked, "question"), grades=False),
        PassageRule("speech", lambda asked: np.minimum(_of_ties(asked, "quotation_marks"), 1), grades=False),
        PassageRule("most names", _names),
        PassageRule("fewest names", lambda asked: -_names(asked)),
    ]


def answer_probs(values: Values, answers: Sequence[int]) -> NDArray[np.float64]:
    """The probability that each blank, in order, gets its answer from candidates in the order of their values: float64, shape (blanks,).

    >>> answer_probs(np.array([5.0, 1.0, 5.0]), [0, 2, 1]).tolist()
    [0.5, 0.5, 1.0]
    """
    in_order = np.sort(values)[::-1][: len(answers)]
    own = values[list(answers)]
    return np.where(own == in_order, 1 / (values == own[:, None]).sum(axis=1), 0.0)


def named_probs(values: Values, count: int) -> NDArray[np.float64]:
    """The probability that each candidate is one of the first `count` in the order of the values: float64, shape (candidates,).

    >>> named_probs(np.array([5.0, 1.0, 1.0, 0.0]), 2).tolist()
    [1.0, 0.5, 0.5, 0.0]
    """
    above = (values > values[:, None]).sum(axis=1)
    equal = (values == values[:, None]).sum(axis=1)
    return np.clip((count - above) / equal, 0.0, 1.0)


def _measured(rule: PassageRule, passages: Sequence[AskedBlanks], draws: NDArray[np.float64]) -> RuleResult:
    rows = [_of_passage(rule, one) for one in passages]
    right, named, distractors, expected = np.array(rows, np.float64).T
    ba_low, ba_high = np.percentile(draws @ right / len(right), _MIDDLE)
    ba_chance = float(np.mean([1 / len(one.candidates) for one in passages]))
    total = float(named.sum())
    share = low = high = chance = None
    if total:
        weights = draws @ named
        drawn = (draws @ distractors)[weights > 0] / weights[weights > 0]
        low, high = (float(bound) for bound in np.percentile(drawn, _MIDDLE))
        share, chance = float(distractors.sum() / total), float(expected.sum() / total)
    return RuleResult(rule.name, float(right.mean()), float(ba_low), float(ba_high), ba_chance, total, share, low, high, chance)


def _of_passage(rule: PassageRule, asked: AskedBlanks) -> tuple[float, float, float, float]:
    """Blank accuracy; candidates named; distractors among them; how many chance would have among them."""
    values, wrong = rule.values(asked), asked.passage.distractors
    named = named_probs(values, len(wrong)) if rule.grades else (values > 0).astype(np.float64)
    right = float(answer_probs(values, asked.passage.answers).mean())
    return right, float(named.sum()), float(named[list(wrong)].sum()), float(named.sum()) * len(wrong) / len(values)


def _printed_at(place: int) -> Callable[[AskedBlanks], Values]:
    return lambda asked: (np.arange(len(asked.candidates)) == place).astype(np.float64)


def _lengths(asked: AskedBlanks) -> Values:
    """In words."""
    return np.array([len(words_of(tokens)) for tokens in asked.candidates], np.float64)


def _nearness_to_mean(asked: AskedBlanks) -> Values:
    """To the mean length of the sentences that are shown, less the difference in words."""
    blanked = frozenset(asked.passage.blanks)
    shown = [len(words_of(tokens)) for i, tokens in enumerate(asked.sentences) if i not in blanked]
    return -np.abs(_lengths(asked) - (np.mean(shown) if shown else 0.0))


def _of_ties(asked: AskedBlanks, field: str) -> Values:
    return np.array([float(getattr(surface_ties(tokens), field)) for tokens in asked.candidates])


def _names(asked: AskedBlanks) -> Values:
    return np.array([float(len(surface_ties(tokens).names)) for tokens in asked.candidates])
