from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.adapters.inflector import AMBIGUOUS_LEMMAS, inflect, lemmatize

LEMMAS = [
    ("Mothers", "NNS", "mother"), ("wives", "NNS", "wife"), ("geese", "NNS", "goose"), ("spoke",
        "VBD", "speak"), ("lain", "VBN", "lie"),
    ("lay", "VBD", "lie"), ("lay", "VB", "lay"), ("laid", "VBD", "lay"), ("dying", "VBG", "die"),
    ("is", "VBZ", "be"),
    ("'ve", "VBP", "have"), ("doth", "VBZ", "do"), ("happiest", "JJS", "happy"), ("worse", "JJR",
        "bad"),
    ("sooner", "RBR", "soon"), ("n't", "RB", "not"),
    ("interested", "JJ", "interested"), ("other", "JJ", "other"), ("Adams", "NNP", "Adams"), ("THE",
        "DT", "the"),
    ("To-morrow", "NN", "tomorrow"),
]  # fmt: skip

FORMS = [
    ("wife", "NNS", "wives"), ("child", "NNS", "children"), ("swim", "VBN", "swum"), ("swim", "VBD",
        "swam"), ("carry", "VBZ", "carries"),
    ("see", "VBD", "saw"), ("find", "VBD", "found"), ("stop", "VBG", "stopping"), ("happy", "JJR",
        "happier"), ("fast", "RBS", "fastest"),
    ("quick", "JJ", "quick"),
]  # fmt: skip


@pytest.mark.parametrize(("token", "tag", "lemma"), LEMMAS)
def test_lemmatize(token, tag, lemma):
    assert lemmatize(token, tag) == lemma


@pytest.mark.parametrize(("lemma", "tag", "form"), FORMS)
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
