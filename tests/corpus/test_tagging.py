"""Lemma and class of whole-word tokens; the tagger of a process."""

import pytest

from cloze_gen.corpus.tagging import lemma_pair, worker_tagger
from cloze_gen.errors import ModelError


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


def test_a_tagger_that_the_run_does_not_name_is_refused():
    """Another version of the same name would write under the wrong fingerprint."""
    assert (
        worker_tagger("builtin", worker_tagger("builtin").identity).identity
        == worker_tagger("builtin").identity
    )
    with pytest.raises(ModelError, match="on the machine that started the run"):
        worker_tagger("builtin", "builtin-of-another-day")
