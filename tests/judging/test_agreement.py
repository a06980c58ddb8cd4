"""Alpha and kappa beside published examples, beside their definitions, and their laws."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from cloze_gen.judging.agreement import (
    krippendorff_alpha,
    middle,
    pairwise_kappas,
    resampled_sums,
)
from tests.judging.conftest import binary_ratings

# Observers one below the other, units from left to right, * where an observer said nothing.
PUBLISHED = [
    # Krippendorff 2011, A: two observers, a binary variable.
    (["0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0"], 0.095),
    # Krippendorff 2011, B: two observers, five labels.
    (["a a b b d c c c e d d a", "b a b b b c c c e d d d"], 0.692),
    # Krippendorff 2011, C: four observers, missing data; units with one value or none are among
    # them.
    (
        [
            "1 2 3 3 2 1 4 1 2 * * *",
            "1 2 3 3 2 2 4 1 2 5 * 3",
            "* 3 3 3 2 3 4 2 2 5 1 *",
            "1 2 3 3 2 4 4 1 2 5 1 *",
        ],
        0.743,
    ),
    # Three coders, fifteen units, mostly missing: the example of Wikipedia's article.
    (
        [
            "* * * * * 3 4 1 2 1 1 3 3 * 3",
            "1 * 2 1 3 3 4 3 * * * * * * *",
            "* * 2 1 3 4 4 * 2 1 1 3 3 * 4",
        ],
        0.691,
    ),
]
RATINGS = st.dictionaries(
    st.integers(0, 30).map(lambda unit: (f"i{unit % 7}", str(unit))),
    st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["x", "y", "z"]), max_size=4),
    max_size=14,
)


def as_ratings(observers):
    """Published lines as ratings."""
    units = zip(*(line.split() for line in observers), strict=True)
    return {
        (f"{n:02}",): {str(who): label for who, label in enumerate(response) if label != "*"}
        for n, response in enumerate(units)
    }


def alpha_by_definition(ratings):
    """1 - D_o / D_e, pair by pair (Krippendorff 2011, C)."""
    pairs = []  # label, other label, weight
    for response in ratings.values():
        pairs += [
            (one, other, 1 / (len(response) - 1))
            for one, other in permutations(response.values(), 2)
        ]
    n = sum(weight for *_, weight in pairs)
    totals = {label: sum(weight for one, _, weight in pairs if one == label) for label, *_ in pairs}
    expected = sum(totals[one] * totals[other] for one, other in permutations(totals, 2))
    if expected == 0:
        return None
    return 1 - (n - 1) * sum(weight for one, other, weight in pairs if one != other) / expected


@pytest.mark.parametrize(("observers", "alpha"), PUBLISHED)
def test_published_examples(observers, alpha):
    """The worked examples come out to their last digit."""
    assert krippendorff_alpha(as_ratings(observers), seed=1).value == pytest.approx(
        alpha, abs=0.0005
    )


@given(RATINGS)
def test_alpha_is_its_definition(ratings):
    found = krippendorff_alpha(ratings, seed=1, draws=20).value
    expected = alpha_by_definition(ratings)
    assert (found is None) == (expected is None)
    assert expected is None or found == pytest.approx(expected)


@given(RATINGS)
def test_nothing_depends_on_the_order_of_verdicts(ratings):
    """Units and judges in any order: the same value and the same interval."""
    backwards = {
        unit: dict(reversed(list(ratings[unit].items()))) for unit in reversed(list(ratings))
    }
    assert krippendorff_alpha(ratings, seed=1, draws=50) == krippendorff_alpha(
        backwards, seed=1, draws=50
    )


def test_what_one_judge_alone_said_changes_nothing():
    ratings = binary_ratings({"a": (0.2, 0.2), "b": (0.2, 0.2)}, 60, seed=3)
    alone = {(f"z{n}",): {"a": "yes"} for n in range(40)}
    assert krippendorff_alpha({**ratings, **alone}, seed=1) == krippendorff_alpha(ratings, seed=1)


@pytest.mark.parametrize(
    "ratings",
    [
        {},
        {("1",): {}},
        {("1",): {"a": "x"}, ("2",): {"b": "y"}},
        {("1",): {"a": "x", "b": "x"}, ("2",): {"a": "x", "b": "x"}},
    ],
)
def test_what_is_not_defined_is_none(ratings):
    """No unit rated twice, or one label only: no value, no interval, no NaN."""
    found = krippendorff_alpha(ratings, seed=1)
    assert (found.value, found.low, found.high) == (None, None, None)


def test_one_group_has_no_interval():
    """Where all units are of one item, nothing can be drawn again; the value stands alone."""
    found = krippendorff_alpha(
        {("i", str(n)): {"a": "xy"[n % 2], "b": "xy"[n % 3 % 2]} for n in range(12)}, seed=1
    )
    assert found.value is not None
    assert (found.low, found.high) == (None, None)


def test_units_of_one_item_are_drawn_together():
    """Thirty copies of each unit: the interval is that of one copy, and not that of 30 items."""
    once = binary_ratings({"a": (0.2, 0.2), "b": (0.2, 0.2)}, 60, seed=3)
    copies = [(unit, copy, said) for unit, said in once.items() for copy in range(30)]
    one, grouped, alone = (
        krippendorff_alpha(once, seed=1),
        krippendorff_alpha({(*unit, str(copy)): said for unit, copy, said in copies}, seed=1),
        krippendorff_alpha({(f"{unit[0]}/{copy}",): said for unit, copy, said in copies}, seed=1),
    )
    width, grouped_width, alone_width = (found.high - found.low for found in (one, grouped, alone))
    assert grouped_width == pytest.approx(width, rel=0.05)
    assert alone_width < width / 3


def test_the_interval_holds_what_it_promises():
    """Over 200 studies of 150 items in no fewer than 90 %."""
    errors = {"a": (0.15, 0.1), "b": (0.1, 0.1), "c": (0.25, 0.05)}
    true = krippendorff_alpha(binary_ratings(errors, 20_000, seed=0), seed=1, draws=2).value
    assert true is not None
    found = [
        krippendorff_alpha(binary_ratings(errors, 150, seed=seed), seed=seed, draws=300)
        for seed in range(1, 201)
    ]
    assert sum(one.low <= true <= one.high for one in found) / len(found) >= 0.9


def test_judges_who_throw_dice_agree_by_chance():
    """Over 60 studies mean alpha is 0 within four standard errors."""
    dice = dict.fromkeys("abc", (0.5, 0.5))
    found = [
        krippendorff_alpha(binary_ratings(dice, 500, seed=seed), seed=1, draws=2).value
        for seed in range(60)
    ]
    assert abs(np.mean(np.array(found, float))) < 4 * 0.026 / np.sqrt(60)


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("xyz")), min_size=1, max_size=30))
def test_kappa_is_scikit_learns(pairs):
    """Two judges over the same units; None where theirs divides nothing by nothing."""
    (found,) = pairwise_kappas(
        {(str(n),): {"a": one, "b": other} for n, (one, other) in enumerate(pairs)}
    )
    assert found.shared == len(pairs)
    if {*pairs} <= {(pairs[0][0], pairs[0][0])}:
        assert found.value is None
    else:
        assert found.value == pytest.approx(cohen_kappa_score(*zip(*pairs, strict=True)))


def test_kappa_is_of_shared_units_alone():
    """Each pair is measured where both judged; a pair that shares nothing is told, without a value."""
    ratings = {
        ("1",): {"a": "x", "b": "x"},
        ("2",): {"a": "y", "b": "y"},
        ("3",): {"b": "x", "c": "y"},
        ("4",): {"c": "x"},
    }
    found = {(one.one, one.other): (one.value, one.shared) for one in pairwise_kappas(ratings)}
    assert found == {("a", "b"): (1.0, 2), ("a", "c"): (None, 0), ("b", "c"): (0.0, 1)}


# ---- sums over resamples of groups, and the middle of what they come to


def test_every_resample_is_as_big_as_the_whole():
    """As many groups are drawn as there are; a group may be drawn several times or never."""
    sums = resampled_sums(np.eye(7), seed=1, purpose="tests", draws=500)
    assert set(sums.sum(axis=1)) == {7.0}
    assert {0.0, 1.0, 2.0} <= set(sums.ravel())
    assert np.allclose(sums.mean(axis=0), 1, atol=0.2)


def test_seed_purpose_and_id_draw_anew():
    """Each of the three alone changes the resamples."""
    calls = [(1, "a", ""), (2, "a", ""), (1, "b", ""), (1, "a", "x")]
    found = [
        resampled_sums(np.eye(9), seed=seed, purpose=purpose, record_id=one, draws=9).tobytes()
        for seed, purpose, one in calls
    ]
    assert len(set(found)) == 4


def test_a_few_undefined_resamples_are_passed_over():
    """Up to a twentieth of them; with more there is no interval."""
    values = np.linspace(0, 1, 101)
    few, many = values.copy(), values.copy()
    few[::30], many[::10] = np.nan, np.nan
    assert middle(few) is not None
    assert middle(many) is None
