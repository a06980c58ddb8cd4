"""Guessing by people, in three steps (LAMBADA 3.1), as a state machine without files and clocks.

| step | a subject sees | subjects | guesses each | a passage goes on when |
|---|---|---|---|---|
| 1 | the whole passage | one | one | the guess is right |
| 2 | the whole passage | another | one | the guess is right |
| 3 | the target sentence alone | ten, until one is right | three | none is right |

A passage is a `Case`. Subjects are asked (`ask`), answer (`answer`) or do not (`withdraw`); each of these is a function from a case to the
next, and the verdict hangs on the set of answers alone, not on their order. The paper's "no subject (out of ten) ... even when given 3
guesses" is read as ten subjects of three guesses each. Nobody sees one item in both conditions, nor twice in one.

*Right* is what is written as the target is, letter for letter: letter case, blanks and punctuation around the word do not count, and an
apostrophe is one however it is curled. Neither a plural nor another form of the word is right, nor a synonym: "we required two consecutive
subjects to exactly match the missing word".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from pydantic import Field

from cloze_gen.settings import MOST_EACH, SettingsGroup


class GuessingSettings(SettingsGroup):
    """Settings of the guessing."""

    judges: Literal["none", "machine"] = Field(
        "none", description="who guesses: nobody yet, or the stand-in (`steps.ranking.machine_verdict`)"
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


class Condition(StrEnum):
    """What a subject sees."""

    PASSAGE = "passage"
    SENTENCE = "sentence"


class Verdict(StrEnum):
    """What became of a passage; all but the first are reasons of its rejection."""

    KEPT = "kept"
    MISSED = "not_guessed_from_the_passage"
    MISSED_AGAIN = "not_guessed_by_another_reader"
    GUESSED_ALONE = "guessed_from_the_sentence_alone"


class Refusal(StrEnum):
    """Why a subject is not asked, or an answer not taken; the case stays as it was."""

    DECIDED = "passage_is_decided"
    SEEN = "subject_has_seen_this_text"
    NOT_WANTED = "no_further_subject_is_wanted"
    NOT_ASKED = "subject_was_not_asked"
    WITHDRAWN = "page_was_withdrawn"
    REPEATED = "answer_was_taken_before"
    ANSWERED = "subject_has_answered_otherwise"
    NO_GUESS = "no_guess"
    TOO_MANY = "too_many_guesses"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a subject guessed; an empty guess is a subject without an idea."""

    subject: str
    condition: Condition
    guesses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A passage on its way through the three steps.

    Attributes:
        book_id, start, end: where its text stands; nobody is shown two texts that overlap.
        asked: who has been asked and has not answered, with what they see.
        answers: those taken.
        withdrawn: who was asked and is waited for no longer; they may have seen it.
    """

    id: str
    target: str
    book_id: str
    start: int
    end: int
    asked: tuple[tuple[str, Condition], ...] = ()
    answers: tuple[Answer, ...] = ()
    withdrawn: tuple[str, ...] = ()

    @property
    def seen_by(self) -> tuple[str, ...]:
        return (*(subject for subject, _ in self.asked), *(answer.subject for answer in self.answers), *self.withdrawn)


@dataclass(frozen=True, slots=True)
class Page:
    """Some passages that one subject guesses in one condition.

    Attributes:
        id: 12 hexadecimal digits, the same whenever this subject is asked of these passages.
        passage_ids: in the order shown; items of a page are counted from 1.
    """

    id: str
    subject: str
    condition: Condition
    passage_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """A subject's guesses at one item of a page. `subject` is empty where the file does not say."""

    page: str
    item: int
    guesses: tuple[str, ...]
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A page whose subject is waited for no longer."""

    page: str


Event = Page | PageAnswer | Withdrawal


def is_right(guess: str, target: str) -> bool:
    """Whether a guess is the target.

    >>> [is_right(guess, "Menu") for guess in (" menu. ", "MENU", "menus", "the menu", "")]
    [True, True, False, False, False]
    """
    return _as_compared(guess) == _as_compared(target)


def verdict(case: Case, settings: GuessingSettings) -> Verdict | None:
    """What became of a passage; None while it is open.

    >>> guessed = Answer("ann", Condition.PASSAGE, ("menu",)), Answer("bob", Condition.PASSAGE, ("Menu",))
    >>> failed = tuple(Answer(str(n), Condition.SENTENCE, ("lamp", "door", "sea")) for n in range(10))
    >>> case = Case("b:7", "menu", "b", 0, 99)
    >>> [verdict(replace(case, answers=answers), GuessingSettings()) for answers in ((), guessed, (*guessed, *failed))]
    [None, None, <Verdict.KEPT: 'kept'>]
    """
    rights = {condition: _rights(case, condition) for condition in Condition}
    if not all(rights[Condition.PASSAGE]):
        return Verdict.MISSED_AGAIN if any(rights[Condition.PASSAGE]) else Verdict.MISSED
    if any(rights[Condition.SENTENCE]):
        return Verdict.GUESSED_ALONE
    whole = len(rights[Condition.PASSAGE]) >= settings.passage_subjects and len(rights[Condition.SENTENCE]) >= settings.sentence_subjects
    return Verdict.KEPT if whole else None


def wanted(case: Case, settings: GuessingSettings) -> tuple[Condition, int]:
    """What the next subjects see, and how many may be asked now: one at a time from the passage, then a round from the sentence.

    >>> wanted(Case("b:7", "menu", "b", 0, 99), GuessingSettings())
    (<Condition.PASSAGE: 'passage'>, 1)
    """
    read = len(_rights(case, Condition.PASSAGE))
    if verdict(case, settings) is not None:
        return Condition.SENTENCE, 0
    if read < settings.passage_subjects:
        return Condition.PASSAGE, 0 if case.asked else 1
    left = settings.sentence_subjects - len(_rights(case, Condition.SENTENCE))
    return Condition.SENTENCE, max(0, min(left, settings.sentence_subjects_at_once) - len(case.asked))


def ask(case: Case, subject: str, settings: GuessingSettings) -> Case | Refusal:
    """Have a subject guess.

    >>> case = ask(Case("b:7", "menu", "b", 0, 99), "ann", GuessingSettings())
    >>> case.asked
    (('ann', <Condition.PASSAGE: 'passage'>),)
    >>> ask(case, "bob", GuessingSettings())
    <Refusal.NOT_WANTED: 'no_further_subject_is_wanted'>
    """
    condition, count = wanted(case, settings)
    if verdict(case, settings) is not None:
        return Refusal.DECIDED
    if subject in case.seen_by:
        return Refusal.SEEN
    return replace(case, asked=(*case.asked, (subject, condition))) if count else Refusal.NOT_WANTED


def answer(case: Case, subject: str, guesses: Sequence[str], settings: GuessingSettings) -> Case | Refusal:
    """Take an answer of somebody who was asked.

    Of subjects who are asked of one sentence at once the first right guess decides; what comes after it is late.
    """
    given = tuple(guesses)
    taken = next((known for known in case.answers if known.subject == subject), None)
    if taken is not None:
        return Refusal.REPEATED if taken.guesses == given else Refusal.ANSWERED
    condition = dict(case.asked).get(subject)
    if condition is None:
        return Refusal.WITHDRAWN if subject in case.withdrawn else Refusal.NOT_ASKED
    if verdict(case, settings) is not None:
        return Refusal.DECIDED
    if not given:
        return Refusal.NO_GUESS
    if len(given) > (1 if condition is Condition.PASSAGE else settings.sentence_guesses):
        return Refusal.TOO_MANY
    asked = tuple(one for one in case.asked if one[0] != subject)
    return replace(case, asked=asked, answers=(*case.answers, Answer(subject, condition, given)))


def withdraw(case: Case, subject: str) -> Case:
    """Wait for a subject no longer; another can be asked instead."""
    left = tuple(one for one in case.asked if one[0] != subject)
    return case if len(left) == len(case.asked) else replace(case, asked=left, withdrawn=(*case.withdrawn, subject))


def _rights(case: Case, condition: Condition) -> list[bool]:
    return [any(is_right(guess, case.target) for guess in given.guesses) for given in case.answers if given.condition is condition]


def _as_compared(word: str) -> str:
    folded = unicodedata.normalize("NFC", word.replace("’", "'").replace("‘", "'").casefold())
    inner = [i for i, character in enumerate(folded) if character.isalnum()]
    return folded[inner[0] : inner[-1] + 1] if inner else ""
