from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

from cloze_gen.models.blank_assignment import decode_greedily, decode_jointly

PERMUTATIONS = np.array(list(itertools.permutations(range(7), 5)))  # shape (2520, 5)


def brute_force(scores):
    """The best of all permutations, the first of a tie."""
    rows = scores.tolist()
    return list(
        max(
            itertools.permutations(range(7), 5),
            key=lambda p: sum(row[answer] for row, answer in zip(rows, p, strict=True)),
        )
    )


def best_permutation(scores):
    return list(PERMUTATIONS[scores[np.arange(5), PERMUTATIONS].sum(axis=1).argmax()])


def random_matrices(n):
    return list(np.random.default_rng(1).normal(size=(n, 5, 7)))


def test_there_are_2520_permutations():
    """For 5 blanks and 7 candidates, as in the paper's decoder."""
    assert len(PERMUTATIONS) == 2520


def test_the_assignment_is_the_brute_force():
    assert all(
        decode_jointly(scores).tolist() == best_permutation(scores)
        for scores in random_matrices(1000)
    )


def test_the_assignment_is_a_hundred_times_faster():

    def seconds(decode):
        tries = []
        for scores in random_matrices(5):
            begun = time.perf_counter()
            for _ in range(5):
                decode(scores)
            tries.append(time.perf_counter() - begun)
        return min(tries)

    assert seconds(decode_jointly) * 100 < seconds(brute_force)


@pytest.mark.parametrize("seed", range(40))
def test_of_equal_sums_the_lowest_candidates_are_taken(seed):
    scores = np.random.default_rng(seed).integers(0, 3, (5, 7)).astype(np.float64)
    assert decode_jointly(scores).tolist() == best_permutation(scores)


def test_the_greedy_decoder_goes_from_left_to_right():
    scores = np.array([[1.0, 0.0, 0.9], [9.0, 0.0, 0.5], [9.0, 0.2, 0.0]])
    assert decode_greedily(scores).tolist() == [0, 2, 1]
    assert decode_jointly(scores).tolist() == [2, 0, 1]


@pytest.mark.parametrize("decode", [decode_greedily, decode_jointly])
def test_where_all_is_equal_candidates_stand_in_order(decode):
    scores = np.zeros((3, 5))
    assert list(decode(scores)) == [0, 1, 2]
    assert not scores.any()


def test_a_small_difference_beside_a_huge_one_still_decides():
    """The preference for low candidates never outweighs a difference of scores."""
    assert decode_jointly(np.array([[1e12, 0.0, 0.0], [0.0, 1e-3, 2e-3]])).tolist() == [0, 2]
