"""What stands right before and right after a word, by kinds of closed-class words: cues to how a word is used (Brent 1993; Manning 1993).

Nothing is parsed: a form after a subject pronoun, an auxiliary or *to* is taken for a verb, and an article, a possessive or a pronoun right
after it for its object; a noun right after *a* is countable, one right after a preposition need not be. Crude for one occurrence,
sharp for hundreds.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np


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
_CHUNK_TOKENS = 4_000_000


def _is_mark(token: str) -> bool:
    return not any(character.isalnum() for character in token)


def before(token: str) -> Before:
    """The kind of a token before a word; a possessive determines.

    >>> [before(token).name for token in ("She", "been", "Watson's", "with", "lamp")]
    ['SUBJECT', 'BE', 'DETERMINER', 'BARE', 'OTHER']
    """
    folded = token.casefold()
    if _is_mark(token):
        return Before.BARE
    return _BEFORE_OF.get(folded, Before.DETERMINER if folded.endswith(("'s", "s'")) else Before.OTHER)


def after(token: str) -> After:
    """The kind of a token after a word; marks close.

    >>> [after(token).name for token in ("him", ",", "upon", "was", "lamp")]
    ['OBJECT', 'CLOSED', 'CLOSED', 'FINITE', 'OPEN']
    """
    return After.CLOSED if _is_mark(token) else _AFTER_OF.get(token.casefold(), After.OPEN)


def count_frames(corpus: np.ndarray, *, words: Sequence[str], target_row: np.ndarray) -> np.ndarray:
    """How often each target stands between each two kinds of tokens.

    Args:
        corpus: uint32, shape (tokens,): word ids, 0 between sentences; word i of `words` has id i + 1.
        target_row: int64, shape (V,): row of each word that is a target, else -1.
    Returns:
        int64, shape (targets, kinds before, kinds after); a sentence's start is `OTHER`, its end closes.
    """
    before_of = np.array([Before.OTHER, *map(before, words)])
    after_of = np.array([After.CLOSED, *map(after, words)])
    shape = (int(target_row.max()) + 1, len(Before), len(After))
    total = np.zeros(shape, np.int64)
    for first in range(0, len(corpus), _CHUNK_TOKENS):
        last = min(len(corpus), first + _CHUNK_TOKENS)
        left = corpus[first - 1] if first else 0
        right = corpus[last] if last < len(corpus) else 0
        ids = np.concatenate([[left], corpus[first:last], [right]]).astype(np.int64)
        places = np.flatnonzero(target_row[ids[1:-1]] >= 0) + 1
        cells = np.ravel_multi_index((target_row[ids[places]], before_of[ids[places - 1]], after_of[ids[places + 1]]), shape)
        total += np.bincount(cells, minlength=total.size).reshape(shape)
    return total
