"""Guessing by people, in three steps (LAMBADA 3.1), as a rule of what is asked next and what the answers come to.

| step | a subject sees | subjects | guesses each | a passage goes on when |
|---|---|---|---|---|
| 1 | the whole passage | one | one | the guess is right |
| 2 | the whole passage | another | one | the guess is right |
| 3 | the target sentence alone | ten, until one is right | three | none is right |

A passage is a `judging.assignment.Case` whose key is `{"target": word}`; what a subject sees is its condition. The outcome hangs on the set
of answers alone, not on their order: an answer that comes late, after somebody else was asked instead or a round was decided, counts like
any other, so that a passage can only fall by it. The paper's "no subject (out of ten) ... even when given 3 guesses" is read as ten
subjects of three guesses each. Nobody sees one item in both conditions, nor twice in one (`judging.assignment.deal`).

*Right* is what is written as the target is, letter for letter: letter case, blanks and punctuation around the word do not count, and an
apostrophe is one however it is curled. Neither a plural nor another form of the word is right, nor a synonym: "we required two consecutive
subjects to exactly match the missing word".
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from cloze_gen.judging.assignment import Case
from cloze_gen.settings import MOST_EACH, IgnoredWhen, SettingsGroup


class Condition(StrEnum):
    """What a subject sees."""

    PASSAGE = "passage"
    SENTENCE = "sentence"


class GuessingSettings(SettingsGroup):
    """Settings of the guessing."""

    verdicts: str = Field(
        "", description="file of what people guessed (`cloze-gen judge apply`), known by its content; empty: nobody was asked"
    )
    judges: Literal["none", "machine"] = Field(
        "none", description="who guesses where people did not: nobody yet, or the stand-in (`steps.ranking.machine_verdict`)"
    )
    passage_subjects: int = Field(2, ge=1, le=MOST_EACH, description="subjects who must all guess from the whole passage; 3.1")
    sentence_subjects: int = Field(10, ge=0, le=MOST_EACH, description="subjects who must all fail on the target sentence alone; 3.1")
    sentence_guesses: int = Field(3, ge=1, le=MOST_EACH, description="guesses of each of them; 3.1")
    sentence_subjects_at_once: int = Field(
        1, ge=1, le=MOST_EACH, description="of them, asked in one round: more rounds cost less, as a right guess spares the rest; 3.1: one"
    )
    passages_per_page: int = Field(10, ge=1, le=MOST_EACH, description="3.1")
    sentences_per_page: int = Field(20, ge=1, le=MOST_EACH, description="3.1")
    passage_page_usd: float = Field(0.22, ge=0, le=MOST_EACH, description="pay of a page of passages; 3.1")
    sentence_page_usd: float = Field(0.15, ge=0, le=MOST_EACH, description="pay of a page of sentences; 3.1")
    fee_factor: float = Field(
        1.57,
        ge=1,
        le=MOST_EACH,
        description="what is paid in all, of the pay; the paper's $1.24 an item are 1.57 times what its pay explains",
    )

    ignored_when = (IgnoredWhen(("judges",), {"verdicts": bool}),)

    @property
    def rules(self) -> dict[str, int]:
        """The settings that say how people are asked: verdicts that were given under others are none of theirs."""
        return self.model_dump(include={"passage_subjects", "sentence_subjects", "sentence_guesses", "sentence_subjects_at_once"})


class Verdict(StrEnum):
    """What became of a passage; all but the first are reasons of its rejection."""

    KEPT = "kept"
    MISSED = "not_guessed_from_the_passage"
    MISSED_AGAIN = "not_guessed_by_another_reader"
    GUESSED_ALONE = "guessed_from_the_sentence_alone"


@dataclass(frozen=True, slots=True)
class GuessingRule:
    """How people are asked about passages.

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
        """What the next subjects see, and how many may be asked now: one at a time from the passage, then a round from the sentence."""
        read = sum(answer.condition == Condition.PASSAGE for answer in case.answers)
        reading = sum(condition == Condition.PASSAGE for _, condition in case.asked)
        if self.outcome(case):
            return str(Condition.SENTENCE), 0
        if reading or read < self.settings.passage_subjects:
            return str(Condition.PASSAGE), 0 if reading else 1
        left = self.settings.sentence_subjects - (len(case.answers) - read)
        return str(Condition.SENTENCE), max(0, min(left, self.settings.sentence_subjects_at_once) - len(case.asked))

    def outcome(self, case: Case) -> str:
        """What became of a passage, a `Verdict`; empty while it is open."""
        read, alone = ([rightly_answered(answer.said, case.key) for answer in case.answers if answer.condition == one] for one in Condition)
        if not all(read):
            return str(Verdict.MISSED_AGAIN if any(read) else Verdict.MISSED)
        if any(alone):
            return str(Verdict.GUESSED_ALONE)
        return str(Verdict.KEPT) if len(read) >= self.settings.passage_subjects and len(alone) >= self.settings.sentence_subjects else ""

    def page(self, condition: str) -> int:
        """Items of a page, by which people are paid."""
        return self.settings.passages_per_page if condition == Condition.PASSAGE else self.settings.sentences_per_page


def rightly_answered(said: Mapping[str, Any], key: Mapping[str, Any]) -> bool:
    """Whether one of the guesses is the target; of somebody without an idea none is.

    >>> rightly_answered({"guesses": ["lamp", "menu"]}, {"target": "Menu"}), rightly_answered({"guesses": []}, {"target": "Menu"})
    (True, False)
    """
    return any(is_right(guess, key["target"]) for guess in said["guesses"])


@functools.lru_cache(maxsize=1 << 16)  # a study that is read back asks of each answer time and again
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
