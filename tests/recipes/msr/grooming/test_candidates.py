"""The table of candidates that the checks share."""

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.msr.grooming.candidates import DECISIONS, ITEMS
from cloze_gen.recipes.msr.tables import FIT
from tests.recipes.msr.conftest import make_table

LINE = "He took the oars ."
WORDS = st.lists(st.sampled_from([FIT, "fault"]), max_size=5)


@given(st.lists(st.tuples(st.sampled_from([FIT, "fault"]), WORDS), max_size=6), st.integers(0, 4))
def test_open_rows_are_those_without_a_fault(verdicts, least):
    """Compared with a plain loop over items and candidates."""
    table = make_table(*((LINE, "oars", [f"w{i}" for i in range(len(w))]) for _, w in verdicts))
    expected = []
    row = 0
    for item, (fault, own) in zip(table.items, verdicts, strict=True):
        item.fault = fault
        words = []
        for number, verdict in enumerate(own):
            table.verdict[row] = verdict
            row += 1
            if verdict == FIT:
                words.append(f"w{number}")
        if fault == FIT and len(words) >= least:
            expected.append((item, ["oars", *words]))
    rows = table.open(least)
    assert list(zip(rows.items, rows.words_by_item(), strict=True)) == expected
    assert table.word[rows.row].tolist() == rows.word.tolist()


def test_tables_have_a_row_an_item_and_decisions_of_those_without_a_fault():
    table = make_table((LINE, "oars", ["lamp", "rug"]), (LINE, "took", ["gave"]))
    table.items[1].fault = "torn"
    table.verdict[0] = "bad"
    table.measures[1] = [0.5, 0.25, 0.125, 0.5, 1]
    table.tag[1] = "NN"
    decisions = table.decisions()
    assert decisions.schema == DECISIONS.schema
    assert decisions["word"].to_pylist() == ["lamp", "rug"]
    assert decisions["verdict"].to_pylist() == ["bad", FIT]
    assert decisions["tag"].to_pylist() == ["", "NN"]
    assert decisions["topicality"].to_pylist()[1] == 0.25
    items = table.item_rows()
    assert items.schema == ITEMS.schema
    assert items["id"].to_pylist() == ["b:1:3", "b:1:1"]
    assert items["verdict"].to_pylist() == [FIT, "torn"]
    assert items["fit_candidates"].to_pylist() == [1, 0]
