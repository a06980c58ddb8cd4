"""Penn tags and their classes."""

from __future__ import annotations

from cloze_gen.english.penn_tags import ADJECTIVES, ADVERBS, CONTENT_CLASSES, FINITE, NOUNS, PAST, TAGS_OF_CLASS, VERBS, coarse_class


def test_classes() -> None:
    """Every Penn tag of the treebank but its five for web text has a class of its own."""
    tags = ("NN", "NNPS", "VBG", "JJS", "RBR", "MD", "CD", "UH", "``", "ADD", "AFX", "FW", "GW", "LS")
    assert [tag for tag in tags if coarse_class(tag) == "other"] == ["ADD", "AFX", "FW", "GW", "LS"]


def test_every_tag_has_one_class() -> None:
    """No tag stands in two classes, and its class is the one it stands in."""
    assert [coarse_class(tag) for tags in TAGS_OF_CLASS.values() for tag in tags] == [
        name for name, tags in TAGS_OF_CLASS.items() for _ in tags
    ]


def test_the_sets_that_rules_speak_of() -> None:
    """Past forms are verbs, finite forms are verbs and modals, and names are no content words."""
    assert PAST <= VERBS
    assert {"MD"} == FINITE - VERBS
    content = {tag for name in CONTENT_CLASSES for tag in TAGS_OF_CLASS[name]}
    assert content == VERBS | ADJECTIVES | ADVERBS | (NOUNS - {"NNP", "NNPS"})
