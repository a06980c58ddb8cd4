"""Tests of `cloze_gen.evaluation.question_scores`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloze_gen.evaluation import question_scores
from cloze_gen.evaluation.question_scores import (
    article_scores,
    frequency_scores,
    length_scores,
    position_scores,
)
from cloze_gen.records.question import Question

# ---- bias rules


LONG = Question("b:0:1", "b", ("An", "hour", "."), 1, ("hour", "minute", "day"), 0)
SHORT = Question("b:1:1", "b", ("She", "ran", "."), 1, ("ran", "slept"), 0)


def test_an_item_with_fewer_options_has_no_score_beyond_them():
    """Every rule gives one number an option, in the options' order, and NaN beyond."""
    items = [LONG, SHORT]
    nan = np.nan
    for scores, expected in (
        (length_scores(items), [[4, 6, 3], [3, 5, nan]]),
        (position_scores(items, 2), [[0, 0, 1], [0, 0, nan]]),
        (
            frequency_scores(items, {"hour": 0.5, "ran": 0.25}),
            [[0.5, 0, 0], [0.25, 0, nan]],
        ),
        (article_scores(items), [[1, 0, 0], [0, 0, nan]]),
    ):
        np.testing.assert_array_equal(scores, np.array(expected, float))


# ---- lm scores


class Spelled:
    """A model whose numbers show what was asked: minus the length of everything it was given."""

    def __init__(self):
        self.asked: list[tuple[tuple[str, ...], str]] = []

    def log10_prob(self, history, word):
        self.asked.append((tuple(history), word))
        return -float(sum(map(len, history)) + len(word))

    def score_sentence(self, tokens):
        return -float(sum(map(len, tokens)))


ITEM = Question("i", "b", ("we", "hide", "it"), 1, ("hide", "eat"), 0)


def test_forward_score_asks_for_the_successor_alone():
    model = Spelled()
    question_scores.forward_scores(model, [ITEM, Question("j", "b", ("eat",), 0, ("eat", "go"), 0)])
    assert model.asked == [
        (("we", "hide"), "it"),
        (("we", "eat"), "it"),
        (("<s>", "eat"), "</s>"),
        (("<s>", "go"), "</s>"),
    ]


def test_history_score_has_two_tokens_before_the_gap():
    """Before the second token stand `<s>` and the first."""
    model = Spelled()
    question_scores.history_scores(model, [ITEM])
    assert model.asked[0] == (("<s>", "we"), "hide")


def test_sentence_score_is_that_of_the_filled_sentence():
    """Each option stands in the gap when the sentence is scored."""
    assert question_scores.sentence_scores(Spelled(), [ITEM]).tolist() == [[-8.0, -7.0]]


# ---- ngram match


VOCABULARY = {word: word_id for word_id, word in enumerate("abcdef", 1)}
SENTENCES = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=8), max_size=12)


def corpus(sentences):
    return np.array(
        [
            word_id
            for sentence in sentences
            for word_id in (*(VOCABULARY[word] for word in sentence), 0)
        ],
        np.uint32,
    )


def counted_naively(sentences, tokens, position):
    """The definition of 4.1, word by word."""
    points = 0
    for n in (2, 3, 4):
        known = {
            tuple(sentence[i : i + n])
            for sentence in sentences
            for i in range(len(sentence) - n + 1)
        }
        starts = range(max(0, position - n + 1), min(position, len(tokens) - n) + 1)
        points += (n - 1) * sum(tokens[i : i + n] in known for i in starts)
    return points


@settings(deadline=None)
@given(SENTENCES, st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=7), st.data())
def test_scores_are_the_definitions(sentences, tokens, data):
    """Points are those counted word by word; an unknown word matches nothing."""
    position = data.draw(st.integers(0, len(tokens) - 1))
    item = Question("i", "b", tuple(tokens), position, ("a", "b", "g"), 0)
    expected = [
        [counted_naively(sentences, item.blank.filled(option), position) for option in item.options]
    ]
    found = question_scores.match_scores(corpus(sentences), [item], VOCABULARY)
    assert found.tolist() == expected


def test_no_match_crosses_a_sentence_end():
    """The last word of a sentence and the first of the next are no bigram."""
    item = Question("i", "b", ("a", "b"), 1, ("b", "c"), 0)
    ids = corpus([["a"], ["b"], ["a", "c"]])
    assert question_scores.match_scores(ids, [item], VOCABULARY).tolist() == [[0, 1]]


@pytest.mark.parametrize("chunk_tokens", [1, 2, 97])
def test_an_ngram_across_two_chunks_is_seen(chunk_tokens):
    """Half of the queries are 4-grams of the corpus, half are not; repeated ones count each."""
    ids = np.random.default_rng(0).integers(0, 40, 1000).astype(np.uint32)
    grams = {tuple(ids[i : i + 4].tolist()) for i in range(len(ids) - 3)}
    known = [gram for gram in grams if question_scores.SEPARATOR not in gram][:50] * 2
    unknown = [
        gram for gram in {(*gram[:3], gram[3] % 39 + 1) for gram in known} if gram not in grams
    ]
    flat = np.array(known + unknown, np.uint32).reshape(-1)
    queries = {n: hashes[::4] for n, hashes, _ in question_scores.ngram_hashes(flat, 4)}
    found = question_scores.seen_in_corpus(ids, queries, chunk_tokens=chunk_tokens)
    assert unknown
    assert found[4].tolist() == [True] * len(known) + [False] * len(unknown)
