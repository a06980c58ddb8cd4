from __future__ import annotations

import pytest

from cloze_gen.recipes.scs.token_kinds import Kind, kind_of


@pytest.mark.parametrize(
    ("token", "tag", "kind"),
    [
        ("She", "PRP", Kind.SUBJECT),
        ("her", "PRP", Kind.PRONOUN),
        ("her", "PRP$", Kind.POSSESSIVE),
        ("Watson's", "NNP", Kind.POSSESSIVE),
        ("it's", "PRP", Kind.BE),
        ("didn't", "VBD", Kind.MODAL),
        ("wasn't", "VBD", Kind.BE),
        ("having", "VBG", Kind.HAVE),
        ("away", "RB", Kind.PARTICLE),
        ("up", "RP", Kind.PARTICLE),
        ("very", "RB", Kind.DEGREE),
        ("very", "JJ", Kind.ADJECTIVE),
        ("who", "WP", Kind.WHO),
        ("which", "WDT", Kind.RELATIVE),
        ("what", "WP", Kind.QUESTION),
        ("three", "CD", Kind.NUMBER),
        ("into", "IN", Kind.WAY),
        ("concerning", "IN", Kind.PREPOSITION),
        ('"', "``", Kind.UNPRINTED),
        ("--", ":", Kind.UNPRINTED),
        (";", ":", Kind.END),
        ("alas", "UH", Kind.OTHER),
    ],
)
def test_a_token_is_of_the_kind_that_its_neighbours_meet(token, tag, kind):
    assert kind_of(token, tag) is kind


def test_open_classes_hide_the_word():
    """Kinds do not encode which content words occur together."""
    for tag in ("NN", "NNS", "VB", "VBD", "VBG", "VBN", "JJ", "JJR", "RB"):
        assert kind_of("gleaming", tag) is kind_of("walrus", tag)
