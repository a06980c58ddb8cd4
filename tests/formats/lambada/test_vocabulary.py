"""The vocabulary file."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.formats.lambada.rendering import published_sentence
from cloze_gen.formats.lambada.vocabulary import format_vocabulary, published_counts
from cloze_gen.words import is_word


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1), st.integers(0, 10**9)))
def test_a_vocabulary_comes_back_in_order(counts: dict[str, int]) -> None:
    """A word, a tab and its count a line, sorted by code point; nothing is lost."""
    lines = [line.split("\t") for line in format_vocabulary(counts).removesuffix("\n").split("\n") if line]
    assert [(word, int(count)) for word, count in lines] == sorted(counts.items())


@given(st.lists(st.tuples(st.sampled_from(["Don't", "don't", "Ann", "girls'", ",", "--", "cannot", "to-day"]), st.integers(1, 9))))
def test_published_words_are_counted(counts: list[tuple[str, int]]) -> None:
    """As often as the published tokens of the same text hold them; letter case does not count, and marks are no words."""
    tokens = [token for word, count in counts for token in [word] * count]
    printed, _ = published_sentence(tokens, " ".join(tokens))
    assert published_counts(counts) == Counter(word for word in printed if is_word(word))


def test_a_vocabulary_word_is_one_word() -> None:
    """What would not come back is refused."""
    with pytest.raises(FormatError, match="the old"):
        format_vocabulary({"the old": 1})
