"""Folds of an adversary."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.evaluate.words.adversary_folds import book_folds, item_folds
from cloze_gen.records.question import Question


def made_questions(n: int, books: int) -> list[Question]:
    return [Question(f"b{i % books}:{i}:1", f"b{i % books}", ("It", "a", "."), 1, ("a", "b"), 0) for i in range(n)]


@pytest.mark.parametrize(("books", "folds", "rounds"), [(1, 0, 0), (2, 2, 1), (5, 5, 1), (12, 5, 3)])
def test_no_book_is_in_two_folds(books: int, folds: int, rounds: int) -> None:
    """One book has no folds; up to five are a fold each, once; more are dealt anew in each round."""
    items = made_questions(60, books)
    found = book_folds(items, seed=1)
    assert len(found) == rounds
    for fold_of_item in found:
        assert len(set(fold_of_item.tolist())) == folds
        assert len({(item.book_id, int(fold)) for item, fold in zip(items, fold_of_item, strict=True)}) == books
    assert len({tuple(one) for one in found}) == rounds, "rounds differ"


def test_folds_of_items_are_even_and_of_the_item() -> None:
    """Sizes differ by one at most, rounds and seeds differ, and an item keeps its fold when the set is turned round."""
    items = made_questions(52, 3)
    found = item_folds(items, seed=1)
    assert all(sorted(np.bincount(one)) == [10, 10, 10, 11, 11] for one in found)
    assert len({tuple(one) for one in [*found, *item_folds(items, seed=2)]}) == 6
    assert all(np.array_equal(one, other[::-1]) for one, other in zip(found, item_folds(items[::-1], seed=1), strict=True))
