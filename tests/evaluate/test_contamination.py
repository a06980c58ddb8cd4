"""Tests of `cloze_gen.evaluation.contamination`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from itertools import permutations as all_orders
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import ttest_1samp

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.evaluation.contamination import (
    changed_junctions,
    detect_ordering,
    detectable_gain,
    format_p,
    order_power,
    order_test,
    parse_order_log,
    plan_orders,
    prompt_texts,
    rank_sum_p,
    shard_orders,
)
from cloze_gen.rng import derive_rng

# ---- contamination


VALUES = arrays(
    np.float64,
    st.tuples(st.integers(1, 5), st.integers(2, 6)),
    elements=st.integers(-40, -1).map(lambda value: value / 4),
)  # quarters: sums of them are exact, and ties come often


@pytest.mark.parametrize(
    ("shards", "permutations"), [(1, 1), (1, 6), (2, 5), (3, 3), (4, 4), (6, 2)]
)
def test_rank_sums_are_counted_as_by_enumeration(shards: int, permutations: int) -> None:
    """P(sum >= s) is the share of all tuples of ranks whose sum is s or more, for every s."""
    sums = [sum(ranks) for ranks in product(range(permutations + 1), repeat=shards)]
    for observed in range(shards * permutations + 1):
        share = Fraction(sum(one >= observed for one in sums), len(sums))
        assert rank_sum_p(observed, shards=shards, permutations=permutations) == share


def test_many_shards_lose_no_digit() -> None:
    """Two hundred shards of a thousand orders: a sum of floats would lose the tails."""
    assert rank_sum_p(200 * 999, shards=200, permutations=999) == Fraction(1, 1000**200)
    assert rank_sum_p(200 * 999 - 1, shards=200, permutations=999) == Fraction(201, 1000**200)
    half = rank_sum_p(100 * 999 + 1, shards=200, permutations=999)
    assert half + rank_sum_p(100 * 999, shards=200, permutations=999) == 1


def test_one_shard_is_the_permutation_test() -> None:
    """p = (1 + shuffles at least as likely) / (R + 1), and there is no t."""
    test = order_test(np.array([[-10.0, -11.0, -10.0, -9.0, -12.0]]))
    assert test.exact_p == test.whole_p == Fraction(3, 5)
    assert test.tied_count == 1
    assert test.t is None


def test_the_paper_s_t() -> None:
    """The t statistic and its one-sided p are those of scipy's test on the gains of the shards."""
    values = np.random.default_rng(5).normal(-100, 3, (7, 20))
    test = order_test(values)
    theirs = ttest_1samp(values[:, 0] - values[:, 1:].mean(axis=1), 0, alternative="greater")
    assert test.t == pytest.approx(theirs.statistic)
    assert test.t_p == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize(("shards", "permutations"), [(1, 19), (5, 19), (8, 4)])
def test_no_more_false_alarms_than_promised(shards: int, permutations: int) -> None:
    rng = np.random.default_rng(11)
    found = [order_test(rng.normal(-50, 2, (shards, permutations + 1))) for _ in range(4000)]
    for level in (0.05, 0.1, 0.5):
        for ps in (
            [float(test.exact_p) for test in found],
            [float(test.whole_p) for test in found],
        ):
            share = float(np.mean(np.array(ps) <= level))
            assert share <= level + 4 * (level * (1 - level) / len(ps)) ** 0.5
    assert float(np.mean([float(test.exact_p) <= 0.5 for test in found])) > 0.4


@pytest.mark.parametrize("kinds", [1, 2, 3])
def test_ties_raise_no_false_alarm(kinds: int) -> None:
    """A model that gives only a few different values still keeps to the promise."""
    rng = np.random.default_rng(13)
    ps = np.array(
        [float(order_test(-1.0 - rng.integers(0, kinds, (4, 10))).exact_p) for _ in range(2000)]
    )
    for level in (0.05, 0.1, 0.5):
        assert np.mean(ps <= level) <= level + 4 * (level * (1 - level) / len(ps)) ** 0.5


@given(VALUES)
def test_p_is_a_probability(values: np.ndarray) -> None:
    """Both exact p lie in (0, 1]; they are at least what the number of orders allows."""
    test = order_test(values)
    shards, orders = values.shape
    assert Fraction(1, orders**shards) <= test.exact_p <= 1
    assert Fraction(1, orders) <= test.whole_p <= 1


@given(VALUES, st.integers(0, 4), st.integers(1, 80))
def test_a_likelier_published_order_never_raises_p(
    values: np.ndarray, shard: int, quarters: int
) -> None:
    """Where a shard's published order gets likelier, neither exact p gets larger."""
    raised = values.copy()
    raised[shard % len(values), 0] += quarters / 4
    before, after = order_test(values), order_test(raised)
    assert after.exact_p <= before.exact_p
    assert after.whole_p <= before.whole_p


@given(VALUES, st.randoms(use_true_random=False), st.integers(0, 100))
def test_what_does_not_matter(values: np.ndarray, random: object, constant: int) -> None:
    test = order_test(values)
    shifted = values - constant * np.arange(1, len(values) + 1)[:, None]
    assert order_test(shifted).ranks == test.ranks
    assert order_test(shifted).whole_p == test.whole_p
    assert order_test(values * 4).exact_p == order_test(values / 4).exact_p == test.exact_p
    assert order_test(values[::-1]).exact_p == test.exact_p
    assert order_test(np.hstack([values[:, :1], values[:, :0:-1]])).ranks == test.ranks


def test_rounding_is_no_preference() -> None:
    """Sums in another order differ in the last digits and must tie."""
    values = -1000.1 + 1e-12 * np.random.default_rng(3).normal(size=(4, 20))
    values[:, 0] = values.max(axis=1) + 1e-13
    test = order_test(values)
    assert (test.exact_p, test.whole_p, test.t, test.tied_count) == (1, 1, None, 4)


def test_a_seen_order_is_found() -> None:
    """Above all its nine shuffles in each of six shards: one in a million."""
    values = np.tile(np.array([-10.0] + [-11.0 - n for n in range(9)]), (6, 1))
    assert format_p(order_test(values).exact_p) == "1.0e-06"


# ---- power


def simulated_power() -> list[tuple[int, int, int, float, float]]:
    """Lines, shards, permutations, gain and power of benchmarks/contamination_power.py."""
    text = (Path(__file__).parents[2] / "docs" / "figures" / "contamination.jsonl").read_text()
    keys = ("n", "shards", "permutations", "gain", "exact_0.05")
    rows = map(json.loads, text.splitlines())
    return [tuple(row[key] for key in keys) for row in rows if "null" not in row]


def test_power_is_that_of_the_simulation() -> None:
    """Each of 216 cells of 400 simulated models: within four standard errors."""
    cells = simulated_power()
    assert len(cells) == 216
    for *design, power in cells:
        found = order_power(*design)
        assert abs(found - power) < 4 * (found * (1 - found) / 400) ** 0.5 + 0.005, design


@pytest.mark.parametrize(
    ("design", "power"),
    [
        # 1,000 simulated models each
        ((12, 1, 19, 0.5), 0.417),
        ((42, 4, 3, 0.5), 0.498),
        ((1040, 50, 1, 0.1), 0.45),
        ((1040, 50, 99, 0.1), 0.91),
        ((42, 4, 1, 5.0), 0.0),
        ((42, 1, 9, 5.0), 0.0),
        ((1040, 50, 19, 0.0), 0.05),
    ],
)
def test_power_depends_on_shards_and_permutations(
    design: tuple[int, int, int, float], power: float
) -> None:
    assert order_power(*design) == pytest.approx(power, abs=0.015)


@pytest.mark.parametrize(
    "design", [(42, 4, 99), (1040, 50, 1), (1040, 50, 99), (9000, 1, 999), (10**6, 10**4, 99)]
)
def test_the_detectable_gain_has_a_power_of_90_percent(design: tuple[int, int, int]) -> None:
    gain = detectable_gain(*design)
    assert gain is not None
    assert 0.88 < order_power(*design, 0.98 * gain) < 0.91
    assert 0.9 <= order_power(*design, gain) < 0.92


def test_the_gain_of_a_simulated_model_is_measured() -> None:
    """In spreads of a junction: the model prefers each published pair of neighbours by 0.5."""
    plan = plan_orders([str(n) for n in range(200)], shards=10, permutations=19, seed=3)
    values = np.full((10, 20), -500.0)
    rng = np.random.default_rng(3)
    for shard in range(10):
        pairs = 2 * rng.normal(size=(20, 20)) + 2 * 0.5 * np.eye(20, k=1)
        for order, places in enumerate(shard_orders(plan, shard)):
            values[shard, order] += sum(pairs[one, other] for one, other in pairwise(places))
    test = order_test(values)
    changed = changed_junctions(20)
    assert test.error is not None
    assert abs(test.gain / changed / 2 - 0.5) < test.error / changed / 2 < 0.3
    assert test.spread / changed**0.5 == pytest.approx(2, rel=0.1)


def test_no_gain_is_detectable_where_p_cannot_be_small() -> None:
    assert detectable_gain(42, 1, 9) is None


# ---- exchangeable


WORDS = [f"w{n}" for n in range(300)]


def lines(count: int, **fields: Sequence[object]) -> list[str]:
    """JSON lines of random words; a field's value is that of its list at the line's place."""
    rng = derive_rng(4, "test.lines", str(count))
    texts = [" ".join(WORDS[word] for word in rng.integers(0, 300, 12)) for _ in range(count)]
    return [
        json.dumps({"text": text, **{name: values[place] for name, values in fields.items()}})
        for place, text in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"n": range(30)}, "sorted by 'n'"),
        ({"n": range(30, 0, -1)}, "sorted by 'n'"),
        ({"id": [f"book:{n}:x" for n in range(85, 115)]}, "sorted by 'id'"),
        ({"book": ["b"] * 10 + ["c"] * 10 + ["a"] * 10}, "grouped by 'book'"),
        ({"score": [n / 7 for n in range(30)]}, "sorted by 'score'"),
        ({"n": [10**40 + n for n in range(30)]}, "sorted by 'n'"),
        ({"\x1b[2J" + "n" * 500: range(30)}, "sorted by '\\x1b[2J" + "n" * 51 + "..."),
    ],
)
def test_arranged_lines_are_found(fields: dict[str, Sequence[object]], said: str) -> None:
    """Sorted either way, by numbers within ids too, and grouped in any order of groups."""
    assert detect_ordering(lines(30, **fields)) == said


def test_numbered_lines_are_found() -> None:
    """A file whose lines begin with their numbers, as printed questions do."""
    assert (
        detect_ordering([f"{n}) {line}" for n, line in enumerate(lines(30), 1)])
        == "sorted by the lines themselves"
    )


def test_options_side_by_side_are_found() -> None:
    """Five lines of a question, alike but for a word, one after the other; shuffled, they pass."""
    of_options = [f"{line} {option}" for line in lines(20) for option in "abcde"]
    assert detect_ordering(of_options) == "each next to similar lines"
    assert (
        detect_ordering([of_options[place] for place in derive_rng(1, "test").permutation(100)])
        is None
    )


@given(st.integers(2, 60), st.integers(0, 10**6))
def test_shuffled_lines_pass(n: int, seed: int) -> None:
    """Lines in random order are not refused, few or many, whatever stands in them."""
    arranged = lines(n, n=range(n), book=["a"] * (n // 2) + ["b"] * (n - n // 2), same=[1] * n)
    assert (
        detect_ordering(
            [arranged[place] for place in derive_rng(seed, "test.shuffle").permutation(n)]
        )
        is None
    )


@pytest.mark.parametrize("field", ['"n": NaN', '"n": 1, "n": 2'])
def test_a_field_that_is_not_strict_json_hides_no_order(field: str) -> None:
    """Python reads such lines, so they can be sorted by another of their fields."""
    assert (
        detect_ordering([f'{{{field}, "id": {place}}}' for place in range(30)]) == "sorted by 'id'"
    )


@pytest.mark.parametrize(
    "hostile",
    [
        ["x"] * 50,
        ["[" * 5000] * 20,
        ["9" * 5000, "1"] * 10,
        ['{"n": NaN}'] * 20,
        ['{"n": 1}', '{"n": "1"}'] * 10,
        ['{"n": 1}', "{}"] * 10,
    ],
)
def test_strange_lines_are_no_sign(hostile: list[str]) -> None:
    """Lines that are equal, no JSON, or of mixed types are looked at without an error."""
    assert detect_ordering(hostile) is None


# ---- orders


LINES = [f'{{"id": "{n}"}}' for n in range(23)]


@given(n=st.integers(6, 60), shards=st.integers(1, 2), seed=st.integers(0, 9))
def test_shards_are_the_file(n: int, shards: int, seed: int) -> None:
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


def test_every_order_has_one_chance() -> None:
    """Of three lines each of the five other orders is drawn first equally often."""
    first = Counter(
        tuple(list(shard_orders(plan_orders(LINES[:3], shards=1, permutations=5, seed=seed), 0))[1])
        for seed in range(1000)
    )
    assert set(first) == set(all_orders(range(3))) - {(0, 1, 2)}
    assert all(150 < count < 250 for count in first.values())


def test_as_many_orders_as_there_are() -> None:
    """Three lines have five other orders: all five can be asked for, six cannot."""
    plan = plan_orders(LINES[:3], shards=1, permutations=5, seed=1)
    assert sorted(map(tuple, shard_orders(plan, 0))) == sorted(all_orders(range(3)))
    with pytest.raises(
        UsageError, match="a shard of 3 lines has only 5 shuffled orders, fewer than 6 permutations"
    ):
        plan_orders(LINES[:3], shards=1, permutations=6, seed=1)


@pytest.mark.parametrize(
    ("shards", "permutations", "said"),
    [
        (24, 9, "between 1 and"),
        (-1, 9, "between 1 and"),
        (2, 0, "at least 1 permutation"),
        (2, 10**7, "fewer than"),
    ],
)
def test_slips_of_the_finger(shards: int, permutations: int, said: str) -> None:
    """Numbers that cannot be meant are refused in words."""
    with pytest.raises(UsageError, match=said):
        plan_orders(LINES, shards=shards, permutations=permutations, seed=1)


def test_the_default_number_of_shards() -> None:
    """Fifty shards, or as many as have ten lines each; one at the least."""
    sizes = {
        n: plan_orders(["x"] * n, shards=0, permutations=9, seed=1).shards
        for n in (5, 23, 60, 499, 1040)
    }
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
def test_lines_in_any_order(lines: list[str], end: str, mark: bool) -> None:
    plan, values = parse_order_log(
        "\ufeff" * mark + end.join(lines) + end, LINES_OF_ORDER_LOG, name="log"
    )
    assert plan == PLAN
    assert np.array_equal(values, EXPECTED)


def test_what_stands_beside_is_passed_over() -> None:
    """A log may repeat the text, or tell more."""
    lines = [json.dumps(json.loads(line) | {"text": "x", "tokens": 12}) for line in GOOD]
    assert np.array_equal(
        parse_order_log("\n".join(lines), LINES_OF_ORDER_LOG, name="log")[1], EXPECTED
    )


def changed(place: int, **values: object) -> str:
    return "\n".join(
        [*GOOD[:place], json.dumps(json.loads(GOOD[place]) | values), *GOOD[place + 1 :]]
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "log: the file is empty"),
        ("\n \n", "log: the file is empty"),
        ("\n".join(GOOD[:5]), r"log: 3 of 8 texts have no answer \(first: .*:1:1\);"),
        ("\n".join([*GOOD, GOOD[2]]), r"log, line 9: .*:0:2 already has an answer on line 3"),
        (changed(2, id=PLAN.id(0, 4)), r"log, line 3: .* does not belong to the requests"),
        (changed(2, id=PLAN.id(2, 0)), r"log, line 3: .* does not belong to the requests"),
        (
            changed(2, id=PLAN.id(0, 2).replace(":0:2", ":00:2")),
            r"log, line 3: .* does not belong to the requests",
        ),
        (
            changed(2, id=PLAN.id(0, 2).replace("-s7-", "-s8-")),
            r"log, line 3: .* does not belong to the requests",
        ),
        (
            changed(0, id="0:0"),
            r"log, line 1: unknown id '0:0'; use the ids that --requests writes",
        ),
        (
            changed(0, id=PLAN.id(0, 0).replace(PLAN.digest, "0" * 12)),
            r"log, line 1: .* another file or another order",
        ),
        (
            changed(0, id=f"9999999x9999999-s1-{PLAN.digest}:0:0"),
            r"log, line 1: .* another file",
        ),
        (changed(0, id=f"0x3-s7-{PLAN.digest}:0:0"), r"log, line 1: .* another file"),
        (changed(1, id=7), r"log, line 2: expected \{"),
        (
            changed(1, log_likelihood="-3"),
            r"log, line 2: log_likelihood '-3' is not a finite number",
        ),
        (
            changed(1, log_likelihood=True),
            r"log, line 2: log_likelihood True is not a finite number",
        ),
        (
            changed(1, log_likelihood=None),
            r"log, line 2: log_likelihood None is not a finite number",
        ),
        (changed(1, log_likelihood=[-1]), r"log, line 2: .* is not a finite number"),
        (
            changed(1, log_likelihood=float("nan")),
            r"log, line 2: not JSON \(NaN is no number of JSON\)",
        ),
        (
            GOOD[0] + "\n" + GOOD[1].replace("{", '{"log_likelihood": -9, '),
            r"log, line 2: not JSON \(the key 'log_likelihood' is there twice\)",
        ),
        (
            changed(1, log_likelihood=float("-inf")),
            r"log, line 2: not JSON \(-Infinity is no number of JSON\)",
        ),
        (changed(1, log_likelihood=-(10**400)), r"log, line 2: .* is not a finite number"),
        (
            changed(1, log_likelihood=12.5),
            r"log, line 2: .* is above 0; change the sign",
        ),
        ("\n".join([GOOD[0], "[1]"]), r"log, line 2: expected \{"),
        ("\n".join([GOOD[0], '{"id": "a"}']), r"log, line 2: expected \{"),
        ("\n".join([GOOD[0], "{"]), r"log, line 2: not JSON"),
        ("[" * 5000, r"log, line 1: not JSON \(nested too deep\)"),
        (GOOD[0].replace("-s7-", "-s٧-"), r"log, line 1: .* use the ids that --requests writes"),
    ],
)
def test_wrong_logs_are_told(text: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        parse_order_log(text, LINES_OF_ORDER_LOG, name="log")


def test_a_log_of_another_order_of_the_lines() -> None:
    """The log of a release is refused for the same lines in another order."""
    with pytest.raises(FormatError, match="another order"):
        parse_order_log("\n".join(GOOD), LINES_OF_ORDER_LOG[::-1], name="log")
