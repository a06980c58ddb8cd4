"""Kinds of tokens (closed classes by word, open ones by tag), and which kinds count as one."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from enum import IntEnum

import numpy as np

from cloze_gen.english.penn_tags import ADVERBS
from cloze_gen.english.penn_tags import NOUNS as NOUN_TAGS
from cloze_gen.english.treebank import host


class Kind(IntEnum):
    """The kind of a token for its neighbours. `UNPRINTED` marks are invisible to a reader."""

    END = 0
    COMMA = 1
    UNPRINTED = 2
    AND = 3
    OF = 4
    INFINITIVE = 5
    TO = 6
    PLACE = 7
    WAY = 8
    WITH = 9
    FOR = 10
    AS = 11
    PREPOSITION = 12
    PARTICLE = 13
    SUBORDINATE = 14
    THAT = 15
    RELATIVE = 16
    QUESTION = 17
    A = 18
    THE = 19
    POSSESSIVE = 20
    PLURAL = 21
    NUMBER = 22
    SOME = 23
    SUBJECT = 24
    OBJECT = 25
    REFLEXIVE = 26
    PRONOUN = 27
    THERE = 28
    MODAL = 29
    HAVE = 30
    BE = 31
    BASE = 32
    FINITE = 33
    ING = 34
    PARTICIPLE = 35
    NOUN = 36
    NOUNS = 37
    NAME = 38
    ADJECTIVE = 39
    COMPARED = 40
    ADVERB = 41
    DEGREE = 42
    OTHER = 43
    WHO = 44


_BY_WORD: Mapping[Kind, str] = {
    Kind.END: ". ? ! ; :",
    Kind.COMMA: ",",
    Kind.A: "a an another each every one either neither",
    Kind.THE: "the this that",
    Kind.PLURAL: "these those many several few both all",
    Kind.SUBJECT: "i he she we they thou ye",
    Kind.OBJECT: "me him us them thee",
    Kind.RELATIVE: "which that",
    Kind.WHO: "who whom whose",
    Kind.DEGREE: "very so too quite rather as more most less least how pretty almost nearly "
    "extremely "
    "exceedingly",
}
_PREPOSITIONS: Mapping[Kind, str] = {
    Kind.OF: "of",
    Kind.TO: "to unto",
    Kind.PLACE: "in at on upon within under beneath beside above below behind near among "
    "amongst amid "
    "between before after",
    Kind.WAY: "into onto through across over along toward towards past down up round around "
    "beyond from "
    ""
    "off out",
    Kind.WITH: "with by without",
    Kind.FOR: "for",
    Kind.AS: "as like than",
    Kind.THAT: "that",
    Kind.SUBORDINATE: "if because although though while whilst unless until till since lest "
    "whether once ere so",
}
_PARTICLES = frozenset(
    "up down out off away back over in on about along aside forward together home apart forth "
    "by through round".split()
)
_BY_TAG: Mapping[str, Kind] = {
    "CC": Kind.AND, "IN": Kind.PREPOSITION, "TO": Kind.INFINITIVE, "RP": Kind.PARTICLE,
    "WRB": Kind.QUESTION, "WP": Kind.QUESTION,
    "WDT": Kind.QUESTION, "WP$": Kind.WHO, "PRP$": Kind.POSSESSIVE, "POS": Kind.POSSESSIVE,
    "CD": Kind.NUMBER, "DT": Kind.SOME,
    "PDT": Kind.SOME, "PRP": Kind.PRONOUN, "EX": Kind.THERE, "MD": Kind.MODAL, "VB": Kind.BASE,
    "VBD": Kind.FINITE, "VBP": Kind.FINITE,
    "VBZ": Kind.FINITE, "VBG": Kind.ING, "VBN": Kind.PARTICIPLE, "NN": Kind.NOUN, "NNS": Kind.NOUNS,
    "NNP": Kind.NAME, "NNPS": Kind.NAME,
    "JJ": Kind.ADJECTIVE, "JJR": Kind.COMPARED, "JJS": Kind.COMPARED, "RB": Kind.ADVERB,
    "RBR": Kind.DEGREE, "RBS": Kind.DEGREE,
    "``": Kind.UNPRINTED, "''": Kind.UNPRINTED, "-LRB-": Kind.UNPRINTED, "-RRB-": Kind.UNPRINTED,
    "NFP": Kind.UNPRINTED,
    "HYPH": Kind.UNPRINTED, ".": Kind.END, ":": Kind.END, ",": Kind.COMMA,
}  # fmt: skip
_WORDS = {kind: frozenset(words.split()) for kind, words in {**_BY_WORD, **_PREPOSITIONS}.items()}
_AUXILIARIES = {
    Kind.BE: frozenset("be am is are was were been being art wert wast 's 'm 're".split()),
    Kind.HAVE: frozenset("have has had having hath hast hadst 've".split()),
    Kind.MODAL: frozenset("do does did dost doth didst".split()),
}
_CLITICS = {
    "'ll": Kind.MODAL,
    "'d": Kind.MODAL,
    "'ve": Kind.HAVE,
    "'s": Kind.BE,
    "'m": Kind.BE,
    "'re": Kind.BE,
}
# Which words of a tag are a kind of their own; the first that holds the word has it.
_KINDS_OF_TAG: Mapping[str, tuple[Kind, ...]] = {
    "DT": (Kind.A, Kind.THE, Kind.PLURAL),
    "PDT": (Kind.PLURAL,),
    "CD": (Kind.A,),
    "JJ": (Kind.PLURAL,),
    "PRP": (Kind.SUBJECT, Kind.OBJECT),
    "WP": (Kind.WHO,),
    "WDT": (Kind.RELATIVE,),
    "IN": tuple(_PREPOSITIONS),
    "RB": (Kind.DEGREE,),
}


@functools.lru_cache(maxsize=500_000)
def kind_of(token: str, tag: str) -> Kind:
    """The kind of a token under its Penn tag.

    >>> [kind_of(*pair.split("/")).name for pair in ("to/TO", "to/IN", "that/IN", "that/DT", "mother's/NN", "he'll/PRP", "lamp/NN")]
    ['INFINITIVE', 'TO', 'THAT', 'THE', 'POSSESSIVE', 'MODAL', 'NOUN']
    """
    word = token.casefold()
    if tag in NOUN_TAGS and word.endswith(("'s", "s'")):
        return Kind.POSSESSIVE
    if tag in {"PRP", "EX", "WP"} and "'" in word[1:]:
        return _CLITICS.get(word[word.rindex("'") :], Kind.PRONOUN)
    if tag.startswith("VB"):
        stem = host(word)
        return next((kind for kind, words in _AUXILIARIES.items() if stem in words), _BY_TAG[tag])
    if tag == "PRP" and word.endswith(("self", "selves")):
        return Kind.REFLEXIVE
    if tag in ADVERBS and word in _PARTICLES:
        return Kind.PARTICLE
    if word.startswith("-") or word in {"'", "_", "*"}:
        return Kind.UNPRINTED
    return next(
        (kind for kind in _KINDS_OF_TAG.get(tag, ()) if word in _WORDS[kind]),
        _BY_TAG.get(tag, Kind.OTHER),
    )


N_KINDS = len(Kind)
ADVERBIAL = (Kind.ADVERB, Kind.DEGREE)
PLAIN_NOUNS = (Kind.NOUN, Kind.NOUNS, Kind.NAME)
NOUNS = (*PLAIN_NOUNS, Kind.NUMBER)
DETERMINERS = (Kind.A, Kind.THE, Kind.POSSESSIVE, Kind.PLURAL, Kind.SOME)
ADJECTIVES = (Kind.ADJECTIVE, Kind.COMPARED)
MODIFIERS = (*ADJECTIVES, *PLAIN_NOUNS, Kind.ING, Kind.PARTICIPLE, *ADVERBIAL)
ENDS = (Kind.COMMA, Kind.AND, Kind.SUBORDINATE, Kind.RELATIVE, Kind.WHO, Kind.OTHER, Kind.UNPRINTED)
FINITES = (Kind.FINITE, Kind.MODAL, Kind.HAVE, Kind.BE)


def _merged(groups: Mapping[Kind, Iterable[Kind]]) -> np.ndarray:
    """int64, shape (kinds,): the representative of each kind, itself where it is in no group."""
    table = np.arange(N_KINDS)
    for kind, members in groups.items():
        table[list(members)] = kind
    return table


# After a verb: what ends its phrase or opens its object; before it: what governs it.
COMPLEMENT = _merged({
    Kind.END: ENDS,
    Kind.FINITE: FINITES,
    Kind.NOUN: (*NOUNS, *DETERMINERS),
    Kind.OBJECT: (Kind.OBJECT, Kind.PRONOUN),
    Kind.THAT: (Kind.THAT, Kind.SUBJECT, Kind.THERE),
    Kind.ADJECTIVE: ADJECTIVES,
})  # fmt: skip
SECOND = _merged({
    Kind.END: (*ENDS, *FINITES, Kind.OF, Kind.PLACE, Kind.WITH, Kind.FOR, Kind.PREPOSITION,
        Kind.QUESTION),
    Kind.TO: (Kind.TO, Kind.WAY),
    Kind.NOUN: (*NOUNS, *DETERMINERS, Kind.OBJECT, Kind.PRONOUN, Kind.REFLEXIVE),
    Kind.THAT: (Kind.THAT, Kind.SUBJECT, Kind.THERE),
    Kind.ADJECTIVE: ADJECTIVES,
})  # fmt: skip
PREPOSITIONS = (Kind.TO, Kind.PLACE, Kind.WAY, Kind.WITH, Kind.FOR, Kind.AS, Kind.PREPOSITION)
GOVERNOR = _merged({
    Kind.RELATIVE: (Kind.RELATIVE, Kind.WHO),
    Kind.NOUN: (*NOUNS, *ADJECTIVES),
    Kind.PRONOUN: (Kind.OBJECT, Kind.PRONOUN, Kind.REFLEXIVE),
    Kind.END: (Kind.COMMA, Kind.AND, Kind.OTHER, Kind.UNPRINTED, Kind.SUBORDINATE, Kind.THAT,
        Kind.QUESTION, Kind.PARTICLE),
    Kind.PLACE: (Kind.OF, *PREPOSITIONS),
    Kind.THE: DETERMINERS,
    Kind.FINITE: (Kind.FINITE, Kind.BASE, Kind.ING, Kind.PARTICIPLE),
})  # fmt: skip
GAP = Kind.OBJECT  # marks an object gap, as in *which he saw*, *all things he saw*
VERBAL = (Kind.BASE, Kind.FINITE, Kind.ING, Kind.PARTICIPLE, Kind.HAVE, Kind.MODAL)
OPENER = _merged({
    Kind.PLACE: (Kind.OF, *PREPOSITIONS),
    Kind.FINITE: VERBAL,
    Kind.END: (*ENDS[:4], Kind.OTHER, Kind.UNPRINTED, Kind.THAT, Kind.QUESTION, Kind.PARTICLE,
        Kind.INFINITIVE, Kind.OBJECT, Kind.PRONOUN,
               Kind.SUBJECT, Kind.THERE, Kind.REFLEXIVE),
})  # fmt: skip
FOLLOWER = _merged({
    Kind.END: (Kind.COMMA, Kind.AND, Kind.OTHER, Kind.UNPRINTED, Kind.SUBORDINATE),
    Kind.FINITE: (*FINITES, Kind.BASE),
    Kind.THE: (*DETERMINERS, Kind.NUMBER, Kind.OBJECT, Kind.REFLEXIVE),
    Kind.SUBJECT: (Kind.SUBJECT, Kind.PRONOUN, Kind.THERE),
    Kind.NOUN: PLAIN_NOUNS,
    Kind.ADJECTIVE: ADJECTIVES,
    Kind.ADVERB: ADVERBIAL,
    Kind.PLACE: (Kind.PLACE, Kind.WITH, Kind.PREPOSITION),
})  # fmt: skip
BEFORE_ADJECTIVE = _merged({
    Kind.THE: (*DETERMINERS, Kind.NUMBER),
    Kind.FINITE: (Kind.BASE, Kind.FINITE, Kind.ING, Kind.PARTICIPLE, Kind.MODAL),
    Kind.NOUN: (*PLAIN_NOUNS, Kind.OBJECT, Kind.PRONOUN, Kind.REFLEXIVE),
    Kind.PLACE: (Kind.OF, *PREPOSITIONS),
    Kind.ADJECTIVE: ADJECTIVES,
    Kind.END: (Kind.OTHER, Kind.UNPRINTED, Kind.SUBORDINATE, Kind.RELATIVE, Kind.WHO, Kind.THAT,
        Kind.QUESTION, Kind.SUBJECT,
               Kind.THERE, Kind.PARTICLE),
})  # fmt: skip
AFTER_ADJECTIVE = _merged({
    Kind.END: (Kind.SUBORDINATE, Kind.RELATIVE, Kind.WHO, Kind.OTHER, Kind.UNPRINTED,
        Kind.QUESTION),
    Kind.FINITE: (*FINITES, Kind.BASE, Kind.PARTICIPLE),
    Kind.THAT: (Kind.THAT, Kind.SUBJECT, Kind.PRONOUN, Kind.THERE),
    Kind.THE: (*DETERMINERS, Kind.NUMBER, Kind.OBJECT, Kind.REFLEXIVE),
    Kind.ADJECTIVE: ADJECTIVES,
    Kind.PLACE: (Kind.PLACE, Kind.PREPOSITION, Kind.WITH),
})  # fmt: skip
NEAR_ADVERB = _merged({
    Kind.THE: (*DETERMINERS, Kind.NUMBER),
    Kind.NOUN: PLAIN_NOUNS,
    Kind.OBJECT: (Kind.OBJECT, Kind.REFLEXIVE),
    Kind.SUBJECT: (Kind.SUBJECT, Kind.PRONOUN, Kind.THERE),
    Kind.MODAL: (Kind.MODAL, Kind.HAVE),
    Kind.PLACE: (Kind.OF, Kind.TO, Kind.PLACE, Kind.WAY, Kind.WITH, Kind.FOR, Kind.PREPOSITION),
    Kind.SUBORDINATE: (Kind.SUBORDINATE, Kind.THAT, Kind.RELATIVE, Kind.WHO, Kind.QUESTION),
    Kind.END: (Kind.END, Kind.OTHER, Kind.UNPRINTED),
})  # fmt: skip
