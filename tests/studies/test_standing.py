"""How a study stands, whatever order things come in."""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.judging.assignment import Case, EachJudged
from cloze_gen.records.judgement import Assignment, Judge, Kind, Role, Verdict
from cloze_gen.studies.standing import Standing
from cloze_gen.studies.study import open_study
from tests.cases.studies import make_tiny_study

JUDGES = {name: Judge(name, Role.JUDGE) for name in ("ann", "bob", "cid")}
ASKED = [Assignment(f"{name}{n}", name, f"b:{n}", "", Kind.FIRST, n) for name in JUDGES for n in range(4)]


def standing() -> Standing:
    """Three judges who were asked about four items and have said nothing."""
    made = Standing(EachJudged(3), {f"b:{n}": Case(f"b:{n}", (), {}) for n in range(4)}, [], JUDGES)
    made.add(ASKED)
    return made


@given(st.lists(st.sampled_from(ASKED), unique=True), st.lists(st.sampled_from(ASKED)), st.randoms(use_true_random=False))
def test_answers_hang_on_no_order(answered: list[Assignment], withdrawn: list[Assignment], order: random.Random) -> None:
    """Verdicts in any order, each as often as it comes, and whoever was waited for no longer before: who said what, and what is wanted, are
    the same."""
    first, second = standing(), standing()
    heard = [Verdict(one.id, one.id, {"answer": one.id}, 0.0, "page") for one in answered]
    for verdict in heard:
        first.hear(verdict)
    for one in withdrawn:
        second.let_go(one.id)
    for verdict in order.sample(heard, len(heard)) + order.sample(heard, len(heard)):
        second.hear(verdict)
    for one in withdrawn:
        first.let_go(one.id)
    for item, case in first.cases.items():
        other = second.cases[item]
        assert {one.judge: one.said for one in case.answers} == {one.judge: one.said for one in other.answers}
        assert len(case.answers) == len(other.answers) == sum(one.item == item for one in answered)
        assert set(case.asked) == set(other.asked)
        assert set(case.withdrawn) == set(other.withdrawn)
        assert set(case.seen_by) == set(JUDGES)
    assert first.open.keys() == second.open.keys()


def test_items_are_dealt_in_their_order_again(tmp_path: Path) -> None:
    """An item that wants a judge once more is dealt before those behind it, and the same in a study that is opened again."""
    study = make_tiny_study(tmp_path / "study", n=6, each=1, page=2)
    assert [one.item for one in study.due("ann")] == ["b1:1", "b2:1"]
    assert study.withdraw("ann") == 2
    assert [one.item for one in study.due("bob")] == ["b1:1", "b2:1"]
    study.withdraw("bob")
    assert [one.item for one in open_study(tmp_path / "study", EachJudged(1)).due("cara")] == ["b1:1", "b2:1"]
