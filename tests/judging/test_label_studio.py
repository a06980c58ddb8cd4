"""Tasks for Label Studio, and its annotations."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.judging.exchange import PacketRow, VerdictRow
from cloze_gen.judging.label_studio import label_config, parse_annotations, tasks_json
from cloze_gen.judging.tasks import TASKS
from cloze_gen.judging.tasks.groom import RejectReason
from cloze_gen.records.judgement import Task

PacketOf = Callable[[str], PacketRow | None]
REASONS = ("ungrammatical", "other")
VERDICTS = [
    VerdictRow("groom", {"picked": [1, 2, 4, 10]}, "bo", 4.5),
    VerdictRow("groom", {"rejected": "other", "note": "two <b> fit"}, "bo", 1.0),
    VerdictRow("guess", {"guesses": ["menu", "=soup"]}, "bo", 0.0),
    VerdictRow("guess", {"guesses": []}, "bo"),
    VerdictRow(
        "read",
        {
            "answer": 2,
            "fits_as_well": [0],
            "ungrammatical": [3, 4],
            "broken": True,
            "trivial": False,
        },
        "bo",
        2.0,
    ),
    VerdictRow(
        "read",
        {"answer": None, "fits_as_well": [], "ungrammatical": [], "broken": True, "trivial": False},
        "bo",
        2.0,
    ),
    VerdictRow("fill", {"fills": [2, 0]}, "bo", 60.0),
]


def exported(row: PacketRow, *results: Any, **more: Any) -> str:
    """What Label Studio exports of a task with one annotation."""
    annotation = {
        "id": 1001,
        "completed_by": 10,
        "was_cancelled": False,
        "lead_time": 4.288,
        "result": list(results),
        **more,
    }
    [task] = json.loads(tasks_json([row]))
    return json.dumps([{**task, "id": 1, "annotations": [annotation], "predictions": []}])


def result(control: str, *values: str, kind: str = "choices") -> dict[str, Any]:
    value = {"text" if kind == "textarea" else "choices": [*values]}
    return {
        "id": "x1",
        "from_name": control,
        "to_name": "text",
        "type": kind,
        "origin": "manual",
        "value": value,
    }


def test_verdicts_go_out_as_annotations_and_come_back(
    rows: dict[str, PacketRow], packet_of: PacketOf
) -> None:
    """Those of every task, with the time that they took; no prediction, no user of another server."""
    text = tasks_json(rows.values(), VERDICTS)
    assert parse_annotations(text, packet_of) == VERDICTS
    assert parse_annotations(f"\ufeff{text}", packet_of) == VERDICTS
    for task in json.loads(text):
        assert task.keys() == {"data", "meta", "annotations"}
        assert not any("completed_by" in one for one in task["annotations"])


def test_a_task_names_its_assignment_in_its_data(rows: dict[str, PacketRow]) -> None:
    data = {one["data"]["assignment"]: one["data"] for one in json.loads(tasks_json(rows.values()))}
    assert data.keys() == rows.keys()
    assert data["groom"]["candidates"][1] == {"value": "'Tis", "alias": "2"}
    assert [one["alias"] for one in data["read"]["options"]] == [*"abcde"]
    assert data["guess"]["text"] == rows["guess"].shown["text"]


@pytest.mark.parametrize(
    ("task", "results", "response"),
    [
        ("groom", [result("picked", "1", "sea", "2", "'Tis"), result("stars", "5")], None),
        (
            "groom",
            [result("picked", "1", "sea", "7", "'Tis"), result("stars", "5")],
            {"picked": [1, 2, 5, 7]},
        ),
        ("groom", [result("picked", "3", "1", "2", "7")], {"picked": [1, 2, 3, 7]}),
        ("guess", [result("guesses", "-", kind="textarea")], {"guesses": []}),
        (
            "guess",
            [result("guesses", "a", kind="textarea"), result("guesses", " b ", kind="textarea")],
            {"guesses": ["a", "b"]},
        ),
        (
            "guess",
            [{"from_name": "guesses", "type": "textarea", "value": {"text": "menu"}}],
            {"guesses": ["menu"]},
        ),
        (
            "fill",
            [result("blank_1", "3"), result("blank_2", "=Four."), result("blank_3", "1")],
            {"fills": [2, 3]},
        ),
    ],
)
def test_annotations_of_people_are_read(
    task: str, results: list[Any], response: Any, rows: dict[str, PacketRow], packet_of: PacketOf
) -> None:
    """By alias or by text, a text alone or in a list; controls of others are left alone."""
    text = exported(rows[task], *results)
    if response is None:
        with pytest.raises(FormatError, match="four different"):
            parse_annotations(text, packet_of)
    else:
        assert parse_annotations(text, packet_of) == [VerdictRow(task, response, "bo", 4.288)]


def test_what_was_skipped_or_left_empty_is_not_answered(
    rows: dict[str, PacketRow], packet_of: PacketOf
) -> None:
    """Nor is a task without annotations."""
    for text in (
        exported(rows["guess"], result("guesses", "a", kind="textarea"), was_cancelled=True),
        exported(rows["guess"]),
        tasks_json(rows.values()),
        "[]",
    ):
        assert parse_annotations(text, packet_of) == []


def test_the_last_change_comes_last(rows: dict[str, PacketRow], packet_of: PacketOf) -> None:
    [task] = json.loads(
        exported(
            rows["guess"],
            result("guesses", "new", kind="textarea"),
            updated_at="2021-03-09T22:16:09Z",
        )
    )
    old = {
        **task["annotations"][0],
        "updated_at": "2021-03-09T22:16:08Z",
        "result": [result("guesses", "old", kind="textarea")],
    }
    both = json.dumps([{**task, "annotations": [*task["annotations"], old]}])
    assert [row.response["guesses"] for row in parse_annotations(both, packet_of)] == [
        ["old"],
        ["new"],
    ]
    others = json.dumps(
        [
            {
                **task,
                "annotations": [
                    *task["annotations"],
                    {**old, "completed_by": {"id": 11, "email": "a@b.c"}},
                ],
            }
        ]
    )
    with pytest.raises(FormatError, match="task 1: 2 people"):
        parse_annotations(others, packet_of)


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "{}", "[3]", "[[]]", '[{"data": 3}]', '[{"annotations": []}]', '[{"id": 1, "assignment": "guess", "guesses": "menu"}]',
        '[{"data": {"assignment": "nobody"}, "annotations": []}]', '[{"data": {"assignment": "guess", "judge": "ann"}, "annotations": []}]',
        '[{"data": {"assignment": "guess"}, "annotations": {}}]', '[{"data": {"assignment": "guess"}, "annotations": [3]}]',
        *(json.dumps([{"data": {"assignment": "guess"}, "annotations": [one]}]) for one in (
            {"result": 3}, {"result": [3]}, {"result": [{"value": {}}]}, {"result": [{"from_name": "guesses", "value": []}]},
            {"result": [result("guesses", "a", "b", "c", "d", kind="textarea")]},
            {"result": [result("guesses", "a", kind="textarea")], "lead_time": "soon"},
            {"result": [result("guesses", "a", kind="textarea")], "was_cancelled": "false"})),
        '[{"data": {"assignment": "guess"}, "data": {"assignment": "read"}, "annotations": []}]',
        *(json.dumps([{"data": {"assignment": "groom"}, "annotations": [{"result": [*results]}]}]) for results in (
            [result("picked", "1", "2", "3")], [result("picked", "1", "2", "3", "99")], [result("rejected", "because")],
            [result("stars", "1")],
            [result("rejected", "other"), result("picked", "1", "2", "3", "4")], [result("rejected", "other", "ungrammatical")])),
        *(json.dumps([{"data": {"assignment": "read"}, "annotations": [{"result": [one]}]}]) for one in (
            result("answer", "a", "b"), result("answer", "f"), result("marks", "trivial"))),
        *(json.dumps([{"data": {"assignment": "read"}, "annotations": [{"result": [result("answer", "a"), one]}]}]) for one in (
            result("marks", "trivail"), {"from_name": "ungrammatical", "value": {"choices": [2]}},
            {"from_name": "fits_as_well", "value": {"choices": None}})),
        json.dumps([{"data": {"assignment": "fill"}, "annotations": [{"result": [result("blank_1", "1")]}]}]),
    ],
)  # fmt: skip
def test_other_exports_are_refused(text: str, packet_of: PacketOf) -> None:
    """With file, and with the task where it is one's."""
    with pytest.raises(FormatError, match=r"^bob\.json[:,] "):
        parse_annotations(text, packet_of, name="bob.json")


SAID = {
    "groom": [{"picked": [1, 2, 3, 4]}, {"rejected": "a<&\">", "note": "x"}],
    "guess": [{"guesses": ["a"]}],
    "read": [{"answer": 1, "fits_as_well": [0], "ungrammatical": [2], "broken": True, "trivial": True}],
    "fill": [{"fills": [0, 1]}],
}  # fmt: skip


@pytest.mark.parametrize("task", SAID)
def test_tasks_and_configuration_fit_each_other(task: str, rows: dict[str, PacketRow]) -> None:
    config = ET.fromstring(label_config(TASKS[Task(task)], 3 if task == "guess" else 2))
    [out] = json.loads(
        tasks_json([rows[task]], [VerdictRow(task, response) for response in SAID[task]])
    )
    named = re.findall(r"\$(\w+)", ET.tostring(config, encoding="unicode"))
    assert {*named} <= out["data"].keys()
    controls = {one.get("name"): one.tag.casefold() for one in config if one.get("toName")}
    assert {one.get("toName") for one in config if one.get("toName")} == {"text"}
    results = [one for annotation in out["annotations"] for one in annotation["result"]]
    assert {one["from_name"]: one["type"] for one in results} == controls
    listed = {one.get("value") for one in config.iter("Choice")}
    assert listed == {"groom": set(RejectReason), "read": {"broken", "trivial"}}.get(task, set())
