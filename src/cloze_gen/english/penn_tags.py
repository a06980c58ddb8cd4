"""Penn tags: classes, bare nouns, and checks against the tags that a dictionary allows
(`adapters.inflector.possible_tags`; empty for an unlisted word).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

TAGS_OF_CLASS: Mapping[str, tuple[str, ...]] = {
    "noun": ("NN", "NNS"),
    "proper_noun": ("NNP", "NNPS"),
    "verb": ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"),
    "adjective": ("JJ", "JJR", "JJS"),
    "adverb": ("RB", "RBR", "RBS"),
    "number": ("CD",),
    "function": (
        "CC",
        "DT",
        "EX",
        "IN",
        "MD",
        "PDT",
        "POS",
        "PRP",
        "PRP$",
        "RP",
        "TO",
        "WDT",
        "WP",
        "WP$",
        "WRB",
    ),
    "interjection": ("UH",),
    "punctuation": (
        ".",
        ",",
        ":",
        "``",
        "''",
        "-LRB-",
        "-RRB-",
        "HYPH",
        "NFP",
        "$",
        "SYM",
        "#",
        "(",
        ")",
    ),
}
# The classes of content words.
CONTENT_CLASSES = ("noun", "verb", "adjective", "adverb")
VERBS, ADJECTIVES, ADVERBS = (
    frozenset(TAGS_OF_CLASS[name]) for name in ("verb", "adjective", "adverb")
)
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


# Forms that serve under another tag too. The dictionary gives a regular verb's participle as its
# past form only.
_SERVES_AS = {"VBP": {"VB"}, "VBN": {"VBD"}, "JJ": {"VBN", "VBD", "VBG"}}
# tags that `spread` may have, and no -s or -ing form
_ALIKE_IN_BASE_AND_PAST = frozenset({"VB", "VBD", "VBN", "VBP"})
# Nouns to the dictionary, adverbs in use: "he met the lady to-night" has no place for *lamp*.
_ADVERBS_OF_TIME = frozenset({"today", "tonight", "tomorrow", "yesterday", "nowadays"})


def can_have_tag(word: str, tag: str, possible: Set[str]) -> bool:
    """Whether a word can have a tag; words with a clitic and numbers, never listed, pass.

    >>> can_have_tag("wooden", "VB", {"JJ"}), can_have_tag("murmur", "VBP", {"NN", "VB"}), can_have_tag("broken", "JJ", {"VBN"})
    (False, True, True)
    >>> can_have_tag("mother's", "NN", set()), can_have_tag("jist", "NN", set()), can_have_tag("to-night", "NN", {"NN"})
    (True, False, False)
    """
    if word.replace("-", "") in _ADVERBS_OF_TIME:
        return tag == "RB"
    if "'" in word or not any(character.isalpha() for character in word):
        return True
    return tag in possible or bool(possible & _SERVES_AS.get(tag, set()))


def is_doubtful(tag: str, possible: Set[str]) -> bool:
    """Whether taggers often err on it: base like past tense, or a participle tagged as adjective.

    >>> is_doubtful("VB", {"VB", "VBD", "NN"}), is_doubtful("JJ", {"VBD", "VBN"}), is_doubtful("JJ", {"JJ"})
    (True, True, False)
    """
    return (tag in _ALIKE_IN_BASE_AND_PAST and possible >= {"VB", "VBD"}) or (
        tag == "JJ" and bool(PAST & possible)
    )


def same_past_forms(possible: Set[str], other: Set[str]) -> bool:
    """Whether both verbs, or neither, have one form for past tense and participle.

    >>> same_past_forms({"VBD"}, {"VBD", "NN"}), same_past_forms({"VBD"}, {"VBN"})
    (True, False)
    """
    return possible & PAST == other & PAST


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
