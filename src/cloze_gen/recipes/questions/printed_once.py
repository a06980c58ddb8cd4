"""No text is printed in two items of a set: two sentences of the books, often of two editions, can be one in print.

Alike in print are those of the same words in the same order, whatever their letter case and marks: an edition's comma makes no other
sentence. What of an item must not be printed again is for its recipe to say: a question's sentence, a passage's context and its target
sentence, the long sentences of a passage with blanks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from cloze_gen.text.rendering import rendered_tokens
from cloze_gen.words import is_word

PRINTED_BEFORE = "sentence_printed_before"  # why the later of two is no item


def printed_before(items: Iterable[tuple[str, Iterable[Sequence[str]]]]) -> dict[str, str]:
    """The items that print what an earlier one prints.

    Args:
        items: (id, texts: the own tokens of each) of every item, in the order in which they are asked for; an id may come again.
    Returns:
        id of the later item -> id of the first that prints one of its texts, and that no earlier one forbids.

    >>> come, again, other = ("Come", "in", "!"), ('"', "COME", ",", "in", ".", '"'), ("Come", ".")
    >>> printed_before([("a:1", [come]), ("b:7", [again]), ("b:9", [other])])
    {'b:7': 'a:1'}
    """
    first: dict[bytes, str] = {}
    found: dict[str, str] = {}
    for item_id, texts in items:
        keys = [_in_print(tokens) for tokens in texts]
        earlier = next((first[key] for key in keys if first.get(key, item_id) != item_id), None)
        if earlier is not None:
            found[item_id] = earlier
            continue
        for key in keys:
            first.setdefault(key, item_id)
    return found


def _in_print(tokens: Sequence[str]) -> bytes:
    """A digest of the words, for a hundred thousand passages are held against one another."""
    words = (token.casefold() for token in rendered_tokens(tokens) if is_word(token))
    return hashlib.blake2b("\n".join(words).encode(), digest_size=16).digest()
