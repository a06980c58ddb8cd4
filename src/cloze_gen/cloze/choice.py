"""The choice of the set: four impostors a question, one focus word a sentence, n questions (MSR 2.3, guideline 7).

`random` decides each of these by the record's own generator. Only here do records meet: the set is cut to n questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from cloze_gen.records import Rejection
from cloze_gen.rng import derive_rng


class ChoiceSettings(BaseModel):
    """Settings of the choice."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    n_questions: int = Field(1040, ge=1, description="questions wanted; fewer are said, never padded. Published: 1,040")
    n_impostors: int = Field(4, ge=1, le=25, description="wrong options a question; MSR 2.3")
    method: Literal["random", "balanced"] = Field("random", description="how impostors, focus words and sentences are chosen")


class ChoiceReason(StrEnum):
    """Why a groomed focus word became no question."""

    TOO_FEW_CANDIDATES = "too_few_fit_candidates"
    OTHER_FOCUS_CHOSEN = "other_focus_of_the_sentence_chosen"
    BEYOND_N = "beyond_n_questions"


@dataclass(frozen=True, slots=True)
class GroomedItem:
    """A focus word with the candidates that grooming left, best forward score first."""

    id: str
    sentence_id: str
    answer: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A question of the set: the item and its impostors."""

    id: str
    impostors: tuple[str, ...]


def choose_randomly(items: Iterable[GroomedItem], *, settings: ChoiceSettings, seed: int) -> list[Chosen | Rejection]:
    """Choose by record: impostors by the item's generator, the focus word by the sentence's, the sentences by theirs.

    Returns:
        one verdict for each item, in the order of the items.
    """
    items = list(items)
    fit = [item for item in items if len(item.candidates) >= settings.n_impostors]
    by_sentence: dict[str, list[GroomedItem]] = {}
    for item in fit:
        by_sentence.setdefault(item.sentence_id, []).append(item)
    picked = {sentence: _pick(group, sentence, seed) for sentence, group in by_sentence.items()}
    ranked = sorted(picked, key=lambda sentence: (derive_rng(seed, "msr.sentences", sentence).random(), sentence))
    kept = {picked[sentence].id for sentence in ranked[: settings.n_questions]}
    return [_verdict(item, settings, picked, kept, seed) for item in items]


def _pick(group: Sequence[GroomedItem], sentence_id: str, seed: int) -> GroomedItem:
    return group[int(derive_rng(seed, "msr.focus_of_sentence", sentence_id).integers(len(group)))]


def _verdict(
    item: GroomedItem, settings: ChoiceSettings, picked: Mapping[str, GroomedItem], kept: Iterable[str], seed: int
) -> Chosen | Rejection:
    if len(item.candidates) < settings.n_impostors:
        return Rejection(item.id, ChoiceReason.TOO_FEW_CANDIDATES, str(len(item.candidates)))
    if picked[item.sentence_id].id != item.id:
        return Rejection(item.id, ChoiceReason.OTHER_FOCUS_CHOSEN, picked[item.sentence_id].id)
    if item.id not in kept:
        return Rejection(item.id, ChoiceReason.BEYOND_N)
    rng = derive_rng(seed, "msr.impostors", item.id)
    order = rng.choice(len(item.candidates), size=settings.n_impostors, replace=False)
    return Chosen(item.id, tuple(item.candidates[i] for i in sorted(order)))
