"""What a model is asked: shards, orders, names."""

from __future__ import annotations

from collections import Counter
from itertools import permutations as all_orders

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import UsageError
from cloze_gen.evaluate.orders import asked_texts, plan_orders, shard_orders

LINES = [f'{{"id": "{n}"}}' for n in range(23)]


@given(n=st.integers(6, 60), shards=st.integers(1, 2), seed=st.integers(0, 9))
def test_shards_are_the_file(n: int, shards: int, seed: int) -> None:
    """The texts of order 0, one after the other, are the file; those of any other order hold each shard's lines and differ from it."""
    lines = [f"line {one}" for one in range(n)]
    plan = plan_orders(lines, shards=shards, permutations=4, seed=seed)
    texts = dict(asked_texts(lines, plan))
    assert "".join(texts[plan.id(shard, 0)] for shard in range(shards)) == "".join(f"{line}\n" for line in lines)
    assert len(texts) == shards * 5
    assert max(plan.sizes) - min(plan.sizes) <= 1
    for shard in range(shards):
        own = [texts[plan.id(shard, order)].splitlines() for order in range(5)]
        assert len({tuple(one) for one in own}) == 5
        assert len({tuple(sorted(one)) for one in own}) == 1


def test_every_order_has_one_chance() -> None:
    """Of three lines each of the five other orders is drawn first equally often."""
    first = Counter(tuple(list(shard_orders(plan_orders(LINES[:3], shards=1, permutations=5, seed=seed), 0))[1]) for seed in range(1000))
    assert set(first) == set(all_orders(range(3))) - {(0, 1, 2)}
    assert all(150 < count < 250 for count in first.values())


def test_as_many_orders_as_there_are() -> None:
    """Three lines have five other orders: all five can be asked for, six cannot."""
    plan = plan_orders(LINES[:3], shards=1, permutations=5, seed=1)
    assert sorted(map(tuple, shard_orders(plan, 0))) == sorted(all_orders(range(3)))
    with pytest.raises(UsageError, match="one of 3 has 5 orders beside the published one, and 6 permutations"):
        plan_orders(LINES[:3], shards=1, permutations=6, seed=1)


@pytest.mark.parametrize(
    ("shards", "permutations", "said"),
    [(24, 9, "no more than there are lines"), (-1, 9, "one shard or more"), (2, 0, "expected one or more"), (2, 10**7, "fewer than")],
)
def test_slips_of_the_finger(shards: int, permutations: int, said: str) -> None:
    """Numbers that cannot be meant are refused in words."""
    with pytest.raises(UsageError, match=said):
        plan_orders(LINES, shards=shards, permutations=permutations, seed=1)


def test_the_default_number_of_shards() -> None:
    """Fifty shards, or as many as have ten lines each; one at the least."""
    sizes = {n: plan_orders(["x"] * n, shards=0, permutations=9, seed=1).shards for n in (5, 23, 60, 499, 1040)}
    assert sizes == {5: 1, 23: 2, 60: 6, 499: 49, 1040: 50}


def test_the_name_says_what_was_asked() -> None:
    """Another file, another order of it, other numbers or another seed have another name."""
    plans = [
        plan_orders(lines, shards=shards, permutations=permutations, seed=seed)
        for lines, shards, permutations, seed in (
            (LINES, 2, 9, 1),
            (LINES[::-1], 2, 9, 1),
            (LINES[1:], 2, 9, 1),
            (LINES, 3, 9, 1),
            (LINES, 2, 8, 1),
            (LINES, 2, 9, 2),
        )
    ]
    assert len({plan.name for plan in plans}) == len(plans)


def test_another_seed_shuffles_otherwise() -> None:
    """The seed decides the orders, and so does the shard: no two shards are shuffled alike."""
    plan, other = (plan_orders(LINES[:20], shards=2, permutations=3, seed=seed) for seed in (1, 2))
    assert list(shard_orders(plan, 0)) != list(shard_orders(other, 0))
    assert list(shard_orders(plan, 0)) != list(shard_orders(plan, 1))
