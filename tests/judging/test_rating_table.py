"""Ratings as numbers."""

from __future__ import annotations

from cloze_gen.judging.rating_table import NOT_SAID, tabulate


def test_a_table_tells_what_was_said() -> None:
    """Every label is found again at its unit and judge, and what was not said is marked so."""
    ratings = {("b", "2"): {"bob": "no"}, ("a", "1"): {"ann": "yes", "bob": "no"}, ("a", "2"): {}}
    table = tabulate(ratings)
    found = {
        unit: {judge: table.labels[code] for judge, code in zip(table.judges, row, strict=True) if code != NOT_SAID}
        for unit, row in zip(table.units, table.codes.tolist(), strict=True)
    }
    assert found == ratings
    assert [table.group_names[group] for group in table.groups] == ["a", "a", "b"]


def test_nothing_said_is_an_empty_table() -> None:
    """Without units there is a table without rows."""
    table = tabulate({})
    assert (table.codes.shape, table.groups.shape) == ((0, 0), (0,))
