"""The feature tables."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.formats.scde.features import COLUMNS, FeatureTable, feature_lines
from cloze_gen.records.blanked_passage import BlankedPassage

# Blanks 1 and 2 stand side by side, blank 3 ends the passage; a stray full stop stands behind blank 2.
PASSAGE = BlankedPassage("b:4", ("a.", "x.", "y.", ".", "b.", "c.", "z."), (1, 2, 6), ("y.", "d.", "x.", "z."), (2, 0, 3))


def rows(table: FeatureTable, passage: BlankedPassage = PASSAGE) -> list[tuple[str, ...]]:
    header, *lines = feature_lines([passage], table)
    assert header.split("\t") == list(COLUMNS)
    return [tuple(line.split("\t")) for line in lines]


def contexts(table: FeatureTable) -> dict[str, list[str]]:
    """Blank -> what stands beside the candidate `d.`, the candidate as it is placed."""
    found: dict[str, list[str]] = {}
    for name, before, behind, _ in rows(table):
        passage, blank, candidate = name.rsplit(":", 2)
        if (passage, candidate) == ("b:4", "1"):
            found.setdefault(blank, []).append(f"{before}|{behind}")
    return found


def test_the_order_of_the_text_is_kept() -> None:
    """What comes before the blank stands before the candidate; blanks and stray marks are no part of it; a side with nothing has no row."""
    assert contexts(FeatureTable.SP) == {"1": ["a.|d."], "2": ["a.|d."], "3": ["c.|d."]}
    assert contexts(FeatureTable.SN) == {"1": ["d.|b."], "2": ["d.|b."]}
    assert contexts(FeatureTable.AP) == {"1": ["a.|d."], "2": ["a.|d."], "3": ["a. b. c.|d."]}
    assert contexts(FeatureTable.AN) == {"1": ["d.|b. c."], "2": ["d.|b. c."]}


@pytest.mark.parametrize(("both", "one", "other"), [("spn", "sp", "sn"), ("apn", "ap", "an")])
def test_two_sides_are_two_rows(both: str, one: str, other: str) -> None:
    """A two-sided table holds the rows of its sides, those of one pair under one id, before first."""
    found = rows(FeatureTable(both))
    assert sorted(found) == sorted(rows(FeatureTable(one)) + rows(FeatureTable(other)))
    assert contexts(FeatureTable(both))["1"] == contexts(FeatureTable(one))["1"] + contexts(FeatureTable(other))["1"]


@pytest.mark.parametrize("table", FeatureTable)
def test_zero_is_right(table: FeatureTable) -> None:
    """Of the candidates of one blank and side exactly the answer has label 0, the others 1."""
    labels = {(name.split(":")[2], name.split(":")[3]): label for name, _, _, label in rows(table)}
    right = {("1", "2"), ("2", "0"), ("3", "3")}
    assert {pair for pair, label in labels.items() if label == "0"} == {pair for pair in labels if pair in right}
    assert set(labels.values()) == {"0", "1"}


@given(st.text(max_size=20), st.sampled_from(FeatureTable))
def test_no_text_breaks_a_row(text: str, table: FeatureTable) -> None:
    """Tabs, line ends and control characters become blanks: however a reader breaks lines, a row has four cells."""
    hostile = BlankedPassage(f"a\tb{text}", (f"x {text}", "y", f"z {text}"), (1,), ("y", f"w {text}"), (0,))
    lines = list(feature_lines([hostile], table))
    assert "\n".join(lines).splitlines() == lines
    cells = list(csv.reader(io.StringIO("\n".join(lines)), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert [len(row) for row in cells] == [4] * len(lines)
    assert len(lines) == 1 + 2 * (2 if table in {FeatureTable.SPN, FeatureTable.APN} else 1)
