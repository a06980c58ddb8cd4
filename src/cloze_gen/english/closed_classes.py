"""Kinds of closed-class words before and after a word: cues to how it is used (Brent 1993; Manning 1993)."""

from __future__ import annotations

from enum import IntEnum

from cloze_gen.words import is_word


class Before(IntEnum):
    """What stands before a word. `BARE` tokens leave a noun after them without a determiner."""

    OTHER = 0
    SUBJECT = 1
    HAVE = 2
    BE = 3
    INFINITIVE = 4
    ARTICLE = 5
    DETERMINER = 6
    BARE = 7


class After(IntEnum):
    """What stands after a word. `OPEN` is any word not listed."""

    OPEN = 0
    OBJECT = 1
    CLAUSE = 2
    CLOSED = 3
    FINITE = 4


_PREPOSITIONS = (
    "of in with for from by on upon at into through without under over among near behind before after across beside between within "
    "beneath above below against during towards toward about round around past onto like than as and or but nor"
)
_BEFORE = {
    Before.SUBJECT: "i he she we they who you it which there",
    Before.HAVE: "had has have having 've",
    Before.BE: "was were is are be been being am 's 're 'm he's she's it's that's there's who's what's",
    Before.INFINITIVE: "would could should will may might must shall can did do does to not n't 'll cannot let",
    Before.ARTICLE: "a an another each every one",
    Before.DETERMINER: "the this that my his her our your their its no some any what",
    Before.BARE: _PREPOSITIONS,
}
_AFTER = {
    After.OBJECT: "the a an this these those my his her our your their its no any some every each another both all one two three "
    "me him them us it you himself herself themselves myself itself yourself ourselves nothing something anything everything",
    After.CLAUSE: "that how what whether why which who where",
    After.CLOSED: f"{_PREPOSITIONS} to out away back up down off along aside forward together if when while because until till then so not "
    "never",
    After.FINITE: "is are was were am had has have would could should will may might must shall can did do does i he she we they",
}
_BEFORE_OF = {word: kind for kind, words in _BEFORE.items() for word in words.split()}
_AFTER_OF = {word: kind for kind, words in _AFTER.items() for word in words.split()}


def before(token: str) -> Before:
    """The kind of a token before a word; a possessive determines.

    >>> [before(token).name for token in ("She", "been", "Watson's", "with", "lamp")]
    ['SUBJECT', 'BE', 'DETERMINER', 'BARE', 'OTHER']
    """
    folded = token.casefold()
    if not is_word(token):
        return Before.BARE
    return _BEFORE_OF.get(folded, Before.DETERMINER if folded.endswith(("'s", "s'")) else Before.OTHER)


def after(token: str) -> After:
    """The kind of a token after a word; marks close.

    >>> [after(token).name for token in ("him", ",", "upon", "was", "lamp")]
    ['OBJECT', 'CLOSED', 'CLOSED', 'FINITE', 'OPEN']
    """
    return _AFTER_OF.get(token.casefold(), After.OPEN) if is_word(token) else After.CLOSED
