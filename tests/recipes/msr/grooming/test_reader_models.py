"""The models of readers' marks: features, predictions, and what they have learnt."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.english.word_lists import After, Before
from cloze_gen.recipes.msr.choice import BALANCED_SCORES
from cloze_gen.recipes.msr.grooming.reader_models import FEATURES, Place, opinion
from cloze_gen.recipes.msr.grooming.reader_models import features_of as features_of_blanks
from cloze_gen.recipes.msr.grooming.reader_weights import WEIGHTS
from cloze_gen.recipes.msr.grooming.subcategorization import Frame

OWN = (
    "similarity topicality attested_before attested_after attested_history attested_around "
    "attested_following fit_before fit_after "
    "beside_before beside_after use_before use_after takes_frame"
).split()
PLACE = Place(
    tag="NN",
    frame=Frame.COUNT,
    before=Before.ARTICLE,
    after=After.CLOSED,
    tokens=16,
    content_words=7,
    place=0.25,
)
COLUMN = {name: i for i, name in enumerate(FEATURES)}


def measures(**changed):
    """Of an answer and two candidates; nothing is known but what is given."""
    return {name: np.array(changed.get(name, [0.0, 0.0, 0.0])) for name in OWN}


def features_of(measured, place):
    """Features of the candidates of one blank."""
    return features_of_blanks(measured, [place], np.array([len(measured["topicality"])]))


def column(table, name):
    return [float(value) for value in table[:, COLUMN[name]]]


def test_a_measure_stands_beside_what_it_gains_over_the_answers():
    """A row a candidate, none the answer's; the answer's own topicality is said of the place."""
    table = features_of(measures(topicality=[0.5, 0.75, 0.25], fit_after=[2.0, 1.0, 3.0]), PLACE)
    assert table.shape == (2, len(FEATURES))
    assert (column(table, "topicality"), column(table, "topicality_gained")) == (
        [0.75, 0.25],
        [0.25, -0.25],
    )
    assert (column(table, "fit_after"), column(table, "fit_after_gained")) == (
        [1.0, 3.0],
        [-1.0, 1.0],
    )
    assert column(table, "answer_topicality") == [0.5, 0.5]


def test_the_place_is_said_alike_of_all_candidates():
    """Lengths by their logarithms; of each set of marks exactly the one that holds."""
    table = features_of(measures(), PLACE)
    assert [column(table, name) for name in ("tokens", "content_words", "place")] == [
        [4, 4],
        [3, 3],
        [0.25, 0.25],
    ]
    for kind in ("tag_", "frame_", "before_", "after_"):
        held = [
            name
            for name in FEATURES
            if re.match(kind, name) and "_gained" not in name and column(table, name) == [1, 1]
        ]
        assert held == [
            {
                "tag_": "tag_NN",
                "frame_": f"frame_{Frame.COUNT}",
                "before_": "before_article",
                "after_": "after_closed",
            }[kind]
        ]


def test_where_no_tagger_was_asked_no_tag_is_said():
    """Nor a frame; the rest is as it was."""
    told, untold = (
        features_of(measures(), PLACE),
        features_of(measures(), replace(PLACE, tag="", frame=None)),
    )
    differ = [name for name in FEATURES if column(told, name) != column(untold, name)]
    assert differ == ["tag_NN", f"frame_{Frame.COUNT}"]


def test_what_is_not_known_is_nothing_and_what_is_unheard_of_is_bounded():
    """NaN is 0; an infinite log is the most that any says."""
    table = features_of(
        measures(
            beside_before=[0.0, np.nan, 1.0],
            fit_before=[0.0, -np.inf, np.inf],
            fit_after=[0.0, -40.0, 40.0],
        ),
        PLACE,
    )
    assert column(table, "beside_before") == [0, 1]
    assert column(table, "fit_before") == column(table, "fit_after") == [-12, 12]


def test_every_feature_is_named_once_and_every_weight_has_a_feature():
    """The weights were fitted to these features, the three models that an opinion has."""
    assert len(set(FEATURES)) == len(FEATURES)
    assert set(WEIGHTS) == {"fits_as_well", "ungrammatical", "plausible"}
    for weights in WEIGHTS.values():
        assert set(weights) <= {"constant", *FEATURES}
        assert "constant" in weights


def test_an_opinion_is_a_logistic_model():
    """At a log-odds of 0 half of the readers say so, each log-odds of ln 3 is three to one."""
    table = features_of(measures(similarity=[1.0, 1.0, 0.0]), PLACE)
    weights = {
        "fits_as_well": {"constant": 0.0, "similarity": np.log(3)},
        "ungrammatical": {"constant": 0.0},
        "plausible": {"constant": -np.log(3)},
    }
    found = opinion(table, weights)
    assert found.fits_as_well == pytest.approx([0.75, 0.5])
    assert found.ungrammatical == pytest.approx([0.5, 0.5])
    assert found.plausible == pytest.approx([0.25, 0.25])


@given(
    st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=3, max_size=3),
    st.sampled_from(OWN),
)
def test_whatever_is_measured_an_opinion_is_a_share(values, name):
    """From 0 to 1, of each candidate, by all models."""
    # of two infinite measures neither gains anything
    with np.errstate(invalid="ignore", over="ignore"):
        found = opinion(features_of(measures(**{name: values}), PLACE))
    for shares in (found.fits_as_well, found.ungrammatical, found.plausible):
        assert shares.shape == (2,)
        assert np.all((shares >= 0) & (shares <= 1))


@pytest.mark.parametrize(
    ("model", "measure"),
    [("fits_as_well", "similarity"), ("fits_as_well", "topicality"), ("plausible", "topicality")],
)
def test_readers_find_what_is_like_the_answer_or_the_topic_more_fitting(model, measure):
    """Of two candidates alike in all else, that with more of it is likelier to fit."""
    found = opinion(features_of(measures(**{measure: [0.0, 0.0, 0.5]}), PLACE))
    less, more = getattr(found, model)
    assert more > less


def test_readers_find_a_word_that_does_not_take_its_frame_ungrammatical():
    """A count noun for a mass noun, a verb without its object."""
    takes, does_not = opinion(
        features_of(measures(takes_frame=[1.0, 1.0, 0.0]), PLACE)
    ).ungrammatical
    assert does_not > takes


def test_no_score_that_the_choice_levels_is_asked():
    """A bound on a score would leave an edge that an adversary can use."""
    assert not {name.removesuffix("_gained") for name in FEATURES} & {
        *BALANCED_SCORES,
        "frequency",
        "forward",
        "history",
        "gain",
        "lift",
    }
