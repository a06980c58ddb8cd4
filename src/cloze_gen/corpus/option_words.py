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
    rare = (table.folded_count > 0) & (table.freq < limits.max_freq) & (table.count >= least)
    dialect = dialect_words()
    shaped = np.array(
        [
            bool(_OPTION_SHAPE.fullmatch(word)) and word.casefold() not in dialect
            for word in table.words
        ],
        bool,
    )
    count_of = {
        word: int(count)
        for word, count in zip(table.words, table.count, strict=True)
        if "'" not in word
    }
    for row in np.flatnonzero(rare & shaped).tolist():
        word, times = table.words[row], int(table.count[row])
        # A plural (`ladies'`) is more frequent without its apostrophe, a clipped word (`fores'`)
        # with it.
        shaped[row] = not is_clipped(word, is_word=count_of.get(word[:-1], 0) >= times)
    if limits.allow_proper_names:
        return rare & shaped
    has_letter = np.array(
        [any(character.isalpha() for character in word) for word in table.words], bool
    )
    lower = np.array([word == word.casefold() for word in table.words], bool)
    common = lower & ((table.lower_share >= _MIN_LOWER_SHARE) | ~has_letter)
    return rare & shaped & common
