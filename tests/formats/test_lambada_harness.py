"""The tasks of the lm-evaluation-harness."""

import itertools
import json

import pytest

from cloze_gen.formats.lambada_harness import RENDERINGS, harness_files, harness_record
from cloze_gen.records.passage import Part, Passage

ITEM = Passage(
    "b:7",
    "b",
    Part.TEST,
    (("Who", "hid", "?"), ('"', "Not", "Ann", ".", '"')),
    ("Who hid?", '"Not Ann."'),
    2,
    5,
    23,
)

SPARE = Passage(
    "b:9",
    "b",
    Part.DEVELOPMENT,
    (("Who", "left", "?"), ("Ann", ".")),
    ("Who left?", "Ann."),
    0,
    30,
    45,
)


@pytest.mark.parametrize("rendering", RENDERINGS)
def test_the_harness_scores_the_target_alone(rendering):
    record = harness_record(ITEM, rendering)
    assert record["context"] + record["continuation"] == record["text"]
    assert record["context"] == record["context"].rstrip()
    assert record["text"].endswith(record["target"])
    assert record["continuation"].strip() == record["target"]


def test_the_tasks_say_their_rendering():
    files = harness_files(
        "novels", {"validation": [ITEM], "test": [ITEM]}, control=[ITEM], version="1", canary="c0"
    )
    tasks = {
        f"novels{of}_{name}.yaml"
        for of in ("", "_validation", "_control")
        for name in ("published", "cased", "both")
    }
    assert {name for name in files if name.endswith(".yaml") and "/" not in name} == tasks
    assert 'test: "novels_cased.test.jsonl"' in files["novels_cased.yaml"]
    assert 'target_delimiter: ""\n' in files["novels_cased.yaml"]
    assert json.loads(files["novels_published.test.jsonl"])["text"] == "who hid ? `` not ann"
    assert {
        json.loads(text)["canary"] for name, text in files.items() if name.endswith(".jsonl")
    } == {"c0"}


def test_a_split_is_asked_in_its_own_task():
    files = harness_files(
        "novels", {"validation": [ITEM], "test": [ITEM]}, control=[ITEM], version="1"
    )
    assert 'validation: "novels_cased.validation.jsonl"' in files["novels_validation_cased.yaml"]
    assert "test_split" not in files["novels_validation_cased.yaml"]
    assert 'test: "novels_control_cased.test.jsonl"' in files["novels_control_cased.yaml"]
    assert "validation" not in files["novels_control_cased.yaml"]


def test_all_tasks_of_a_rendering_share_their_examples():
    """Control and validation too: what no task measures."""
    files = harness_files(
        "novels",
        {"validation": [ITEM], "test": [ITEM]},
        control=[ITEM],
        examples=[SPARE],
        version="1",
    )
    for of, rendering in itertools.product(("", "_validation", "_control"), RENDERINGS):
        assert (
            f'fewshot: "novels_{rendering}.fewshot.jsonl"' in files[f"novels{of}_{rendering}.yaml"]
        )
        assert json.loads(files[f"novels_{rendering}.fewshot.jsonl"]) == harness_record(
            SPARE, rendering
        )


def test_what_is_not_there_has_no_task():
    """A split without passages has neither file nor task; a control set alone has its own."""
    files = harness_files("novels", {"test": []}, control=[ITEM], version="1")
    assert {name for name in files if name.startswith("novels")} == {
        *(f"novels_control_{name}.yaml" for name in ("published", "cased", "both")),
        *(f"novels_control_{name}.test.jsonl" for name in RENDERINGS),
    }
    assert harness_files("novels", {"test": []}, version="1") == {}
