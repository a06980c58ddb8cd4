"""What a release knows of its items."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cloze_gen.formats.scde.jsonl import passage_record
from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part, Passage, SetPassage, Split
from cloze_gen.stages.item_kind import BLANKED_ITEMS, PASSAGE_ITEMS, QUESTION_ITEMS

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
    assert {path.name for path in tmp_path.iterdir()} == {"test.jsonl", "control.jsonl", "harness"}
    assert {path.name for path in (tmp_path / "harness").glob("mine_*")} == tasks | {"mine_control_both.yaml"}
    assert json.loads((tmp_path / "test.jsonl").read_text(encoding="utf-8"))["domain"] == "crime"


def test_questions_are_one_split(tmp_path: Path) -> None:
    """The file that holds them all is what the card names."""
    QUESTION_ITEMS.write_splits(tmp_path, [])
    assert not any(tmp_path.iterdir())
    assert QUESTION_ITEMS.splits([]) == {"default": {"test": "questions.jsonl"}}


def blanked(number: int, part: Part, distractors: bool = True) -> SetBlankedPassage:
    """Two sentences of book b, the second a blank; its answer stands behind the distractor."""
    left, rained, sang = (SentenceSource("b", index, 10 * index, 10 * index + 9) for index in (number, number + 1, number + 9))
    others = ("Jane sang.",) if distractors else ()
    passage = BlankedPassage(f"b:{number}", ("We left.", "It rained."), (1,), (*others, "It rained."), (len(others),))
    return SetBlankedPassage(passage, part, "war", (2, 2), (left, rained), (*(sang for _ in others), rained))


def test_parts_are_splits(tmp_path: Path) -> None:
    """The passages of the development books are `validation`; a part without passages has no split, no file and no task's records."""
    items = [blanked(1, Part.TEST), blanked(2, Part.DEVELOPMENT), blanked(3, Part.DEVELOPMENT)]
    BLANKED_ITEMS.write_splits(tmp_path, items)
    BLANKED_ITEMS.write_harness(tmp_path, "mine", items, "sig")
    splits = {"validation": "validation.jsonl", "test": "test.jsonl"}
    assert BLANKED_ITEMS.splits(items) == {"default": splits}
    records = {f"mine_{task}.{file}" for task in ("blanks", "passage") for file in splits.values()}
    assert {path.name for path in tmp_path.iterdir()} == {*splits.values(), "harness"}
    assert {path.name for path in (tmp_path / "harness").glob("*.jsonl")} == records
    rows = [json.loads(line) for line in (tmp_path / "validation.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["b:2", "b:3"]
    assert list(rows[0]) == list(BLANKED_ITEMS.features)
    assert "(2 validation, 1 test)" in BLANKED_ITEMS.described(items)


def test_there_is_no_task_without_passages_to_ask_about(tmp_path: Path) -> None:
    """Examples alone make no harness task."""
    BLANKED_ITEMS.write_harness(tmp_path, "mine", [blanked(1, Part.TRAIN)], "sig")
    assert not any(tmp_path.iterdir())


def test_the_card_tells_where_the_answers_stand() -> None:
    """Share of blanks at each place of the list of candidates, from 1."""
    items = [*(blanked(number, Part.TEST) for number in range(3)), blanked(3, Part.TEST, distractors=False)]
    assert BLANKED_ITEMS.balance(items).endswith("1 (25.0%), 2 (75.0%).")


def test_blanked_passages_come_back_from_a_release(tmp_path: Path) -> None:
    """Read as items, and as a set that is known by what it asks: another answer is another set, another genre is not."""
    items = [blanked(1, Part.TEST), blanked(2, Part.TRAIN)]
    path = tmp_path / BLANKED_ITEMS.file

    def digest(records: list[dict[str, Any]]) -> str:
        path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
        return BLANKED_ITEMS.read_set(path).digest

    records = [passage_record(one) for one in items]
    first = digest(records)
    assert BLANKED_ITEMS.read(tmp_path) == items
    assert digest([record | {"domain": "crime"} for record in records]) == first
    other = passage_record(blanked(2, Part.TRAIN, distractors=False))
    assert digest([records[0], other]) != first
