"""Packets as tasks of Label Studio, and its annotations as verdicts: JSON in, JSON out.

What is written and read is its "JSON format of annotated tasks" (labelstud.io/guide/task_format), a list of tasks
``{"data": ..., "annotations": [{"result": [...], "completed_by", "lead_time", "was_cancelled"}]}``, a result being
``{"from_name", "to_name", "type": "choices" | "textarea", "value": {"choices": [...]} | {"text": [...]}}``. Tags are those of
labelstud.io/tags; the checks of label-studio-sdk 2.1.2 take our tasks, annotations and configurations. Three things to know of it:

- What a judge chooses among comes with the task (dynamic `Choices`). Each choice has an alias, which stands in the result in place of
  the text: the place of a candidate, the letter of an option. A result with the text itself is read as well.
- The assignment stands in ``data``: a task's ``meta`` is lost on some ways in (its issue 1179).
- Annotations that are handed over name no ``completed_by``: a number of a user whom the other server does not know is refused, and without
  one they are taken for those of whoever imports them (its pull request 1184). The judge stands in ``data``.

`label_config` has the labeling configuration that these tasks are shown with.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.formats.judging.packet import LETTERS, PacketRow, VerdictRow, blanks_of, choices_of, text_of
from cloze_gen.formats.judging.said import PacketOf, checked, packet_named, seconds_told
from cloze_gen.notation import NotationError, parse_json, shown

NO_IDEA = "-"
_MARKS = ("broken", "trivial")
_LISTS = ("fits_as_well", "ungrammatical")
_OWN_CONTROL = re.compile(rf"guesses|blank_\d+|answer|{'|'.join(_LISTS)}|marks|rejected|note|picked")


def tasks_json(rows: Iterable[PacketRow], verdicts: Iterable[VerdictRow] = ()) -> str:
    """The rows as tasks to import, with the verdicts there are as annotations; no predictions."""
    given: dict[str, list[VerdictRow]] = {}
    for verdict in verdicts:
        given.setdefault(verdict.assignment, []).append(verdict)
    tasks = [
        {
            "data": _data(row),
            "meta": {"assignment": row.assignment},
            "annotations": [_annotation(row, verdict) for verdict in given.get(row.assignment, ())],
        }
        for row in rows
    ]
    return f"{json.dumps(tasks, ensure_ascii=False, indent=1)}\n"


def parse_annotations(text: str, packet_of: PacketOf, *, name: str = "annotations.json") -> list[VerdictRow]:
    """Verdicts of an export as JSON, those of a task in the order in which they were last changed.

    What was skipped (``was_cancelled``), has no result or is a draft is not answered and passed over; results of controls that are not ours
    are not read. An assignment is of one judge, so annotations of one task by two people are refused.

    Raises:
        FormatError: no such export; a task names no assignment of the study; an annotation is not whole, or says what can not be said;
            names file, task and annotation, counted from 1.
    """
    try:
        tasks = parse_json(text)
    except NotationError as error:
        raise FormatError(f"{name}: not JSON ({error}); export the project as JSON") from None
    if not isinstance(tasks, list):
        raise FormatError(f"{name}: expected a list of tasks, found {shown(tasks)}; export the project as JSON")
    verdicts: list[VerdictRow] = []
    for number, task in enumerate(tasks, 1):
        where = f"{name}, task {number}"
        data, annotations = (task.get("data"), task.get("annotations", [])) if isinstance(task, dict) else (None, None)
        if not isinstance(data, dict) or not isinstance(annotations, list) or not all(isinstance(one, dict) for one in annotations):
            raise FormatError(f'{where}: expected {{"data": ..., "annotations": [...]}}; export the project as JSON, not as JSON-MIN')
        judge = data.get("judge") or None
        row = packet_named(data.get("assignment"), judge, packet_of, where=where)
        skipped = [one.get("was_cancelled", False) for one in annotations]
        if not all(isinstance(one, bool) for one in skipped):
            raise FormatError(f"{where}: `was_cancelled` must be true or false, found {shown(skipped)}")
        done = [(n, one) for n, one in enumerate(annotations, 1) if not skipped[n - 1] and one.get("result")]
        _ask_one_person([one for _, one in done], where)
        for n, one in sorted(done, key=lambda pair: str(pair[1].get("updated_at", ""))):
            place = f"{where}, annotation {n}"
            said = checked(row, _said(row, _results(one["result"], place), place), where=place)
            verdicts.append(VerdictRow(row.assignment, said, judge or row.judge, seconds_told(one.get("lead_time"), where=place)))
    return verdicts


def _data(row: PacketRow) -> dict[str, Any]:
    """What the labeling configuration names; it names nothing that a task of its kind lacks, which an import would refuse."""
    told: dict[str, Any] = {"assignment": row.assignment, "judge": row.judge, "task": row.task, "condition": row.condition}
    told |= {"instruction": row.shown.get("instruction", ""), "text": text_of(row)}
    listed = choices_of(row)
    if row.task == "groom":
        told |= {"word": row.shown["answer"], "candidates": _choices(listed, range(1, len(listed) + 1))}
        machine = row.shown.get("machine") or {}
        told["machine"] = "; ".join(f"{word}: {verdict}" for word, verdict in machine.items())
    elif row.task == "read":
        told["options"] = _choices(listed, LETTERS)
    elif row.task == "fill":
        told["candidates"] = _choices(listed, range(1, len(listed) + 1))
    return told


def _choices(texts: Sequence[str], names: Iterable[Any]) -> list[dict[str, str]]:
    return [{"value": text, "alias": str(name)} for text, name in zip(texts, names, strict=False)]


def _annotation(row: PacketRow, verdict: VerdictRow) -> dict[str, Any]:
    results = [
        {
            "id": f"{verdict.assignment}-{control}",
            "from_name": control,
            "to_name": "text",
            "type": "textarea" if control in ("guesses", "note") else "choices",
            "value": {"text" if control in ("guesses", "note") else "choices": values},
        }
        for control, values in _controls(row, verdict.said).items()
        if values
    ]
    timed = {} if verdict.seconds is None else {"lead_time": verdict.seconds}
    return {"result": results, "was_cancelled": False, "ground_truth": False, **timed}


def _controls(row: PacketRow, said: Mapping[str, Any]) -> dict[str, list[str]]:
    """What each control of the configuration says of a verdict."""
    if row.task == "guess":
        return {"guesses": list(said["guesses"]) or [NO_IDEA]}
    if row.task == "fill":
        return {f"blank_{n}": [str(index + 1)] for n, index in enumerate(said["fills"], 1)}
    if row.task == "read":
        letters = {field: [LETTERS[index] for index in said[field]] for field in _LISTS}
        answer = [] if said["answer"] is None else [LETTERS[said["answer"]]]
        return {"answer": answer, **letters, "marks": [mark for mark in _MARKS if said[mark]]}
    if "rejected" in said:
        return {"rejected": [said["rejected"]], "note": [said["note"]] if said["note"] else []}
    return {"picked": [str(place) for place in said["picked"]]}


def _results(results: Any, where: str) -> dict[str, list[str]]:
    """What each control says; a text that came alone is a list of one."""
    told: dict[str, list[str]] = {}
    for one in results if isinstance(results, list) else [results]:
        value = one.get("value") if isinstance(one, dict) else None
        if not isinstance(value, dict) or not isinstance(one.get("from_name"), str):
            raise FormatError(f'{where}: expected results with "from_name" and "value", found {shown(one)}')
        values = value.get("choices", value.get("text", []))
        values = [values] if isinstance(values, str) else values
        if isinstance(values, list) and all(isinstance(text, str) for text in values):
            told.setdefault(one["from_name"], []).extend(text.strip() for text in values)
        elif _OWN_CONTROL.fullmatch(one["from_name"]):
            raise FormatError(f"{where}: `{one['from_name']}` must hold texts, found {shown(values)}")
    return told


def _said(row: PacketRow, told: Mapping[str, list[str]], where: str) -> dict[str, Any]:
    if row.task == "guess":
        return {"guesses": [text for text in told.get("guesses", []) if text not in (NO_IDEA, "")]}
    if row.task == "fill":
        fills = [_index(row, _one(told, f"blank_{n}", where), where) for n in range(1, blanks_of(row) + 1)]
        return {"fills": fills}
    if row.task == "read":
        said: dict[str, Any] = {field: [_index(row, text, where) for text in told.get(field, [])] for field in _LISTS}
        answer = _one(told, "answer", where) if told.get("answer") else None
        marks = told.get("marks", [])
        if not set(marks) <= set(_MARKS):
            raise FormatError(f"{where}: `marks` can be {', '.join(_MARKS)}, found {shown(marks)}")
        return {"answer": None if answer is None else _index(row, answer, where), **said, **{mark: mark in marks for mark in _MARKS}}
    if told.get("rejected"):
        if told.get("picked"):
            raise FormatError(f"{where}: it is rejected, and has picks")
        return {"rejected": _one(told, "rejected", where), "note": "\n".join(told.get("note", []))}
    return {"picked": [_index(row, text, where) + 1 for text in told.get("picked", [])]}


def _one(told: Mapping[str, list[str]], control: str, where: str) -> str:
    values = told.get(control, [])
    if len(values) != 1:
        raise FormatError(f"{where}: `{control}` must say one thing, found {shown(values)}")
    return values[0]


def _index(row: PacketRow, name: str, where: str) -> int:
    """The index of the choice with this alias, or with this text where no other has it as its alias."""
    listed = choices_of(row)
    aliases = [LETTERS[n] if row.task == "read" else str(n + 1) for n in range(len(listed))]
    texts = [text.strip() for text in listed]
    for names in (aliases, texts):
        if name in names:
            return names.index(name)
    raise FormatError(f"{where}: {shown(name)} is none of the {len(listed)} choices")


def _ask_one_person(annotations: Sequence[Mapping[str, Any]], where: str) -> None:
    people = {json.dumps(one.get("completed_by"), sort_keys=True) for one in annotations}
    if len(people) > 1:
        raise FormatError(f"{where}: {len(people)} people answered it, but an assignment is one judge's; leave one's annotation")
