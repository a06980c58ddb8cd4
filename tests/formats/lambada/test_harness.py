"""The tasks of the lm-evaluation-harness."""

from __future__ import annotations

import json

import pytest

from cloze_gen.formats.lambada.harness import RENDERINGS, harness_files, harness_record
from cloze_gen.records.passage import Part, Passage

ITEM = Passage("b:7", "b", Part.TEST, (("Who", "hid", "?"), ('"', "Not", "Ann", ".", '"')), ("Who hid?", '"Not Ann."'), 2, 5, 23)


@pytest.mark.parametrize("rendering", RENDERINGS)
def test_the_harness_scores_the_target_alone(rendering: str) -> None:
    """Context and continuation joined are the text; the context ends in no blank; nothing follows the target."""
    record = harness_record(ITEM, rendering)  # type: ignore[arg-type]
    assert record["context"] + record["continuation"] == record["text"]
    assert record["context"] == record["context"].rstrip()
    assert record["text"].endswith(record["target"])
    assert record["continuation"].strip() == record["target"]


def test_the_tasks_say_their_rendering() -> None:
    """Two tasks, a file a split each, and no task has the set's bare name."""
    files = harness_files("novels", {"validation": [], "test": [ITEM]}, version="1")
    assert sorted(files) == [
        "novels_cased.test.jsonl", "novels_cased.validation.jsonl", "novels_cased.yaml",
        "novels_published.test.jsonl", "novels_published.validation.jsonl", "novels_published.yaml",
    ]  # fmt: skip
    assert 'task: "novels_cased"' in files["novels_cased.yaml"]
    assert 'test: "novels_cased.test.jsonl"' in files["novels_cased.yaml"]
    assert 'doc_to_text: "{{context}}"' in files["novels_cased.yaml"]
    assert json.loads(files["novels_published.test.jsonl"])["text"] == "who hid ? `` not ann"
