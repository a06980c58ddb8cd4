"""What a place in a sentence asks of a verb or a noun, and whether a word gives it (MSR guideline 1).

A tagger does not see transitivity, nor mass and count: in "I travelled in my youth" *buried* takes the same tag and breaks the grammar, and
in "food is ready" so does *box*. The training books know: *buried* is mostly followed by its object, and *box* hardly ever stands without
a determiner (`stats/word_frames.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from cloze_gen.english.closed_classes import After, Before, after, before

# The kinds of tokens after which a form is used as the tag says. A past tense and a participle of one spelling cannot be told apart by
# counting; their active uses are what tells transitivity for both.
_ACTIVE = (Before.SUBJECT, Before.HAVE, Before.INFINITIVE)
_NOMINAL = (Before.ARTICLE, Before.DETERMINER, Before.BARE)
_USES = {
    "VBD": _ACTIVE,
    "VBN": _ACTIVE,
    "VB": _ACTIVE,
    "VBP": _ACTIVE,
    "VBZ": (Before.OTHER, Before.SUBJECT, *_NOMINAL),
    "VBG": (Before.OTHER, Before.BE, Before.HAVE, *_NOMINAL),
    "NN": _NOMINAL,
}
_PARTICLES = frozenset("up down out off away back over through".split())
_OBJECT_PRONOUNS = frozenset("me him her us them you it myself himself herself itself ourselves yourself themselves".split())
_ADVERBS = frozenset({"RB", "RBR", "RBS"})
_IN_NOUN_PHRASE = frozenset({"JJ", "JJR", "JJS", "NN", "VBG", "VBN", "CD"}) | _ADVERBS
_MIN_USES = 5  # fewer tell nothing, and a form so rare in its place is hardly used so
_MIN_CLAUSE_SHARE = 0.05
# Shares among a noun's uses right after an article, a determiner or a bare token. From the 522: music 0.02 / food 0.00 with an article,
# establishment 0.10 / box 0.25; without a determiner box 0.02 / bird 0.07, advice 0.16 / food 0.53.
_MIN_ARTICLE_SHARE = 0.03
_MIN_BARE_SHARE = 0.15
# Of uses with a determiner, those followed by no open-class word: keen 0.16, plump 0.33, winter 0.58, box 0.87.
_MIN_HEAD_SHARE = 0.5


class Need(StrEnum):
    """What a place asks of the word in it."""

    OBJECT = "object"
    NO_OBJECT = "no_object"
    CLAUSE = "clause"
    COUNT = "count"
    MASS = "mass"
    NOUN = "noun"
    UNCLEAR = "unclear"


def needed(tokens: Sequence[str], tags: Sequence[str], position: int) -> Need | None:
    """What the place of a verb or a singular noun asks for; None for other tags.

    >>> needed("I travelled in my youth .".split(), ["PRP", "VBD", "IN", "PRP$", "NN", "."], 1)
    <Need.NO_OBJECT: 'no_object'>
    >>> needed("He sold much old music .".split(), ["PRP", "VBD", "JJ", "JJ", "NN", "."], 4)
    <Need.MASS: 'mass'>
    """
    tag = tags[position]
    if tag == "NN":
        return _noun_needed(tokens, tags, position)
    return _verb_needed(tokens, tags, position) if tag in _USES else None


def _verb_needed(tokens: Sequence[str], tags: Sequence[str], position: int) -> Need:
    """From the tokens after the verb and, for a participle, from what governs it.

    A participle with no form of *have* before it (adverbs aside) is passive: its object stands elsewhere, so it needs a transitive verb.
    Where the verb takes more than an object (a particle, a second object, an infinitive), the counts of one token cannot tell.
    """
    following = [token.casefold() for token in tokens[position + 1 : position + 4]]
    if _takes_more(following):
        return Need.UNCLEAR
    follower = after(following[0]) if following else After.CLOSED
    if tags[position] == "VBN":
        governor = position - 1
        while governor > 0 and tags[governor] in _ADVERBS:
            governor -= 1
        if governor < 0 or before(tokens[governor]) is not Before.HAVE:
            return Need.UNCLEAR if follower is After.OBJECT else Need.OBJECT
    needs = {After.OBJECT: Need.OBJECT, After.CLAUSE: Need.CLAUSE, After.CLOSED: Need.NO_OBJECT}
    return needs.get(follower, Need.UNCLEAR)


def _takes_more(following: Sequence[str]) -> bool:
    """Particles (*pick them up*), second objects (*offer me a place*), infinitives (*force him to go*, *listen to*).

    >>> _takes_more(["them", "up"]), _takes_more(["me", "a", "place"]), _takes_more(["the", "lamp"])
    (True, True, False)
    """
    if not following or following[0] == "to":
        return bool(following)
    if after(following[0]) is not After.OBJECT:
        return False
    pronoun = following[0] in _OBJECT_PRONOUNS and len(following) > 1
    return bool(_PARTICLES & set(following[1:])) or (pronoun and (following[1] == "to" or after(following[1]) is After.OBJECT))


def _noun_needed(tokens: Sequence[str], tags: Sequence[str], position: int) -> Need:
    """From what opens the noun phrase: `a` counts, a determiner does both, without one the noun is a mass.

    Before *that* it may have to be a noun that takes a clause (*the proof that*), which is not counted.
    """
    if position + 1 < len(tokens) and tokens[position + 1].casefold() == "that":
        return Need.UNCLEAR
    start = position - 1
    while start >= 0 and (
        (tags[start] in _IN_NOUN_PHRASE and before(tokens[start]) is Before.OTHER)
        or (start > 0 and (tags[start] == "CC" or tokens[start] == ",") and tags[start - 1] == "JJ")
    ):
        if tokens[start].casefold() == "much":
            return Need.MASS
        start -= 1
    opener = before(tokens[start]) if start >= 0 else Before.BARE
    if opener is Before.ARTICLE:
        return Need.COUNT
    return Need.NOUN if opener is Before.DETERMINER or (start >= 0 and tags[start] in {"DT", "PRP$", "POS", "PDT"}) else Need.MASS


def gives(frames: np.ndarray, *, tag: str, need: Need, transitive_share: float) -> bool:
    """Whether a form's own uses give what its place asks for. What cannot be told is no.

    Args:
        frames: int64, shape (kinds before, kinds after): counts of the form (`stats.word_frames.count_frames`).
        transitive_share: inclusive: share of a verb's uses with an object right after it from which it is transitive.
    """
    uses = frames[list(_USES[tag])]
    if need is Need.UNCLEAR or uses.sum() < _MIN_USES:
        return False
    if tag == "NN":
        return _noun_gives(frames, need)
    share = uses.sum(axis=0) / uses.sum()
    return {
        Need.OBJECT: share[After.OBJECT] >= transitive_share,
        Need.NO_OBJECT: share[After.OBJECT] < transitive_share,
        Need.CLAUSE: share[After.CLAUSE] >= _MIN_CLAUSE_SHARE,
    }[need]


def _noun_gives(frames: np.ndarray, need: Need) -> bool:
    share = frames.sum(axis=1) / frames[list(_NOMINAL)].sum()
    determined = frames[[Before.ARTICLE, Before.DETERMINER]].sum(axis=0)
    head = determined.sum() == 0 or 1.0 - determined[After.OPEN] / determined.sum() >= _MIN_HEAD_SHARE
    least = {Need.COUNT: (Before.ARTICLE, _MIN_ARTICLE_SHARE), Need.MASS: (Before.BARE, _MIN_BARE_SHARE)}
    return bool(head and (need is Need.NOUN or share[least[need][0]] >= least[need][1]))
