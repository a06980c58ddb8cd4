"""The balanced choice: features of ranks, and sums that come near their target."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.recipes.msr.steps.balance import answer_shares, herd_draws, rank_features


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
