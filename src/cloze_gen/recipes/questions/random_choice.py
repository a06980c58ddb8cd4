"""Settings and records of the choice, and the random choice: one item per sentence (MSR 2.3,
guideline 7).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from cloze_gen.records.rejection import Reason, Rejection
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_EACH, SettingsGroup

WordClass = Literal["noun", "verb", "adjective", "adverb"]
Share = Annotated[float, Field(ge=0, le=1)]


N_IMPOSTORS = 4  # wrong options per question; MSR 2.3; the file formats require four


class ChoiceSettings(SettingsGroup):
    """Each recipe sets bounds and default of the first."""

    n_questions: int | Literal["auto"]
    method: Literal["matched", "random"] = Field(
        "matched",
        description=(
            "how impostors, focus words and sentences are chosen. matched: "
            "classifiers trained on the n-gram scores cannot find the answer; random: by chance"
        ),
    )
    draws: int = Field(
        24,
        ge=1,
        le=MOST_EACH,
        description="random impostor sets per focus word to choose from (matched)",
    )
    rounds: int = Field(
        10,
        ge=0,
        le=100,
        description=(
            "most rounds of classifier training; the search stops early without "
            "progress; 0: none (matched)"
        ),
    )
    max_ambiguity: float = Field(
        0.09,
        gt=0,
        le=1,
        description=(
            "exclusive limit of a reader's probability to find an impostor as good "
            "as the answer; 1: off (matched)"
        ),
    )
    max_triviality: float = Field(
        0.45,
        gt=0,
        le=1,
        description=(
            "exclusive limit of a reader's probability to find no impostor "
            "plausible; 1: off (matched)"
        ),
    )
    max_leak: float = Field(
        0.25,
        gt=0,
        le=1,
        description=(
            "largest share of the answers that the check may find, by scores alone (chance: "
            '0.2): n_questions = "auto" gives the largest set below it; a given number above '
            "it gives a warning (matched)"
        ),
    )
    class_shares: dict[WordClass, Share] = Field(
        {},
        description=(
            "share of questions per class of the answer; the remaining questions may "
            "have any class; {}: no shares (matched)"
        ),
    )

    @model_validator(mode="after")
    def _auto_is_checked(self) -> Self:
        if self.n_questions == "auto" and (self.method != "matched" or not self.rounds):
            raise ValueError(
                'n_questions = "auto" needs the check of method = "matched" with rounds above 0. Give '
                "a number of questions, or change these settings"
            )
        return self

    @model_validator(mode="after")
    def _shares_are_of_one_whole(self) -> Self:
        if sum(self.class_shares.values()) > 1 + 1e-9:
            raise ValueError(
                f"class_shares add up to {sum(self.class_shares.values()):.4g}. Lower them to "
                "a sum of 1 at most"
            )
        return self


class ChoiceReason(Reason):
    TOO_FEW_CANDIDATES = ("too_few_fit_candidates", "fewer than four candidates are fit")
    NO_FOUR = (
        "no_valid_impostor_set",
        "no four candidates meet choice.max_ambiguity and choice.max_triviality",
    )
    OTHER_FOCUS_CHOSEN = (
        "other_target_chosen",
        "another target word of the same sentence was chosen",
    )
    BEYOND_N = ("beyond_n_questions", "choice.n_questions are already chosen")


@dataclass(frozen=True, slots=True)
class FitItem:
    """A focus word with its fit candidates; `word_class` is ``other`` if nothing was tagged."""

    id: str
    sentence_id: str
    answer: str
    candidates: tuple[str, ...]
    word_class: str = "other"


@dataclass(frozen=True, slots=True)
class ScoredItem:
    """A fit item and the scores of its words.

    Attributes:
        scores: shape (1 + candidates, scores), with the answer first; columns: `ChoicePlan.score_names`.
        fits_as_well, plausible: share of readers who mark each candidate, shape (candidates,).
        topicality: association of each word with the sentence, in nats; NaN if unknown.
    """

    item: FitItem
    scores: np.ndarray
    fits_as_well: np.ndarray
    plausible: np.ndarray
    topicality: np.ndarray


@dataclass(frozen=True, slots=True)
class Chosen:
    id: str
    impostors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChoicePlan:
    """`score_names` are the columns of `ScoredItem.scores`; ``freq`` is compared by its logarithm."""

    settings: ChoiceSettings
    recipe: str
    score_names: tuple[str, ...]
    seed: int

    def rng(self, purpose: str, *ids: str) -> np.random.Generator:
        return derive_rng(self.seed, f"{self.recipe}.{purpose}", *ids)


def choose_randomly(items: Iterable[FitItem], plan: ChoicePlan) -> list[Chosen | Rejection]:
    """One verdict for each item, in the given order, drawn with each item's own generator."""
    items, settings = list(items), plan.settings
    fit = [item for item in items if len(item.candidates) >= N_IMPOSTORS]
    by_sentence: dict[str, list[FitItem]] = {}
    for item in fit:
        by_sentence.setdefault(item.sentence_id, []).append(item)
    picked = {sentence: _pick(group, sentence, plan) for sentence, group in by_sentence.items()}
    ranked = sorted(
        picked,
        key=lambda sentence: (plan.rng("sentences", sentence).random(), sentence),
    )
    kept = {picked[sentence].id for sentence in ranked[: int(settings.n_questions)]}
    impostors = {item.id: draw_impostors(item, plan) for item in items if item.id in kept}
    return verdicts(items, impostors=impostors)


def verdicts(
    items: Iterable[FitItem],
    *,
    impostors: Mapping[str, tuple[str, ...]],
    offered: Container[str] | None = None,
) -> list[Chosen | Rejection]:
    """One verdict for each item; `offered`: ids of items with impostors to offer, None: all."""
    chosen_of = {item_id.rpartition(":")[0]: item_id for item_id in impostors}
    found: list[Chosen | Rejection] = []
    for item in items:
        if item.id in impostors:
            found.append(Chosen(item.id, impostors[item.id]))
        elif len(item.candidates) < N_IMPOSTORS:
            found.append(
                Rejection(item.id, ChoiceReason.TOO_FEW_CANDIDATES, str(len(item.candidates)))
            )
        elif offered is not None and item.id not in offered:
            found.append(Rejection(item.id, ChoiceReason.NO_FOUR))
        elif item.sentence_id in chosen_of:
            found.append(
                Rejection(item.id, ChoiceReason.OTHER_FOCUS_CHOSEN, chosen_of[item.sentence_id])
            )
        else:
            found.append(Rejection(item.id, ChoiceReason.BEYOND_N))
    return found


def _pick(group: Sequence[FitItem], sentence_id: str, plan: ChoicePlan) -> FitItem:
    return group[int(plan.rng("focus_of_sentence", sentence_id).integers(len(group)))]


def draw_impostors(item: FitItem, plan: ChoicePlan) -> tuple[str, ...]:
    picked = plan.rng("impostors", item.id).choice(
        len(item.candidates), size=N_IMPOSTORS, replace=False
    )
    return tuple(item.candidates[i] for i in sorted(picked))
