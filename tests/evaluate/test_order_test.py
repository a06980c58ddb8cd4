"""Tests of `cloze_gen.evaluation.order_test`."""

import json
from collections import Counter
from fractions import Fraction
from itertools import permutations as all_orders
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.evaluation.order_test import (
    format_p,
    order_test,
    parse_order_log,
    plan_orders,
    prompt_texts,
    rank_sum_p,
    shard_orders,
)
from tests.support.errors import refused

# ---- the test


# quarters: sums of them are exact, and ties come often
VALUES = arrays(
    np.float64,
    st.tuples(st.integers(1, 5), st.integers(2, 6)),
    elements=st.integers(-40, -1).map(lambda value: value / 4),
)


@pytest.mark.parametrize(
    ("shards", "permutations"), [(1, 1), (1, 6), (2, 5), (3, 3), (4, 4), (6, 2)]
)
def test_rank_sums_are_counted_as_by_enumeration(shards, permutations):
    """P(sum >= s) is the share of all tuples of ranks whose sum is s or more, for every s."""
    sums = [sum(ranks) for ranks in product(range(permutations + 1), repeat=shards)]
    for observed in range(shards * permutations + 1):
        share = Fraction(sum(one >= observed for one in sums), len(sums))
        assert rank_sum_p(observed, shards=shards, permutations=permutations) == share


def test_many_shards_lose_no_digit():
    """Two hundred shards of a thousand orders: a sum of floats would lose the tails."""
    assert rank_sum_p(200 * 999, shards=200, permutations=999) == Fraction(1, 1000**200)
    assert rank_sum_p(200 * 999 - 1, shards=200, permutations=999) == Fraction(201, 1000**200)
    half = rank_sum_p(100 * 999 + 1, shards=200, permutations=999)
    assert half + rank_sum_p(100 * 999, shards=200, permutations=999) == 1


def test_one_shard_is_the_permutation_test():
    """p = (1 + shuffles at least as likely) / (R + 1)."""
    test = order_test(np.array([[-10.0, -11.0, -10.0, -9.0, -12.0]]))
    assert test.exact_p == Fraction(3, 5)
    assert test.tied_count == 1


@pytest.mark.parametrize(("shards", "permutations"), [(1, 19), (5, 19), (8, 4)])
def test_no_more_false_alarms_than_promised(shards, permutations):
    rng = np.random.default_rng(11)
    found = [order_test(rng.normal(-50, 2, (shards, permutations + 1))) for _ in range(4000)]
    ps = np.array([float(test.exact_p) for test in found])
    for level in (0.05, 0.1, 0.5):
        share = float(np.mean(ps <= level))
        assert share <= level + 4 * (level * (1 - level) / len(ps)) ** 0.5
    assert float(np.mean([float(test.exact_p) <= 0.5 for test in found])) > 0.4


@pytest.mark.parametrize("kinds", [1, 2, 3])
def test_ties_raise_no_false_alarm(kinds):
    """A model that gives only a few different values still keeps to the promise."""
    rng = np.random.default_rng(13)
    ps = np.array(
        [float(order_test(-1.0 - rng.integers(0, kinds, (4, 10))).exact_p) for _ in range(2000)]
    )
    for level in (0.05, 0.1, 0.5):
        assert np.mean(ps <= level) <= level + 4 * (level * (1 - level) / len(ps)) ** 0.5


@given(VALUES)
def test_p_is_a_probability(values):
    """p lies in (0, 1] and is at least what the number of orders allows."""
    test = order_test(values)
    shards, orders = values.shape
    assert Fraction(1, orders**shards) <= test.exact_p <= 1


@given(VALUES, st.integers(0, 4), st.integers(1, 80))
def test_a_likelier_published_order_never_raises_p(values, shard, quarters):
    """Where a shard's published order gets likelier, p does not get larger."""
    raised = values.copy()
    raised[shard % len(values), 0] += quarters / 4
    before, after = order_test(values), order_test(raised)
    assert after.exact_p <= before.exact_p


@given(VALUES, st.integers(0, 100))
def test_what_does_not_matter(values, constant):
    test = order_test(values)
    shifted = values - constant * np.arange(1, len(values) + 1)[:, None]
    assert order_test(shifted).ranks == test.ranks
    assert order_test(values * 4).exact_p == order_test(values / 4).exact_p == test.exact_p
    assert order_test(values[::-1]).exact_p == test.exact_p
    assert order_test(np.hstack([values[:, :1], values[:, :0:-1]])).ranks == test.ranks


def test_rounding_is_no_preference():
    """Sums in another order differ in the last digits and must tie."""
    values = -1000.1 + 1e-12 * np.random.default_rng(3).normal(size=(4, 20))
    values[:, 0] = values.max(axis=1) + 1e-13
    test = order_test(values)
    assert (test.exact_p, test.tied_count) == (1, 4)


def test_a_seen_order_is_found():
    """Above all its nine shuffles in each of six shards: one in a million."""
    values = np.tile(np.array([-10.0] + [-11.0 - n for n in range(9)]), (6, 1))
    assert format_p(order_test(values).exact_p) == "1.0e-06"


# ---- orders


LINES = [f'{{"id": "{n}"}}' for n in range(23)]


@given(n=st.integers(6, 60), shards=st.integers(1, 2), seed=st.integers(0, 9))
def test_shards_are_the_file(n, shards, seed):
    lines = [f"line {one}" for one in range(n)]
    plan = plan_orders(lines, shards=shards, permutations=4, seed=seed)
    texts = dict(prompt_texts(lines, plan))
    assert "".join(texts[plan.id(shard, 0)] for shard in range(shards)) == "".join(
        f"{line}\n" for line in lines
    )
    assert len(texts) == shards * 5
    assert max(plan.sizes) - min(plan.sizes) <= 1
    for shard in range(shards):
        own = [texts[plan.id(shard, order)].splitlines() for order in range(5)]
        assert len({tuple(one) for one in own}) == 5
        assert len({tuple(sorted(one)) for one in own}) == 1


def test_every_order_has_one_chance():
    """Of three lines each of the five other orders is drawn first equally often."""
    first = Counter(
        tuple(list(shard_orders(plan_orders(LINES[:3], shards=1, permutations=5, seed=seed), 0))[1])
        for seed in range(1000)
    )
    assert set(first) == set(all_orders(range(3))) - {(0, 1, 2)}
    assert all(150 < count < 250 for count in first.values())


def test_as_many_orders_as_there_are():
    """Three lines have five other orders: all five can be asked for, six cannot."""
    plan = plan_orders(LINES[:3], shards=1, permutations=5, seed=1)
    assert sorted(map(tuple, shard_orders(plan, 0))) == sorted(all_orders(range(3)))
    refused(
        lambda: plan_orders(LINES[:3], shards=1, permutations=6, seed=1),
        UsageError,
        names="a shard of 3 lines",
    )


@pytest.mark.parametrize(("shards", "permutations"), [(24, 9), (-1, 9), (2, 0), (2, 10**7)])
def test_impossible_plan_is_refused(shards, permutations):
    refused(
        lambda: plan_orders(LINES, shards=shards, permutations=permutations, seed=1), UsageError
    )


def test_the_default_number_of_shards():
    """Fifty shards, or as many as have ten lines each; one at the least."""
    sizes = {
        n: plan_orders(["x"] * n, shards=0, permutations=9, seed=1).shards
        for n in (5, 23, 60, 499, 1040)
    }
    assert sizes == {5: 1, 23: 2, 60: 6, 499: 49, 1040: 50}


def test_the_name_says_what_was_asked():
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


def test_another_seed_shuffles_otherwise():
    """The seed decides the orders, and so does the shard: no two shards are shuffled alike."""
    plan, other = (plan_orders(LINES[:20], shards=2, permutations=3, seed=seed) for seed in (1, 2))
    assert list(shard_orders(plan, 0)) != list(shard_orders(other, 0))
    assert list(shard_orders(plan, 0)) != list(shard_orders(plan, 1))


# ---- order log


LINES_OF_ORDER_LOG = [f"line {n}" for n in range(11)]
PLAN = plan_orders(LINES_OF_ORDER_LOG, shards=2, permutations=3, seed=7)
GOOD = [
    json.dumps({"id": PLAN.id(shard, order), "log_likelihood": -10.5 * shard - order})
    for shard in range(2)
    for order in range(4)
]
EXPECTED = np.array([[0, -1, -2, -3], [-10.5, -11.5, -12.5, -13.5]])


@given(st.permutations(GOOD), st.sampled_from(["\n", "\r\n", "\n\n"]), st.booleans())
def test_lines_in_any_order(lines, end, mark):
    plan, values = parse_order_log(
        "\ufeff" * mark + end.join(lines) + end, LINES_OF_ORDER_LOG, name="log"
    )
    assert plan == PLAN
    assert np.array_equal(values, EXPECTED)


def test_what_stands_beside_is_passed_over():
    """A log may repeat the text, or tell more."""
    lines = [json.dumps(json.loads(line) | {"text": "x", "tokens": 12}) for line in GOOD]
    assert np.array_equal(
        parse_order_log("\n".join(lines), LINES_OF_ORDER_LOG, name="log")[1], EXPECTED
    )


def changed(place, **values):
    return "\n".join(
        [*GOOD[:place], json.dumps(json.loads(GOOD[place]) | values), *GOOD[place + 1 :]]
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("\n \n", "the file is empty"),
        ("\n".join(GOOD[:5]), ":1:1"),
        ("\n".join([*GOOD, GOOD[2]]), "line 9"),
        (changed(2, id=PLAN.id(0, 4)), "line 3"),
        (changed(2, id=PLAN.id(2, 0)), "line 3"),
        (changed(2, id=PLAN.id(0, 2).replace(":0:2", ":00:2")), "line 3"),
        (changed(2, id=PLAN.id(0, 2).replace("-s7-", "-s8-")), "line 3"),
        (changed(0, id="0:0"), "line 1"),
        (changed(0, id=PLAN.id(0, 0).replace(PLAN.digest, "0" * 12)), "another file"),
        (changed(0, id=f"9999999x9999999-s1-{PLAN.digest}:0:0"), "another file"),
        (changed(0, id=f"0x3-s7-{PLAN.digest}:0:0"), "another file"),
        (GOOD[0].replace("-s7-", "-s٧-"), "line 1"),
        (changed(1, id=7), "line 2"),
        (changed(1, log_likelihood=True), "line 2"),
        (changed(1, log_likelihood=[-1]), "line 2"),
        (changed(1, log_likelihood=float("nan")), "line 2"),
        (changed(1, log_likelihood=-(10**400)), "line 2"),
        (changed(1, log_likelihood=12.5), "at most 0"),
        ("\n".join([GOOD[0], '{"id": "a"}']), "line 2"),
        ("\n".join([GOOD[0], "{"]), "line 2"),
    ],
)
def test_wrong_log_is_refused(text, names):
    refused(lambda: parse_order_log(text, LINES_OF_ORDER_LOG, name="log"), FormatError, names=names)


def test_a_log_of_another_order_of_the_lines():
    """The log of a release is refused for the same lines in another order."""
    reordered = LINES_OF_ORDER_LOG[::-1]
    refused(lambda: parse_order_log("\n".join(GOOD), reordered, name="log"), FormatError)
