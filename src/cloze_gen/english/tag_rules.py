"""What the tags that a word can have at all say about the tag that a tagger gave it.

A tagger reads a word by its neighbours: in "he wished to wooden some message" it calls `wooden` a verb. A dictionary does not. The rules
take the dictionary's tags of a word (`adapters.lexicon.possible_tags`; none where the word is not listed), so each can be tried by hand.
"""

from __future__ import annotations

from collections.abc import Set

from cloze_gen.english.penn_tags import PAST

# Forms that serve under another tag too. The dictionary gives a regular verb's participle as its past form only.
_SERVES_AS = {"VBP": {"VB"}, "VBN": {"VBD"}, "JJ": {"VBN", "VBD", "VBG"}}
_ALIKE_IN_BASE_AND_PAST = frozenset({"VB", "VBD", "VBN", "VBP"})  # tags that `spread` may have, and no -s or -ing form
# Nouns to the dictionary, adverbs in use: "he met the lady to-night" has no place for *lamp*.
_ADVERBS_OF_TIME = frozenset({"today", "tonight", "tomorrow", "yesterday", "nowadays"})


def can_have_tag(word: str, tag: str, possible: Set[str]) -> bool:
    """Whether a word can have a tag. A host with a clitic and a number pass: dictionaries have no such entries.

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
    """Whether a tagger easily mistakes a word of these tags: one form for base and past tense, or a participle read as an adjective.

    >>> is_doubtful("VB", {"VB", "VBD", "NN"}), is_doubtful("JJ", {"VBD", "VBN"}), is_doubtful("JJ", {"JJ"})
    (True, True, False)
    """
    return (tag in _ALIKE_IN_BASE_AND_PAST and possible >= {"VB", "VBD"}) or (tag == "JJ" and bool(PAST & possible))


def same_past_forms(possible: Set[str], other: Set[str]) -> bool:
    """Whether two verbs are alike in having one form or two for past tense and participle.

    Where a tagger mistakes one for the other, `poured` still stands as a past tense and `hidden` does not.

    >>> same_past_forms({"VBD"}, {"VBD", "NN"}), same_past_forms({"VBD"}, {"VBN"})
    (True, False)
    """
    return possible & PAST == other & PAST
