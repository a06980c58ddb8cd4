"""`release.json` there and back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.report.card import CardTable
from cloze_gen.report.funnel import FunnelStep
from cloze_gen.stages.release.facts import ReleaseRecord, read_record, record_text
from tests.cases.releases import FACTS, hostile_facts


@pytest.mark.parametrize("hostile", [False, True])
def test_a_record_comes_back(hostile: bool, tmp_path: Path) -> None:
    """Facts as its own keys, what else it holds behind them; whatever a manifest says."""
    facts = replace(hostile_facts('a "b": c\n---\u2028\x00{{'), name="mine", books=FACTS.books) if hostile else FACTS
    facts = replace(facts, settings={"release": {}}, text="full")
    steps = (FunnelStep("focus", "words", 3, 2, {"short": 1}, {"x": 0.5}),)
    record = ReleaseRecord(
        facts=facts, steps=steps, tables=(CardTable("T", "t", ("a", "b"), (("c", "1"),)),), taken=("v.txt",), full={"a": "0"}
    )
    (tmp_path / "release.json").write_text(record_text(record), encoding="utf-8")
    assert read_record(tmp_path) == record
    assert json.loads(record_text(record))["signature"] == facts.signature


@pytest.mark.parametrize(
    ("text", "what"),
    [("", "not what"), ("[]", "not what"), ("{}", "version"), ('{"version": 1}', "version"), ("{", "not what"), ("\udcff", "not UTF-8")],
)
def test_what_is_damaged_is_told(text: str, what: str, tmp_path: Path) -> None:
    """The file, and its first mistake."""
    (tmp_path / "release.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(FormatError, match=what):
        read_record(tmp_path)


def test_another_folder_is_no_release(tmp_path: Path) -> None:
    """It lacks the file."""
    with pytest.raises(FormatError, match=r"no release\.json"):
        read_record(tmp_path)
