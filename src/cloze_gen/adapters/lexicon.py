"""Which Penn tags a word can have at all, by lemminflect's dictionary.

A tagger reads a word by its neighbours: in "he wished to wooden some message" it calls `wooden` a verb. The dictionary does not.
"""

from __future__ import annotations

import functools

import lemminflect

_OPEN = ("NOUN", "VERB", "ADJ", "ADV")
# Forms that serve under another tag too. The dictionary gives a regular verb's participle as its past form only.
_SERVES_AS = {"VBP": {"VB"}, "VBN": {"VBD"}, "JJ": {"VBN", "VBD", "VBG"}, "NN": {"VBG"}}


@functools.lru_cache(maxsize=100_000)
def possible_tags(word: str) -> frozenset[str]:
    """Penn tags of the open classes that the dictionary has for a word; empty when it does not list the word.

    >>> sorted(possible_tags("wooden")), "VB" in possible_tags("murmur"), possible_tags("zzxq")
    (['JJ'], True, frozenset())
    """
    found = set()
    for upos in _OPEN:
        for lemma in lemminflect.getAllLemmas(word, upos=upos).get(upos, ()):
            for tag, forms in lemminflect.getAllInflections(lemma, upos=upos).items():
                if word in forms:
                    found.add(tag)
    return frozenset(found)


def can_have_tag(word: str, tag: str) -> bool:
    """False only when the dictionary lists the word and not with this tag; clitics and hyphenated words are let pass.

    >>> can_have_tag("wooden", "VB"), can_have_tag("murmur", "VBP"), can_have_tag("broken", "JJ"), can_have_tag("mother's", "NN")
    (False, True, True, True)
    """
    if not word.isalpha():
        return True
    tags = possible_tags(word)
    return not tags or tag in tags or bool(tags & _SERVES_AS.get(tag, set()))
