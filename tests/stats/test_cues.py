"""The solver of surface cues, against cues that are reckoned one by one, and the laws of what it may see."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.english.cohesion import Opener, SurfaceTies, surface_ties
from cloze_gen.stats.assignment import decode_jointly
from cloze_gen.stats.cues import CUES, WEIGHTS, cue_features, cue_scores, fit_weights, neighbours, rarity_of, tie

RARITY = {"pip": 1.0, "lamp": 2.0, "forge": 3.0}
SPEECH = ["he walked .", '" Pip is here .', 'This is the lamp . "', '" Who ? "', 'But " he said . " "']
SENTENCES = st.sampled_from(SPEECH).map(lambda line: surface_ties(line.split())) | st.lists(
    st.sampled_from(["Pip", "Joe", "lamp", "lamps", "forge", "he", "she", "I", '"', '"', "?", ".", "walked", "is", "But", "This", "the"]),
    min_size=1,
    max_size=7,
).map(surface_ties)


def rarity(stem: str) -> float:
    return RARITY.get(stem, 0.5)


@st.composite
def blanked(draw: st.DrawFn) -> tuple[list[SurfaceTies], list[SurfaceTies], list[int]]:
    """A passage, candidates, and places that are blanked together."""
    sentences = draw(st.lists(SENTENCES, min_size=1, max_size=12))
    blanks = draw(st.sets(st.integers(0, len(sentences) - 1), min_size=1, max_size=4))
    return sentences, draw(st.lists(SENTENCES, min_size=1, max_size=3)), sorted(blanks)


def marks(one: SurfaceTies) -> str:
    """How the quotation marks of a sentence stand."""
    if one.quotation_marks % 2 == 0:
        return "whole" if one.quotation_marks else "none"
    if one.begins_quoted == one.ends_quoted:
        return "odd"
    return "opens" if one.begins_quoted else "closes"


def nearest_marks(some: Sequence[SurfaceTies]) -> str:
    return next((marks(one) for one in some[:4] if one.quotation_marks), "none")


def reckoned(before: list[SurfaceTies], behind: list[SurfaceTies], shown: list[SurfaceTies], one: SurfaceTies) -> dict[str, float]:
    """Every cue of one candidate in one blank: the shown sentences on both sides, the nearest first."""
    nobody = surface_ties([])

    def nth(side: list[SurfaceTies], place: int) -> SurfaceTies:
        return side[place] if place < len(side) else nobody

    def echo(other: SurfaceTies) -> float:
        return sum(rarity(stem) ** 2 for stem in one.stems & other.stems)

    def names(other: SurfaceTies) -> int:
        return len(other.names & (one.names | {one.first_word}))

    last, following = nth(before, 0), nth(behind, 0)
    near = before[:4] + behind[:4]
    have = {person for other in before[:2] + behind[:2] for person in other.persons}
    fits = {
        (True, True): {"none"}, (False, False): {"none", "whole"}, (True, False): {"closes"}, (False, True): {"opens"},
    }[nearest_marks(before) == "opens", nearest_marks(behind) == "closes"]  # fmt: skip
    balanced = marks(one) in fits

    def speaks_alike(side: list[SurfaceTies]) -> bool:
        return bool(side) and (side[0].quotation_marks > 0) == (one.quotation_marks > 0)

    found = [
        echo(last), echo(following), echo(nth(before, 1)), echo(nth(behind, 1)),
        sum(map(echo, near)) / (sum(map(echo, shown)) + 1e-9),
        names(last), names(following), max(map(names, near), default=0),
        len(last.persons & one.persons), len(following.persons & one.persons),
        len(one.persons - have), len(have - one.persons) / 7,
        last.tense * one.tense, following.tense * one.tense,
        balanced, not balanced and marks(one) in {"opens", "closes", "odd"},
        speaks_alike(before), speaks_alike(behind),
        not before and one.opener == Opener.CONJUNCTION,
        one.question and following.begins_quoted,
        not before and one.opener == Opener.PRONOUN,
        not before and one.opener == Opener.DEMONSTRATIVE,
    ]  # fmt: skip
    return dict(zip(CUES, map(float, found), strict=True))


@given(blanked())
def test_every_cue_is_what_its_name_says(passage: tuple[list[SurfaceTies], list[SurfaceTies], list[int]]) -> None:
    """Reckoned one by one from the shown sentences around each blank."""
    sentences, candidates, blanks = passage
    found = cue_features(tie(sentences, candidates, rarity), np.array([blanks]))
    assert found.shape == (1, len(blanks), len(candidates), len(CUES))
    shown = [one for i, one in enumerate(sentences) if i not in blanks]
    for b, blank in enumerate(blanks):
        before = [sentences[i] for i in range(blank - 1, -1, -1) if i not in blanks]
        behind = [sentences[i] for i in range(blank + 1, len(sentences)) if i not in blanks]
        for c, one in enumerate(candidates):
            assert dict(zip(CUES, found[0, b, c].tolist(), strict=True)) == pytest.approx(reckoned(before, behind, shown, one))


@pytest.mark.parametrize(
    ("before", "behind", "fitting"),
    [
        ("He left .", "He slept .", "none whole"),
        ('" Go on .', 'And go . "', "none"),
        ('" Go on .', "He slept .", "closes"),
        ("He left .", 'And go . "', "opens"),
        ('And go . "', '" Go on .', "none whole"),
    ],
)
def test_marks_are_balanced_by_what_the_speech_around_lacks(before: str, behind: str, fitting: str) -> None:
    """Where it is open on both sides only by a sentence without marks; an odd number too many is told, whole speech is not."""
    lines = {"none": "Pip came .", "whole": '" Pip . "', "opens": '" Pip came .', "closes": 'Pip came . "', "odd": 'Pip " came .'}
    ties = [surface_ties(line.split()) for line in (before, "gone", behind)]
    candidates = [surface_ties(line.split()) for line in lines.values()]
    found = cue_features(tie(ties, candidates, rarity), np.array([[1]]))[0, 0]
    balanced = dict(zip(lines, found[:, CUES.index("quotation marks balanced")], strict=True))
    unbalanced = dict(zip(lines, found[:, CUES.index("quotation marks unbalanced")], strict=True))
    assert {name for name, value in balanced.items() if value} == set(fitting.split())
    assert {name for name, value in unbalanced.items() if value} == {"opens", "closes", "odd"} - set(fitting.split())


@given(blanked(), st.data())
def test_the_solver_sees_no_blanked_sentence(passage: tuple[list[SurfaceTies], list[SurfaceTies], list[int]], data: st.DataObject) -> None:
    """Other sentences in their places, or one blanked sentence more beside the first of them, change nothing."""
    sentences, candidates, blanks = passage
    found = cue_features(tie(sentences, candidates, rarity), np.array([blanks]))
    others = [data.draw(SENTENCES) if i in blanks else one for i, one in enumerate(sentences)]
    assert np.allclose(cue_features(tie(others, candidates, rarity), np.array([blanks])), found)
    longer = [*sentences[: blanks[0]], data.draw(SENTENCES), *sentences[blanks[0] :]]
    more = cue_features(tie(longer, candidates, rarity), np.array([[blanks[0], *(blank + 1 for blank in blanks)]]))
    assert np.allclose(more[:, 1:], found)


@given(st.integers(1, 9), st.integers(1, 5), st.data())
def test_neighbours_are_the_nearest_shown_sentences(sentences: int, depth: int, data: st.DataObject) -> None:
    """Of each draw its own; -1 where the passage has none."""
    count = data.draw(st.integers(1, sentences))
    draw = st.permutations(range(sentences)).map(lambda order: sorted(order[:count]))
    blanks = np.array(data.draw(st.lists(draw, min_size=1, max_size=4)))
    before, behind = neighbours(blanks, sentences, depth)
    for row, own in enumerate(blanks.tolist()):
        shown = [i for i in range(sentences) if i not in own]
        for b, blank in enumerate(own):
            wanted = [i for i in reversed(shown) if i < blank], [i for i in shown if i > blank]
            assert [side[row, b].tolist() for side in (before, behind)] == [(one + [-1] * depth)[:depth] for one in wanted]


@given(st.dictionaries(st.sampled_from("abc"), st.integers(0, 10**7)), st.integers(0, 10**7))
def test_rarity_falls_as_a_stem_is_said_more(counts: dict[str, int], sentences: int) -> None:
    """Between 0 and 4, one that is never said the rarest."""
    of = rarity_of(counts, sentences)
    assert all(0 <= of(stem) <= of("never said") <= 4 for stem in "abc")
    for stem in counts:
        assert rarity_of(counts | {stem: counts[stem] + 1}, sentences)(stem) <= of(stem)


def test_a_carelessly_made_passage_is_solved() -> None:
    """Speech that must close, a name and a rare word said again, a pronoun of its sentence: the solver puts each answer back."""
    lines = [
        "The keeper lit the lamp .", "His lamp was old .", "The keeper left the lamp to burn .",
        "Joe stood at the forge .", "So Joe struck the iron in his forge .", "The iron in the forge rang for Joe .",
        '" Who is there ? " she asked .', '" It is I , " she heard him say .', '" Go away , " she said .',
    ]  # fmt: skip
    sentences = [surface_ties(line.split()) for line in lines]
    blanks = [1, 4, 7]
    scores = cue_scores(tie(sentences, [sentences[i] for i in blanks], lambda _: 3.0), np.array([blanks]))
    assert decode_jointly(scores[0]).tolist() == [0, 1, 2]
    assert len(WEIGHTS) == len(CUES)


def test_weights_are_learnt_from_what_tells_answers() -> None:
    """A cue that is higher of answers weighs for, one that is lower against, noise hardly, and one that never varies nothing."""
    rng = np.random.default_rng(1)
    answers = rng.integers(0, 4, (60, 3))
    told = np.eye(4)[answers]
    noise = rng.normal(size=(60, 3, 4))
    features = np.stack((told + noise, -told + rng.normal(size=told.shape), rng.normal(size=told.shape), np.ones(told.shape)), axis=3)
    weights = fit_weights(list(features), answers.tolist())
    assert weights[0] > 0.5
    assert weights[1] < -0.5
    assert abs(weights[2]) < 0.25
    assert weights[3] == pytest.approx(0, abs=1e-6)
    again = fit_weights(list(features * [10, 1, 1, 1]), answers.tolist())
    assert again * [10, 1, 1, 1] == pytest.approx(weights, abs=1e-3)


def test_passages_may_differ_in_how_many_candidates_they_have() -> None:
    """Weights of an item do not depend on the others' sizes: a passage twice is learnt from as two."""
    small, large = np.array([[[1.0], [0.0]]]), np.array([[[1.0], [0.0], [0.0], [0.0]], [[0.0], [0.0], [1.0], [0.0]]])
    (weight,) = fit_weights([small, large] * 20, [[0], [0, 2]] * 20)
    assert weight > 2
    (against,) = fit_weights([small, large] * 20, [[1], [1, 1]] * 20)
    assert against < 0
