"""No sentence is printed in two questions: two sentences of the books, often of two editions, can be one in print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cloze_gen.text.rendering import rendered_tokens

PRINTED_BEFORE = "sentence_printed_before"  # why the later of two sentences makes no question


def printed_before(sentences: Iterable[tuple[str, Sequence[str]]]) -> dict[str, str]:
    """The sentences that are printed as an earlier one is.

    Args:
        sentences: (id, own tokens) of every sentence, in the order in which they are asked for; an id may come again.
    Returns:
        id of the later sentence -> id of the first that is printed so.

    >>> printed_before([("a:1", ("Come", "in", "!")), ("b:7", ('"', "Come", "in", ".", '"')), ("b:9", ("Come", "."))])
    {'b:7': 'a:1'}
    """
    first: dict[tuple[str, ...], str] = {}
    found: dict[str, str] = {}
    for sentence_id, tokens in sentences:
        earlier = first.setdefault(rendered_tokens(tokens), sentence_id)
        if earlier != sentence_id:
            found[sentence_id] = earlier
    return found
