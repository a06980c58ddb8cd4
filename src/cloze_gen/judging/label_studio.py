"""Packets as Label Studio tasks, and Label Studio annotations as verdicts.

Formats: labelstud.io/guide/task_format and labelstud.io/tags; tested with label-studio-sdk 2.1.2.

- Dynamic `Choices` have aliases (number of a candidate, letter of an option). Results contain the
  alias instead of the text; results with the text are read as well.
- The assignment is in ``data``, because some imports lose a task's ``meta`` (issue 1179).
- Our annotations have no ``completed_by``: Label Studio refuses the id of an unknown user, and
  without one it records the importing user (pull request 1184). The judge is in ``data``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as ET

from cloze_gen.errors import FormatError
from cloze_gen.judging.exchange import (
    PacketOf,
    PacketRow,
    VerdictRow,
    checked,
    find_packet,
    total_seconds,
)
from cloze_gen.judging.tasks import TASKS
from cloze_gen.judging.tasks.task import Control, JudgingTask
from cloze_gen.parsing import ParseError, parse_json, quote

# Controls of all tasks; the control of blank 1 represents those of all blanks.
_OWN_CONTROLS = {
    name
    for task in TASKS.values()
    for one in task.controls(1)
    if one.choices or one.texts
    for name in one.names
}


def label_config(task: JudgingTask, n: int) -> str:
    """The labeling configuration as XML; `n`: the largest `JudgingTask.n_fields`.

    >>> from cloze_gen.judging.tasks.guess import GUESS
    >>> print(label_config(GUESS, 3))
    <View>
      <Text name="instruction" value="$instruction" />
      <Text name="text" value="$text" />
      <Header value="Which word fills the gap? Likeliest first, at most 3; a dash for no idea." />
      <TextArea name="guesses" toName="text" maxSubmissions="3" required="true" />
    </View>
    """
    view = ET.Element("View")
    for control in (Control(("instruction", "text")), *task.controls(n)):
        _add(view, control)
    ET.indent(view)
    return ET.tostring(view, encoding="unicode")


def _add(view: ET.Element, control: Control) -> None:
    if control.heading:
        ET.SubElement(view, "Header", value=control.heading)
    for name in control.names:
        if control.texts:
            area = {"name": name, "toName": "text", "maxSubmissions": str(control.texts)}
            required = {"required": "true"} if control.required else {}
            ET.SubElement(view, "TextArea", {**area, **required})
        elif control.choices:
            field = {"value": control.choices} if isinstance(control.choices, str) else {}
            how = {"choice": "multiple" if control.many else "single", "showInline": "true"}
            made = ET.SubElement(view, "Choices", {"name": name, "toName": "text", **field, **how})
            for value in () if field else control.choices:
                ET.SubElement(made, "Choice", value=str(value))
        else:
            ET.SubElement(view, "Text", name=name, value=f"${name}")


def tasks_json(rows: Iterable[PacketRow], verdicts: Iterable[VerdictRow] = ()) -> str:
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


def parse_annotations(
    text: str, packet_of: PacketOf, *, name: str = "annotations.json"
) -> list[VerdictRow]:
    """Verdicts of a JSON export; those of a task are in the order of their last change.

    Ignores skipped (``was_cancelled``) and empty annotations, drafts and unknown controls. Refuses
    annotations of one task by two people.
    """
    try:
        tasks = parse_json(text)
    except ParseError as error:
        raise FormatError(f"{name}: not valid JSON ({error}). Export the project as JSON") from None
    if not isinstance(tasks, list):
        raise FormatError(
            f"{name}: expected a list of tasks, found {quote(tasks)}. Export the project as JSON"
        )
    verdicts: list[VerdictRow] = []
    for number, task in enumerate(tasks, 1):
        where = f"{name}, task {number}"
        data, annotations = (
            (task.get("data"), task.get("annotations", []))
            if isinstance(task, dict)
            else (None, None)
        )
        if (
            not isinstance(data, dict)
            or not isinstance(annotations, list)
            or not all(isinstance(one, dict) for one in annotations)
        ):
            raise FormatError(
                f'{where}: expected {{"data": ..., "annotations": [...]}}. Export the project as '
                "JSON, not as JSON-MIN"
            )
        judge = data.get("judge") or None
        row = find_packet(data.get("assignment"), judge, packet_of, where=where)
        skipped = [one.get("was_cancelled", False) for one in annotations]
        if not all(isinstance(one, bool) for one in skipped):
            raise FormatError(
                f"{where}: `was_cancelled` must be true or false, found {quote(skipped)}"
            )
        done = [
            (n, one)
            for n, one in enumerate(annotations, 1)
            if not skipped[n - 1] and one.get("result")
        ]
        _require_one_person([one for _, one in done], where)
        for n, one in sorted(done, key=lambda pair: str(pair[1].get("updated_at", ""))):
            place = f"{where}, annotation {n}"
            response = checked(
                row,
                row.judging.from_form(_results(one["result"], place), row.shown, place),
                where=place,
            )
            verdicts.append(
                VerdictRow(
                    row.assignment,
                    response,
                    judge or row.judge,
                    total_seconds(one.get("lead_time"), where=place),
                )
            )
    return verdicts


def _data(row: PacketRow) -> dict[str, Any]:
    """All variables of the labeling configuration; an import refuses a task without them."""
    data: dict[str, Any] = {
        "assignment": row.assignment,
        "judge": row.judge,
        "task": row.task,
        "condition": row.condition,
    }
    data |= {"instruction": row.shown.get("instruction", ""), "text": row.judging.text(row.shown)}
    return {**data, **row.judging.form_data(row.shown)}


def _annotation(row: PacketRow, verdict: VerdictRow) -> dict[str, Any]:
    task = row.judging
    texts = {name for one in task.controls(1) if one.texts for name in one.names}
    results = [
        {
            "id": f"{verdict.assignment}-{control}",
            "from_name": control,
            "to_name": "text",
            "type": "textarea" if control in texts else "choices",
            "value": {"text" if control in texts else "choices": values},
        }
        for control, values in task.to_form(verdict.response).items()
        if values
    ]
    timed = {} if verdict.seconds is None else {"lead_time": verdict.seconds}
    return {"result": results, "was_cancelled": False, "ground_truth": False, **timed}


def _results(results: Any, where: str) -> dict[str, list[str]]:
    """Each control's values; a single text becomes a list."""
    values_of: dict[str, list[str]] = {}
    for one in results if isinstance(results, list) else [results]:
        value = one.get("value") if isinstance(one, dict) else None
        if not isinstance(value, dict) or not isinstance(one.get("from_name"), str):
            raise FormatError(
                f'{where}: expected a result with "from_name" and "value", found {quote(one)}'
            )
        values = value.get("choices", value.get("text", []))
        values = [values] if isinstance(values, str) else values
        if isinstance(values, list) and all(isinstance(text, str) for text in values):
            values_of.setdefault(one["from_name"], []).extend(text.strip() for text in values)
        elif re.sub(r"_\d+$", "_1", one["from_name"]) in _OWN_CONTROLS:
            raise FormatError(
                f"{where}: `{one['from_name']}` must be a list of texts, found {quote(values)}"
            )
    return values_of


def _require_one_person(annotations: Sequence[Mapping[str, Any]], where: str) -> None:
    people = {json.dumps(one.get("completed_by"), sort_keys=True) for one in annotations}
    if len(people) > 1:
        raise FormatError(
            f"{where}: {len(people)} people annotated this task, but it is assigned to one judge. "
            "Keep one person's annotation"
        )
