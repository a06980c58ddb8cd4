"""Which Penn tags a word can have at all, by lemminflect's dictionary; what follows from them are the rules of `english.tag_rules`."""

from __future__ import annotations

import functools

from cloze_gen.english import tag_rules

_OPEN = ("NOUN", "VERB", "ADJ", "ADV")


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
    import lemminflect  # here, for it loads spaCy, and most commands need neither

    found = set()
    lemmas = lemminflect.getAllLemmas(word)
    for upos in _OPEN:
        for lemma in lemmas.get(upos, ()):
            for tag, forms in lemminflect.getAllInflections(lemma, upos=upos).items():
                if word in forms:
                    found.add(tag)
    return frozenset(found)


@functools.lru_cache(maxsize=200_000)
def can_have_tag(word: str, tag: str) -> bool:
    """`tag_rules.can_have_tag` by the dictionary.

    >>> can_have_tag("wooden", "VB"), can_have_tag("murmur", "VBP"), can_have_tag("broken", "JJ"), can_have_tag("jist", "NN")
    (False, True, True, False)
    """
    return tag_rules.can_have_tag(word, tag, possible_tags(word))


@functools.lru_cache(maxsize=200_000)
def is_doubtful(word: str, tag: str) -> bool:
    """`tag_rules.is_doubtful` by the dictionary.

    >>> is_doubtful("spread", "VB"), is_doubtful("committed", "JJ"), is_doubtful("solemn", "JJ")
    (True, True, False)
    """
    return tag_rules.is_doubtful(tag, possible_tags(word))


def same_past_forms(word: str, other: str) -> bool:
    """`tag_rules.same_past_forms` by the dictionary.

    >>> same_past_forms("poured", "walked"), same_past_forms("poured", "hidden")
    (True, False)
    """
    return tag_rules.same_past_forms(possible_tags(word), possible_tags(other))
