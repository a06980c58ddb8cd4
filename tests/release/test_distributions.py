"""The distributions of a report."""

import pytest

from cloze_gen.release import distributions


def labels(distribution):
    return [label for label, _ in distribution.rows]


def test_frequencies_share_their_ranges():
    """The rare and the frequent of both are in one table; a count of 0 is in the first range."""
    found = distributions.frequencies([1e-6, 1e-6, 4e-5], [0.0, 3e-6])
    assert labels(found)[0] == "0 to 0.001"
    assert labels(found)[-1] == "20 to 50"
    shares = dict(found.rows)
    assert shares["1 to 2"] == pytest.approx((2 / 3, 0))
    assert shares["2 to 5"] == pytest.approx((0, 1 / 2))
    assert [sum(column) for column in zip(*shares.values(), strict=True)] == pytest.approx([1, 1])
    assert "1 (answers) and 1.5 (impostors)" in found.caption


def test_lengths_have_a_few_ranges():
    one = distributions.lengths([7, 7, 9], caption="", noun="questions")
    assert one.rows == (("7", (2 / 3,)), ("8", (0.0,)), ("9", (1 / 3,)))
    many = distributions.lengths(range(10, 110), caption="", noun="passages")
    assert labels(many)[:2] == ["10 to 16", "17 to 23"]
    assert len(many.rows) <= 16
    assert sum(share for _, (share,) in many.rows) == pytest.approx(1)


def test_positions_of_answers_and_blanks():
    assert distributions.positions([3, 0, 1]).rows == (
        ("a", (0.75,)),
        ("b", (0.0,)),
        ("c", (0.25,)),
    )
    blanks = distributions.blank_places([0.0, 0.3, 1.0, 1.0])
    assert labels(blanks)[0] == "0 to 10 %"
    assert blanks.rows[3] == ("30 to 40 %", (0.25,))
    assert blanks.rows[-1] == ("90 to 100 %", (0.5,))
    assert blanks.largest == 0.5
