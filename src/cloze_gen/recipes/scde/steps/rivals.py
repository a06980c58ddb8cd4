"""Rivals of the answers: sentences near a passage that look as if they answered one of its blanks, and answer none. Ours.

A rival is a sentence of the same chapter, near the passage and not next to it, that could be a blank itself; that brings no name and no
person that the passage does not have; of the kind of the answers (speech or none); and that goes with no blank much better than the blank's
own answer does, by a scorer that no report uses (`steps/coherence`). How hard it is to refuse is measured by four things at once: by
coherence at its best blank, by coherence with all that the passage shows, by the share of its words that the passage says too, and by how
near it stands, for a sentence of the same scene is what a reader looks at twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from cloze_gen.english.cohesion import Person, SurfaceTies
from cloze_gen.english.stems import stem as stem_of
from cloze_gen.settings import MOST_EACH, SettingsGroup


class RivalsSettings(SettingsGroup):
    """Settings of the sentences that may be hard distractors."""

    min_distance: int = Field(2, ge=1, le=MOST_EACH, description="inclusive: sentences from the passage's nearest edge")
    max_distance: int = Field(80, ge=1, le=MOST_EACH, description="inclusive, within the chapter")
    max_fit: float = Field(0.5, ge=-2, le=2, description="exclusive: coherence with a blank, above that of the blank's own answer")


class RivalReason(StrEnum):
    """Why a sentence is no rival; beside it the reasons of `steps.blanks.BlankReason`."""

    NEW_NAME = "name_not_in_the_passage"
    NEW_PERSON = "person_not_in_the_passage"
    OTHER_KIND = "speech_unlike_the_answers"
    IN_PRINT = "stands_in_the_passage"
    FITS = "may_fit_a_blank"


@dataclass(frozen=True, slots=True)
class PassageTies:
    """What a passage shows, against which a rival is held.

    Attributes:
        names: and first words of sentences, in small letters, of the whole passage.
        persons: of the pronouns of the whole passage.
        speech: whether answers are speech, each once: both, where some are and some are not.
        texts: its sentences as printed.
    """

    names: frozenset[str]
    persons: frozenset[Person]
    speech: frozenset[bool]
    texts: frozenset[str]


def passage_ties(sentences: Sequence[SurfaceTies], answers: Sequence[SurfaceTies], texts: Sequence[str]) -> PassageTies:
    """What a passage shows."""
    names = frozenset(name for one in sentences for name in (*one.names, one.first_word))
    persons = frozenset(person for one in sentences for person in one.persons)
    return PassageTies(names, persons, frozenset(one.quotation_marks > 0 for one in answers), frozenset(texts))


def unlike_passage(ties: SurfaceTies, text: str, passage: PassageTies) -> RivalReason | None:
    """Why a sentence cannot seem to be of the passage; None where it can."""
    against = {
        RivalReason.NEW_NAME: not ties.names <= passage.names,
        RivalReason.NEW_PERSON: not ties.persons <= passage.persons,
        RivalReason.OTHER_KIND: (ties.quotation_marks > 0) not in passage.speech,
        RivalReason.IN_PRINT: text in passage.texts,
    }
    return next((reason for reason, holds in against.items() if holds), None)


def fit(coherences: NDArray[np.float64], answers: int) -> NDArray[np.float64]:
    """By how much each further candidate goes with a blank better than the blank's own answer, at the blank where it is most.

    Args:
        coherences: shape (blanks, answers + candidates): the answers first, in the order of the blanks.
    Returns:
        Shape (candidates,).

    >>> fit(np.array([[0.5, 0.1, 0.4], [0.2, 0.3, 0.1]]), 2).round(2).tolist()
    [-0.1]
    """
    own = np.diagonal(coherences)[:, None]
    return np.asarray((coherences[:, answers:] - own).max(axis=0, initial=-np.inf))


def echo(candidates: Sequence[SurfaceTies], shown: Sequence[SurfaceTies], rarity: Callable[[str], float]) -> NDArray[np.float64]:
    """Which share of each candidate's words of content, by the square of their rarity, the shown sentences of a passage say too.

    A share, so that a long sentence echoes no more than another by that alone; and without names, of which no rival has a new one.

    Returns:
        Shape (candidates,), between 0 and 1.

    >>> from cloze_gen.english.cohesion import surface_ties
    >>> lamp, both = surface_ties("The lamp burnt .".split()), surface_ties("Lamps and boats .".split())
    >>> echo([both, lamp], [lamp], lambda stem: 1.0).round(2).tolist()
    [0.5, 1.0]
    """
    said = frozenset(stem for one in shown for stem in one.stems)
    unnamed = (one.stems - frozenset(map(stem_of, one.names)) for one in candidates)
    weights = [{stem: rarity(stem) ** 2 for stem in sorted(one)} for one in unnamed]
    totals = [(sum(weight for stem, weight in own.items() if stem in said), sum(own.values())) for own in weights]
    return np.array([again / every if every else 0.0 for again, every in totals], np.float64)


def hardness(*measures: NDArray[np.float64]) -> NDArray[np.float64]:
    """How near each comes to fitting: the mean of its measures, each brought to mean 0 and deviation 1; shape (candidates,).

    >>> hardness(np.array([1.0, 3.0]), np.array([0.0, 0.0])).tolist()
    [-0.5, 0.5]
    """
    scaled = [(one - one.mean()) / one.std() if len(one) and np.ptp(one) > 0 else np.zeros_like(one) for one in measures]
    return np.asarray(np.mean(scaled, axis=0))
