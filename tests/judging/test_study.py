"""The file of what judges said, read back."""

import contextlib
import sqlite3
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import pytest

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.judging.assignment import JudgesPerItem
from cloze_gen.judging.database import DATABASE, StudyStore
from cloze_gen.judging.state import order_dependence, verdicts_by_judge
from cloze_gen.judging.study import Study, read_verdicts
from cloze_gen.judging.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.records.judgement import Judge, Role, Task
from tests.cases.studies import make_old, make_tiny_study, response, rule_of


def test_it_comes_back(tmp_path):
    """Whatever editor put a mark before it."""
    file = VerdictFile(Task.READ, {"release": "5d"}, 2, 0.5, [{"id": "b:7"}])
    for encoding in ("utf-8", "utf-8-sig"):
        (tmp_path / "v.jsonl").write_text(verdicts_jsonl(file), encoding=encoding)
        assert read_verdicts(tmp_path / "v.jsonl", task=Task.READ, given_as="--people") == file


def test_what_is_none_is_told(tmp_path):
    """Who named it, what it is, and what writes one; the file of another task is not taken."""
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    for path in (tmp_path, tmp_path / "nowhere", tmp_path / "bytes", "a\0b"):
        with pytest.raises(
            UsageError, match=r"grooming\.verdicts: cannot read verdicts .* judge apply"
        ):
            read_verdicts(path, task=Task.GROOM, given_as="grooming.verdicts")
    (tmp_path / "v.jsonl").write_text(
        verdicts_jsonl(VerdictFile(Task.READ, {}, 1, None, [])), encoding="utf-8"
    )
    with pytest.raises(FormatError, match="expected verdicts of the task groom"):
        read_verdicts(tmp_path / "v.jsonl", task=Task.GROOM, given_as="grooming.verdicts")


# ---- A study at work


@pytest.mark.parametrize("task", list(Task))
def test_every_judge_comes_through(task, tmp_path):
    study = make_tiny_study(tmp_path / "study", task, page=4)
    for judge in ("ann", "bob", "cara"):
        while (one := study.next_open(judge)) is not None:
            assert study.seen(one)
            assert study.take(one, response(task), verdict_id=f"{judge}-{one.id}", source="page")
    assert study.state().finished
    assert {len(case.answers) for case in study.state().cases.values()} == {3}
    again = Study(tmp_path / "study", rule_of(task))
    assert again.state().cases == study.state().cases


def answer_all(study, judge, task=Task.READ):
    while (one := study.next_open(judge)) is not None:
        study.take(one, response(task), verdict_id=f"{judge}-{one.id}", source="page")


def test_a_verdict_is_written_once(tmp_path):
    study = make_tiny_study(tmp_path / "study")
    one = study.next_open("ann")
    assert one is not None
    other = {**response(Task.READ), "fits_as_well": []}
    assert study.take(one, response(Task.READ), verdict_id="1", source="page")
    assert not study.take(one, response(Task.READ), verdict_id="1", source="page")
    assert study.take(one, response(Task.READ), verdict_id="2", source="page")
    with pytest.raises(FormatError, match="another verdict has this id"):
        study.take(one, other, verdict_id="1", source="page")
    assert study.take(one, other, verdict_id="3", source="page")
    assert not study.take(one, response(Task.READ), verdict_id="1", source="page")
    assert study.current_response(one) == other
    assert not study.take(one, other, source="import")
    assert study.take(one, response(Task.READ), source="import")
    assert study.take(one, other, source="import")
    assert study.current_response(one) == other
    second = study.next_open("ann")
    assert second is not None
    with pytest.raises(FormatError, match="another verdict has this id"):
        study.take(second, response(Task.READ), verdict_id="1", source="page")
    assert study.current_response(second) is None


def test_another_process_is_noticed(tmp_path):
    """What a second connection writes is there at the next look."""
    first = make_tiny_study(tmp_path / "study")
    second = Study(tmp_path / "study", JudgesPerItem(3))
    one = second.next_open("ann")
    assert one is not None
    second.take(one, response(Task.READ), verdict_id="1", source="page")
    assert first.current_response(one) is not None


def test_progress_is_what_is_dealt_and_what_may_be(tmp_path):
    """Time left is from the median seconds, from the fifth verdict on."""
    study = make_tiny_study(tmp_path / "study", n=12, judges="ann,bob", each=1, page=4)
    for number, seconds in enumerate((10.0, 10.0, 10.0, -5.0, 1e12, 10.0, 10.0)):
        found = study.progress("ann")
        assert (found.done, found.left, found.seconds_left) == (
            number,
            12 - number,
            None if number < 6 else 10.0 * (12 - number),
        )
        one = study.next_open("ann")
        assert one is not None
        study.take(one, response(Task.READ), verdict_id=f"{number}", seconds=seconds, source="page")
    assert sorted(verdict.seconds for verdict in study.state().verdicts.values())[::6] == [
        0.0,
        86_400.0,
    ]
    assert study.progress("bob").left == 12 - 8


def test_a_machine_counts_for_nobody(tmp_path):
    """It is asked everything, and people are still wanted everywhere."""
    study = make_tiny_study(tmp_path / "study", n=3, each=1)
    study.add_judges([Judge("model", Role.MACHINE)])
    answer_all(study, "model")
    assert len(study.state().of_judge["model"]) == 3
    assert not any(case.answers for case in study.state().cases.values())
    assert study.next_open("ann") is not None


def test_a_name_keeps_its_role(tmp_path):
    """Whoever is named once more stays who that was, here and when the study is opened again."""
    study = make_tiny_study(tmp_path / "study", judges="ann")
    study.add_judges([Judge("ann", Role.MACHINE)])
    for one in (study, Study(tmp_path / "study", JudgesPerItem(3))):
        assert [judge.role for judge in one.state().judges.values()] == [Role.JUDGE]


def test_what_is_not_answered_in_a_day_goes_to_others(tmp_path):
    """A verdict that comes after all still counts."""
    study = make_tiny_study(tmp_path / "study", n=2, each=1)
    one = study.next_open("ann")
    assert one is not None
    assert study.next_open("bob") is None
    make_old(study)
    again = study.next_open("ann")
    assert again is not None
    assert again.id == one.id  # nobody else has taken it
    taken = study.next_open("bob")
    assert taken is not None
    assert taken.item == one.item
    assert study.next_open("ann") is None
    assert study.take(one, response(Task.READ), verdict_id="late", source="page")
    assert [answer.judge for answer in study.state().cases[one.item].answers] == ["ann"]


@pytest.mark.parametrize(
    ("answers", "shared", "depends"),
    [((1, 1), 1, (0, 1)), ((1, 2), None, (1, 1)), ((1,), 1, None)],
)
def test_a_model_has_one_verdict_an_item(answers, shared, depends, tmp_path):
    """Its answers in all orders are kept; an item on which they share nothing is not asked again."""
    study = make_tiny_study(tmp_path / "study", n=1)
    study.add_judges([Judge("model", Role.MACHINE)])
    one = study.next_open("model")
    assert one is not None
    said = [{**response(Task.READ), "answer": n, "fits_as_well": []} for n in answers]
    assert study.take_of_model(one, said, verdict_id="1", seconds=1.0, source="endpoint")
    for found in (study, Study(tmp_path / "study", JudgesPerItem(3))):
        verdict = found.state().verdicts[one.id]
        assert (verdict.response.get("answer"), list(verdict.answers)) == (shared, said)
        assert order_dependence(found.state(), Task.READ).get("model") == depends
        assert found.next_open("model") is None
        counted = verdicts_by_judge(found.state(), models=True)
        assert list(counted) == ([] if shared is None else [one.item])


def meanwhile(look, act, acts):
    """As `look`, but after the first look another process acts; its result is added to `acts`."""

    def looked(*args, **options):
        seen = look(*args, **options)
        if not acts:
            acts.append(ThreadPoolExecutor(1).submit(act))
            wait(acts, 0.3)
        return seen

    return looked


def test_two_processes_deal_to_one_judge(tmp_path, monkeypatch):
    first = make_tiny_study(tmp_path / "study", n=8, page=4)
    second, acts = Study(tmp_path / "study", JudgesPerItem(3)), list[Future[Any]]()
    pause, write = (
        meanwhile(lambda: None, lambda: second.assign_page("ann"), acts),
        first.store.add_assignments,
    )
    monkeypatch.setattr(first.store, "add_assignments", lambda page: (pause(), write(page)))
    mine = first.assign_page("ann")
    theirs = acts[0].result(10)
    assert [one.place for one in (*mine, *theirs)] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert len({one.item for one in (*mine, *theirs)}) == 8


def test_two_processes_take_a_verdict(tmp_path, monkeypatch):
    first = make_tiny_study(tmp_path / "study")
    one = first.next_open("ann")
    assert one is not None
    second, acts = Study(tmp_path / "study", JudgesPerItem(3)), list[Future[Any]]()
    other = {**response(Task.READ), "fits_as_well": []}
    looked = meanwhile(
        first.store.find_verdict,
        lambda: second.take(one, other, verdict_id="2", source="import"),
        acts,
    )
    monkeypatch.setattr(first.store, "find_verdict", looked)
    assert first.take(one, response(Task.READ), verdict_id="1", source="page")
    assert acts[0].result(10)
    assert second.current_response(one) == first.current_response(one) == other


def test_who_is_done_waits_for_nobody(tmp_path):
    """While another program writes, a judge for whom there is nothing is told so."""
    study = make_tiny_study(tmp_path / "study", n=2, judges="ann", each=1)
    answer_all(study, "ann")
    study.store.database.wait_at_most(0)
    with contextlib.closing(
        sqlite3.connect(tmp_path / "study" / DATABASE, isolation_level=None)
    ) as other:
        other.execute("BEGIN IMMEDIATE")
        assert study.next_open("ann") is None


def test_a_study_is_read_as_of_one_moment(tmp_path, monkeypatch):
    first = make_tiny_study(tmp_path / "study")

    def act():
        first.add_judges([Judge("dan", Role.JUDGE)])
        one = first.next_open("dan")
        assert one is not None
        first.take(one, response(Task.READ), verdict_id="1", source="page")

    read = StudyStore.assignments
    monkeypatch.setattr(StudyStore, "assignments", meanwhile(read, act, []))
    second = Study(tmp_path / "study", JudgesPerItem(3))
    monkeypatch.setattr(StudyStore, "assignments", read)
    assert len(second.state().verdicts) == 1
    assert "dan" in second.state().judges


def test_a_study_is_its_owners_alone(tmp_path):
    make_tiny_study(tmp_path / "study").close()
    assert (tmp_path / "study").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "study" / DATABASE).stat().st_mode & 0o777 == 0o600
