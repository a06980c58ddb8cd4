"""Frames of verbs and nouns (MSR guideline 1): taggers see no transitivity or countability."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from cloze_gen.english.penn_tags import ADVERBS
from cloze_gen.english.word_lists import After, Before, after, before

# Kinds of tokens before a form with the given tag. A past tense and a participle with the same
# spelling share their counts; active uses show transitivity for both.
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
_OBJECT_PRONOUNS = frozenset(
    "me him her us them you it myself himself herself itself ourselves yourself themselves".split()
)
_IN_NOUN_PHRASE = frozenset({"JJ", "JJR", "JJS", "NN", "VBG", "VBN", "CD"}) | ADVERBS
_MIN_USES = 5  # fewer uses are no evidence
# share of a verb's uses with an object right after it: from there on it is transitive (buried yes,
# travelled no)
_MIN_OBJECT_SHARE = 0.3
_MIN_CLAUSE_SHARE = 0.05
# Shares of a noun's uses right after an article, a determiner or a bare token. In the 522 books:
# music 0.02 / food 0.00 with an article, establishment 0.10 / box 0.25; without a determiner box
# 0.02 / bird 0.07, advice 0.16 / food 0.53.
_MIN_ARTICLE_SHARE = 0.03
_MIN_BARE_SHARE = 0.15
# Share of uses with a determiner that precede an open-class word: keen 0.84, plump 0.67, winter
# 0.42, box 0.13.
_MAX_OPEN_SHARE = 0.5


class Frame(StrEnum):
    """`NOUN`: any noun, after a determiner of both kinds. `UNCLEAR`: the counts do not decide."""

    OBJECT = "object"
    NO_OBJECT = "no_object"
    CLAUSE = "clause"
    COUNT = "count"
    MASS = "mass"
    NOUN = "noun"
    UNCLEAR = "unclear"


def required_frame(tokens: Sequence[str], tags: Sequence[str], position: int) -> Frame | None:
    """The frame that the place of a verb or a singular noun requires; None for other tags.

    There is a token before the place and one after it.

    >>> required_frame("I travelled in my youth .".split(), ["PRP", "VBD", "IN", "PRP$", "NN", "."], 1)
    <Frame.NO_OBJECT: 'no_object'>
    >>> required_frame("He sold much old music .".split(), ["PRP", "VBD", "JJ", "JJ", "NN", "."], 4)
    <Frame.MASS: 'mass'>
    """
    tag = tags[position]
    if tag == "NN":
        return _required_by_noun(tokens, tags, position)
    return _required_by_verb(tokens, tags, position) if tag in _USES else None


def _required_by_verb(tokens: Sequence[str], tags: Sequence[str], position: int) -> Frame:
    """From the tokens after the verb and its auxiliary; a participle without *have* is passive."""
    following = [token.casefold() for token in tokens[position + 1 : position + 4]]
    if _takes_more(following):
        return Frame.UNCLEAR
    follower = after(following[0])
    if tags[position] == "VBN":
        governor = position - 1
        while governor > 0 and tags[governor] in ADVERBS:
            governor -= 1
        if before(tokens[governor]) is not Before.HAVE:
            return Frame.UNCLEAR if follower is After.OBJECT else Frame.OBJECT
    frame_after = {
        After.OBJECT: Frame.OBJECT,
        After.CLAUSE: Frame.CLAUSE,
        After.CLOSED: Frame.NO_OBJECT,
    }
    return frame_after.get(follower, Frame.UNCLEAR)


def _takes_more(following: Sequence[str]) -> bool:
    """Particles (*pick them up*), second objects, infinitives (*force him to go*).

    >>> _takes_more(["them", "up"]), _takes_more(["me", "a", "place"]), _takes_more(["the", "lamp"])
    (True, True, False)
    """
    first, *others = following
    if first == "to":
        return True
    if after(first) is not After.OBJECT:
        return False
    if not _PARTICLES.isdisjoint(others):
        return True
    is_followed = others and (others[0] == "to" or after(others[0]) is After.OBJECT)
    return first in _OBJECT_PRONOUNS and bool(is_followed)


def _required_by_noun(tokens: Sequence[str], tags: Sequence[str], position: int) -> Frame:
    """From the determiner: after `a`, a count noun; without one, a mass noun; others are unclear."""
    if tokens[position + 1].casefold() == "that":
        return Frame.UNCLEAR
    start = position - 1
    while start >= 0 and (
        (tags[start] in _IN_NOUN_PHRASE and before(tokens[start]) is Before.OTHER)
        or (start > 0 and (tags[start] == "CC" or tokens[start] == ",") and tags[start - 1] == "JJ")
    ):
        if tokens[start].casefold() == "much":
            return Frame.MASS
        start -= 1
    opener = before(tokens[start]) if start >= 0 else Before.BARE
    if opener is Before.ARTICLE:
        return Frame.COUNT
    if opener is Before.DETERMINER or (start >= 0 and tags[start] in {"DT", "PRP$", "POS", "PDT"}):
        return Frame.NOUN
    return Frame.MASS


def takes_frame(cues: np.ndarray, *, tag: str, frame: Frame) -> np.ndarray:
    """bool, shape (forms,): which forms take a frame; False if unclear.

    `cues` are of `count_frame_cues`, shape (forms, kinds before, kinds after).

    >>> travelled = np.zeros((1, len(Before), len(After)), np.int64)
    >>> travelled[:, Before.SUBJECT, After.CLOSED] = 20
    >>> [takes_frame(travelled, tag="VBD", frame=frame).tolist() for frame in (Frame.NO_OBJECT, Frame.OBJECT)]
    [[True], [False]]
    """
    if frame is Frame.UNCLEAR:
        return np.zeros(len(cues), bool)
    uses = cues[:, list(_USES[tag])].sum(axis=1)
    count = uses.sum(axis=1)
    if tag == "NN":
        takes = _nouns_take(cues, count, frame)
    else:
        share = uses / np.maximum(1, count)[:, None]
        is_transitive = share[:, After.OBJECT] >= _MIN_OBJECT_SHARE
        takes = {
            Frame.OBJECT: is_transitive,
            Frame.NO_OBJECT: ~is_transitive,
            Frame.CLAUSE: share[:, After.CLAUSE] >= _MIN_CLAUSE_SHARE,
        }[frame]
    return np.asarray((count >= _MIN_USES) & takes)


def _nouns_take(cues: np.ndarray, uses: np.ndarray, frame: Frame) -> np.ndarray:
    share = cues.sum(axis=2) / np.maximum(1, uses)[:, None]
    determined = cues[:, [Before.ARTICLE, Before.DETERMINER]].sum(axis=1)
    is_head = determined[:, After.OPEN] <= _MAX_OPEN_SHARE * determined.sum(axis=1)
    takes = {
        Frame.NOUN: True,
        Frame.COUNT: share[:, Before.ARTICLE] >= _MIN_ARTICLE_SHARE,
        Frame.MASS: share[:, Before.BARE] >= _MIN_BARE_SHARE,
    }
    return np.asarray(is_head & takes[frame])
