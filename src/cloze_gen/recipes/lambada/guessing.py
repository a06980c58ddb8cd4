"""Guessing by people (LAMBADA 3.1), in three steps.

One subject and then a second read the whole passage and guess once each; both must be right. Ten
others read the target sentence alone and guess three times each; all must be wrong.

Our reading: "no subject (out of ten) ... even when given 3 guesses" means ten subjects with three
guesses each; "exactly match[es]" ignores case, surrounding punctuation and the form of apostrophes.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import Field

from cloze_gen.judging.assignment import Case
from cloze_gen.records.rejection import Reason
from cloze_gen.settings import MOST_EACH, SettingsGroup, Unhashed

_PASSAGES_A_PAGE, _SENTENCES_A_PAGE = 10, 20  # 3.1


class Condition(StrEnum):
    PASSAGE = "passage"
    SENTENCE = "sentence"


class GuessingSettings(SettingsGroup):
    verdicts: Unhashed[str] = Field(
        "",
        description="file with people's guesses (`cloze-gen judge apply`); empty: none",
    )
    passage_subjects: int = Field(
        2,
        ge=1,
        le=MOST_EACH,
        description="people who all guess the target from the passage; 3.1",
    )
    sentence_subjects: int = Field(
        10,
        ge=0,
        le=MOST_EACH,
        description="people who all miss it from its sentence; 3.1",
    )
    sentence_guesses: int = Field(
        3, ge=1, le=MOST_EACH, description="guesses of a person for a sentence; 3.1"
    )

    @property
    def rules(self) -> dict[str, int]:
        """What people are asked, and how often."""
        return self.model_dump(exclude={"verdicts"})


class Verdict(Reason):
    """The state of a passage; all but the first are reasons of rejection."""

    KEPT = ("kept", "the passage passes all steps")
    MISSED = (
        "not_guessed_from_the_passage",
        "a reader of the whole passage did not guess the target",
    )
    MISSED_AGAIN = (
        "not_guessed_by_second_reader",
        "a second reader of the whole passage did not guess the target",
    )
    GUESSED_ALONE = (
        "guessed_from_the_sentence_alone",
        "a reader of the last sentence alone guessed the target",
    )


@dataclass(frozen=True, slots=True)
class GuessingRule:
    """The assignment rule (`judging.assignment`) for passages; a case's key is `{"target": word}`.

    >>> from cloze_gen.judging.assignment import Answer
    >>> rule, case = GuessingRule(GuessingSettings()), Case("b:7", (), {"target": "menu"})
    >>> rule.wanted(case), rule.outcome(case), rule.page("passage")
    (('passage', 1), '', 10)
    >>> guessed = [Answer(name, "passage", {"guesses": ["Menu"]}) for name in ("ann", "bob")]
    >>> failed = [Answer(str(n), "sentence", {"guesses": ["lamp", "door", "sea"]}) for n in range(10)]
    >>> rule.outcome(Case("b:7", (), {"target": "menu"}, answers=(*guessed, *failed)))
    'kept'
    """

    settings: GuessingSettings

    def wanted(self, case: Case) -> tuple[str, int]:
        """Next condition and number of judges: one at a time, because one answer may decide."""
        read = sum(answer.condition == Condition.PASSAGE for answer in case.answers)
        is_read = read >= self.settings.passage_subjects
        condition = Condition.SENTENCE if is_read else Condition.PASSAGE
        return str(condition), 0 if case.pending or self.outcome(case) else 1

    def outcome(self, case: Case) -> str:
        read = _right_answers(case, Condition.PASSAGE)
        alone = _right_answers(case, Condition.SENTENCE)
        if not all(read):
            return str(Verdict.MISSED_AGAIN if any(read) else Verdict.MISSED)
        if any(alone):
            return str(Verdict.GUESSED_ALONE)
        is_complete = (
            len(read) >= self.settings.passage_subjects
            and len(alone) >= self.settings.sentence_subjects
        )
        return str(Verdict.KEPT) if is_complete else ""

    def page(self, condition: str) -> int:
        return _PASSAGES_A_PAGE if condition == Condition.PASSAGE else _SENTENCES_A_PAGE


def _right_answers(case: Case, condition: Condition) -> list[bool]:
    """Whether each answer under a condition is right."""
    return [
        is_answer_right(answer.response, case.key)
        for answer in case.answers
        if answer.condition == condition
    ]


def is_answer_right(response: Mapping[str, Any], key: Mapping[str, Any]) -> bool:
    """Whether one of the guesses is the target.

    >>> is_answer_right({"guesses": ["lamp", "menu"]}, {"target": "Menu"}), is_answer_right({"guesses": []}, {"target": "Menu"})
    (True, False)
    """
    return any(is_right(guess, key["target"]) for guess in response["guesses"])


@functools.lru_cache(maxsize=1 << 16)  # reading a study calls this often for each answer
def is_right(guess: str, target: str) -> bool:
    """Whether a guess is the target.

    >>> [is_right(guess, "Menu") for guess in (" menu. ", "MENU", "menus", "the menu", "")]
    [True, True, False, False, False]
    """
    return _as_compared(guess) == _as_compared(target)


def _as_compared(word: str) -> str:
    folded = unicodedata.normalize("NFC", word.replace("’", "'").replace("‘", "'").casefold())
    inner = [i for i, character in enumerate(folded) if character.isalnum()]
    return folded[inner[0] : inner[-1] + 1] if inner else ""
