"""Error rates of scripted judges, estimated without their script."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.judging.error_rates import error_rates
from cloze_gen.judging.rating_table import Ratings
from tests.judging.conftest import binary_ratings

SCRIPT = {"ann": (0.1, 0.05), "bob": (0.2, 0.1), "cyd": (0.05, 0.2), "dot": (0.15, 0.15)}


CAREFUL = {"ann": (0.02, 0.02), "bob": (0.05, 0.03), "cyd": (0.02, 0.1)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "of_each", "positive"), [(SCRIPT, None, 0.3), (SCRIPT, 3, 0.3), (CAREFUL, None, 0.15)], ids=["all", "three", "careful"]
)
def test_the_script_lies_within_the_intervals(script: dict[str, tuple[float, float]], of_each: int | None, positive: float) -> None:
    """Over 100 studies of 400 items, each judged by all or by three of four, and by judges who hardly ever err: the 95 % intervals hold the
    rates and the prevalence in 92 % of all cases, and each of them in 87 %.
    """
    true = np.array([[yes_said_of_no, no_said_of_yes] for no_said_of_yes, yes_said_of_no in script.values()])
    held = []
    for seed in range(100):
        found = error_rates(binary_ratings(script, 400, seed=seed, of_each=of_each, positive=positive)[0], seed=seed, draws=200)
        assert found is not None
        assert (found.judges, found.labels) == (tuple(script), ("no", "yes"))
        low, high = (bound[:, [0, 1], [1, 0]] for bound in (found.confusion_low, found.confusion_high))
        held.append([*((low <= true) & (true <= high)).ravel(), found.prior_low[1] <= positive <= found.prior_high[1]])
    assert np.mean(held) >= 0.92
    assert np.mean(held, axis=0).min() >= 0.87


def test_the_truth_is_better_told_than_by_most() -> None:
    """With one careful judge among careless ones, the posterior errs less often than the majority."""
    script = {"ann": (0.02, 0.02), "bob": (0.35, 0.35), "cyd": (0.35, 0.35)}
    ratings, truth = binary_ratings(script, 1500, seed=2)
    found = error_rates(ratings, seed=1, draws=2)
    assert found is not None
    told = dict(zip(found.units, found.posterior.argmax(axis=1), strict=True))
    wrong = sum(found.labels[told[item,]] != true for (item, true) in truth.items())
    outvoted = sum((sum(label == "yes" for label in ratings[item,].values()) > 1) != (true == "yes") for item, true in truth.items())
    assert wrong < outvoted / 3


def test_labels_keep_their_meaning_with_bad_judges() -> None:
    """The truth called yes is that of which most say yes, even where one judge says the opposite of what is true."""
    ratings, _ = binary_ratings({"ann": (0.1, 0.1), "bob": (0.1, 0.1), "cyd": (0.1, 0.1), "mad": (0.9, 0.9)}, 500, seed=1)
    found = error_rates(ratings, seed=1, draws=50)
    assert found is not None
    diagonal = found.confusion[:, [0, 1], [0, 1]]
    assert (diagonal[:3] > 0.8).all()
    assert (diagonal[3] < 0.2).all()


@pytest.mark.parametrize(
    "ratings",
    [
        {},
        {(str(n),): {"a": "xy"[n % 2], "b": "x"} for n in range(9)},
        {(str(n),): {"a": "x", "b": "x", "c": "x"} for n in range(9)},
        {("1", str(n)): {"a": "x", "b": "y", "c": "xy"[n % 2]} for n in range(9)},
    ],
    ids=["nothing", "two judges", "one label", "one item"],
)
def test_what_cannot_be_told_is_none(ratings: Ratings) -> None:
    """Two judges show no error, one label no alternative, one item no interval."""
    assert error_rates(ratings, seed=1) is None


def test_units_of_one_item_are_drawn_together() -> None:
    """Copies of a unit within its item narrow no interval."""
    once, _ = binary_ratings(SCRIPT, 150, seed=4)
    copied = {(*unit, str(copy)): said for unit, said in once.items() for copy in range(20)}
    one, grouped, alone = (error_rates(once, seed=1), error_rates(copied, seed=1), error_rates(copied, seed=1, group_of="/".join))
    assert one is not None
    assert grouped is not None
    assert alone is not None
    widths = [float((found.confusion_high - found.confusion_low).mean()) for found in (one, grouped, alone)]
    assert widths[1] == pytest.approx(widths[0], rel=0.15)  # of copies half a verdict of smoothing is less
    assert widths[2] < widths[0] / 2
