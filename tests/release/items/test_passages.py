"""Passages as a release publishes them."""

from cloze_gen.records.passage import Part, Passage, SetPassage, Split
from cloze_gen.release.items.kind import TaskInfo
from cloze_gen.release.items.passages import PASSAGE_ITEMS

PASSAGE = Passage(
    "b:7",
    "b",
    Part.TEST,
    (("Who", "saw", "Ann", "?"), ("Not", "ann", ".")),
    ("Who saw Ann?", "Not ann."),
    1,
    5,
    23,
)
TEST, CONTROL = (SetPassage(PASSAGE, split, "crime") for split in (Split.TEST, Split.CONTROL))
INFO = TaskInfo(name="mine", version="1", signature="sig", canary="guid")


def test_a_control_set_is_a_separate_config():
    assert [PASSAGE_ITEMS.counts(one) for one in (TEST, CONTROL)] == [True, False]
    assert PASSAGE_ITEMS.splits([TEST, CONTROL]) == {
        "default": {"test": "test.jsonl"},
        "control": {"test": "control.jsonl"},
    }
    assert PASSAGE_ITEMS.splits([TEST]) == {"default": {"test": "test.jsonl"}}
    assert "0 validation, 1 test; also 1 unfiltered control" in PASSAGE_ITEMS.described(
        [TEST, CONTROL]
    )
    assert (
        PASSAGE_ITEMS.balance([TEST, CONTROL])
        == "The target occurs in an earlier sentence of 1 of 1 passages."
    )


def test_only_splits_with_passages_have_files():
    """Tables and tasks alike, for neither `datasets` nor a harness reads an empty one."""
    records = PASSAGE_ITEMS.split_records([TEST, CONTROL])
    assert list(records) == ["test.jsonl", "control.jsonl"]
    assert records["test.jsonl"][0]["domain"] == "crime"
    names = {name for name in PASSAGE_ITEMS.harness([CONTROL], [], INFO) if name.endswith(".jsonl")}
    assert names == {"mine_control_cased.test.jsonl", "mine_control_published.test.jsonl"}
    assert "validation" not in PASSAGE_ITEMS.inspect([TEST, CONTROL], INFO)["inspect_task.py"]
    assert PASSAGE_ITEMS.harness([], [], INFO) == {}
    assert PASSAGE_ITEMS.inspect([], INFO) == {}


def test_a_passage_quotes_its_whole_span():
    """All its sentences, final marks too, and renderings come back from the passage itself."""
    record = {"id": "b:7", "text": None, "context": None, "target": None, "cased": None, "book_id": "b", "start": 5, "end": 23,
              "texts": ["Who saw Ann?", "Not ann."]}  # fmt: skip
    assert PASSAGE_ITEMS.quoted(record) == [(("b", 5, 23), ["Who saw Ann?", "Not ann."])]
    again = PASSAGE_ITEMS.released(TEST, record)
    assert (again["text"], again["cased"], again["target"]) == (
        "who saw ann ? not ann",
        "Who saw Ann? Not ann",
        "ann",
    )
