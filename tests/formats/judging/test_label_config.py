"""What Label Studio is told to show and to ask."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree as ET

import pytest

from cloze_gen.formats.judging.label_config import label_config
from cloze_gen.formats.judging.label_studio import tasks_json
from cloze_gen.formats.judging.packet import PacketRow, VerdictRow
from cloze_gen.judging.groom import RejectReason

SAID = {
    "groom": [{"picked": [1, 2, 3, 4]}, {"rejected": "a<&\">", "note": "x"}],
    "guess": [{"guesses": ["a"]}],
    "read": [{"answer": 1, "fits_as_well": [0], "ungrammatical": [2], "broken": True, "trivial": True}],
    "fill": [{"fills": [0, 1]}],
}  # fmt: skip


@pytest.mark.parametrize("task", SAID)
def test_tasks_and_configuration_fit_each_other(task: str, rows: dict[str, PacketRow]) -> None:
    """All that is shown is in the task's data, which an import asks for; all that a verdict says is said by a control of its type."""
    config = ET.fromstring(label_config(task, guesses=3, blanks=2))
    [out] = json.loads(tasks_json([rows[task]], [VerdictRow(task, said) for said in SAID[task]]))
    named = re.findall(r"\$(\w+)", ET.tostring(config, encoding="unicode"))
    assert {*named} <= out["data"].keys()
    controls = {one.get("name"): one.tag.casefold() for one in config if one.get("toName")}
    assert {one.get("toName") for one in config if one.get("toName")} == {"text"}
    results = [one for annotation in out["annotations"] for one in annotation["result"]]
    assert {one["from_name"]: one["type"] for one in results} == controls
    listed = {one.get("value") for one in config.iter("Choice")}
    assert listed == {"groom": set(RejectReason), "read": {"broken", "trivial"}}.get(task, set())


def test_an_unknown_task_has_none() -> None:
    """Rather than a page that asks nothing."""
    with pytest.raises(ValueError, match="sing"):
        label_config("sing")
