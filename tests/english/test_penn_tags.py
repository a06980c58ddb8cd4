from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.english.penn_tags import (
    ADJECTIVES,
    ADVERBS,
    CONTENT_CLASSES,
    FINITE,
    NOUNS,
    PAST,
    TAGS_OF_CLASS,
    VERBS,
    can_have_tag,
    coarse_class,
    is_doubtful,
    same_past_forms,
)


def test_classes():
    """Except the treebank's five tags for web text."""
    tags = (
        "NN",
        "NNPS",
        "VBG",
        "JJS",
        "RBR",
        "MD",
        "CD",
        "UH",
        "``",
        "ADD",
        "AFX",
        "FW",
        "GW",
        "LS",
    )
    assert [tag for tag in tags if coarse_class(tag) == "other"] == ["ADD", "AFX", "FW", "GW", "LS"]


def test_every_tag_has_one_class():
    assert [coarse_class(tag) for tags in TAGS_OF_CLASS.values() for tag in tags] == [
        name for name, tags in TAGS_OF_CLASS.items() for _ in tags
    ]


def test_the_sets_that_rules_speak_of():
    assert PAST <= VERBS
    assert {"MD"} == FINITE - VERBS
    content = {tag for name in CONTENT_CLASSES for tag in TAGS_OF_CLASS[name]}
    assert content == VERBS | ADJECTIVES | ADVERBS | (NOUNS - {"NNP", "NNPS"})


TAGS = st.sampled_from([tag for name in CONTENT_CLASSES for tag in TAGS_OF_CLASS[name]])
SETS = st.frozensets(TAGS)


@given(TAGS, SETS)
def test_a_listed_tag_can_be_had(tag, possible):
    assert can_have_tag("lamp", tag, possible | {tag})
    assert can_have_tag("lamp", tag, possible) <= can_have_tag("lamp", tag, possible | {"VB"})


@pytest.mark.parametrize("word", ["mother's", "60,000", "don't"])
def test_what_no_dictionary_lists_passes(word):
    assert can_have_tag(word, "NN", frozenset())


@pytest.mark.parametrize("word", ["to-night", "yesterday"])
def test_adverbs_of_time_are_no_nouns(word):
    assert can_have_tag(word, "RB", frozenset({"NN"}))
    assert not can_have_tag(word, "NN", frozenset({"NN"}))


@pytest.mark.parametrize(
    ("tag", "possible"), [("VBD", {"VB", "VBD", "VBN"}), ("JJ", {"VBN"}), ("VBP", {"VB", "VBD"})]
)
def test_doubtful_tags(tag, possible):
    assert is_doubtful(tag, possible)


@pytest.mark.parametrize(
    ("tag", "possible"),
    [("VBZ", {"VB", "VBD"}), ("VBD", {"VBD"}), ("JJ", {"JJ"}), ("NN", {"VB", "VBD"})],
)
def test_tags_without_doubt(tag, possible):
    assert not is_doubtful(tag, possible)


@given(SETS, SETS)
def test_likeness_of_past_forms_goes_both_ways(one, other):
    assert same_past_forms(one, one)
    assert same_past_forms(one, other) == same_past_forms(other, one)
