"""Lemmas and inflected forms, by lemminflect, guarded.

`lemmatize` serves (lemma, class) vocabularies; `inflect` gives candidate forms whose own lemma is the one asked for. Neither knows a
corpus: whether a form is attested is the caller's to check, with its counts.
"""

from __future__ import annotations

from functools import lru_cache

from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.english.treebank import normalize_for_tagging

_UPOS = {"noun": "NOUN", "proper_noun": "PROPN", "verb": "VERB", "adjective": "ADJ", "adverb": "ADV"}
_BASE_TAGS = frozenset({"NN", "NNP", "VB", "VBP", "JJ", "RB"})  # the form is its own lemma, but for the words below
# Older forms and the verb forms a base tag hides; lemminflect lists none of them, or takes them for bases.
_IRREGULAR = {
    ("am", "verb"): "be", ("are", "verb"): "be", ("is", "verb"): "be", ("was", "verb"): "be", ("were", "verb"): "be", ("art", "verb"): "be",
    ("wert", "verb"): "be", ("wast", "verb"): "be", ("'s", "verb"): "be", ("'m", "verb"): "be", ("'re", "verb"): "be",
    ("'ve", "verb"): "have", ("'d", "verb"): "have", ("hath", "verb"): "have", ("hast", "verb"): "have", ("hadst", "verb"): "have",
    ("doth", "verb"): "do", ("dost", "verb"): "do", ("didst", "verb"): "do", ("saith", "verb"): "say", ("spake", "verb"): "speak",
    ("n't", "adverb"): "not", ("'ll", "verb"): "will",
    **{(word, name): word for word in ("more", "most", "less", "least") for name in ("adjective", "adverb")},
}  # fmt: skip
# Their past forms depend on person or on the sense meant (was/were, lay/lied, laid, hung/hanged), which a lemma and a tag do not tell.
AMBIGUOUS_LEMMAS = frozenset({"be", "lie", "lay", "hang"})


@lru_cache(maxsize=200_000)  # a pure function; a corpus has some 300,000 (type, tag) pairs, the frequent ones are kept
def lemmatize(token: str, penn_tag: str) -> str:
    """The lemma of a token (a host, without its clitic) given its Penn tag; lower-cased except for proper nouns.

    A word lemminflect does not list is cut by its rules, so every noun, verb, adjective and adverb gets a lemma; other tags keep the word.

    >>> [lemmatize(*pair) for pair in (("mice", "NNS"), ("Went", "VBD"), ("worse", "JJR"), ("hath", "VBZ"), ("Harris", "NNP"))]
    ['mouse', 'go', 'bad', 'have', 'Harris']
    """
    import lemminflect  # here, for it loads spaCy, and most commands need neither

    word = normalize_for_tagging(token)
    name = coarse_class(penn_tag)
    upos = _UPOS.get(name)
    if upos is None:
        return word.lower()
    if name == "proper_noun":
        return word if penn_tag == "NNP" else _first(lemminflect.getLemma(word, upos="PROPN"), word)
    word = word.lower()
    irregular = _IRREGULAR.get((word, name))
    if irregular is not None:
        return irregular
    if penn_tag in _BASE_TAGS:
        return word
    lemmas = lemminflect.getAllLemmas(word, upos=upos).get(upos) or lemminflect.getAllLemmasOOV(word, upos=upos).get(upos, ())
    if len(lemmas) > 1:
        # Several lemmas share the form: the one whose paradigm has it under this very tag (`lay` VBD is lie, `lay` VB lay).
        exact = [lemma for lemma in lemmas if word in lemminflect.getInflection(lemma, penn_tag, inflect_oov=False)]
        lemmas = tuple(exact) or lemmas
    return _first(lemmas, word)


def _first(candidates: tuple[str, ...], default: str) -> str:
    return candidates[0] if candidates and candidates[0] else default


@lru_cache(maxsize=50_000)
def inflect(lemma: str, penn_tag: str) -> tuple[str, ...]:
    """Candidate forms of a lemma under a Penn tag, the commonest first; empty when none survives the guards.

    Kept: forms that `lemmatize` leads back to the lemma, so a form that belongs first to another lemma is not offered.
    `AMBIGUOUS_LEMMAS` have no inflected forms. Words lemminflect does not list are inflected by its rules, under the same guard, so
    whether the word exists at all is for the caller's counts to say. A lemma is its own base form.

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

    forms = lemminflect.getInflection(lemma, penn_tag, inflect_oov=False) or lemminflect.getInflection(lemma, penn_tag)
    kept: list[str] = []
    for form in forms:
        if form not in kept and lemmatize(form, penn_tag) == lemma:
            kept.append(form)
    return tuple(kept)
