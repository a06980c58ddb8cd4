"""The tasks of the lm-evaluation-harness."""

import json
from dataclasses import replace

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.formats.scde_harness import blank_records, harness_files, passage_record
from cloze_gen.records.blanked_passage import BlankedPassage

PASSAGE = BlankedPassage(
    "b:4",
    ("It rained.", ".", "We left.", "So?", "Yes."),
    (3, 0),
    ("Jane sang.", "It rained.", "So?"),
    (2, 1),
)


def test_a_blank_is_asked_alone():
    first, second = blank_records(PASSAGE)
    assert first["query"].startswith("We left. _____ Yes.\n")
    assert second["query"].startswith("_____ We left. Yes.\n")
    assert first["choices"] == second["choices"] == list(PASSAGE.candidates)
    assert [record["choices"][record["gold"]] for record in (first, second)] == [
        "So?",
        "It rained.",
    ]
    # the harness puts one blank between them
    assert not {" ", "\n"} & {
        first["query"][-1],
        first["choices"][0][0],
    }


def test_the_whole_passage_is_asked_in_letters():
    record = passage_record(PASSAGE)
    assert (
        "\n\n__2__ We left. __1__ Yes.\n\nA. Jane sang.\nB. It rained.\nC. So?\n\n"
        in record["query"]
    )
    assert record["answer"] == "C B"
    assert record["query"].count("It rained.") == 1


def test_letters_run_out():
    """What cannot be asked in letters is an error that says what to do."""
    many = replace(PASSAGE, candidates=(*PASSAGE.candidates, *map(str, range(24))))
    with pytest.raises(
        FormatError, match=r"passage b:4 has 27 candidates.*release\.harness = false"
    ):
        passage_record(many)


def test_the_tasks_know_their_splits():
    files = harness_files(
        "exams",
        {"train": [PASSAGE], "validation": [PASSAGE], "test": [PASSAGE]},
        version="1.0",
        canary="c0",
    )
    tasks = {
        f"exams{of}_{name}.yaml"
        for of in ("", "_validation")
        for name in ("blanks", "passage", "both")
    }
    assert {name for name in files if name.endswith(".yaml") and "/" not in name} == tasks
    for task, output in (("blanks", "multiple_choice"), ("passage", "generate_until")):
        text = files[f"exams_{task}.yaml"]
        values = dict(
            line.strip().split(": ", 1)
            for line in text.splitlines()
            if ": " in line and not line.strip().startswith("-")
        )
        assert [values[f"{split}_split"] for split in ("test", "fewshot")] == ["test", "fewshot"]
        assert [json.loads(values[split]) for split in ("fewshot", "test")] == [
            f"exams_{task}.{split}.jsonl" for split in ("train", "test")
        ]
        assert values["output_type"] == output
        assert "test" not in files[f"exams_validation_{task}.yaml"]
    records = [json.loads(line) for line in files["exams_blanks.test.jsonl"].splitlines()]
    assert [(record["id"], record["gold"], record["canary"]) for record in records] == [
        ("b:4:1", 2, "c0"),
        ("b:4:2", 1, "c0"),
    ]


def test_without_passages_to_ask_about_there_is_no_task():
    """Examples alone make none, and a split without passages has no file."""
    assert harness_files("exams", {"train": [PASSAGE], "test": []}, version="1.0") == {}
    assert not any(
        "validation" in name
        for name in harness_files("exams", {"validation": [], "test": [PASSAGE]}, version="1.0")
    )
