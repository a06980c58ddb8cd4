"""Questions as a release publishes them."""

from __future__ import annotations

import pytest

from cloze_gen.records.question import Question
from cloze_gen.stages.items.kind import Record, ToldTask
from cloze_gen.stages.items.questions import QUESTION_ITEMS

TOLD = ToldTask(name="mine", version="1", signature="sig", canary="guid")
QUESTION = Question("b:1:3", "b", ("Well", ",", "she", "left", "."), 3, ("ran", "left"), 1)


def record() -> Record:
    source = {"book_id": "b", "sentence_index": 1, "start": 10, "end": 26, "text": '"Well," she left!', "position": 4,
              "tokens": ['"', "Well", ",", '"', "left", "!"]}  # fmt: skip
    return {"id": "b:1:3", "tokens": ["Well", ",", "she", "left", "."], "answer": "left", "source": source}


def test_questions_are_one_split_in_their_own_file() -> None:
    """The file that holds them all is what the card names."""
    assert QUESTION_ITEMS.splits([]) == {"default": {"test": "questions.jsonl"}}
    assert QUESTION_ITEMS.split_records([QUESTION]) == {}


def test_a_released_question_has_its_sentence_with_a_blank() -> None:
    """Behind the id, made from the tokens, whatever stood there before."""
    released = QUESTION_ITEMS.released(QUESTION, {"id": "b:1:3", "input": None, "position": 3})
    assert list(released) == ["id", "input", "position"]
    assert released["input"] == "Well, she _____."


def test_other_people_s_tools_find_their_files() -> None:
    """A task by likelihood and one by letters, and inspect-ai's two files; every record bears the canary."""
    files = QUESTION_ITEMS.harness([QUESTION], [], TOLD)
    assert {"mine.yaml", "mine_letters.yaml", "mine.test.jsonl"} <= files.keys()
    assert all('"canary": "guid"' in text for name, text in files.items() if name.endswith(".jsonl"))
    assert set(QUESTION_ITEMS.inspect([QUESTION], TOLD)) == {"eval.yaml", "inspect_task.py"}


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({}, ""),
        ({"tokens": ["Well", ",", "she", "ran", "."]}, "the words that are printed"),
        ({"answer": "she"}, "the answer is not the book's word"),
    ],
)
def test_what_is_not_the_book_s_is_told(changed: Record, what: str) -> None:
    """Printed words, and the answer, beside the sentence's own tokens; marks are print's."""
    source = record()["source"] | {"text": '"Well," she left!', "tokens": ['"', "Well", ",", '"', "she", "left", "!"], "position": 5}
    found = QUESTION_ITEMS.misquoted(record() | {"source": source} | changed)
    assert [one for one in found if what in one] == list(found)
    assert bool(found) == bool(what)


def test_tokens_that_are_not_of_the_text_are_told() -> None:
    """A sentence whose tokens lack one of its words."""
    assert "its tokens are not those of its text" in QUESTION_ITEMS.misquoted(record())
