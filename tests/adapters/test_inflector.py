from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.adapters.inflector import (
    AMBIGUOUS_LEMMAS,
    can_have_tag,
    inflect,
    is_doubtful,
    lemmatize,
    possible_tags,
    same_past_forms,
)

LEMMAS = """
    Mothers NNS mother
    wives NNS wife
    geese NNS goose
    spoke VBD speak
    lain VBN lie
    lay VBD lie
    lay VB lay
    laid VBD lay
    dying VBG die
    is VBZ be
    've VBP have
    doth VBZ do
    happiest JJS happy
    worse JJR bad
    more RBR more
    sooner RBR soon
    n't RB not
    interested JJ interested
    other JJ other
    Adams NNP Adams
    THE DT the
    To-morrow NN tomorrow
"""
FORMS = """
    wife NNS wives
    child NNS children
    swim VBN swum
    swim VBD swam
    carry VBZ carries
    see VBD saw
    find VBD found
    stop VBG stopping
    happy JJR happier
    fast RBS fastest
    quick JJ quick
"""


def rows(table):
    return [line.split() for line in table.strip().splitlines()]


@pytest.mark.parametrize(("token", "tag", "lemma"), rows(LEMMAS))
def test_lemmatize(token, tag, lemma):
    assert lemmatize(token, tag) == lemma


@pytest.mark.parametrize(("lemma", "tag", "form"), rows(FORMS))
def test_inflect(lemma, tag, form):
    assert inflect(lemma, tag)[0] == form


@pytest.mark.parametrize("lemma", sorted(AMBIGUOUS_LEMMAS))
@pytest.mark.parametrize("tag", ["VBD", "VBN", "VBZ"])
def test_ambiguous_paradigms_are_not_inflected(lemma, tag):
    assert inflect(lemma, tag) == ()


@pytest.mark.parametrize("tag", ["DT", "IN", "MD", "PRP", "CD", "."])
def test_only_open_classes_inflect(tag):
    assert inflect("the", tag) == ()


@given(
    st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12),
    st.sampled_from(["NNS", "VBD", "VBG", "VBN", "VBZ", "JJR", "JJS", "RBR", "RBS"]),
)
def test_forms_lead_back(lemma, tag):
    forms = inflect(lemma, tag)
    assert len(set(forms)) == len(forms)
    assert all(lemmatize(form, tag) == lemma for form in forms)


WORDS = st.sampled_from("lamp spread committed murmur solemn poured hidden walk zzxq".split())


@given(WORDS)
def test_a_listed_tag_can_be_had(word):
    assert all(can_have_tag(word, tag) for tag in possible_tags(word))


@pytest.mark.parametrize("word", ["mother's", "60,000", "don't"])
def test_what_no_dictionary_lists_passes(word):
    assert can_have_tag(word, "NN")


@pytest.mark.parametrize("word", ["to-night", "yesterday"])
def test_adverbs_of_time_are_no_nouns(word):
    assert can_have_tag(word, "RB")
    assert not can_have_tag(word, "NN")


@pytest.mark.parametrize(
    ("word", "tag", "doubtful"),
    [
        ("spread", "VBD", True), ("spread", "VBP", True), ("committed", "JJ", True),
        ("spread", "VBZ", False), ("poured", "VBD", False), ("solemn", "JJ", False),
        ("spread", "NN", False),
    ],
)  # fmt: skip
def test_doubtful_tags(word, tag, doubtful):
    assert is_doubtful(word, tag) == doubtful


@given(WORDS, WORDS)
def test_likeness_of_past_forms_goes_both_ways(word, other):
    assert same_past_forms(word, word)
    assert same_past_forms(word, other) == same_past_forms(other, word)
