"""How fine a neighbour is looked at: which kinds of tokens are one to a verb, a noun, an adjective or an adverb beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from cloze_gen.english.token_kinds import Kind

N_KINDS = len(Kind)
ADVERBIAL = (Kind.ADVERB, Kind.DEGREE)
NOUNS = (Kind.NOUN, Kind.NOUNS, Kind.NAME, Kind.NUMBER)
DETERMINERS = (Kind.A, Kind.THE, Kind.POSSESSIVE, Kind.PLURAL, Kind.SOME)
ADJECTIVES = (Kind.ADJECTIVE, Kind.COMPARED)
MODIFIERS = (*ADJECTIVES, *NOUNS[:3], Kind.ING, Kind.PARTICIPLE, *ADVERBIAL)
ENDS = (Kind.COMMA, Kind.AND, Kind.SUBORDINATE, Kind.RELATIVE, Kind.WHO, Kind.OTHER, Kind.UNPRINTED)
FINITES = (Kind.FINITE, Kind.MODAL, Kind.HAVE, Kind.BE)


def _merged(groups: Mapping[Kind, Iterable[Kind]]) -> np.ndarray:
    """int64, shape (kinds,): each kind's representative; kinds in no group stand for themselves."""
    table = np.arange(N_KINDS)
    for kind, members in groups.items():
        table[list(members)] = kind
    return table


# How fine a neighbour is looked at. After a verb: what ends its phrase, what opens its object; before it: what governs it.
COMPLEMENT = _merged({
    Kind.END: ENDS,
    Kind.FINITE: FINITES,
    Kind.NOUN: (*NOUNS, *DETERMINERS),
    Kind.OBJECT: (Kind.OBJECT, Kind.PRONOUN),
    Kind.THAT: (Kind.THAT, Kind.SUBJECT, Kind.THERE),
    Kind.ADJECTIVE: ADJECTIVES,
})  # fmt: skip
SECOND = _merged({
    Kind.END: (*ENDS, *FINITES, Kind.OF, Kind.PLACE, Kind.WITH, Kind.FOR, Kind.PREPOSITION, Kind.QUESTION),
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
    Kind.END: (Kind.COMMA, Kind.AND, Kind.OTHER, Kind.UNPRINTED, Kind.SUBORDINATE, Kind.THAT, Kind.QUESTION, Kind.PARTICLE),
    Kind.PLACE: (Kind.OF, *PREPOSITIONS),
    Kind.THE: DETERMINERS,
    Kind.FINITE: (Kind.FINITE, Kind.BASE, Kind.ING, Kind.PARTICIPLE),
})  # fmt: skip
GAP = Kind.OBJECT  # which no other governor has: in *which he saw*, *all things he saw* the object stands before
VERBAL = (Kind.BASE, Kind.FINITE, Kind.ING, Kind.PARTICIPLE, Kind.HAVE, Kind.MODAL)
OPENER = _merged({
    Kind.PLACE: (Kind.OF, *PREPOSITIONS),
    Kind.FINITE: VERBAL,
    Kind.END: (*ENDS[:4], Kind.OTHER, Kind.UNPRINTED, Kind.THAT, Kind.QUESTION, Kind.PARTICLE, Kind.INFINITIVE, Kind.OBJECT, Kind.PRONOUN,
               Kind.SUBJECT, Kind.THERE, Kind.REFLEXIVE),
})  # fmt: skip
FOLLOWER = _merged({
    Kind.END: (Kind.COMMA, Kind.AND, Kind.OTHER, Kind.UNPRINTED, Kind.SUBORDINATE),
    Kind.FINITE: (Kind.FINITE, Kind.MODAL, Kind.HAVE, Kind.BE, Kind.BASE),
    Kind.THE: (Kind.THE, Kind.A, Kind.POSSESSIVE, Kind.PLURAL, Kind.SOME, Kind.NUMBER, Kind.OBJECT, Kind.REFLEXIVE),
    Kind.SUBJECT: (Kind.SUBJECT, Kind.PRONOUN, Kind.THERE),
    Kind.NOUN: (Kind.NOUN, Kind.NOUNS, Kind.NAME),
    Kind.ADJECTIVE: ADJECTIVES,
    Kind.ADVERB: ADVERBIAL,
    Kind.PLACE: (Kind.PLACE, Kind.WITH, Kind.PREPOSITION),
})  # fmt: skip
BEFORE_ADJECTIVE = _merged({
    Kind.THE: (*DETERMINERS, Kind.NUMBER),
    Kind.FINITE: (Kind.BASE, Kind.FINITE, Kind.ING, Kind.PARTICIPLE, Kind.MODAL),
    Kind.NOUN: (Kind.NOUN, Kind.NOUNS, Kind.NAME, Kind.OBJECT, Kind.PRONOUN, Kind.REFLEXIVE),
    Kind.PLACE: (Kind.OF, *PREPOSITIONS),
    Kind.ADJECTIVE: ADJECTIVES,
    Kind.END: (Kind.OTHER, Kind.UNPRINTED, Kind.SUBORDINATE, Kind.RELATIVE, Kind.WHO, Kind.THAT, Kind.QUESTION, Kind.SUBJECT,
               Kind.THERE, Kind.PARTICLE),
})  # fmt: skip
AFTER_ADJECTIVE = _merged({
    Kind.END: (Kind.SUBORDINATE, Kind.RELATIVE, Kind.WHO, Kind.OTHER, Kind.UNPRINTED, Kind.QUESTION),
    Kind.FINITE: (Kind.FINITE, Kind.BASE, Kind.MODAL, Kind.HAVE, Kind.BE, Kind.PARTICIPLE),
    Kind.THAT: (Kind.THAT, Kind.SUBJECT, Kind.PRONOUN, Kind.THERE),
    Kind.THE: (*DETERMINERS, Kind.NUMBER, Kind.OBJECT, Kind.REFLEXIVE),
    Kind.ADJECTIVE: ADJECTIVES,
    Kind.PLACE: (Kind.PLACE, Kind.PREPOSITION, Kind.WITH),
})  # fmt: skip
BESIDE_ADVERB = _merged({
    Kind.THE: (*DETERMINERS, Kind.NUMBER),
    Kind.NOUN: (Kind.NOUN, Kind.NOUNS, Kind.NAME),
    Kind.OBJECT: (Kind.OBJECT, Kind.REFLEXIVE),
    Kind.SUBJECT: (Kind.SUBJECT, Kind.PRONOUN, Kind.THERE),
    Kind.MODAL: (Kind.MODAL, Kind.HAVE),
    Kind.PLACE: (Kind.OF, Kind.TO, Kind.PLACE, Kind.WAY, Kind.WITH, Kind.FOR, Kind.PREPOSITION),
    Kind.SUBORDINATE: (Kind.SUBORDINATE, Kind.THAT, Kind.RELATIVE, Kind.WHO, Kind.QUESTION),
    Kind.END: (Kind.END, Kind.OTHER, Kind.UNPRINTED),
})  # fmt: skip
