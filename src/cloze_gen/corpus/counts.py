"""Word counts: surface types and case-folded frequencies. A word token holds a letter or a digit;
`freq` is a share of word tokens, 0 for punctuation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cloze_gen.english.word_lists import OPENERS
from cloze_gen.store.tables import ArrayFile
from cloze_gen.word_tokens import is_word

# Words, counts and vectors of 522 novels (`training/words/build.py`).
WORD_DATA = Path(__file__).parent / "word_data"


@dataclass(frozen=True, slots=True)
class CountTable:
    """Counts of all surface types, sorted by descending count, then by the word.

    Attributes:
        folded_count: tokens of the same case-folded form; 0 for punctuation.
        lower_share: of the case-folded form's non-initial tokens; 0 without any.
    """

    words: list[str]
    count: np.ndarray
    folded_count: np.ndarray
    freq: np.ndarray
    lower_share: np.ndarray
    word_tokens: int

    def index(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}


def opening_words(sentences: Iterable[str]) -> Counter[str]:
    """How often each type opens a sentence of space-joined tokens, opening marks skipped.

    >>> opening_words(['" Come , he said .', "Come ."])["Come"]
    2
    """
    counts: Counter[str] = Counter()
    for sentence in sentences:
        for token in sentence.split(" ", 4)[:4]:
            if token not in OPENERS:
                counts[token] += 1
                break
    return counts


def count_table(counts: Mapping[str, int], initial: Mapping[str, int]) -> CountTable:
    """The table of a corpus from its surface counts and sentence-initial counts.

    >>> table = count_table({"The": 2, "the": 6, "Ann": 2, ".": 4}, {"The": 2})
    >>> table.words, table.word_tokens
    (['the', '.', 'Ann', 'The'], 10)
    >>> table.freq.tolist(), table.lower_share.tolist()
    ([0.8, 0.0, 0.2, 0.8], [1.0, 0.0, 0.0, 1.0])
    """
    words = sorted(counts, key=lambda word: (-counts[word], word))
    count = np.array([counts[word] for word in words], np.int64)
    initial_count = np.array([initial.get(word, 0) for word in words], np.int64)
    is_lower = np.array([word == word.casefold() for word in words], np.bool_)
    word_count = count * np.array([is_word(word) for word in words], np.bool_)
    free_count = np.maximum(0, word_count - initial_count)
    form_ids: dict[str, int] = {}
    forms = np.array(
        [form_ids.setdefault(word.casefold(), len(form_ids)) for word in words], np.int64
    )

    def of_form(values: np.ndarray) -> np.ndarray:
        """The sum over all types of each word's case-folded form."""
        return np.bincount(forms, weights=values)[forms]

    folded_count = of_form(word_count).astype(np.int64)
    folded_free = of_form(free_count)
    word_tokens = int(word_count.sum())
    return CountTable(
        words=words,
        count=count,
        folded_count=folded_count,
        freq=folded_count / max(1, word_tokens),
        lower_share=of_form(free_count * is_lower) / np.maximum(1, folded_free),
        word_tokens=word_tokens,
    )


# Word ids, uint32, 0 between sentences.
TokenIds = np.ndarray | ArrayFile
Pair = tuple[str, str]  # (lemma, class)
