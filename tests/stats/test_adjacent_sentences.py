"""Directions of adjacent sentences, against the exact decomposition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cloze_gen.stats.adjacent_sentences import AdjacentSentences, fit_adjacent_sentences, sentence_rows

SMOOTHING = 20.0


def pairs(words: int, topics: int, *, seed: int, count: int = 400) -> tuple[list[list[int]], list[list[int]]]:
    """Sentences whose words and those of the next come from one of a few topics, each topic more often than the one before."""
    rng = np.random.default_rng(seed)
    each = words // topics
    topic = rng.choice(topics, count, p=np.arange(1, topics + 1) / sum(range(1, topics + 1)))
    of = [[(each * own + rng.integers(0, each, rng.integers(1, 6))).tolist() for own in topic] for _ in range(2)]
    return of[0], of[1]


def exact(before: NDArray[np.float64], behind: NDArray[np.float64], dimensions: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The product of both vectors of each two words by the full decomposition, and the strengths."""
    inverse = [1 / np.sqrt((rows**2).sum(axis=0) + SMOOTHING) for rows in (before, behind)]
    scaled = [rows * own for rows, own in zip((before, behind), inverse, strict=True)]
    centred = [rows - rows.mean(axis=0) for rows in scaled]
    left, strengths, right = np.linalg.svd(centred[0].T @ centred[1])
    product = (left[:, :dimensions] * strengths[:dimensions]) @ right[:dimensions]
    return inverse[0][:, None] * product * inverse[1][None, :], strengths[:dimensions]


@pytest.mark.parametrize(("words", "topics", "dimensions"), [(12, 3, 12), (30, 3, 5), (120, 4, 3)])
def test_the_leading_directions_are_those_of_the_full_decomposition(words: int, topics: int, dimensions: int) -> None:
    """Of the scaled and centred covariance; exactly where all directions are computed, nearly where only some are."""
    before, behind = (sentence_rows(side, words) for side in pairs(words, topics, seed=1))
    of_before, of_behind, strengths = fit_adjacent_sentences(before, behind, dimensions, np.random.default_rng(2))
    product, wanted = exact(before.toarray().astype(float), behind.toarray().astype(float), dimensions)
    assert of_before.shape == of_behind.shape == (words, dimensions)
    assert strengths == pytest.approx(wanted, abs=1e-3 * float(wanted[0]))
    assert np.abs(of_before.astype(float) @ of_behind.T - product).max() < 5e-3 * np.abs(product).max()


def test_both_sides_of_a_direction_are_as_long_as_the_root_of_its_strength() -> None:
    """Each word's vector divided by what scales the word leaves directions at right angles."""
    before, behind = (sentence_rows(side, 30) for side in pairs(30, 3, seed=3))
    of_before, of_behind, strengths = fit_adjacent_sentences(before, behind, 4, np.random.default_rng(4))
    for vectors, rows in ((of_before, before), (of_behind, behind)):
        scale = np.sqrt((rows.toarray() ** 2).sum(axis=0) + SMOOTHING)[:, None]
        directions = vectors * scale
        assert directions.T @ directions == pytest.approx(np.diag(strengths), abs=1e-4)
    assert (np.diff(strengths) <= 0).all()


def test_a_model_has_no_more_dimensions_than_words() -> None:
    """Though more are asked for."""
    before, behind = (sentence_rows(side, 6) for side in pairs(6, 2, seed=1))
    assert fit_adjacent_sentences(before, behind, 50, np.random.default_rng(1))[0].shape == (6, 6)


def test_a_sentence_goes_behind_one_of_its_own_topic() -> None:
    """Learnt from sentences that share no word with it, in either direction."""
    words = [f"w{i}" for i in range(30)]
    before, behind = (sentence_rows(side, 30) for side in pairs(30, 3, seed=5))
    vectors = fit_adjacent_sentences(before, behind, 5, np.random.default_rng(1))
    model = AdjacentSentences({word: i for i, word in enumerate(words)}, vectors[0], vectors[1])
    topics = [words[:5], words[10:15], words[20:25]], [words[5:10], words[15:20], words[25:]]
    for side in model.follows(*topics):
        assert side.argmax(axis=1).tolist() == [0, 1, 2]


@given(st.lists(st.lists(st.sampled_from(["Pip", "pip", "LAMP", "unknown"]), max_size=6), min_size=1, max_size=4))
def test_follows_is_the_cosine_of_sums(sentences: list[list[str]]) -> None:
    """Of the words' vectors, each times the root of its count, whatever their case; 0 without a known word."""
    vectors = {"before": np.array([[1, 2], [-3, 1]], np.float32), "behind": np.array([[2, 0], [1, 1]], np.float32)}
    model = AdjacentSentences({"pip": 0, "lamp": 1}, **vectors)

    def vector(tokens: list[str], side: str) -> NDArray[np.float64]:
        folded = [token.casefold() for token in tokens]
        return np.asarray(sum(folded.count(word) ** 0.5 * vectors[side][i].astype(float) for i, word in enumerate(("pip", "lamp"))))

    def cosine(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
        length = np.linalg.norm(one) * np.linalg.norm(other)
        return float(one @ other / length) if length else 0.0

    behind, before = model.follows(sentences, sentences)
    for i, one in enumerate(sentences):
        for j, other in enumerate(sentences):
            assert behind[i, j] == pytest.approx(cosine(vector(one, "before"), vector(other, "behind")), abs=1e-5)
            assert before[i, j] == pytest.approx(cosine(vector(one, "behind"), vector(other, "before")), abs=1e-5)


def test_a_word_said_again_says_less() -> None:
    """Rows are roots of counts; a sentence without a word is a row of zeros."""
    assert sentence_rows([[2, 0, 2, 2, 2], []], 3).toarray().tolist() == [[1, 0, 2], [0, 0, 0]]
