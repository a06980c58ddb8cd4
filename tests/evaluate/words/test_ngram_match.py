"""Simple 4-gram match counting."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cloze_gen.evaluate.words import ngram_match
from cloze_gen.records.question import Question

VOCABULARY = {word: word_id for word_id, word in enumerate("abcdef", 1)}
SENTENCES = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=8), max_size=12)


def corpus(sentences: list[list[str]]) -> np.ndarray:
    return np.array([word_id for sentence in sentences for word_id in (*(VOCABULARY[word] for word in sentence), 0)], np.uint32)


def index_of(ids: np.ndarray, **arguments: int) -> dict[int, np.ndarray]:
    return {n: np.concatenate(list(ngram_match.index_blocks(ids, n, **arguments))) for n in ngram_match.POINTS}


def counted_naively(sentences: list[list[str]], tokens: tuple[str, ...], position: int) -> int:
    """The definition of 4.1, word by word."""
    points = 0
    for n in (2, 3, 4):
        known = {tuple(sentence[i : i + n]) for sentence in sentences for i in range(len(sentence) - n + 1)}
        starts = range(max(0, position - n + 1), min(position, len(tokens) - n) + 1)
        points += (n - 1) * sum(tokens[i : i + n] in known for i in starts)
    return points


@settings(deadline=None)
@given(SENTENCES, st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=7), st.data())
def test_scores_are_the_definitions(sentences: list[list[str]], tokens: list[str], data: st.DataObject) -> None:
    """The index gives the points counted word by word; an unknown word matches nothing."""
    position = data.draw(st.integers(0, len(tokens) - 1))
    item = Question("i", "b", tuple(tokens), position, ("a", "b", "g"), 0)
    expected = [[counted_naively(sentences, item.blank.filled(option), position) for option in item.options]]
    assert ngram_match.match_scores(index_of(corpus(sentences)), [item], VOCABULARY).tolist() == expected


def test_no_match_crosses_a_sentence_end() -> None:
    """The last word of a sentence and the first of the next are no bigram."""
    item = Question("i", "b", ("a", "b"), 1, ("b", "c"), 0)
    assert ngram_match.match_scores(index_of(corpus([["a"], ["b"], ["a", "c"]])), [item], VOCABULARY).tolist() == [[0, 1]]


def test_index_does_not_depend_on_blocks_or_chunks(monkeypatch) -> None:
    """The sorted hashes are the same in one block or in many."""
    ids = np.random.default_rng(0).integers(0, 7, 5000).astype(np.uint32)
    whole = index_of(ids)
    monkeypatch.setattr(ngram_match, "_CHUNK_TOKENS", 97)
    in_blocks = index_of(ids, block_ngrams=700)
    for n, hashes in whole.items():
        assert (in_blocks[n] == hashes).all()
        assert (np.diff(hashes.astype(object)) > 0).all()
