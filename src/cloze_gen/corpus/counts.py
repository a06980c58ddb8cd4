"""Word counts: surface types, case-folded frequencies, lemmas, and limits of options. A word token
holds a letter or a digit; `freq` is a share of word tokens, 0 for punctuation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from cloze_gen.english.word_lists import OPENERS
from cloze_gen.word_tokens import is_word

# Words, counts and vectors of 522 novels (`training/words/build.py`).
WORD_DATA = Path(__file__).parent / "word_data"


@dataclass(frozen=True, slots=True)
class CountTable:
    """Counts of all surface types, sorted by descending count, then by the word.

    Attributes:
        initial_count: tokens that open a sentence or a quotation.
        folded_count: tokens of the same case-folded form; 0 for punctuation.
        lower_share: of the case-folded form's non-initial tokens; 0 without any.
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
    """How often each type opens a sentence of space-joined tokens, opening marks skipped.

    >>> opening_words(['" Come , he said .', "Come ."])["Come"]
    2
    """
    lines = list(sentences)
    firsts = [line.split(" ", 1)[0] for line in lines]
    counts = Counter(firsts)
    for mark in OPENERS:
        del counts[mark]
    for line, first in zip(lines, firsts, strict=True):
        if first in OPENERS:
            for token in line.split(" ", 4)[1:4]:
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
        lower_share=np.divide(
            lower_count, free_count, out=np.zeros_like(lower_count), where=free_count > 0
        ),
        word_tokens=word_tokens,
    )


class TokenIds(Protocol):
    """Word ids, uint32, 0 between sentences: an `ndarray` or a `store.tables.ArrayFile`."""

    def __len__(self) -> int: ...

    def __getitem__(self, at: Any, /) -> Any:
        """A number, or an array for a slice."""
        ...


Pair = tuple[str, str]  # (lemma, class)


def lemma_counts(form_counts: Iterable[tuple[Pair, int]]) -> Counter[Pair]:
    """Sums of (lemma, class), from one item per (form, tag).

    >>> lemma_counts([(("go", "verb"), 3), (("go", "verb"), 2)])
    Counter({('go', 'verb'): 5})
    """
    total: Counter[Pair] = Counter()
    for pair, count in form_counts:
        total[pair] += count
    return total
