"""The likeness of a book's vocabulary to a reference's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.scs.steps.books import BookSimilarity, BooksSettings, book_similarity, reference_vector

vectors = st.dictionaries(st.tuples(st.sampled_from("abcdefgh"), st.just("noun")), st.integers(1, 30), min_size=1)


@given(vectors)
def test_a_text_is_like_itself(counts: dict[tuple[str, str], int]) -> None:
    """Cosine and coverage of a vector with itself, or with a longer text of the same mixture, are 1."""
    assert book_similarity(counts, counts).similarity == pytest.approx(1)
    longer = {pair: 7 * count for pair, count in counts.items()}
    assert book_similarity(counts, longer).similarity == pytest.approx(1)
    assert book_similarity(counts, longer).coverage == 1


@given(vectors, vectors)
def test_measures_stay_in_their_range(reference: dict[tuple[str, str], int], book: dict[tuple[str, str], int]) -> None:
    """Counts have no negative entries, so the cosine is not negative either; words outside the reference do not count."""
    found = book_similarity(reference, book)
    assert 0 <= found.similarity <= 1 + 1e-12
    assert found.coverage == pytest.approx(len(reference.keys() & book.keys()) / len(reference))
    assert book_similarity(reference, book | {("zebra", "noun"): 99}) == found


def test_a_book_without_common_words() -> None:
    """Nothing shared is 0, not a division by zero."""
    assert book_similarity({("dog", "noun"): 1}, {}) == BookSimilarity(0.0, 0.0)


def test_limits_are_exclusive() -> None:
    """The paper: "higher than 0.75" and "over 0.70"."""
    limits = BooksSettings()
    assert BookSimilarity(0.76, 0.71).passes(limits)
    assert not BookSimilarity(0.75, 0.71).passes(limits)
    assert not BookSimilarity(0.76, 0.70).passes(limits)


def test_only_common_words_are_components() -> None:
    """Function words, auxiliaries, names and numbers are left out of the reference's vector."""
    pairs = [("dog", "noun"), ("the", "function"), ("be", "verb"), ("holmes", "proper_noun"), ("60", "number"), ("run", "verb")]
    assert set(reference_vector(pairs)) == {("dog", "noun"), ("run", "verb")}
