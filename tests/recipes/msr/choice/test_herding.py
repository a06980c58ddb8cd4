"""Draws whose feature vectors sum to a target: few sentences, many, quotas and costs."""

import numpy as np
import pytest

from cloze_gen.recipes.msr.choice.features import rank_features
from cloze_gen.recipes.msr.choice.herding import herd_draws


def biased_pool(n_groups, draws):
    """Draws whose answers are the highest of five twice as often as by chance; (rows, 5, 2)."""
    rng = np.random.default_rng(3)
    scores = rng.random((n_groups * draws, 5, 2))
    scores[rng.random(len(scores)) < 0.25, 0, :] += 1.0
    return scores, rank_features(scores), np.repeat(np.arange(n_groups), draws)


def herd(features, group, n, **changed):
    """The draws whose features sum to 0, unless another target is given."""
    arguments = {
        "target": np.zeros(features.shape[1]),
        "rng": np.random.default_rng(1),
        "cost": np.zeros(len(group), np.float32),
        "stratum": np.zeros(len(group), np.int64),
        "quota": [n],
    }
    return herd_draws(features, group, n=n, **(arguments | changed))


def test_the_chosen_set_is_balanced_where_the_pool_is_not():
    """Answers are highest in 40 % of the pool and in 20 % of the set."""
    scores, features, group = biased_pool(400, 6)
    chosen = herd(features, group, 150)
    assert len(chosen) == 150
    assert (np.diff(group[chosen]) > 0).all()
    assert ((scores.argmax(axis=1) == 0).mean(axis=0) > 0.35).all()
    for ends in (scores[chosen].argmax(axis=1), scores[chosen].argmin(axis=1)):
        assert (ends == 0).mean(axis=0) == pytest.approx([0.2, 0.2], abs=0.01)


def test_a_target_is_met_as_zero_is():
    """Asked for a surplus of highest answers, the choice gives it."""
    _, features, group = biased_pool(400, 6)
    target = np.zeros(features.shape[1])
    target[:5] = [8.0, -2.0, -2.0, -2.0, -2.0]
    chosen = herd(features, group, 150, target=target)
    assert features[chosen, 0].sum() == pytest.approx(8.0, abs=1.5)


def test_quotas_are_kept_and_what_they_cannot_give_is_taken_elsewhere():
    features = np.zeros((6, 2), np.float32)
    stratum = np.array([0, 0, 0, 0, 0, 1])
    chosen = herd(features, np.arange(6), 4, stratum=stratum, quota=[2, 2])
    assert len(chosen) == 4
    assert stratum[chosen].tolist().count(1) == 1


def test_a_costly_draw_is_left():
    """Of draws that are level alike the cheap ones are chosen."""
    cost = np.array([5.0, 0.0, 5.0, 0.0])
    chosen = herd(np.zeros((4, 2), np.float32), np.arange(4), 2, cost=cost)
    assert chosen.tolist() == [1, 3]


def distance(features, chosen):
    return float(np.linalg.norm(features[chosen].sum(axis=0)))


def test_of_many_sentences_a_part_is_asked_and_the_sum_is_as_near():
    """2,000 sentences in eight parts; the sum is hundreds of times nearer than by chance."""
    _, features, group = biased_pool(2000, 4)
    chosen = herd(features, group, 400)
    assert len(set(group[chosen].tolist())) == 400
    assert (np.diff(chosen) > 0).all()
    assert distance(features, chosen) < 0.5
    assert distance(features, np.arange(0, 1600, 4)) > 50
    again = herd(features, group, 400, rng=np.random.default_rng(2))
    assert chosen.tolist() != again.tolist()


def test_parts_take_turns():
    """Of equal draws, the first 25 of each of eight parts come, not the first 200 of one."""
    chosen = herd(np.zeros((2000, 1), np.float32), np.arange(2000), 200)
    assert chosen.max() < 400


def test_a_rare_class_is_found_in_whichever_part_it_lies():
    """All five sentences of the second class are wanted, though they cost most; then any class
    fills up.
    """
    _, features, group = biased_pool(2000, 1)
    stratum = np.isin(group, [3, 500, 501, 900, 1999]).astype(np.int64)
    cost = 1000.0 * stratum
    chosen = herd(features, group, 40, quota=[35, 5], stratum=stratum, cost=cost)
    assert len(chosen) == len(set(chosen.tolist())) == 40
    assert stratum[chosen].sum() == 5
    chosen = herd(features, group, 60, quota=[35, 9], stratum=stratum, cost=cost)
    assert len(chosen) == len(set(chosen.tolist())) == 60
    assert stratum[chosen].sum() == 5


def test_all_that_is_there_is_chosen():
    """Where more are wanted than there are sentences, whichever parts these lie in."""
    _, features, group = biased_pool(600, 2)
    chosen = herd(features, group, 650)
    assert group[chosen].tolist() == list(range(600))
