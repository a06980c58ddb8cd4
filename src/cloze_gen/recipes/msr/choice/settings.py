"""Settings and reasons of the choice."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from cloze_gen.records.rejection import Reason
from cloze_gen.settings import MOST_COUNTED, MOST_EACH, SettingsGroup, Unhashed

WordClass = Literal["noun", "verb", "adjective", "adverb"]
Share = Annotated[float, Field(ge=0, le=1)]


class ChoiceSettings(SettingsGroup):
    n_questions: Annotated[int, Field(ge=1, le=MOST_COUNTED)] | Literal["auto"] = Field(
        1040, description="questions, if possible; auto: as many as max_leak allows"
    )
    method: Literal["matched", "random"] = Field(
        "matched", description="matched: classifiers of the scores cannot find the answer"
    )
    draws: int = Field(
        24, ge=1, le=MOST_EACH, description="impostor sets offered for a focus word, at most"
    )
    max_ambiguity: float = Field(
        0.09, gt=0, le=1, description="share of readers who find an impostor as good; 1: off"
    )
    max_triviality: float = Field(
        0.45, gt=0, le=1, description="share of readers who find no impostor plausible; 1: off"
    )
    max_leak: float = Field(
        0.25,
        gt=0,
        le=1,
        description="share of answers that the check may find by scores; chance: 0.2",
    )
    # Of the published development answers the built-in tagger calls 45 % nouns, 39 % verbs, 13 %
    # adjectives and 3 % adverbs. Verbs and adverbs have smaller shares here, because grooming
    # leaves few of them four fit candidates, and balancing needs more sentences than it uses.
    class_shares: dict[WordClass, Share] = Field(
        {"noun": 0.67, "verb": 0.17, "adjective": 0.14, "adverb": 0.005},
        description="share of questions of each class; the rest: any class",
    )
    verdicts: Unhashed[str] = Field(
        "", description="file with readers' verdicts on a larger set; empty: none"
    )
    max_marked: Share = Field(
        0.0, description="share of readers of a question who may mark it or answer wrongly"
    )

    @model_validator(mode="after")
    def _auto_is_checked(self) -> Self:
        if self.n_questions == "auto" and self.method != "matched":
            raise ValueError(
                'n_questions = "auto" needs the check of method = "matched". Give a number of '
                "questions, or change the method"
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
