"""No sentence is printed in two questions: two sentences of the books, often of two editions, can be one in print.

Alike in print are those of the same words in the same order, whatever their letter case and marks: an edition's comma makes no other
sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cloze_gen.text.rendering import rendered_tokens
from cloze_gen.words import is_word

PRINTED_BEFORE = "sentence_printed_before"  # why the later of two sentences makes no question


def printed_before(sentences: Iterable[tuple[str, Sequence[str]]]) -> dict[str, str]:
    """The sentences that are printed in the words of an earlier one.

    Args:
        sentences: (id, own tokens) of every sentence, in the order in which they are asked for; an id may come again.
    Returns:
        id of the later sentence -> id of the first that is printed so.

    >>> printed_before([("a:1", ("Come", "in", "!")), ("b:7", ('"', "COME", ",", "in", ".", '"')), ("b:9", ("Come", "."))])
    {'b:7': 'a:1'}
    """
    first: dict[tuple[str, ...], str] = {}
    found: dict[str, str] = {}
    for sentence_id, tokens in sentences:
        words = tuple(token.casefold() for token in rendered_tokens(tokens) if is_word(token))
        earlier = first.setdefault(words, sentence_id)
        if earlier != sentence_id:
            found[sentence_id] = earlier
    return found
