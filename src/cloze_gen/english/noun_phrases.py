"""What a noun phrase looks like to someone who sees words and Penn tags only."""

from __future__ import annotations

from collections.abc import Sequence

from cloze_gen.english.penn_tags import ADJECTIVES, ADVERBS, NOUNS

# Tags that a noun phrase may hold between its determiner and its noun, and those that determine it.
_MODIFIERS = NOUNS | ADJECTIVES | ADVERBS | {"VBN", "VBG", "HYPH"}
_DETERMINERS = frozenset({"DT", "PDT", "PRP$", "WDT", "WP$", "POS", "CD"})


def is_bare_noun(tokens: Sequence[str], tags: Sequence[str], position: int) -> bool:
    """Whether a singular noun stands without a determiner (`went to bed`, `of great beauty`), where only mass nouns can replace it.

    A plural needs none.

    >>> is_bare_noun("He went to bed .".split(), ["PRP", "VBD", "IN", "NN", "."], 3)
    True
    >>> is_bare_noun("Her father's old house fell .".split(), ["PRP$", "NN", "JJ", "NN", "VBD", "."], 3)
    False
    """
    if tags[position] != "NN":
        return False
    for token, tag in zip(reversed(tokens[:position]), reversed(tags[:position]), strict=True):
        if tag in _DETERMINERS or token.endswith(("'s", "s'")):
            return False
        if tag not in _MODIFIERS:
            return True
    return True
