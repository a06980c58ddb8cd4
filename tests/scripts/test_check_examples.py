"""The check of examples: what counts as the same, and what is found in pages."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.store.file_docs import FileDoc
from tests.conftest import FinishedRun

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
import check_examples

RECORD = {"id": "a:1", "p": 0.123456, "words": ["one", "two", "three"], "text": "One two."}


@pytest.mark.parametrize(
    ("example", "found"),
    [
        ('{"id": "a:1", "p": 0.12346, "words": ["one", "..."], "text": "One ..."}', True),
        ('{"id": "a:1", ...}', True),
        ('{"id": "a:2", ...}', False),
        ('{"id": "a:1"}', False),
        ('{"id": "a:1", "words": ["two", "..."], ...}', False),
    ],
)
def test_an_example_is_a_record(example: str, found: bool, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(RECORD) + "\n")
    doc = FileDoc("*.jsonl", "Records.", example=example)
    assert check_examples.has_example(tmp_path, doc) is found


def test_an_example_of_a_text_is_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    found = [check_examples.has_example(tmp_path, FileDoc("a.txt", "", example=line)) for line in ("two", "three")]  # fmt: skip
    assert found == [True, False]


def test_pages_name_items_and_questions_of_a_run(
    finished: FinishedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_examples, "described", lambda run: [])
    first: dict[str, Any] = json.loads(
        (finished.release / "questions.jsonl").read_text().splitlines()[0]
    )
    page = tmp_path / "page.md"
    page.write_text(f"cloze-gen trace {first['id']}\n\n{first['input']}\n")
    assert check_examples.check([finished.folder], [page]) == []
    page.write_text("cloze-gen trace no-book:1:2\n\nNo _____ here.\n")
    faults = check_examples.check([finished.folder], [page])
    assert [fault.partition(": ")[2] for fault in faults] == [
        "no question is 'No _____ here.'",
        "no run has the item no-book:1:2",
    ]
