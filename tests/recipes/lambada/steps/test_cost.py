"""What guessing costs."""

from __future__ import annotations

import pytest

from cloze_gen.recipes.lambada.steps.cost import PAPER_DROPPED, expected_cost, spent
from cloze_gen.recipes.lambada.steps.guessing import GuessingSettings
from cloze_gen.records.judgement import Assignment, Kind


def shown(judge: str, condition: str, n: int, kind: Kind = Kind.FIRST) -> list[Assignment]:
    """That many items that a judge was shown, from the first of the study."""
    return [Assignment(f"{judge}{condition}{i}", judge, f"b:{i}", condition, kind, i) for i in range(n)]


def test_the_papers_own_cost_comes_out() -> None:
    """On its shares and pay $0.79 are explained of the $1.24 that an item cost; one in 25 is kept."""
    listed = expected_cost(25, GuessingSettings(fee_factor=1))
    assert listed.kept == pytest.approx(1)
    assert listed.usd_per_kept == pytest.approx(0.79, abs=0.005)
    assert expected_cost(25, GuessingSettings()).usd_per_kept == pytest.approx(1.24, abs=0.005)
    assert sum(PAPER_DROPPED) == pytest.approx(0.96)


def test_pages_are_paid_whole() -> None:
    """Of each judge and condition the begun one too, at its price, with fees; a passage that two have read is one passage."""
    cost = spent(
        [*shown("ann", "passage", 11), *shown("bob", "passage", 10), *shown("cid", "sentence", 21)],
        kept=3,
        settings=GuessingSettings(fee_factor=2),
    )
    assert (cost.pages, cost.passages) == ((3, 2), 11)
    assert cost.usd == pytest.approx(2 * (3 * 0.22 + 2 * 0.15))
    assert cost.usd_per_kept == pytest.approx(cost.usd / 3)


def test_checks_of_attention_are_on_the_pages_of_others() -> None:
    """A page with one more is one page."""
    page = [*shown("ann", "passage", 10), *shown("ann", "passage", 2, Kind.ATTENTION)]
    assert spent(page, kept=0, settings=GuessingSettings()).pages == (1, 0)
