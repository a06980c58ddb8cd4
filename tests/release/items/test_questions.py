"""Questions as a release publishes them."""

import pytest

from cloze_gen.records.question import Question
from cloze_gen.release.items.kind import TaskInfo
from cloze_gen.release.items.questions import QUESTION_ITEMS

INFO = TaskInfo(name="mine", version="1", signature="sig", canary="guid")
QUESTION = Question("b:1:3", "b", ("Well", ",", "she", "left", "."), 3, ("ran", "left"), 1)


def record():
    source = {"book_id": "b", "sentence_index": 1, "start": 10, "end": 26, "text": '"Well," she left!', "position": 4,
              "tokens": ['"', "Well", ",", '"', "left", "!"]}  # fmt: skip
    return {
        "id": "b:1:3",
        "tokens": ["Well", ",", "she", "left", "."],
        "answer": "left",
        "source": source,
    }


def test_questions_are_one_split_in_their_own_file():
    """The file that holds them all is what the card names."""
    assert QUESTION_ITEMS.splits([]) == {"default": {"test": "questions.jsonl"}}
    assert QUESTION_ITEMS.split_records([QUESTION]) == {}


def test_a_released_question_has_its_sentence_with_a_blank():
    """After the id, made from the tokens."""
    released = QUESTION_ITEMS.released(QUESTION, {"id": "b:1:3", "input": None, "position": 3})
    assert list(released) == ["id", "input", "position"]
    assert released["input"] == "Well, she _____."


def test_other_people_s_tools_find_their_files():
    files = QUESTION_ITEMS.harness([QUESTION], [], INFO)
    assert {"mine.yaml", "mine_letters.yaml", "mine.test.jsonl"} <= files.keys()
    assert all(
        '"canary": "guid"' in text for name, text in files.items() if name.endswith(".jsonl")
    )
    assert set(QUESTION_ITEMS.inspect([QUESTION], INFO)) == {"inspect_task.py"}


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({}, ""),
        ({"tokens": ["Well", ",", "she", "ran", "."]}, "the printed words differ"),
        ({"answer": "she"}, "the answer differs from the book's word"),
    ],
)
def test_differences_from_the_book_are_reported(changed, what):
    """Printed words and answer must match the source tokens; punctuation may differ."""
    source = record()["source"] | {
        "text": '"Well," she left!',
        "tokens": ['"', "Well", ",", '"', "she", "left", "!"],
        "position": 5,
    }
    found = QUESTION_ITEMS.misquoted(record() | {"source": source} | changed)
    assert [one for one in found if what in one] == list(found)
    assert bool(found) == bool(what)


def test_tokens_of_another_text_are_reported():
    """A sentence whose tokens lack one of its words."""
    assert "the source tokens differ from the source text" in QUESTION_ITEMS.misquoted(record())
