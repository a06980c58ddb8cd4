from __future__ import annotations

from cloze_gen.english.penn_tags import (
    ADJECTIVES,
    ADVERBS,
    CONTENT_CLASSES,
    FINITE,
    NOUNS,
    PAST,
    TAGS_OF_CLASS,
    VERBS,
    coarse_class,
)


def test_classes():
    """Except the treebank's five tags for web text."""
    tags = "NN NNPS VBG JJS RBR MD CD UH `` ADD AFX FW GW LS".split()
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
