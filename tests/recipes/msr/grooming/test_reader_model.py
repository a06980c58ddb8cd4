"""The models of readers' marks: features, predictions, and what they have learnt."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.msr.grooming.frames import Frame
from cloze_gen.recipes.msr.grooming.reader_model import (
    FEATURES,
    features_of,
    place_features,
    predict_marks,
    read_weights,
)
from cloze_gen.recipes.msr.tables import SCORES
from tests.recipes.msr.fakes import make_item

OWN = (
    "similarity topicality attested_before attested_after attested_history attested_around "
    "attested_following fit_before fit_after "
    "beside_before beside_after use_before use_after takes_frame"
).split()
# 16 printed tokens; seven of the 15 around the blank are topic words
LINE = 'She had a " boat " in that very old and quiet harbour beyond the village now .'
FREQUENT = {"she", "had", "a", "in", "that", "and", "the"}
COLUMN = {name: i for i, name in enumerate(FEATURES)}


def place_of(tag="NN", frame=Frame.COUNT):
    item = make_item(LINE, "boat")
    item.tag = tag
    item.frame = frame
    return place_features(item, frequent=FREQUENT)


def features(place=None, **measures):
    """Features of two candidates. A measure has the answer's value first; others are 0."""
    values = {}
    for name in OWN:
        value = np.array(measures.get(name, [0.0, 0.0, 0.0]))
        values[name] = value[1:]
        values[f"answer_{name}"] = value[[0, 0]]
        values[f"{name}_gained"] = value[1:] - value[0]
    return features_of(values, [place or place_of()], np.zeros(2, np.int64))


def predict(table):
    return predict_marks(table, read_weights(with_language_model=False))


def column(table, name):
    return [float(value) for value in table[:, COLUMN[name]]]


def test_a_measure_and_its_difference_from_the_answers():
    table = features(topicality=[0.5, 0.75, 0.25], fit_after=[2.0, 1.0, 3.0])
    assert table.shape == (2, len(FEATURES))
    assert column(table, "topicality") == [0.75, 0.25]
    assert column(table, "topicality_gained") == [0.25, -0.25]
    assert column(table, "fit_after") == [1.0, 3.0]
    assert column(table, "fit_after_gained") == [-1.0, 1.0]
    assert column(table, "answer_topicality") == [0.5, 0.5]


def test_features_of_the_place_are_the_same_for_all_candidates():
    """Lengths by their logarithms; of each set of kinds exactly the one that holds."""
    table = features()
    assert column(table, "tokens") == [4, 4]
    assert column(table, "content_words") == [3, 3]
    assert column(table, "place") == [3 / 16, 3 / 16]
    kinds = {
        "tag_": "tag_NN",
        "frame_": f"frame_{Frame.COUNT}",
        "before_": "before_article",
        "after_": "after_closed",
    }
    for kind, expected in kinds.items():
        of_kind = [name for name in FEATURES if re.match(kind, name) and "_gained" not in name]
        assert [name for name in of_kind if column(table, name) == [1, 1]] == [expected]


def test_without_a_tagger_there_is_no_tag_and_no_frame():
    tagged = features()
    untagged = features(place_of(tag="", frame=None))
    differ = [name for name in FEATURES if column(tagged, name) != column(untagged, name)]
    assert differ == ["tag_NN", f"frame_{Frame.COUNT}"]


def test_unknown_measures_are_0_and_infinite_ones_bounded():
    table = features(
        beside_before=[0.0, np.nan, 1.0],
        fit_before=[0.0, -np.inf, np.inf],
        fit_after=[0.0, -40.0, 40.0],
    )
    assert column(table, "beside_before") == [0, 1]
    assert column(table, "fit_before") == column(table, "fit_after") == [-12, 12]


@pytest.mark.parametrize("with_language_model", [False, True])
def test_every_feature_is_named_once_and_every_weight_has_a_feature(with_language_model):
    assert len(set(FEATURES)) == len(FEATURES)
    weights = read_weights(with_language_model=with_language_model)
    assert set(weights) == {"fits_as_well", "ungrammatical", "plausible"}
    for of_mark in weights.values():
        assert set(of_mark) <= {"constant", *FEATURES}
        assert "constant" in of_mark
        assert any("model" in name for name in of_mark) == with_language_model


def test_a_prediction_is_logistic():
    """At a log-odds of 0 half of the readers give the mark; ln 3 is three to one."""
    table = features(similarity=[1.0, 1.0, 0.0])
    marks = predict_marks(
        table,
        {
            "fits_as_well": {"constant": 0.0, "similarity": np.log(3)},
            "ungrammatical": {"constant": 0.0},
            "plausible": {"constant": -np.log(3)},
        },
    )
    assert marks["fits_as_well"] == pytest.approx([0.75, 0.5])
    assert marks["ungrammatical"] == pytest.approx([0.5, 0.5])
    assert marks["plausible"] == pytest.approx([0.25, 0.25])


@given(
    st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=3, max_size=3),
    st.sampled_from(OWN),
)
def test_a_prediction_is_a_share_whatever_is_measured(values, name):
    # the difference of two infinite measures is not a number
    with np.errstate(invalid="ignore", over="ignore"):
        marks = predict(features(**{name: values}))
    for shares in marks.values():
        assert shares.shape == (2,)
        assert np.all((shares >= 0) & (shares <= 1))


@pytest.mark.parametrize(
    ("mark", "measure"),
    [("fits_as_well", "similarity"), ("fits_as_well", "topicality"), ("plausible", "topicality")],
)
def test_readers_find_what_is_like_the_answer_or_the_topic_more_fitting(mark, measure):
    less, more = predict(features(**{measure: [0.0, 0.0, 0.5]}))[mark]
    assert more > less


def test_readers_find_a_word_that_does_not_take_its_frame_ungrammatical():
    """A count noun for a mass noun, a verb without its object."""
    takes, does_not = predict(features(takes_frame=[1.0, 1.0, 0.0]))["ungrammatical"]
    assert does_not > takes


def test_no_score_that_the_choice_balances_is_a_feature():
    """A limit on a score would leave an edge that an adversary can use."""
    assert not {name.removesuffix("_gained") for name in FEATURES} & {
        *SCORES,
        "freq",
        "length",
        "frequency",
        "forward",
        "history",
        "gain",
        "lift",
    }
