"""How an adversary's questions are cut into folds: by item, and by book, anew in each round.

By item it may learn from other questions of the same book, as who trains on a part of a set does. By book it meets only books that it never
saw, as who trains on one set and is asked another of its kind does. Either may be the harder: a set of few books has few questions left
to learn from when the largest is held out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cloze_gen.records.question import Question
from cloze_gen.rng import derive_rng

FOLD_COUNT = 5
ROUNDS = 3  # fold splits, each of its own seed; an accuracy is the mean over them
LEAST_ITEMS = 10  # below that a fold is a single question, and nothing can be learnt from the others


def item_folds(questions: Sequence[Question], *, seed: int, rounds: int = ROUNDS) -> list[NDArray[np.int64]]:
    """The fold of every question in each round: even in size, drawn by the item's own seed, so that the order of the items does not matter.

    Returns:
        `rounds` arrays, int64, shape (n,).
    """
    found = []
    for draw in range(rounds):
        drawn = [derive_rng(seed, f"evaluate.adversary.items.{draw}", question.id).random() for question in questions]
        fold = np.zeros(len(questions), np.int64)
        fold[np.argsort(drawn, kind="stable")] = np.arange(len(questions)) % FOLD_COUNT
        found.append(fold)
    return found


def book_folds(questions: Sequence[Question], *, seed: int, rounds: int = ROUNDS) -> list[NDArray[np.int64]]:
    """The fold of every question in each round, no book in two of them; empty where there is one book.

    Up to five books are a fold each, and there is one such round. More are dealt in an order drawn by each book's own seed, each to the
    smallest fold so far.

    Returns:
        arrays, int64, shape (n,).
    """
    sizes = Counter(question.book_id for question in questions)
    if len(sizes) < 2:
        return []
    if len(sizes) <= FOLD_COUNT:
        places = {book_id: place for place, book_id in enumerate(sorted(sizes))}
        return [np.array([places[question.book_id] for question in questions], np.int64)]
    found = []
    for draw in range(rounds):
        dealt = sorted(sizes, key=lambda book_id: (derive_rng(seed, f"evaluate.adversary.books.{draw}", book_id).random(), book_id))
        loads, fold_of = [0] * FOLD_COUNT, {}
        for book_id in dealt:
            fold_of[book_id] = loads.index(min(loads))
            loads[fold_of[book_id]] += sizes[book_id]
        found.append(np.array([fold_of[question.book_id] for question in questions], np.int64))
    return found
