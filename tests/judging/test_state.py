"""How a study stands, whatever order things come in."""

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.judging.assignment import Case, JudgesPerItem
from cloze_gen.judging.state import StudyState
from cloze_gen.judging.study import Study
from cloze_gen.records.judgement import Assignment, Judge, Role, Verdict
from tests.cases.studies import make_old, make_tiny_study

JUDGES = {name: Judge(name, Role.JUDGE) for name in ("ann", "bob", "cid")}
ASKED = [Assignment(f"{name}{n}", name, f"b:{n}", "", n, "1") for name in JUDGES for n in range(4)]


def new_state():
    """Three judges who were asked about four items and have said nothing."""
    made = StudyState(
        JudgesPerItem(3), {f"b:{n}": Case(f"b:{n}", (), {}) for n in range(4)}, JUDGES
    )
    made.add(ASKED)
    return made


@given(
    st.lists(st.sampled_from(ASKED), unique=True),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_answers_hang_on_no_order(answered, late, order):
    """Answers in time, after the time or twice: the same answers, and nobody is waited for twice."""
    first, second = new_state(), new_state()
    heard = [Verdict(one.id, one.id, {"answer": one.id}, 0.0, "page") for one in answered]
    for verdict in heard:
        first.apply(verdict)
    if late:
        first.expire("2")
        second.expire("2")
    for verdict in order.sample(heard, len(heard)) + order.sample(heard, len(heard)):
        second.apply(verdict)
    for item, case in first.cases.items():
        other = second.cases[item]
        assert {one.judge: one.response for one in case.answers} == {
            one.judge: one.response for one in other.answers
        }
        assert len(case.answers) == len(other.answers) == sum(one.item == item for one in answered)
        assert set(case.pending) == set(other.pending)
        assert set(case.late) == set(other.late)
        assert not (late and case.pending)
        assert set(case.seen_by) == set(JUDGES)
    assert first.open.keys() == second.open.keys()


def test_only_what_is_old_expires():
    """Those made before the time; an item is due to a late judge until another has taken it."""
    state = StudyState(JudgesPerItem(1), {"b:1": Case("b:1", (), {})}, dict(JUDGES))
    state.add([Assignment("1", "ann", "b:1", "", 1, "2026-01-02")])
    state.expire("2026-01-02")
    assert (list(state.open), state.cases["b:1"].pending) == ([], (("ann", ""),))
    state.expire("2026-01-03")
    assert (list(state.open), state.cases["b:1"].late) == (["b:1"], ("ann",))
    assert [one.id for one in state.due("ann")] == ["1"]
    state.add([Assignment("2", "bob", "b:1", "", 1, "2026-01-03")])
    assert (list(state.open), state.due("ann")) == ([], [])
    assert [one.id for one in state.due("bob")] == ["2"]


def test_late_items_are_dealt_to_others_in_their_order(tmp_path):
    study = make_tiny_study(tmp_path / "study", n=6, each=1, page=2)
    assert [one.item for one in study.due("ann")] == ["b1:1", "b2:1"]
    assert [one.item for one in study.due("bob")] == ["b3:1", "b4:1"]
    make_old(study)
    assert [one.item for one in study.assign_page("cara")] == ["b1:1", "b2:1"]
    again = Study(tmp_path / "study", JudgesPerItem(1))
    assert [one.item for one in again.assign_page("ann")] == ["b3:1", "b4:1"]
