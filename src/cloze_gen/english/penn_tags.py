"""Penn tags: the sets of them that rules speak of, and the class of each."""

from __future__ import annotations

from collections.abc import Mapping

TAGS_OF_CLASS: Mapping[str, tuple[str, ...]] = {
    "noun": ("NN", "NNS"),
    "proper_noun": ("NNP", "NNPS"),
    "verb": ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"),
    "adjective": ("JJ", "JJR", "JJS"),
    "adverb": ("RB", "RBR", "RBS"),
    "number": ("CD",),
    "function": ("CC", "DT", "EX", "IN", "MD", "PDT", "POS", "PRP", "PRP$", "RP", "TO", "WDT", "WP", "WP$", "WRB"),
    "interjection": ("UH",),
    "punctuation": (".", ",", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP", "$", "SYM", "#", "(", ")"),
}
# The classes of words that name things, deeds and qualities.
CONTENT_CLASSES = ("noun", "verb", "adjective", "adverb")
VERBS, ADJECTIVES, ADVERBS = (frozenset(TAGS_OF_CLASS[name]) for name in ("verb", "adjective", "adverb"))
NOUNS = frozenset(TAGS_OF_CLASS["noun"] + TAGS_OF_CLASS["proper_noun"])
FINITE = frozenset({"VBD", "VBP", "VBZ", "MD"})
PAST = frozenset({"VBD", "VBN"})
_CLASS_OF_TAG = {tag: name for name, tags in TAGS_OF_CLASS.items() for tag in tags}


def coarse_class(penn_tag: str) -> str:
    """The class of a Penn tag: one of noun, proper_noun, verb, adjective, adverb, number, function, interjection, punctuation, other.

    ``be``, ``have`` and ``do`` are verbs here; who wants content verbs only must look at the lemma.

    >>> [coarse_class(tag) for tag in ("NNS", "VBD", "WRB", "FW")]
    ['noun', 'verb', 'function', 'other']
    """
    return _CLASS_OF_TAG.get(penn_tag, "other")
