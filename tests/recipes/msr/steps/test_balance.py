"""The balanced choice: features of ranks, and sums that come near their target."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.recipes.msr.steps.balance import answer_shares, herd_draws, rank_features, spelling_vectors, value_features


def test_features_of_a_tie_are_shared() -> None:
    """An answer that ties for the first two ranks holds half of each."""
    features = rank_features(np.array([[[3.0], [3.0], [1.0]]]))
    assert features[0] == pytest.approx([1 / 6, 1 / 6, -1 / 3])


def test_a_pair_of_scores_has_a_feature() -> None:
    """Ranks of the answer that go together more than its impostors' do are seen."""
    together = rank_features(np.array([[[3.0, 3.0], [2.0, 1.0], [1.0, 2.0]]]))
    apart = rank_features(np.array([[[3.0, 1.0], [2.0, 2.0], [1.0, 3.0]]]))
    assert together.shape == (1, 7)
    assert together[0, -1] > 0
    assert apart[0, -1] < 0


def biased_pool(n_groups: int, draws: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draws whose answers are the highest of five twice as often as chance has it; scores of shape (rows, 5, 2)."""
    rng = np.random.default_rng(3)
    scores = rng.random((n_groups * draws, 5, 2))
    scores[rng.random(len(scores)) < 0.25, 0, :] += 1.0
    return scores, rank_features(scores), np.repeat(np.arange(n_groups), draws)


def test_the_chosen_set_is_balanced_where_the_pool_is_not() -> None:
    """Answers highest in 40 % of the pool are highest in 20 % of the set; one draw a group, in the order of the groups."""
    scores, features, group = biased_pool(400, 6)
    chosen = herd_draws(features, group, target=np.zeros(features.shape[1]), n=150, passes=1)
    assert len(chosen) == 150
    assert (np.diff(group[chosen]) > 0).all()
    before, _ = answer_shares(scores)
    highest, lowest = answer_shares(scores[chosen])
    assert (before > 0.35).all()
    assert highest == pytest.approx([0.2, 0.2], abs=0.01)
    assert lowest == pytest.approx([0.2, 0.2], abs=0.01)


def test_a_target_is_met_as_zero_is() -> None:
    """Asked for a surplus of highest answers, the choice gives it."""
    _, features, group = biased_pool(400, 6)
    target = np.zeros(features.shape[1])
    target[:5] = [8.0, -2.0, -2.0, -2.0, -2.0]
    chosen = herd_draws(features, group, target=target, n=150, passes=1)
    assert features[chosen, 0].sum() == pytest.approx(8.0, abs=1.5)


def test_fewer_groups_than_wanted_give_fewer() -> None:
    """What cannot be chosen is not made up; an empty pool gives an empty set."""
    _, features, group = biased_pool(10, 3)
    assert len(herd_draws(features, group, target=np.zeros(features.shape[1]), n=150, passes=1)) == 10
    assert len(herd_draws(features[:0], group[:0], target=np.zeros(features.shape[1]), n=5, passes=1)) == 0


def test_value_lines_see_what_ranks_do_not() -> None:
    """Two draws of the same ranks, the answer barely lowest or far: other features; an answer like all others has none."""
    near, far, level = ([[low], [1.0], [1.1], [1.2], [1.3]] for low in (0.9, -3.0, 1.0))
    ranks = rank_features(np.array([near, far]))
    values = value_features(np.array([near, far]))
    assert ranks[0].tolist() == ranks[1].tolist()
    assert np.abs(values[0] - values[1]).max() > 0.3
    assert value_features(np.array([[level[1]] * 5])).tolist() == [[0.0] * values.shape[1]]


def test_value_lines_see_an_answer_that_stands_alone() -> None:
    """The same distance from the others' nearest, in a five that lies close together and in one that lies far apart."""
    alone, among = np.array([0.0, 1.0, 1.1, 1.2, 1.3]), np.array([0.0, 1.0, 2.5, 3.0, 4.0])
    lines = [value_features(five[None, :, None])[0].reshape(7, 4)[:, 3] for five in (alone, among)]
    assert lines[0][0] > lines[1][0] > 0


def test_words_of_one_ending_are_spelt_alike() -> None:
    """More in common with each other than with another word, and a word is itself every time."""
    walked, talked, stones, again = spelling_vectors(["walked", "talked", "stones", "walked"])
    assert walked.tolist() == again.tolist()
    assert walked @ talked > 0.2 > abs(walked @ stones)


def test_quotas_are_kept_and_what_they_cannot_give_is_taken_elsewhere() -> None:
    """Two of the first class are wanted and two of the second, which has one: it gives that one, the first the rest."""
    features = np.zeros((6, 2), np.float32)
    stratum = np.array([0, 0, 0, 0, 0, 1])
    chosen = herd_draws(features, np.arange(6), target=np.zeros(2), n=4, passes=1, stratum=stratum, quota=[2, 2])
    assert len(chosen) == 4
    assert stratum[chosen].tolist().count(1) == 1


def test_a_costly_draw_is_left() -> None:
    """Of draws that are level alike the cheap ones are chosen."""
    cost = np.array([5.0, 0.0, 5.0, 0.0])
    assert herd_draws(np.zeros((4, 2), np.float32), np.arange(4), target=np.zeros(2), n=2, passes=1, cost=cost).tolist() == [1, 3]
