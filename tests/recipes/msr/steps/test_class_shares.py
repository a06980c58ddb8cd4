"""Quotas of the classes of words: as asked for, as far as the pool goes."""

from __future__ import annotations

import pytest

from cloze_gen.recipes.msr.steps.class_shares import class_quotas

SHARES = {"noun": 0.5, "verb": 0.3, "adjective": 0.2}


def quotas_of(counts: dict[str, int], *, n: int, shares: dict[str, float] = SHARES) -> dict[str, int]:
    """What is to be chosen of each class, every item in a sentence of its own."""
    classes = [name for name, count in counts.items() for _ in range(count)]
    return dict(class_quotas(classes, [str(i) for i in range(len(classes))], shares=shares, n=n).most)


def test_shares_are_filled_where_the_pool_can() -> None:
    """Each class as asked for."""
    assert quotas_of({"noun": 500, "verb": 500, "adjective": 500}, n=100) == {"noun": 50, "verb": 30, "adjective": 20}


def test_what_a_class_cannot_fill_goes_to_the_others() -> None:
    """No more than two fifths of the ten adjectives, and the set is as large as asked for."""
    found = quotas_of({"noun": 500, "verb": 500, "adjective": 10}, n=100)
    assert found["adjective"] == 4
    assert sum(found.values()) == 100
    assert found["noun"] > 50
    assert found["verb"] > 30


def test_all_are_taken_where_all_are_needed() -> None:
    """A pool of the set's own size gives all it has, whatever was asked."""
    assert quotas_of({"noun": 10, "verb": 80, "adjective": 10}, n=100) == {"noun": 10, "verb": 80, "adjective": 10}


def test_a_class_that_is_not_named_gets_what_is_left() -> None:
    """Half is asked of nouns; the rest goes to what there is."""
    found = quotas_of({"noun": 500, "adverb": 500}, n=100, shares={"noun": 0.5})
    assert found["noun"] >= 50
    assert found["adverb"] > 0
    assert sum(found.values()) == 100


@pytest.mark.parametrize(("classes", "shares"), [(["other"] * 9, SHARES), (["noun"] * 9, {})])
def test_nothing_asked_or_nothing_tagged_is_no_quota(classes: list[str], shares: dict[str, float]) -> None:
    """Without tags there are no classes to share among."""
    assert not class_quotas(classes, [str(i) for i in range(9)], shares=shares, n=5).most
