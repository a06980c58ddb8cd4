"""Sentences that look as if they answered a blank, and answer none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.english.cohesion import surface_ties
from cloze_gen.recipes.scde.steps.rivals import RivalReason, echo, fit, hardness, passage_ties, unlike_passage

PASSAGE = ["Pip saw Joe .", "She gave Joe the lamp .", '" Go , " said he .', "They slept ."]
NUMBERS = st.lists(st.floats(-5, 5).map(lambda number: round(number, 3)), min_size=2, max_size=8)


def unlike(line: str, answers: tuple[int, ...] = (0, 2)) -> RivalReason | None:
    ties = [surface_ties(one.split()) for one in PASSAGE]
    shows = passage_ties(ties, [ties[i] for i in answers], PASSAGE)
    return unlike_passage(surface_ties(line.split()), line, shows)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("Then she met Pip and Joe .", None),
        ("Then Biddy left .", RivalReason.NEW_NAME),
        ("Biddy left .", None),  # a capital that its place forces names nobody
        ("We left with Biddy .", RivalReason.NEW_NAME),
        ("We left .", RivalReason.NEW_PERSON),
        ("They slept .", RivalReason.IN_PRINT),
        ('" No , " said she .', None),
    ],
)
def test_a_rival_brings_nothing_new(line: str, wanted: RivalReason | None) -> None:
    """No name that the passage lacks, first words taken for names there; no person; not the passage's own words."""
    assert unlike(line) == wanted


@pytest.mark.parametrize(("answers", "speech", "telling"), [((0, 1), False, True), ((2,), True, False), ((0, 2), True, True)])
def test_a_rival_is_of_the_kind_of_the_answers(answers: tuple[int, ...], speech: bool, telling: bool) -> None:
    """Speech where an answer is speech, else where one is not."""
    assert (unlike('" No , " said she .', answers) is None) == speech
    assert (unlike("Then she met Pip .", answers) is None) == telling


@given(st.integers(1, 4), st.integers(0, 4), st.integers(0, 2**32))
def test_fit_is_at_the_blank_where_it_is_most(answers: int, further: int, seed: int) -> None:
    """Above that of the blank's own answer."""
    coherences = np.random.default_rng(seed).uniform(-1, 1, (answers, answers + further))
    wanted = [max(coherences[blank, answers + c] - coherences[blank, blank] for blank in range(answers)) for c in range(further)]
    assert fit(coherences, answers).tolist() == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("They lit lamps and a boat .", 9 / 11),  # a rare word that is shown beside two common ones that are not
        ("They saw a boat .", 0),
        ("They saw Joe at the lamp .", 9 / 10),  # a name counts neither as said again nor as new
        ("They saw Joe .", 0),
        ("They were he and she .", 0),
    ],
)
def test_an_echo_is_a_share_of_rare_words(line: str, wanted: float) -> None:
    """By the square of their rarity, in whatever form they stand, names left out; nothing where no word of content is left."""
    shown = [surface_ties(one.split()) for one in ("She gave Joe the lamp .", "The lamp burnt for Joe .")]
    assert echo([surface_ties(line.split())], shown, lambda stem: 3.0 if stem == "lamp" else 1.0).tolist() == [pytest.approx(wanted)]


@given(NUMBERS, st.data())
def test_each_measure_of_hardness_weighs_alike(one: list[float], data: st.DataObject) -> None:
    """Whatever its unit; the mean over the candidates is 0, and what is more by every measure is harder."""
    other = data.draw(st.lists(st.floats(-5, 5).map(lambda number: round(number, 3)), min_size=len(one), max_size=len(one)))
    found = hardness(np.array(one), np.array(other))
    assert found.mean() == pytest.approx(0, abs=1e-6)
    assert hardness(np.array(one) * 7 + 3, np.array(other)) == pytest.approx(found, abs=1e-6)
    for i in range(len(one)):
        for j in range(len(one)):
            if one[i] > one[j] and other[i] > other[j]:
                assert found[i] > found[j]


def test_nobody_is_measured_where_nobody_is() -> None:
    """No candidates, no hardness; one alone is as hard as the mean."""
    assert hardness(np.zeros(0), np.zeros(0)).tolist() == []
    assert hardness(np.array([4.0]), np.array([2.0])).tolist() == [0.0]


def test_a_measure_that_is_the_same_for_all_makes_none_harder() -> None:
    """Though its mean, as a machine reckons it, is not quite the number itself."""
    assert hardness(np.full(3, 2.848), np.zeros(3)).tolist() == [0.0, 0.0, 0.0]
