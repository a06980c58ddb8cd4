"""Which words may be options: rare, attested, spelt in full, no proper names. One rule for answers and alternates alike.

Unequal limits would leak the answer: a reader of counts could tell the one option that obeys another limit.
"""

from __future__ import annotations

import re
from typing import Protocol

import numpy as np

from cloze_gen.english.treebank import is_clipped
from cloze_gen.stats.counts import CountTable

# Letters and digits, joined by the marks that live inside words; the published options are ASCII ("60,000", "mother's", "twenty-one").
_OPTION_SHAPE = re.compile(r"[A-Za-z0-9]+(?:['.,-][A-Za-z0-9]+)*'?")
# A word is taken for a common word when most of its free uses are lower-case (MSR guideline practice; before any tagger).
_MIN_LOWER_SHARE = 0.5


class OptionLimits(Protocol):
    """What a recipe's settings say of its options."""

    @property
    def max_freq(self) -> float:
        """Exclusive upper bound of the case-folded share of word tokens (MSR 2.2 step 1: less than 1e-4)."""
        ...

    @property
    def min_count(self) -> int:
        """Least count of the surface type itself, inclusive."""
        ...

    @property
    def min_freq(self) -> float:
        """Least share of the word tokens that the surface type has, inclusive: in a large corpus it asks more than the least count does."""
        ...

    @property
    def proper_names(self) -> bool:
        """Also allow capitalised types and words that are mostly capitalised."""
        ...


def option_mask(table: CountTable, limits: OptionLimits) -> np.ndarray:
    """Which types of the table may serve as answers and as alternates; bool, shape (types,)."""
    least = max(limits.min_count, limits.min_freq * table.word_tokens)
    rare = (table.folded_count > 0) & (table.freq < limits.max_freq) & (table.count >= least)
    shaped = np.array([bool(_OPTION_SHAPE.fullmatch(word)) for word in table.words], bool)
    count_of = {word: int(count) for word, count in zip(table.words, table.count, strict=True) if "'" not in word}
    for row in np.flatnonzero(rare & shaped).tolist():
        word, times = table.words[row], int(table.count[row])
        # A plural (`ladies'`) is seen more often without its apostrophe, a clipped word (`fores'`) with it.
        shaped[row] = not is_clipped(word, is_word=count_of.get(word[:-1], 0) >= times)
    if limits.proper_names:
        return rare & shaped
    has_letter = np.array([any(character.isalpha() for character in word) for word in table.words], bool)
    lower = np.array([word == word.casefold() for word in table.words], bool)
    common = lower & ((table.lower_share >= _MIN_LOWER_SHARE) | ~has_letter)
    return rare & shaped & common
