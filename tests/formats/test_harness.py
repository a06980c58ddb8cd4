"""The tasks of the lm-evaluation-harness, of questions."""

from __future__ import annotations

import json

from cloze_gen.formats.harness import harness_files, harness_record, letters_record
from cloze_gen.records.question import Question

QUESTION = Question("b:0:3", "b", ("Well", ",", "we", "hide", "it", ",", "sir", "."), 3, ("eat", "hide"), 1)


def test_query_and_right_choice_are_the_whole_sentence() -> None:
    """With the harness's delimiter between them, query and gold choice read as the printed sentence."""
    record = harness_record(QUESTION)
    assert f"{record['query']} {record['choices'][record['gold']]}" == "Well, we hide it, sir."


def test_the_letter_of_the_right_option_is_right() -> None:
    """The sentence has a blank instead of its answer; every option has its letter, and choices are letters."""
    record = letters_record(QUESTION)
    assert record["query"].startswith("Well, we _____ it, sir.\n\nA. eat\nB. hide\n\n")
    assert record["choices"][record["gold"]] == "B"


def test_both_ways_of_asking_are_tasks() -> None:
    """Two tasks and their group; every record has the question's id, and a canary where there is one."""
    files = harness_files("holmes", [QUESTION], version="1.0", canary="c0")
    names = {"holmes.yaml", "holmes_letters.yaml", "holmes_both.yaml", "holmes.test.jsonl", "holmes_letters.test.jsonl"}
    plain = {"plain/holmes_plain.yaml", "plain/holmes_letters_plain.yaml"}
    assert files.keys() == names | plain | {"cloze_task.py", "README.md"}
    for name in ("holmes.test.jsonl", "holmes_letters.test.jsonl"):
        record = json.loads(files[name])
        assert (record["id"], record["canary"]) == ("b:0:3", "c0")
    assert "canary" not in harness_files("holmes", [QUESTION], version="1.0")["holmes.test.jsonl"]


def test_examples_have_files_of_their_own() -> None:
    """In both ways of asking, and no file of the set has them."""
    spare = Question("b:9:1", "b", ("They", "left", "."), 1, ("eat", "left"), 1)
    files = harness_files("holmes", [QUESTION], examples=[spare], version="1.0", canary="c0")
    for name in ("holmes", "holmes_letters"):
        found = [json.loads(files[f"{name}.{split}.jsonl"]) for split in ("test", "fewshot")]
        assert [(record["id"], record["canary"]) for record in found] == [("b:0:3", "c0"), ("b:9:1", "c0")]


def test_letters_run_out() -> None:
    """A question of more options than letters leaves the task by likelihood, and there is no group of one."""
    many = Question("b:0:1", "b", ("We", "hide"), 1, ("hide", *(f"eat{i}" for i in range(26))), 0)
    files = harness_files("holmes", [QUESTION, many], version="1.0")
    assert {name for name in files if name.endswith(".yaml")} == {"holmes.yaml", "plain/holmes_plain.yaml"}


def test_nothing_to_ask_is_no_task() -> None:
    """A harness stumbles over an empty file of records."""
    assert harness_files("holmes", [], version="1.0") == {}
