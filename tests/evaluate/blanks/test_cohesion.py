"""Rules of cohesion."""

from __future__ import annotations

from cloze_gen.evaluate.blanks.asked import Direction
from cloze_gen.evaluate.blanks.cohesion import CohesionScorer
from tests.evaluate.blanks.conftest import Ask


def scores(asked_of: Ask, sentences: str, *candidates: str, direction: Direction = Direction.P) -> list[float]:
    """Of a sentence, a blank and an end, the candidates given; three times the mean of the rules."""
    before, after = sentences.split(" / ")
    asked = asked_of(f"{before} / {candidates[0]} / {after}", (1,), " / ".join(candidates[1:]))
    return [float(round(3 * score, 6)) for score in CohesionScorer().scores(asked)[direction][0]]


def test_a_name_that_returns_speaks_for_a_candidate(ask: Ask) -> None:
    """Also at the head of the candidate, where the name's capital is forced, for it is a name elsewhere; another name does not."""
    of_two = round(2**-0.5, 6)  # of `it` and `Emma` one
    assert scores(ask, "so it near Emma / end", "Emma too", "near Emma", "near Frank") == [of_two, of_two, 0.0]


def test_a_pronoun_wants_somebody_to_refer_to(ask: Ask) -> None:
    """*He* refers to a name or to another *he*; where there is neither, and where *they* meets a name alone, it speaks against it."""
    assert scores(ask, "so near Frank / end", "he too", "they too") == [1.0, -1.0]
    assert scores(ask, "so he too / end", "he too") == [2.0]  # the person returns as well
    assert scores(ask, "rain / end", "he too") == [-1.0]
    assert scores(ask, "near Frank / end", "he and they too") == [0.0]


def test_behind_a_blank_the_candidate_is_referred_to(ask: Ask) -> None:
    """*She* in what follows speaks for a candidate that names somebody."""
    assert scores(ask, "rain / she too", "near Emma", "rain", direction=Direction.N) == [1.0, -1.0]


def test_the_tense_stays(ask: Ask) -> None:
    """Past goes with past."""
    assert scores(ask, "rain was near / end", "snow had come", "snow is near", "snow") == [1.0, -1.0, 0.0]
