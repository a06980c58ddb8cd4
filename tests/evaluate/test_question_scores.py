"""Tests of `cloze_gen.evaluation.question_scores`."""

from __future__ import annotations

from collections.abc import Sequence

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
from cloze_gen.evaluation.questions import Baseline, judge_scores
from cloze_gen.records.question import Question

# ---- bias rules


LONG = Question("b:0:1", "b", ("An", "hour", "."), 1, ("hour", "minute", "day"), 0)
SHORT = Question("b:1:1", "b", ("She", "ran", "."), 1, ("ran", "slept"), 0)


def test_an_item_with_fewer_options_has_no_score_beyond_them() -> None:
    """Every rule gives one number an option, in the options' order, and NaN beyond."""
    items = [LONG, SHORT]
    nan = np.nan
    for scores, expected in (
        (length_scores(items), [[4, 6, 3], [3, 5, nan]]),
        (position_scores(items, 2), [[0, 0, 1], [0, 0, nan]]),
        (
            frequency_scores(items, {"hour": 0.5, "ran": 0.25}.get),
            [[0.5, nan, nan], [0.25, nan, nan]],
        ),
        (article_scores(items), [[1, 0, 0], [0, 0, nan]]),
    ):
        np.testing.assert_array_equal(scores, np.array(expected, float))


# ---- lm scores


class Spelled:
    """A model whose numbers show what was asked: minus the length of everything it was given."""

    order = 3

    def __init__(self) -> None:
        self.asked: list[tuple[tuple[str, ...], str]] = []

    def __contains__(self, word: object) -> bool:
        return True

    def log10_prob(self, history: Sequence[str], word: str) -> float:
        self.asked.append((tuple(history), word))
        return -float(sum(map(len, history)) + len(word))

    def score_sentence(self, tokens: Sequence[str]) -> float:
        return -float(sum(map(len, tokens)))


ITEM = Question("i", "b", ("we", "hide", "it"), 1, ("hide", "eat"), 0)


def test_forward_score_asks_for_the_successor_alone() -> None:
    model = Spelled()
    question_scores.forward_scores(model, [ITEM, Question("j", "b", ("eat",), 0, ("eat", "go"), 0)])
    assert model.asked == [
        (("we", "hide"), "it"),
        (("we", "eat"), "it"),
        (("<s>", "eat"), "</s>"),
        (("<s>", "go"), "</s>"),
    ]


def test_history_score_has_two_tokens_before_the_gap() -> None:
    """Before the second token stand `<s>` and the first."""
    model = Spelled()
    question_scores.history_scores(model, [ITEM])
    assert model.asked[0] == (("<s>", "we"), "hide")


def test_sentence_score_is_that_of_the_filled_sentence() -> None:
    """Each option stands in the gap when the sentence is scored."""
    assert question_scores.sentence_scores(Spelled(), [ITEM]).tolist() == [[-8.0, -7.0]]


# ---- ngram match


VOCABULARY = {word: word_id for word_id, word in enumerate("abcdef", 1)}
SENTENCES = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=8), max_size=12)


def corpus(sentences: list[list[str]]) -> np.ndarray:
    return np.array(
        [
            word_id
            for sentence in sentences
            for word_id in (*(VOCABULARY[word] for word in sentence), 0)
        ],
        np.uint32,
    )


def counted_naively(sentences: list[list[str]], tokens: tuple[str, ...], position: int) -> int:
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
def test_scores_are_the_definitions(
    sentences: list[list[str]], tokens: list[str], data: st.DataObject
) -> None:
    """Points are those counted word by word; an unknown word matches nothing."""
    position = data.draw(st.integers(0, len(tokens) - 1))
    item = Question("i", "b", tuple(tokens), position, ("a", "b", "g"), 0)
    expected = [
        [counted_naively(sentences, item.blank.filled(option), position) for option in item.options]
    ]
    found = question_scores.match_scores(corpus(sentences), [item], VOCABULARY)
    assert found.tolist() == expected


def test_no_match_crosses_a_sentence_end() -> None:
    """The last word of a sentence and the first of the next are no bigram."""
    item = Question("i", "b", ("a", "b"), 1, ("b", "c"), 0)
    ids = corpus([["a"], ["b"], ["a", "c"]])
    assert question_scores.match_scores(ids, [item], VOCABULARY).tolist() == [[0, 1]]


@pytest.mark.parametrize("chunk_tokens", [1, 2, 97])
def test_an_ngram_across_two_chunks_is_seen(chunk_tokens: int) -> None:
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


# ---- option classifier


ROW = Baseline("learned", "learned", "classifier", "")


def made_questions(n: int, *, books: int, leak: bool) -> list[Question]:
    """Questions of random letters; with a leak every answer ends in -ing."""
    rng = np.random.default_rng(3)
    items = []
    for i in range(n):
        words = ["".join(rng.choice(list("abcdefghijklm"), 7)) for _ in range(5)]
        place = int(rng.integers(5))
        words[place] += "ing" if leak else "xyz"
        if not leak:
            words = [word[:7] for word in words]
        items.append(
            Question(
                f"b{i % books}:{i}:1",
                f"b{i % books}",
                ("It", words[place], "."),
                1,
                tuple(words),
                place,
            )
        )
    return items


@pytest.mark.parametrize("books", [1, 3, 9])
def test_no_book_is_in_two_folds(books: int) -> None:
    """Every book lies whole in one fold; a single book is halved, and the note says so."""
    items = made_questions(60, books=books, leak=False)
    folds = question_scores.book_folds(items)
    if books == 1:
        assert np.bincount(folds.fold_of_item).tolist() == [30, 30]
        assert "halves" in folds.note
    else:
        assert (
            len(
                {
                    (item.book_id, int(fold))
                    for item, fold in zip(items, folds.fold_of_item, strict=True)
                }
            )
            == books
        )


@pytest.mark.parametrize(("leak", "low", "high"), [(True, 0.9, 1.0), (False, 0.1, 0.3)])
def test_options_only_classifier_finds_a_suffix_and_nothing_else(
    leak: bool, low: float, high: float
) -> None:
    items = made_questions(200, books=4, leak=leak)
    scores = question_scores.options_only_scores(
        items, question_scores.book_folds(items), freq_of=lambda word: 1e-5
    )
    assert low <= judge_scores(ROW, scores, items, seed=1).row.accuracy <= high


def test_rank_classifier_learns_the_middle() -> None:
    """Neither highest nor lowest would find it."""
    items = made_questions(100, books=4, leak=False)
    scores = np.random.default_rng(1).normal(size=(100, 5))
    for row, item in zip(scores, items, strict=True):
        middle = int(np.argsort(row)[2])
        row[[middle, item.answer_index]] = row[[item.answer_index, middle]]
    noise = np.random.default_rng(2).normal(size=(100, 5))
    learned = question_scores.rank_scores([scores, noise], items, question_scores.book_folds(items))
    assert judge_scores(ROW, learned, items, seed=1).row.accuracy > 0.9
