"""Penn tags: classes and bare nouns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

TAGS_OF_CLASS: Mapping[str, tuple[str, ...]] = {
    name: tuple(tags.split())
    for name, tags in {
        "noun": "NN NNS",
        "proper_noun": "NNP NNPS",
        "verb": "VB VBD VBG VBN VBP VBZ",
        "adjective": "JJ JJR JJS",
        "adverb": "RB RBR RBS",
        "number": "CD",
        "function": "CC DT EX IN MD PDT POS PRP PRP$ RP TO WDT WP WP$ WRB",
        "interjection": "UH",
        "punctuation": ". , : `` '' -LRB- -RRB- HYPH NFP $ SYM # ( )",
    }.items()
}
# The classes of content words.
CONTENT_CLASSES = ("noun", "verb", "adjective", "adverb")
VERBS = frozenset(TAGS_OF_CLASS["verb"])
ADJECTIVES = frozenset(TAGS_OF_CLASS["adjective"])
ADVERBS = frozenset(TAGS_OF_CLASS["adverb"])
NOUNS = frozenset(TAGS_OF_CLASS["noun"] + TAGS_OF_CLASS["proper_noun"])
FINITE = frozenset({"VBD", "VBP", "VBZ", "MD"})
PAST = frozenset({"VBD", "VBN"})
_CLASS_OF_TAG = {tag: name for name, tags in TAGS_OF_CLASS.items() for tag in tags}


def coarse_class(penn_tag: str) -> str:
    """The class of a Penn tag (`TAGS_OF_CLASS`), else "other"; ``be`` and ``do`` are verbs.

    >>> [coarse_class(tag) for tag in ("NNS", "VBD", "WRB", "FW")]
    ['noun', 'verb', 'function', 'other']
    """
    return _CLASS_OF_TAG.get(penn_tag, "other")


# Tags that a noun phrase may hold between its determiner and its noun, and those that determine it.
_MODIFIERS = NOUNS | ADJECTIVES | ADVERBS | {"VBN", "VBG", "HYPH"}
_DETERMINERS = frozenset({"DT", "PDT", "PRP$", "WDT", "WP$", "POS", "CD"})


def is_bare_noun(tokens: Sequence[str], tags: Sequence[str], position: int) -> bool:
    """Whether a singular noun has no determiner (`went to bed`), so only mass nouns fit.

    >>> is_bare_noun("He went to bed .".split(), ["PRP", "VBD", "IN", "NN", "."], 3)
    True
    >>> is_bare_noun("Her father's old house fell .".split(), ["PRP$", "NN", "JJ", "NN", "VBD", "."], 3)
    False
    """
    if tags[position] != "NN":
        return False
    for token, tag in zip(reversed(tokens[:position]), reversed(tags[:position]), strict=True):
        if tag in _DETERMINERS or token.endswith(("'s", "s'")):
            return False
        if tag not in _MODIFIERS:
            return True
    return True
