"""Counts: frequencies are shares of word tokens."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.stats.counts import count_table, opening_words
from cloze_gen.words import is_word

WORDS = st.sampled_from(["The", "the", "THE", "sea", "Sea", "Ann", "60,000", ".", '"', "--", "É", "é", "ß", "SS"])
TEXTS = st.lists(st.lists(WORDS, max_size=12), max_size=5)


@given(TEXTS)
def test_the_table_adds_up(texts: list[list[str]]) -> None:
    """Surface counts add up to the tokens, frequencies of the case-folded forms to one; punctuation has none."""
    counts = Counter(token for text in texts for token in text)
    table = count_table(counts, {})
    assert table.words == sorted(counts, key=lambda word: (-counts[word], word))
    assert table.count.sum() == sum(counts.values())
    assert table.word_tokens == sum(count for word, count in counts.items() if is_word(word))
    by_form = {word.casefold(): freq for word, freq in zip(table.words, table.freq.tolist(), strict=True) if is_word(word)}
    assert sum(by_form.values()) == pytest.approx(1.0 if by_form else 0.0)
    for word, freq, share in zip(table.words, table.freq.tolist(), table.lower_share.tolist(), strict=True):
        assert (freq > 0) == is_word(word)
        assert 0 <= share <= 1


def test_frequency_is_case_folded() -> None:
    """`The` and `the` share one frequency and keep their own counts."""
    table = count_table({"The": 2, "the": 6, "sea": 2, ".": 30}, {})
    rows = table.index()
    assert table.freq[rows["The"]] == table.freq[rows["the"]] == 0.8
    assert (table.count[rows["The"]], table.folded_count[rows["The"]], table.folded_count[rows["."]]) == (2, 8, 0)


def test_openings_say_nothing_of_names() -> None:
    """A capital at a sentence's start is not counted against a word; without free uses the share is 0."""
    table = count_table({"Sea": 3, "sea": 1, "Ann": 4, "Oh": 2}, {"Sea": 3, "Ann": 1, "Oh": 2})
    rows = table.index()
    assert [table.lower_share[rows[word]] for word in ("Sea", "sea", "Ann", "Oh")] == [1.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("line", "opens"),
    [
        ("Come , he said .", "Come"),
        ('" Come , he said .', "Come"),
        ("-- ' Come", "Come"),
        ("( [ ` `` Come", None),
        (". Come", "."),
        ("", ""),
    ],
)
def test_the_opening_word(line: str, opens: str | None) -> None:
    """Up to three opening marks are passed over."""
    assert opening_words([line]) == Counter([opens] if opens is not None else [])


def test_types_of_the_columns() -> None:
    """64 bits a number, whatever came in."""
    table = count_table({"a": 1}, {})
    assert (table.count.dtype, table.freq.dtype) == (np.int64, np.float64)
