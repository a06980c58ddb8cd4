"""The choice of the set: four impostors a question, one focus word a sentence, n questions (MSR 2.3, guideline 7).

`random` decides each of these by the record's own generator. Only here do records meet: the set is cut to n questions.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from cloze_gen.records.rejection import Rejection
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_COUNTED, MOST_EACH, IgnoredWhen, SettingsGroup

# What the choice levels and what its classifiers see; others report and never select. Topicality is levelled too, but no classifier sees
# it: as a sixth score it cost these five more than LSA's guesses were worth (docs/balance.md).
BALANCED_SCORES = ("history_log10_prob", "forward_log10_prob", "sentence_log10_prob", "freq", "length")

WordClass = Literal["noun", "verb", "adjective", "adverb"]
Share = Annotated[float, Field(ge=0, le=1)]
# Of the 511 of the 520 published development answers that are of these classes in their sentences by the built-in tagger: 232, 200, 64, 15.
_PUBLISHED_SHARES: Mapping[WordClass, float] = {"noun": 0.454, "verb": 0.391, "adjective": 0.125, "adverb": 0.03}


class ChoiceSettings(SettingsGroup):
    """Settings of the choice."""

    n_questions: int = Field(1040, ge=1, le=MOST_COUNTED, description="questions wanted; fewer are said, never padded. Published: 1,040")
    n_impostors: int = Field(4, ge=4, le=4, description="wrong options a question; MSR 2.3, whose file formats hold the answer and four")
    method: Literal["matched", "balanced", "random"] = Field(
        "matched",
        description="how impostors, focus words and sentences are chosen: no classifier of scores tells, no rank tells, by chance",
    )
    draws: int = Field(24, ge=1, le=MOST_EACH, description="matched, balanced: random draws of impostors that each focus word offers")
    impostor_draw: Literal["matched", "uniform"] = Field(
        "matched", description="matched, balanced: words are impostors as often as they are answers, or all candidates alike"
    )
    slack: float = Field(
        0.015, ge=0, le=1, description="matched, balanced: scatter of chance left in each rank's share, at most; 0 levels all"
    )
    same_vocabulary: bool = Field(False, description="an impostor must be the answer of a fit item too")
    passes: int = Field(1, ge=0, le=100, description="matched, balanced: exchanges tried for every question after the greedy choice")
    rounds: int = Field(
        10, ge=0, le=100, description="matched: rounds of classifiers at most, fewer where they tell no less; 0 levels only"
    )
    max_ambiguity: float = Field(
        0.09, gt=0, le=1, description="matched, balanced: exclusive: the chance that one of the four fits as well, to a reader; 1 is off"
    )
    max_triviality: float = Field(
        0.45, gt=0, le=1, description="matched, balanced: exclusive: the chance that none of the four is even plausible; 1 is off"
    )
    class_shares: dict[WordClass, Share] = Field(
        dict(_PUBLISHED_SHARES), description="matched: share of the questions by the answer's class; what is left is open; {} asks for none"
    )

    ignored_when = (
        IgnoredWhen(("draws", "impostor_draw", "slack", "passes", "max_ambiguity", "max_triviality"), {"method": ("random",)}),
        IgnoredWhen(("rounds", "class_shares"), {"method": ("random", "balanced")}),
    )

    @model_validator(mode="after")
    def _shares_are_of_one_whole(self) -> Self:
        if sum(self.class_shares.values()) > 1 + 1e-9:
            raise ValueError(f"class_shares add up to {sum(self.class_shares.values()):.4g}; together they may be 1 at most")
        return self


class ChoiceReason(StrEnum):
    """Why a focus word in a fit sentence became no question."""

    TOO_FEW_CANDIDATES = "too_few_fit_candidates"
    NO_FOUR = "no_four_clear_and_worth_a_thought"
    OTHER_FOCUS_CHOSEN = "other_focus_of_the_sentence_chosen"
    BEYOND_N = "beyond_n_questions"


@dataclass(frozen=True, slots=True)
class FitItem:
    """A focus word in a fit sentence, with its fit candidates, best forward score first.

    Attributes:
        word_class: coarse class of the answer; ``other`` where nothing was tagged.
    """

    id: str
    sentence_id: str
    answer: str
    candidates: tuple[str, ...]
    word_class: str = "other"


@dataclass(frozen=True, slots=True)
class ScoredItem:
    """A fit item and the scores of its words.

    Attributes:
        scores: float64, shape (1 + candidates, scores), columns as BALANCED_SCORES: the answer first, then the candidates in their order.
        fits_as_well, plausible: of each candidate, what readers are expected to say; float64, shape (candidates,), 0 to 1.
        topicality: of the same words as `scores`, their association with the rest of the sentence in nats; NaN where none was measured.
    """

    item: FitItem
    scores: np.ndarray
    fits_as_well: np.ndarray
    plausible: np.ndarray
    topicality: np.ndarray


@dataclass(frozen=True, slots=True)
class Chosen:
    """A question of the set: the item and its impostors."""

    id: str
    impostors: tuple[str, ...]


def choose_randomly(items: Iterable[FitItem], *, settings: ChoiceSettings, seed: int) -> list[Chosen | Rejection]:
    """Choose by record: impostors by the item's generator, the focus word by the sentence's, the sentences by theirs.

    Returns:
        one verdict for each item, in the order of the items.
    """
    items = list(items)
    fit = [item for item in items if len(item.candidates) >= settings.n_impostors]
    by_sentence: dict[str, list[FitItem]] = {}
    for item in fit:
        by_sentence.setdefault(item.sentence_id, []).append(item)
    picked = {sentence: _pick(group, sentence, seed) for sentence, group in by_sentence.items()}
    ranked = sorted(picked, key=lambda sentence: (derive_rng(seed, "msr.sentences", sentence).random(), sentence))
    kept = {picked[sentence].id for sentence in ranked[: settings.n_questions]}
    impostors = {item.id: draw_four(item, settings, seed) for item in items if item.id in kept}
    return verdicts(items, settings=settings, impostors=impostors)


def verdicts(
    items: Iterable[FitItem], *, settings: ChoiceSettings, impostors: Mapping[str, tuple[str, ...]], offered: Container[str] | None = None
) -> list[Chosen | Rejection]:
    """One verdict for each item, given the impostors of those chosen.

    Args:
        offered: ids of the items that offer a four; None where every four will do.
    """
    chosen_of = {item_id.rpartition(":")[0]: item_id for item_id in impostors}
    found: list[Chosen | Rejection] = []
    for item in items:
        if item.id in impostors:
            found.append(Chosen(item.id, impostors[item.id]))
        elif len(item.candidates) < settings.n_impostors:
            found.append(Rejection(item.id, ChoiceReason.TOO_FEW_CANDIDATES, str(len(item.candidates))))
        elif offered is not None and item.id not in offered:
            found.append(Rejection(item.id, ChoiceReason.NO_FOUR))
        elif item.sentence_id in chosen_of:
            found.append(Rejection(item.id, ChoiceReason.OTHER_FOCUS_CHOSEN, chosen_of[item.sentence_id]))
        else:
            found.append(Rejection(item.id, ChoiceReason.BEYOND_N))
    return found


def draw_four(item: FitItem, settings: ChoiceSettings, seed: int) -> tuple[str, ...]:
    """The impostors of an item that has enough candidates, by its own generator."""
    rng = derive_rng(seed, "msr.impostors", item.id)
    picked = rng.choice(len(item.candidates), size=settings.n_impostors, replace=False)
    return tuple(item.candidates[i] for i in sorted(picked))


def _pick(group: Sequence[FitItem], sentence_id: str, seed: int) -> FitItem:
    return group[int(derive_rng(seed, "msr.focus_of_sentence", sentence_id).integers(len(group)))]
