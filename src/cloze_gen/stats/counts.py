"""Word counts: surface types, case-folded frequencies, and how often a word is capitalised where nothing forces it.

A *word token* holds a letter or a digit (design: one tokenization serves counting, LM and output). `freq` is the case-folded share of
word tokens; punctuation is counted as a type and never has a frequency.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from cloze_gen.words import is_word

# Marks after which a capital says nothing about the word: it opens a sentence or a quotation.
_OPENERS = frozenset({'"', "'", "``", "`", "(", "[", "--", ":"})


@dataclass(frozen=True, slots=True)
class CountTable:
    """Counts of every surface type, sorted by descending count, then by the word.

    Attributes:
        words: surface types, words and punctuation marks.
        count: int64, tokens of this surface type.
        initial_count: int64, those of them that open a sentence or a quotation.
        folded_count: int64, tokens of all surface types with the same case-folded form; 0 for punctuation.
        freq: float64, folded_count / word tokens of the corpus.
        lower_share: float64, share of lower-case tokens among the non-initial tokens of the case-folded form; 0 without any.
        word_tokens: word tokens of the corpus.
    """

    words: list[str]
    count: np.ndarray
    initial_count: np.ndarray
    folded_count: np.ndarray
    freq: np.ndarray
    lower_share: np.ndarray
    word_tokens: int

    def index(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}


def opening_words(sentences: Iterable[str]) -> Counter[str]:
    """How often each surface type opens a sentence (after any opening mark); sentences are tokens joined by spaces.

    >>> opening_words(['" Come , he said .', "Come ."])["Come"]
    2
    """
    counts: Counter[str] = Counter()
    for line in sentences:
        for token in line.split(" ", 4)[:4]:
            if token not in _OPENERS:
                counts[token] += 1
                break
    return counts


def count_table(counts: Mapping[str, int], initial: Mapping[str, int]) -> CountTable:
    """Build the table of a corpus from its surface counts and its sentence-opening counts.

    >>> table = count_table({"The": 2, "the": 6, "Ann": 2, ".": 4}, {"The": 2})
    >>> table.words, table.word_tokens
    (['the', '.', 'Ann', 'The'], 10)
    >>> table.freq.tolist(), table.lower_share.tolist()
    ([0.8, 0.0, 0.2, 0.8], [1.0, 0.0, 0.0, 1.0])
    """
    words = sorted(counts, key=lambda word: (-counts[word], word))
    folded_total: Counter[str] = Counter()
    folded_lower: Counter[str] = Counter()
    folded_free: Counter[str] = Counter()
    for word in words:
        if not is_word(word):
            continue
        folded = word.casefold()
        free = max(0, counts[word] - initial.get(word, 0))
        folded_total[folded] += counts[word]
        folded_free[folded] += free
        if word == folded:
            folded_lower[folded] += free
    word_tokens = sum(folded_total.values())
    keys = [word.casefold() if is_word(word) else "" for word in words]
    folded_count = np.array([folded_total[key] for key in keys], np.int64)
    free_count = np.array([folded_free[key] for key in keys], np.float64)
    lower_count = np.array([folded_lower[key] for key in keys], np.float64)
    return CountTable(
        words=words,
        count=np.array([counts[word] for word in words], np.int64),
        initial_count=np.array([initial.get(word, 0) for word in words], np.int64),
        folded_count=folded_count,
        freq=folded_count / max(1, word_tokens),
        lower_share=np.divide(lower_count, free_count, out=np.zeros_like(lower_count), where=free_count > 0),
        word_tokens=word_tokens,
    )
