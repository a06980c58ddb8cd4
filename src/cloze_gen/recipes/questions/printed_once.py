"""No sentence text is published twice, even from different editions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from cloze_gen.corpus.normalization import rendered_tokens
from cloze_gen.records.rejection import Reason
from cloze_gen.word_tokens import is_word


class RepeatReason(Reason):
    PRINTED_BEFORE = ("sentence_printed_before", "an earlier item has the same printed sentence")


PRINTED_BEFORE = str(RepeatReason.PRINTED_BEFORE)  # rejection reason of the later sentence


def printed_before(items: Iterable[tuple[str, Iterable[Sequence[str]]]]) -> dict[str, str]:
    """Id of each repeated item -> id of the first kept item with one of its texts.

    Texts are equal if they differ only in letter case and punctuation. `items` are (id, tokens of
    each text) in order of precedence. An id may occur more than once.

    >>> first, repeat, other = ("Come", "in", "!"), ('"', "COME", ",", "in", ".", '"'), ("Come", ".")
    >>> printed_before([("a:1", [first]), ("b:7", [repeat]), ("b:9", [other])])
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
    words = (token.casefold() for token in rendered_tokens(tokens) if is_word(token))
    return hashlib.blake2b("\n".join(words).encode(), digest_size=16).digest()
