"""Questions as JSON lines and as printed text."""

import json

import pytest

from cloze_gen.formats import questions as jsonl
from cloze_gen.formats.questions import blanked_sentence
from cloze_gen.records.question import Question

# Questions as JSON Lines


ITEM = Question("b:0:1", "b", ("We", "hide", "é", "."), 1, ("eat", "hide"), 1)


def test_a_record_comes_back_and_keeps_more_fields_out_of_the_question():
    """Fields beyond the question's own are written and ignored on reading."""
    record = jsonl.question_record(ITEM, scores={"history": [1.0, 2.0]})
    assert list(record)[-1] == "scores"
    assert list(jsonl.parse_questions([json.dumps(record), "\n"])) == [ITEM]


# Questions as running text


@pytest.mark.parametrize(
    ("position", "printed"),
    [(0, "_____, we hide it."), (2, "Well, _____ hide it."), (4, "Well, we hide _____.")],
)
def test_the_blank_stands_where_the_answer_stood(position, printed):
    """Marks stay at the blank as they stand at a word, and the answer is in no other place."""
    tokens = ("Well", ",", "we", "hide", "it", ".")
    assert (
        blanked_sentence(Question("b:0:0", "b", tokens, position, (tokens[position], "eat"), 0))
        == printed
    )
