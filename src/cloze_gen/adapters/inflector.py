"""Lemmas, inflected forms and possible tags by lemminflect, with guards."""

from __future__ import annotations

import functools
import gzip
from importlib.metadata import distribution

from cloze_gen.english.penn_tags import CONTENT_CLASSES, PAST, coarse_class
from cloze_gen.english.treebank import normalize_for_tagging

_UPOS = {
    "noun": "NOUN",
    "proper_noun": "PROPN",
    "verb": "VERB",
    "adjective": "ADJ",
    "adverb": "ADV",
}
# the form is its own lemma, but for the words below
_BASE_TAGS = frozenset({"NN", "NNP", "VB", "VBP", "JJ", "RB"})
# Older forms and base-tagged verb forms, which lemminflect lacks or takes for bases.
_FORMS_OF_VERB = {
    "be": "am are is was were art wert wast 's 'm 're",
    "have": "'ve 'd hath hast hadst",
    "do": "doth dost didst",
    "say": "saith",
    "speak": "spake",
    "will": "'ll",
}
_COMPARED = {"more": "more", "most": "most", "less": "less", "least": "least"}
_LEMMA_OF_IRREGULAR = {
    "verb": {form: lemma for lemma, forms in _FORMS_OF_VERB.items() for form in forms.split()},
    "adjective": _COMPARED,
    "adverb": _COMPARED | {"n't": "not"},
}
# Their past forms depend on person or sense (was/were, lay/lied, hung/hanged), which lemma and tag
# do not give.
AMBIGUOUS_LEMMAS = frozenset({"be", "lie", "lay", "hang"})


def lemmatize(token: str, penn_tag: str) -> str:
    """The lemma of a token without clitic; lower-case except for proper nouns. Words of closed
    classes are unchanged.

    >>> [lemmatize(*pair) for pair in (("mice", "NNS"), ("Went", "VBD"), ("worse", "JJR"), ("hath", "VBZ"), ("Harris", "NNP"))]
    ['mouse', 'go', 'bad', 'have', 'Harris']
    """
    import lemminflect  # here, because it loads spaCy, which most commands do not need

    word = normalize_for_tagging(token)
    name = coarse_class(penn_tag)
    upos = _UPOS.get(name)
    if upos is None:
        return word.lower()
    if name == "proper_noun":
        return word if penn_tag == "NNP" else _first(lemminflect.getLemma(word, upos="PROPN"), word)
    word = word.lower()
    irregular = _LEMMA_OF_IRREGULAR.get(name, {})
    if word in irregular:
        return irregular[word]
    if penn_tag in _BASE_TAGS:
        return word
    lemmas = lemminflect.getAllLemmas(word, upos=upos).get(upos) or lemminflect.getAllLemmasOOV(
        word, upos=upos
    ).get(upos, ())
    # Of several lemmas of the form, the one whose paradigm has it under this very tag (`lay` VBD is
    # lie, `lay` VB lay).
    for lemma in lemmas:
        if word in lemminflect.getInflection(lemma, penn_tag, inflect_oov=False):
            return lemma
    return _first(lemmas, word)


def _first(candidates: tuple[str, ...], default: str) -> str:
    return candidates[0] if candidates and candidates[0] else default


@functools.lru_cache(maxsize=50_000)
def inflect(lemma: str, penn_tag: str) -> tuple[str, ...]:
    """Forms of a lemma under a Penn tag, the commonest first; may be empty.

    Only forms that `lemmatize` maps back to the lemma, none of `AMBIGUOUS_LEMMAS`.

    >>> inflect("mouse", "NNS"), inflect("swim", "VBN"), inflect("good", "JJR"), inflect("stop", "VBG")
    (('mice',), ('swum',), ('better',), ('stopping',))
    >>> inflect("lie", "VBD"), inflect("the", "DT"), inflect("lie", "VB")
    ((), (), ('lie',))
    """
    upos = _UPOS.get(coarse_class(penn_tag))
    if upos is None or not lemma:
        return ()
    if penn_tag in _BASE_TAGS:
        return (lemma,)
    if lemma in AMBIGUOUS_LEMMAS:
        return ()
    import lemminflect

    forms = lemminflect.getInflection(
        lemma, penn_tag, inflect_oov=False
    ) or lemminflect.getInflection(lemma, penn_tag)
    return tuple(form for form in dict.fromkeys(forms) if lemmatize(form, penn_tag) == lemma)


def dictionary_words() -> frozenset[str]:
    """All forms of the dictionary. It does not import lemminflect, which loads spaCy."""
    table = distribution("lemminflect").locate_file("lemminflect/resources/lemma_lu.csv.gz")
    with gzip.open(str(table), "rt", encoding="utf-8") as lines:
        return frozenset(line.partition(",")[0] for line in lines)


@functools.lru_cache(maxsize=100_000)
def possible_tags(word: str) -> frozenset[str]:
    """The dictionary's open-class tags, also of `to-night` without hyphen and of the last part of a
    hyphenated word.

    >>> sorted(possible_tags("wooden")), "VB" in possible_tags("murmur"), possible_tags("zzxq")
    (['JJ'], True, frozenset())
    >>> sorted(possible_tags("night-lantern"))
    ['NN']
    """
    if "-" in word:
        return possible_tags(word.replace("-", "")) or possible_tags(word.rpartition("-")[2])
    import lemminflect  # here, because it loads spaCy, which most commands do not need

    tags: set[str] = set()
    lemmas = lemminflect.getAllLemmas(word)
    for name in CONTENT_CLASSES:
        upos = _UPOS[name]
        for lemma in lemmas.get(upos, ()):
            forms_of = lemminflect.getAllInflections(lemma, upos=upos)
            tags.update(tag for tag, forms in forms_of.items() if word in forms)
    return frozenset(tags)


# Forms that serve under another tag too. The dictionary gives a regular verb's participle as its
# past form only.
_SERVES_AS = {"VBP": {"VB"}, "VBN": {"VBD"}, "JJ": {"VBN", "VBD", "VBG"}}
# Nouns to the dictionary, adverbs in use: "he met the lady to-night" has no place for *lamp*.
_ADVERBS_OF_TIME = frozenset({"today", "tonight", "tomorrow", "yesterday", "nowadays"})
# tags that `spread` may have, and no -s or -ing form
_ALIKE_IN_BASE_AND_PAST = frozenset({"VB", "VBD", "VBN", "VBP"})


def can_have_tag(word: str, tag: str) -> bool:
    """Whether a word can have a tag; words with a clitic and numbers, never listed, pass.

    >>> can_have_tag("wooden", "VB"), can_have_tag("murmur", "VBP"), can_have_tag("broken", "JJ")
    (False, True, True)
    >>> can_have_tag("mother's", "NN"), can_have_tag("jist", "NN"), can_have_tag("to-night", "NN")
    (True, False, False)
    """
    if word.replace("-", "") in _ADVERBS_OF_TIME:
        return tag == "RB"
    if "'" in word or not any(character.isalpha() for character in word):
        return True
    possible = possible_tags(word)
    return tag in possible or bool(possible & _SERVES_AS.get(tag, set()))


def is_doubtful(word: str, tag: str) -> bool:
    """Whether taggers often err on it: base like past tense, or a participle tagged as adjective.

    >>> is_doubtful("spread", "VB"), is_doubtful("committed", "JJ"), is_doubtful("solemn", "JJ")
    (True, True, False)
    """
    possible = possible_tags(word)
    return (tag in _ALIKE_IN_BASE_AND_PAST and possible >= {"VB", "VBD"}) or (
        tag == "JJ" and bool(PAST & possible)
    )


def same_past_forms(word: str, other: str) -> bool:
    """Whether both verbs, or neither, have one form for past tense and participle.

    >>> same_past_forms("poured", "walked"), same_past_forms("poured", "hidden")
    (True, False)
    """
    return possible_tags(word) & PAST == possible_tags(other) & PAST
