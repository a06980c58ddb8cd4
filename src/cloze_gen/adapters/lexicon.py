"""Which Penn tags a word can have at all, by lemminflect's dictionary.

A tagger reads a word by its neighbours: in "he wished to wooden some message" it calls `wooden` a verb. The dictionary does not.
"""

from __future__ import annotations

import functools

import lemminflect

_OPEN = ("NOUN", "VERB", "ADJ", "ADV")
# Forms that serve under another tag too. The dictionary gives a regular verb's participle as its past form only.
_SERVES_AS = {"VBP": {"VB"}, "VBN": {"VBD"}, "JJ": {"VBN", "VBD", "VBG"}}
_PAST = frozenset({"VBD", "VBN"})


_VERBS = frozenset({"VB", "VBD", "VBN", "VBP"})
# Nouns to the dictionary, adverbs in use: "he met the lady to-night" has no place for *lamp*.
_ADVERBS_OF_TIME = frozenset({"today", "tonight", "tomorrow", "yesterday", "nowadays"})


@functools.lru_cache(maxsize=100_000)
def possible_tags(word: str) -> frozenset[str]:
    """Penn tags of the open classes that the dictionary has for a word; empty when it does not list the word.

    A hyphenated word is looked up without its hyphens (`to-night`), else by its last part (`night-lantern`).

    >>> sorted(possible_tags("wooden")), "VB" in possible_tags("murmur"), possible_tags("zzxq")
    (['JJ'], True, frozenset())
    >>> sorted(possible_tags("night-lantern"))
    ['NN']
    """
    if "-" in word:
        return possible_tags(word.replace("-", "")) or possible_tags(word.rpartition("-")[2])
    found = set()
    for upos in _OPEN:
        for lemma in lemminflect.getAllLemmas(word, upos=upos).get(upos, ()):
            for tag, forms in lemminflect.getAllInflections(lemma, upos=upos).items():
                if word in forms:
                    found.add(tag)
    return frozenset(found)


def can_have_tag(word: str, tag: str) -> bool:
    """Whether the dictionary has the word with this tag. A host with a clitic and a number pass: the dictionary has no such entries.

    >>> can_have_tag("wooden", "VB"), can_have_tag("murmur", "VBP"), can_have_tag("broken", "JJ"), can_have_tag("mother's", "NN")
    (False, True, True, True)
    >>> can_have_tag("jist", "NN"), can_have_tag("to-night", "NN")
    (False, False)
    """
    if word.replace("-", "") in _ADVERBS_OF_TIME:
        return tag == "RB"
    if "'" in word or not any(character.isalpha() for character in word):
        return True
    tags = possible_tags(word)
    return tag in tags or bool(tags & _SERVES_AS.get(tag, set()))


def is_doubtful(word: str, tag: str) -> bool:
    """Whether a tagger easily mistakes this word: one form for base and past tense, or a participle read as an adjective.

    >>> is_doubtful("spread", "VB"), is_doubtful("committed", "JJ"), is_doubtful("solemn", "JJ")
    (True, True, False)
    """
    tags = possible_tags(word)
    return (tag in _VERBS and {"VB", "VBD"} <= tags) or (tag == "JJ" and bool(_PAST & tags))


def same_past_forms(word: str, other: str) -> bool:
    """Whether two verbs are alike in having one form or two for past tense and participle.

    Where a tagger mistakes one for the other, `poured` still stands as a past tense and `hidden` does not.

    >>> same_past_forms("poured", "walked"), same_past_forms("poured", "hidden")
    (True, False)
    """
    return possible_tags(word) & _PAST == possible_tags(other) & _PAST
