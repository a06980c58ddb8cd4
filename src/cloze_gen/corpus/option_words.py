"""Which words can be options: rare, attested, no names, no dialect; one rule for answers and alternates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from cloze_gen.corpus.counts import CountTable
from cloze_gen.corpus.offensive_words import dialect_words
from cloze_gen.english.treebank import is_clipped

# Letters and digits, joined by word-internal marks; the published options are ASCII
# ("60,000", "mother's", "twenty-one").
_OPTION_SHAPE = re.compile(r"[A-Za-z0-9]+(?:['.,-][A-Za-z0-9]+)*'?")
# A word is no name if most of its non-initial uses are lower-case (MSR guideline practice).
_MIN_LOWER_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class OptionLimits:
    """Limits of options.

    Attributes:
        max_freq: exclusive bound of the case-folded frequency (MSR 2.2 step 1: less than 1e-4).
        min_count: inclusive bound of the surface type's count.
        min_freq: inclusive bound of the surface type's share of word tokens.
        allow_proper_names: also capitalised types and words that are mostly capitalised.
    """

    max_freq: float
    min_count: int
    min_freq: float
    allow_proper_names: bool

    @classmethod
    def of(cls, settings: Any) -> OptionLimits:
        """The limits among the settings of a group."""
        return cls(
            settings.max_freq,
            settings.min_count,
            settings.min_freq,
            settings.allow_proper_names,
        )


def option_mask(table: CountTable, limits: OptionLimits) -> np.ndarray:
    """Types that may be answers or distractors; bool, shape (types,)."""
    least = max(limits.min_count, limits.min_freq * table.word_tokens)
    mask = (table.folded_count > 0) & (table.freq < limits.max_freq) & (table.count >= least)
    count_of = dict(zip(table.words, table.count.tolist(), strict=True))
    for row in np.flatnonzero(mask).tolist():
        word = table.words[row]
        # A plural (`ladies'`) is more frequent without its apostrophe, a clipped word (`fores'`)
        # with it.
        is_plural = count_of.get(word[:-1], 0) >= count_of[word]
        mask[row] = (
            _OPTION_SHAPE.fullmatch(word) is not None
            and word.casefold() not in dialect_words()
            and not is_clipped(word, is_word=is_plural)
            and (limits.allow_proper_names or _is_no_name(word, table.lower_share[row]))
        )
    return mask


def _is_no_name(word: str, lower_share: float) -> bool:
    has_letter = any(character.isalpha() for character in word)
    return word == word.casefold() and (lower_share >= _MIN_LOWER_SHARE or not has_letter)
