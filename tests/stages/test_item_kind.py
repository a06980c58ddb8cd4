"""What a release knows of its items."""

from __future__ import annotations

import json
from pathlib import Path

from cloze_gen.records.passage import Part, Passage, SetPassage, Split
from cloze_gen.stages.item_kind import PASSAGE_ITEMS, QUESTION_ITEMS

PASSAGE = Passage("b:7", "b", Part.TEST, (("Who", "saw", "Ann", "?"), ("Not", "ann", ".")), ("Who saw Ann?", "Not ann."), 1, 5, 23)
TEST, CONTROL = (SetPassage(PASSAGE, split, "crime") for split in (Split.TEST, Split.CONTROL))


def test_a_control_set_stands_beside_the_set() -> None:
    """It is no part of what is counted, and a config of its own; a split without passages is not named."""
    assert [PASSAGE_ITEMS.counts(one) for one in (TEST, CONTROL)] == [True, False]
    assert PASSAGE_ITEMS.splits([TEST, CONTROL]) == {"default": {"test": "test.jsonl"}, "control": {"test": "control.jsonl"}}
    assert PASSAGE_ITEMS.splits([TEST]) == {"default": {"test": "test.jsonl"}}
    assert "0 validation, 1 test; beside them 1 of control" in PASSAGE_ITEMS.described([TEST, CONTROL])
    assert PASSAGE_ITEMS.balance([TEST, CONTROL]) == "The target stands in the context of 1 of 1 passages."


def test_only_splits_with_passages_have_files(tmp_path: Path) -> None:
    """Tables and tasks alike, for neither `datasets` nor a harness reads an empty one."""
    PASSAGE_ITEMS.write_splits(tmp_path, [TEST, CONTROL])
    PASSAGE_ITEMS.write_harness(tmp_path, "mine", [CONTROL], "sig")
    tasks = {f"mine_control_{rendering}.{end}" for rendering in ("cased", "published") for end in ("yaml", "test.jsonl")}
    assert {path.name for path in tmp_path.iterdir()} == {"test.jsonl", "control.jsonl"} | tasks
    assert json.loads((tmp_path / "test.jsonl").read_text(encoding="utf-8"))["domain"] == "crime"


def test_questions_are_one_split(tmp_path: Path) -> None:
    """The file that holds them all is what the card names."""
    QUESTION_ITEMS.write_splits(tmp_path, [])
    assert not any(tmp_path.iterdir())
    assert QUESTION_ITEMS.splits([]) == {"default": {"test": "questions.jsonl"}}
