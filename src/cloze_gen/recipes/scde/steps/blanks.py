"""Blanks: which sentences of a passage are taken out (SCDE 5.7).

The paper chooses "five sentences in a passage as blanks" at random and prevents "three or more blanks consecutive to each other"; in its
examinations 1.28 % of the blanks stand beside another (Table 3). Ours besides: a sentence that a reader cannot place at all is no blank,
each by a named reason; and of many draws one is taken on whose blanks the solver of surface cues (`stats/cues`) does as well as one who
deals the answers out blindly, no better and no worse, and whose sentences go best with their own places (`steps/coherence`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from cloze_gen.english.cohesion import SurfaceTies
from cloze_gen.recipes.scde.steps.coherence import coherence
from cloze_gen.settings import MOST_EACH, IgnoredWhen, SettingsGroup
from cloze_gen.stats.assignment import decode_jointly
from cloze_gen.stats.cues import TiedPassage, cue_scores
from cloze_gen.words import is_word


class BlanksSettings(SettingsGroup):
    """Settings of the choice of blanks."""

    count: int = Field(5, ge=1, le=20, description="blanks a passage; 5.7: five")
    choice: Literal["unguessable", "random"] = Field(
        "unguessable", description="of many draws one whose blanks the surface does not give away, or the first draw, as the paper's"
    )
    draws: int = Field(60, ge=1, le=MOST_EACH, description="how many draws the choice is made from")
    adjacent_share: float = Field(0.0128, ge=0, le=0.4, description="expected share of blanks that stand beside another; Table 3: 1.28 %")
    min_between: int = Field(
        2, ge=1, le=MOST_EACH, description="inclusive: shown sentences between two blanks, unless they stand side by side; not in the paper"
    )
    edges: bool = Field(False, description="whether the first and the last sentence may be blanks; a reader sees one side of them alone")
    min_words: int = Field(7, ge=1, le=MOST_EACH, description="inclusive: words of a sentence that may be a blank; not in the paper")
    max_words: int = Field(45, ge=1, le=MOST_EACH, description="inclusive; not in the paper")
    min_content_words: int = Field(3, ge=0, le=MOST_EACH, description="inclusive: different words of content; not in the paper")

    ignored_when = (IgnoredWhen(("adjacent_share", "min_between"), {"count": (1,)}),)

    @property
    def least_sentences(self) -> int:
        """Sentences of the shortest passage that can have so many blanks: one pair side by side, where pairs may be, the others apart."""
        gaps = self.count - 1 - (self.count > 1 and self.adjacent_share > 0)
        return self.count + gaps * self.min_between + (0 if self.edges else 2)

    @model_validator(mode="after")
    def _pairs_are_as_many_as_asked(self) -> BlanksSettings:
        if self.adjacent_share * self.count > 2:
            raise ValueError(
                f"adjacent_share = {self.adjacent_share} of count = {self.count} blanks is more than one pair a passage, the most there are"
            )
        return self


class BlankReason(StrEnum):
    """Why a sentence can be no blank, or none of the candidates."""

    TORN = "sentence_torn"
    HALF_SPEECH = "half_a_speech"
    IN_SPEECH = "within_a_speech"
    SHORT = "sentence_short"
    LONG = "sentence_long"
    LITTLE_CONTENT = "too_little_content"
    NEW_NAME = "name_only_here"
    NEW_PERSON = "person_only_here"
    EDGE = "edge_of_the_passage"


class PassageReason(StrEnum):
    """Why a passage has no blanks."""

    FEW_SENTENCES = "too_few_sentences_can_be_blanks"


def blank_reason(tokens: Sequence[str], ties: SurfaceTies, *, whole: bool, in_speech: bool, settings: BlanksSettings) -> BlankReason | None:
    """Why a sentence can be no blank wherever it stands; None where it can.

    Args:
        whole: whether it is a whole sentence (`text.sentence_traits`).
        in_speech: whether it begins within a speech that an earlier sentence opened.

    >>> from cloze_gen.english.cohesion import surface_ties
    >>> def reason(line):
    ...     tokens = line.split()
    ...     return blank_reason(tokens, surface_ties(tokens), whole=True, in_speech=False, settings=BlanksSettings())
    >>> print(reason("He nodded ."), reason('" The lamp was lit at noon .'), reason("The keeper lit the lamp before the storm ."))
    sentence_short half_a_speech None
    """
    words = sum(map(is_word, tokens))
    against = {  # in the order in which they are asked; the first that holds is the verdict
        BlankReason.TORN: not whole,
        BlankReason.HALF_SPEECH: ties.is_half_speech,
        BlankReason.IN_SPEECH: in_speech,
        BlankReason.SHORT: words < settings.min_words,
        BlankReason.LONG: words > settings.max_words,
        BlankReason.LITTLE_CONTENT: len(ties.stems) < settings.min_content_words,
    }
    return next((reason for reason, holds in against.items() if holds), None)


def new_here(sentences: Sequence[SurfaceTies]) -> list[BlankReason | None]:
    """Of each sentence of a passage whether it alone has one of its names or persons: it would be known by what the passage lacks.

    It is asked of distractors too, which may bring nothing new (`steps.rivals`).

    >>> from cloze_gen.english.cohesion import surface_ties
    >>> lines = ["Then came Pip .", "Pip sat down .", "They saw Joe ."]
    >>> [reason and str(reason) for reason in new_here([surface_ties(line.split()) for line in lines])]
    [None, None, 'name_only_here']
    """
    names = Counter(name for one in sentences for name in sorted(one.names | {one.first_word}))
    persons = Counter(person for one in sentences for person in one.persons)
    return [
        BlankReason.NEW_NAME
        if any(names[name] == 1 for name in one.names)
        else BlankReason.NEW_PERSON
        if any(persons[person] == 1 for person in one.persons)
        else None
        for one in sentences
    ]


def draw_blanks(places: Sequence[int], settings: BlanksSettings, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draws of places to be blanked together, all that there are equally likely, none twice.

    With the odds that make `adjacent_share` true a passage has two blanks side by side, never three; else none are. All others stand apart,
    for the answers of near blanks are often each other's rivals, and may change places.

    Args:
        places: of the sentences that may be blanks, rising.
    Returns:
        Shape (draws, count), each row rising; `settings.draws` rows, fewer where the places do not allow so many.

    >>> settings = BlanksSettings(count=3, adjacent_share=0, min_between=1)
    >>> draw_blanks([1, 2, 4, 7], settings, np.random.default_rng(1)).tolist()
    [[1, 4, 7], [2, 4, 7]]
    """
    with_pair = settings.count > 1 and rng.random() < settings.adjacent_share * settings.count / 2
    for pairs in (1, 0) if with_pair else (0,):
        ways = _ways(places, settings, pairs)
        total = sum(ways[-1][pairs]) if places else 0
        if total:
            numbers = _numbers(total, min(total, settings.draws), rng)
            return np.array([_draw_of_number(number, places, ways, pairs, settings) for number in numbers], np.int64)
    return np.zeros((0, settings.count), np.int64)


def _numbers(total: int, size: int, rng: np.random.Generator) -> list[int]:
    """Different numbers below a total, all equally likely; twenty blanks of some hundred places have more draws than 64 bits can number."""
    if total <= np.iinfo(np.int64).max:
        return list(map(int, rng.choice(total, size=size, replace=False)))
    found: dict[int, None] = {}
    while len(found) < size:
        found[int.from_bytes(rng.bytes(total.bit_length() // 8 + 9)) % total] = None  # so many bits more that the rest favours none
    return list(found)


def _ways(places: Sequence[int], settings: BlanksSettings, pairs: int) -> list[list[list[int]]]:
    """In how many ways a draw goes on: [further blanks][pairs side by side among them][index of the place that it stands at]."""
    ways = [[[1] * len(places), *([0] * len(places) for _ in range(pairs))]]
    for further in range(1, settings.count):
        last = ways[further - 1]
        ways.append([[sum(last[p - side][j] for j, side in _steps(i, places, settings) if side <= p) for i in range(len(places))]
                     for p in range(pairs + 1)])  # fmt: skip
    return ways


def _steps(i: int, places: Sequence[int], settings: BlanksSettings) -> Iterator[tuple[int, int]]:
    """The places that the next blank may stand at, as indices, and whether that is side by side (1) or apart (0)."""
    for j in range(i + 1, len(places)):
        if places[j] - places[i] == 1:
            yield j, 1
        elif places[j] - places[i] > settings.min_between:
            yield j, 0


def _draw_of_number(
    number: int, places: Sequence[int], ways: Sequence[Sequence[Sequence[int]]], pairs: int, settings: BlanksSettings
) -> list[int]:
    """The draw that has this number, where all draws are numbered from 0 by their first blank, then by their second, and so on."""
    drawn: list[int] = []
    open_to = [(i, 0) for i in range(len(places))]
    for further in range(settings.count - 1, -1, -1):
        for i, side in open_to:
            here = ways[further][pairs - side][i] if side <= pairs else 0
            if number < here:
                break
            number -= here
        drawn.append(places[i])
        pairs -= side
        open_to = list(_steps(i, places, settings))
    return drawn


@dataclass(frozen=True, slots=True)
class ChosenBlanks:
    """The blanks of a passage and why these.

    Attributes:
        places: of the blanks, rising.
        solved: how many of them the solver of surface cues fills rightly from their answers alone.
        wanted: how many one who deals the answers out would, in this passage's own deal.
        margin: how much better the answers go with their own blanks than the next of them does, mean over the blanks.
    """

    places: tuple[int, ...]
    solved: int
    wanted: int
    margin: float


def choose_blanks(
    draws: NDArray[np.int64],
    *,
    columns: NDArray[np.int64],
    ties: TiedPassage,
    behind: NDArray[np.float64],
    before: NDArray[np.float64],
    settings: BlanksSettings,
    rng: np.random.Generator,
) -> ChosenBlanks:
    """One of the draws.

    Args:
        draws: at least one, as `draw_blanks` gives them.
        columns: shape (sentences,): of each place its column in `ties`, `behind` and `before` (`steps.coherence.coherence`); others -1.
    """
    own = columns[draws]
    rows, each = np.arange(len(draws))[:, None, None], np.arange(draws.shape[1])[None, :, None]
    answers = own[:, None, :]
    cues = cue_scores(ties, draws)[rows, each, answers]
    coheres = coherence(behind, before, draws)[rows, each, answers]
    right = np.arange(draws.shape[1])
    solved = np.array([(decode_jointly(scores) == right).sum() for scores in cues])
    wanted = int((rng.permutation(draws.shape[1]) == right).sum())
    margins = _margins(coheres)
    looked_at = range(1 if settings.choice == "random" else len(draws))
    taken = min(looked_at, key=lambda draw: (abs(int(solved[draw]) - wanted), -margins[draw]))
    return ChosenBlanks(tuple(draws[taken].tolist()), int(solved[taken]), wanted, float(margins[taken]))


def _margins(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """By how much each blank's own answer is above the best other, mean over the blanks; (draws, blanks, blanks) -> (draws,)."""
    own = np.einsum("dii->di", scores)
    others = np.where(np.eye(scores.shape[1], dtype=np.bool_), -np.inf, scores).max(axis=2) if scores.shape[1] > 1 else np.zeros_like(own)
    return np.asarray((own - others).mean(axis=1))
