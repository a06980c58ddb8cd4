"""Lemma and class of whole-word tokens."""

import pytest

from cloze_gen.corpus.tagging import lemma_pair


@pytest.mark.parametrize(
    ("token", "tag", "pair"),
    [
        ("mother's", "NN", ("mother", "noun")),
        ("Children", "NNS", ("child", "noun")),
        ("went", "VBD", ("go", "verb")),
        ("don't", "VBP", ("do", "verb")),
        ("HOLMES", "NNP", ("holmes", "proper_noun")),
        ("'Twas", "VBD", ("be", "verb")),
        ("worse", "JJR", ("bad", "adjective")),
        ("--", ":", ("--", "punctuation")),
    ],
)
def test_the_host_gives_the_lemma(token, tag, pair):
    """The clitic is left aside, and lemmas are lower-cased whatever their class."""
    assert lemma_pair(token, tag) == pair
