"""How a study stands, whatever order things come in."""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.judging.assignment import Case, JudgesPerItem
from cloze_gen.judging.state import StudyState
from cloze_gen.judging.study import open_study
from cloze_gen.records.judgement import Assignment, Judge, Kind, Role, Verdict
from tests.cases.studies import make_tiny_study

JUDGES = {name: Judge(name, Role.JUDGE) for name in ("ann", "bob", "cid")}
ASKED = [
    Assignment(f"{name}{n}", name, f"b:{n}", "", Kind.FIRST, n) for name in JUDGES for n in range(4)
]


def new_state() -> StudyState:
    """Three judges who were asked about four items and have said nothing."""
    made = StudyState(
        JudgesPerItem(3), {f"b:{n}": Case(f"b:{n}", (), {}) for n in range(4)}, [], JUDGES
    )
    made.add(ASKED)
    return made


@given(
    st.lists(st.sampled_from(ASKED), unique=True),
    st.lists(st.sampled_from(ASKED)),
    st.randoms(use_true_random=False),
)
def test_answers_hang_on_no_order(
    answered: list[Assignment], withdrawn: list[Assignment], order: random.Random
) -> None:
    first, second = new_state(), new_state()
    heard = [Verdict(one.id, one.id, {"answer": one.id}, 0.0, "page") for one in answered]
    for verdict in heard:
        first.apply(verdict)
    for one in withdrawn:
        second.release(one.id)
    for verdict in order.sample(heard, len(heard)) + order.sample(heard, len(heard)):
        second.apply(verdict)
    for one in withdrawn:
        first.release(one.id)
    for item, case in first.cases.items():
        other = second.cases[item]
        assert {one.judge: one.response for one in case.answers} == {
            one.judge: one.response for one in other.answers
        }
        assert len(case.answers) == len(other.answers) == sum(one.item == item for one in answered)
        assert set(case.pending) == set(other.pending)
        assert set(case.withdrawn) == set(other.withdrawn)
        assert set(case.seen_by) == set(JUDGES)
    assert first.open.keys() == second.open.keys()


def test_items_are_dealt_in_their_order_again(tmp_path: Path) -> None:
    study = make_tiny_study(tmp_path / "study", n=6, each=1, page=2)
    assert [one.item for one in study.due("ann")] == ["b1:1", "b2:1"]
    assert study.withdraw("ann") == 2
    assert [one.item for one in study.due("bob")] == ["b1:1", "b2:1"]
    study.withdraw("bob")
    assert [one.item for one in open_study(tmp_path / "study", JudgesPerItem(1)).due("cara")] == [
        "b1:1",
        "b2:1",
    ]
