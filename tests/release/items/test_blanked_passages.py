"""Blanked passages as a release publishes them."""

import json

from cloze_gen.formats.scde import passage_record
from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.release.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.release.items.kind import TaskInfo

INFO = TaskInfo(name="mine", version="1", signature="sig", canary="guid")


def blanked(number, part, distractors=True):
    """Two sentences of book b, the second a blank; its answer comes after the distractor."""
    left, rained, sang = (
        SentenceSource("b", index, 10 * index, 10 * index + 9)
        for index in (number, number + 1, number + 9)
    )
    others = ("Jane sang.",) if distractors else ()
    passage = BlankedPassage(
        f"b:{number}", ("We left.", "It rained."), (1,), (*others, "It rained."), (len(others),)
    )
    return SetBlankedPassage(
        passage, part, "war", (2, 2), (left, rained), (*(sang for _ in others), rained)
    )


def test_parts_are_splits():
    """The development books are `validation`; an empty part has no split and no file."""
    items = [blanked(1, Part.TEST), blanked(2, Part.DEVELOPMENT), blanked(3, Part.DEVELOPMENT)]
    splits = {"validation": "validation.jsonl", "test": "test.jsonl"}
    blanks = {"validation": "blanks_validation.jsonl", "test": "blanks_test.jsonl"}
    assert BLANKED_ITEMS.splits(items) == {"default": splits, "blanks": blanks}
    records = BLANKED_ITEMS.split_records(items)
    assert set(records) == {*splits.values(), *blanks.values()}
    assert [row["id"] for row in records["validation.jsonl"]] == ["b:2", "b:3"]
    assert [row["id"] for row in records["blanks_test.jsonl"]] == ["b:1:1"]
    assert not any("train" in name for name in BLANKED_ITEMS.harness(items, [], INFO))
    assert "(2 validation, 1 test)" in BLANKED_ITEMS.described(items)


def test_there_is_no_task_without_test_passages():
    """Examples alone make no task."""
    assert BLANKED_ITEMS.harness([blanked(1, Part.TRAIN)], [], INFO) == {}
    assert BLANKED_ITEMS.inspect([blanked(1, Part.TRAIN)], INFO) == {}
    assert BLANKED_ITEMS.inspect([], INFO) == {}


def test_sentences_and_candidates_are_quoted():
    """Each with its own span; a blank has its answer."""
    record = passage_record(blanked(1, Part.TEST))
    spans = [("b", 10, 19), ("b", 20, 29), ("b", 100, 109), ("b", 20, 29)]
    texts = ["We left.", "It rained.", "Jane sang.", "It rained."]
    assert BLANKED_ITEMS.quoted(record) == [
        (span, [text]) for span, text in zip(spans, texts, strict=True)
    ]


def test_the_card_has_the_positions_of_the_answers():
    """Share of blanks at each place of the list of candidates, from 1."""
    items = [
        *(blanked(number, Part.TEST) for number in range(3)),
        blanked(3, Part.TEST, distractors=False),
    ]
    assert BLANKED_ITEMS.balance(items).endswith("1 (25.0%), 2 (75.0%).")


def test_blanked_passages_come_back_from_a_release(tmp_path):
    """Another answer makes another set, another genre does not."""
    items = [blanked(1, Part.TEST), blanked(2, Part.TRAIN)]
    path = tmp_path / BLANKED_ITEMS.file

    def digest(records):
        path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
        return BLANKED_ITEMS.read_set(path).digest

    records = [passage_record(one) for one in items]
    first = digest(records)
    assert BLANKED_ITEMS.read(tmp_path) == items
    assert digest([record | {"domain": "crime"} for record in records]) == first
    other = passage_record(blanked(2, Part.TRAIN, distractors=False))
    assert digest([records[0], other]) != first
