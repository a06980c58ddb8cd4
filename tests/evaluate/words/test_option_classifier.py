"""Trained judges that never read the sentence."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.evaluate.results import Baseline, judge_scores
from cloze_gen.evaluate.words import option_classifier
from cloze_gen.records.question import Question

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
        items.append(Question(f"b{i % books}:{i}:1", f"b{i % books}", ("It", words[place], "."), 1, tuple(words), place))
    return items


@pytest.mark.parametrize("books", [1, 3, 9])
def test_no_book_is_in_two_folds(books: int) -> None:
    """Every book lies whole in one fold; a single book is halved, and the note says so."""
    items = made_questions(60, books=books, leak=False)
    folds = option_classifier.book_folds(items)
    if books == 1:
        assert np.bincount(folds.fold_of_item).tolist() == [30, 30]
        assert "halves" in folds.note
    else:
        assert len({(item.book_id, int(fold)) for item, fold in zip(items, folds.fold_of_item, strict=True)}) == books


@pytest.mark.parametrize(("leak", "low", "high"), [(True, 0.9, 1.0), (False, 0.1, 0.3)])
def test_options_only_classifier_finds_a_suffix_and_nothing_else(leak: bool, low: float, high: float) -> None:
    """A suffix of all answers is learned across books; without one the classifier stays near chance."""
    items = made_questions(200, books=4, leak=leak)
    scores = option_classifier.options_only_scores(items, option_classifier.book_folds(items), freq_of=lambda word: 1e-5)
    assert low <= judge_scores(ROW, scores, items, seed=1).accuracy <= high


def test_rank_classifier_learns_the_middle() -> None:
    """An answer that is always third of five is found from ranks, which neither highest nor lowest would find."""
    items = made_questions(100, books=4, leak=False)
    scores = np.random.default_rng(1).normal(size=(100, 5))
    for row, item in zip(scores, items, strict=True):
        middle = int(np.argsort(row)[2])
        row[[middle, item.answer_index]] = row[[item.answer_index, middle]]
    noise = np.random.default_rng(2).normal(size=(100, 5))
    learned = option_classifier.rank_scores([scores, noise], items, option_classifier.book_folds(items))
    assert judge_scores(ROW, learned, items, seed=1).accuracy > 0.9
