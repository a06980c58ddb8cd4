"""The table of candidates that the checks share."""

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.msr.grooming.candidates import (
    DECISIONS,
    GROOMED_ITEMS,
    CandidateTable,
    item_rows,
)
from cloze_gen.recipes.msr.tables import FIT
from tests.recipes.msr.fakes import make_item, make_table

LINE = "He took the oars ."
WORDS = st.lists(st.sampled_from([FIT, "fault"]), max_size=5)


@given(st.lists(WORDS, max_size=6), st.integers(0, 4))
def test_open_rows_are_those_without_a_fault(verdicts, least):
    """Compared with a plain loop over items and candidates."""
    table = make_table(*((LINE, "oars", [f"w{i}" for i in range(len(own))]) for own in verdicts))
    table.verdict[:] = [verdict for own in verdicts for verdict in own]
    expected = []
    for own in verdicts:
        words = [f"w{number}" for number, verdict in enumerate(own) if verdict == FIT]
        expected.append(["oars", *(words if len(words) >= least else ())])
    assert table.words_by_item(table.open(least)) == expected


def test_candidates_are_those_of_items_without_a_fault():
    items = [make_item(LINE, "took", ["gave"]), make_item(LINE, "oars", ["lamp", "rug"])]
    items[0].fault = "torn"
    table = CandidateTable(items)
    table.verdict[0] = "bad"
    table.measures[1] = [0.5, 0.25, 0.125, 0.5, 1]
    table.tag[1] = "NN"
    decisions = table.decisions()
    assert decisions.schema == DECISIONS.schema
    assert decisions["id"].to_pylist() == ["b:1:3", "b:1:3"]
    assert decisions["word"].to_pylist() == ["lamp", "rug"]
    assert decisions["verdict"].to_pylist() == ["bad", FIT]
    assert decisions["tag"].to_pylist() == ["", "NN"]
    assert decisions["topicality"].to_pylist()[1] == 0.25
    rows = item_rows(items)
    assert rows.schema == GROOMED_ITEMS.schema
    assert rows["id"].to_pylist() == ["b:1:1", "b:1:3"]
    assert rows["verdict"].to_pylist() == ["torn", FIT]
