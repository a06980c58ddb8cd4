from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from cloze_gen.english.cohesion import Opener, surface_ties
from cloze_gen.models.blank_assignment import decode_jointly
from cloze_gen.models.sentence_cues import (
    CUES,
    AdjacentSentences,
    cue_features,
    cue_scores,
    fit_adjacent_sentences,
    fit_conditional_logit,
    fit_weights,
    neighbours,
    rarity_of,
    sentence_rows,
    tie,
)

SMOOTHING = 20.0


def pairs(words, topics, *, seed, count=400):
    """Sentences of a few topics; the next sentence has the same topic; topics rise in frequency."""
    rng = np.random.default_rng(seed)
    each = words // topics
    topic = rng.choice(topics, count, p=np.arange(1, topics + 1) / sum(range(1, topics + 1)))
    of = [
        [(each * own + rng.integers(0, each, rng.integers(1, 6))).tolist() for own in topic]
        for _ in range(2)
    ]
    return of[0], of[1]


def exact(before, behind, dimensions):
    """Vector products of each pair of words by the full decomposition, and the singular values."""
    inverse = [1 / np.sqrt((rows**2).sum(axis=0) + SMOOTHING) for rows in (before, behind)]
    scaled = [rows * own for rows, own in zip((before, behind), inverse, strict=True)]
    centred = [rows - rows.mean(axis=0) for rows in scaled]
    left, strengths, right = np.linalg.svd(centred[0].T @ centred[1])
    product = (left[:, :dimensions] * strengths[:dimensions]) @ right[:dimensions]
    return inverse[0][:, None] * product * inverse[1][None, :], strengths[:dimensions]


@pytest.mark.parametrize(("words", "topics", "dimensions"), [(12, 3, 12), (30, 3, 5), (120, 4, 3)])
def test_the_leading_directions_are_those_of_the_full_decomposition(words, topics, dimensions):
    """Of the scaled and centred covariance; exact with all directions, close with fewer."""
    before, behind = (sentence_rows(side, words) for side in pairs(words, topics, seed=1))
    of_before, of_behind, strengths = fit_adjacent_sentences(
        before, behind, dimensions, np.random.default_rng(2)
    )
    product, wanted = exact(
        before.toarray().astype(float), behind.toarray().astype(float), dimensions
    )
    assert of_before.shape == of_behind.shape == (words, dimensions)
    assert strengths == pytest.approx(wanted, abs=1e-3 * float(wanted[0]))
    assert (
        np.abs(of_before.astype(float) @ of_behind.T - product).max() < 5e-3 * np.abs(product).max()
    )


def test_both_sides_of_a_direction_are_as_long_as_the_root_of_its_strength():
    """Vectors divided by their words' scales are orthogonal."""
    before, behind = (sentence_rows(side, 30) for side in pairs(30, 3, seed=3))
    of_before, of_behind, strengths = fit_adjacent_sentences(
        before, behind, 4, np.random.default_rng(4)
    )
    for vectors, rows in ((of_before, before), (of_behind, behind)):
        scale = np.sqrt((rows.toarray() ** 2).sum(axis=0) + SMOOTHING)[:, None]
        directions = vectors * scale
        assert directions.T @ directions == pytest.approx(np.diag(strengths), abs=1e-4)
    assert (np.diff(strengths) <= 0).all()


def test_a_model_has_no_more_dimensions_than_words():
    before, behind = (sentence_rows(side, 6) for side in pairs(6, 2, seed=1))
    assert fit_adjacent_sentences(before, behind, 50, np.random.default_rng(1))[0].shape == (6, 6)


def test_a_sentence_goes_behind_one_of_its_own_topic():
    words = [f"w{i}" for i in range(30)]
    before, behind = (sentence_rows(side, 30) for side in pairs(30, 3, seed=5))
    vectors = fit_adjacent_sentences(before, behind, 5, np.random.default_rng(1))
    model = AdjacentSentences({word: i for i, word in enumerate(words)}, vectors[0], vectors[1])
    topics = [words[:5], words[10:15], words[20:25]], [words[5:10], words[15:20], words[25:]]
    for side in model.follows(*topics):
        assert side.argmax(axis=1).tolist() == [0, 1, 2]


@given(
    st.lists(
        st.lists(st.sampled_from(["Pip", "pip", "LAMP", "unknown"]), max_size=6),
        min_size=1,
        max_size=4,
    )
)
def test_follows_is_the_cosine_of_sums(sentences):
    vectors = {
        "before": np.array([[1, 2], [-3, 1]], np.float32),
        "behind": np.array([[2, 0], [1, 1]], np.float32),
    }
    model = AdjacentSentences({"pip": 0, "lamp": 1}, **vectors)

    def vector(tokens, side):
        folded = [token.casefold() for token in tokens]
        return np.asarray(
            sum(
                folded.count(word) ** 0.5 * vectors[side][i].astype(float)
                for i, word in enumerate(("pip", "lamp"))
            )
        )

    def cosine(one, other):
        length = np.linalg.norm(one) * np.linalg.norm(other)
        return float(one @ other / length) if length else 0.0

    behind, before = model.follows(sentences, sentences)
    for i, one in enumerate(sentences):
        for j, other in enumerate(sentences):
            assert behind[i, j] == pytest.approx(
                cosine(vector(one, "before"), vector(other, "behind")), abs=1e-5
            )
            assert before[i, j] == pytest.approx(
                cosine(vector(one, "behind"), vector(other, "before")), abs=1e-5
            )


def test_a_word_said_again_says_less():
    assert sentence_rows([[2, 0, 2, 2, 2], []], 3).toarray().tolist() == [[1, 0, 2], [0, 0, 0]]


# ----


def test_conditional_logit_has_no_gradient_left():
    """Expected and observed features differ by the ridge only."""
    rng = np.random.default_rng(0)
    features = sparse.csr_array(rng.normal(size=(50, 3)))
    item_of_row, is_answer = (
        np.repeat(np.arange(10), 5),
        np.tile([True, False, False, False, False], 10),
    )
    weights = fit_conditional_logit(features, item_of_row, is_answer)
    exponent = np.exp(features @ weights).reshape(10, 5)
    shares = (exponent / exponent.sum(axis=1, keepdims=True)).reshape(-1)
    assert features.T @ (is_answer - shares) == pytest.approx(weights, abs=1e-3)


# ----

RARITY = {"pip": 1.0, "lamp": 2.0, "forge": 3.0}
SPEECH = [
    "he walked .",
    '" Pip is here .',
    'This is the lamp . "',
    '" Who ? "',
    'But " he said . " "',
]
SENTENCES = st.sampled_from(SPEECH).map(lambda line: surface_ties(line.split())) | st.lists(
    st.sampled_from(
        [
            "Pip",
            "Joe",
            "lamp",
            "lamps",
            "forge",
            "he",
            "she",
            "I",
            '"',
            '"',
            "?",
            ".",
            "walked",
            "is",
            "But",
            "This",
            "the",
        ]
    ),
    min_size=1,
    max_size=7,
).map(surface_ties)


def rarity(stem):
    return RARITY.get(stem, 0.5)


@st.composite
def blanked(draw):
    sentences = draw(st.lists(SENTENCES, min_size=1, max_size=12))
    blanks = draw(st.sets(st.integers(0, len(sentences) - 1), min_size=1, max_size=4))
    return sentences, draw(st.lists(SENTENCES, min_size=1, max_size=3)), sorted(blanks)


def marks(one):
    if one.quotation_marks % 2 == 0:
        return "whole" if one.quotation_marks else "none"
    if one.begins_quoted == one.ends_quoted:
        return "odd"
    return "opens" if one.begins_quoted else "closes"


def nearest_marks(some):
    return next((marks(one) for one in some[:4] if one.quotation_marks), "none")


def reckoned(before, behind, shown, one):
    """Every cue of one candidate in one blank, from the shown sentences, nearest first."""
    nobody = surface_ties([])

    def nth(side, place):
        return side[place] if place < len(side) else nobody

    def echo(other):
        return sum(rarity(stem) ** 2 for stem in one.stems & other.stems)

    def names(other):
        return len(other.names & (one.names | {one.first_word}))

    last, following = nth(before, 0), nth(behind, 0)
    near = before[:4] + behind[:4]
    have = {person for other in before[:2] + behind[:2] for person in other.persons}
    fits = {
        (True, True): {"none"}, (False, False): {"none", "whole"}, (True, False): {"closes"},
        (False, True): {"opens"},
    }[nearest_marks(before) == "opens", nearest_marks(behind) == "closes"]  # fmt: skip
    balanced = marks(one) in fits

    def speaks_alike(side):
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
def test_every_cue_is_what_its_name_says(
    passage,
):
    sentences, candidates, blanks = passage
    found = cue_features(tie(sentences, candidates, rarity), np.array([blanks]))
    assert found.shape == (1, len(blanks), len(candidates), len(CUES))
    shown = [one for i, one in enumerate(sentences) if i not in blanks]
    for b, blank in enumerate(blanks):
        before = [sentences[i] for i in range(blank - 1, -1, -1) if i not in blanks]
        behind = [sentences[i] for i in range(blank + 1, len(sentences)) if i not in blanks]
        for c, one in enumerate(candidates):
            assert dict(zip(CUES, found[0, b, c].tolist(), strict=True)) == pytest.approx(
                reckoned(before, behind, shown, one)
            )


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
def test_marks_are_balanced_by_what_the_speech_around_lacks(before, behind, fitting):
    lines = {
        "none": "Pip came .",
        "whole": '" Pip . "',
        "opens": '" Pip came .',
        "closes": 'Pip came . "',
        "odd": 'Pip " came .',
    }
    ties = [surface_ties(line.split()) for line in (before, "gone", behind)]
    candidates = [surface_ties(line.split()) for line in lines.values()]
    found = cue_features(tie(ties, candidates, rarity), np.array([[1]]))[0, 0]
    balanced = dict(zip(lines, found[:, CUES.index("quotation marks balanced")], strict=True))
    unbalanced = dict(zip(lines, found[:, CUES.index("quotation marks unbalanced")], strict=True))
    assert {name for name, value in balanced.items() if value} == set(fitting.split())
    assert {name for name, value in unbalanced.items() if value} == {
        "opens",
        "closes",
        "odd",
    } - set(fitting.split())


@given(blanked(), st.data())
def test_the_solver_sees_no_blanked_sentence(passage, data):
    """Other blanked sentences, or one more, change nothing."""
    sentences, candidates, blanks = passage
    found = cue_features(tie(sentences, candidates, rarity), np.array([blanks]))
    others = [data.draw(SENTENCES) if i in blanks else one for i, one in enumerate(sentences)]
    assert np.allclose(cue_features(tie(others, candidates, rarity), np.array([blanks])), found)
    longer = [*sentences[: blanks[0]], data.draw(SENTENCES), *sentences[blanks[0] :]]
    more = cue_features(
        tie(longer, candidates, rarity), np.array([[blanks[0], *(blank + 1 for blank in blanks)]])
    )
    assert np.allclose(more[:, 1:], found)


def test_sums_over_stems_do_not_depend_on_their_order():
    """A set has another order in each process; `scde.blanks` differed by a tie once in 50 runs."""
    both = surface_ties([f"{first}{last}k" for first in "bcdfgh" for last in "aeiou"])
    rarities = {stem: i / 9 for i, stem in enumerate(sorted(both.stems))}
    found = tie([both], [both], rarities.__getitem__).echoes
    assert len(rarities) == 30
    assert found.item() == math.fsum(rarity**2 for rarity in rarities.values())


@given(st.integers(1, 9), st.integers(1, 5), st.data())
def test_neighbours_are_the_nearest_shown_sentences(sentences, depth, data):
    count = data.draw(st.integers(1, sentences))
    draw = st.permutations(range(sentences)).map(lambda order: sorted(order[:count]))
    blanks = np.array(data.draw(st.lists(draw, min_size=1, max_size=4)))
    before, behind = neighbours(blanks, sentences, depth)
    for row, own in enumerate(blanks.tolist()):
        shown = [i for i in range(sentences) if i not in own]
        for b, blank in enumerate(own):
            wanted = [i for i in reversed(shown) if i < blank], [i for i in shown if i > blank]
            assert [side[row, b].tolist() for side in (before, behind)] == [
                (one + [-1] * depth)[:depth] for one in wanted
            ]


@given(st.dictionaries(st.sampled_from("abc"), st.integers(0, 10**7)), st.integers(0, 10**7))
def test_rarity_falls_as_a_stem_is_said_more(counts, sentences):
    of = rarity_of(counts, sentences)
    assert all(0 <= of(stem) <= of("never said") <= 4 for stem in "abc")
    for stem in counts:
        assert rarity_of(counts | {stem: counts[stem] + 1}, sentences)(stem) <= of(stem)


def test_a_carelessly_made_passage_is_solved():
    lines = [
        "The keeper lit the lamp .", "His lamp was old .", "The keeper left the lamp to burn .",
        "Joe stood at the forge .", "So Joe struck the iron in his forge .",
        "The iron in the forge rang for Joe .",
        '" Who is there ? " she asked .', '" It is I , " she heard him say .',
        '" Go away , " she said .',
    ]  # fmt: skip
    sentences = [surface_ties(line.split()) for line in lines]
    blanks = [1, 4, 7]
    scores = cue_scores(
        tie(sentences, [sentences[i] for i in blanks], lambda _: 3.0), np.array([blanks])
    )
    assert decode_jointly(scores[0]).tolist() == [0, 1, 2]


def test_weights_are_learnt_from_what_tells_answers():
    rng = np.random.default_rng(1)
    answers = rng.integers(0, 4, (60, 3))
    told = np.eye(4)[answers]
    noise = rng.normal(size=(60, 3, 4))
    features = np.stack(
        (
            told + noise,
            -told + rng.normal(size=told.shape),
            rng.normal(size=told.shape),
            np.ones(told.shape),
        ),
        axis=3,
    )
    weights = fit_weights(list(features), answers.tolist())
    assert weights[0] > 0.5
    assert weights[1] < -0.5
    assert abs(weights[2]) < 0.25
    assert weights[3] == pytest.approx(0, abs=1e-6)
    again = fit_weights(list(features * [10, 1, 1, 1]), answers.tolist())
    assert again * [10, 1, 1, 1] == pytest.approx(weights, abs=1e-3)


def test_passages_may_differ_in_how_many_candidates_they_have():
    small, large = (
        np.array([[[1.0], [0.0]]]),
        np.array([[[1.0], [0.0], [0.0], [0.0]], [[0.0], [0.0], [1.0], [0.0]]]),
    )
    (weight,) = fit_weights([small, large] * 20, [[0], [0, 2]] * 20)
    assert weight > 2
    (against,) = fit_weights([small, large] * 20, [[1], [1, 1]] * 20)
    assert against < 0
