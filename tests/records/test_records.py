"""The records that pass from step to step."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.records.passage import Part, Passage
from cloze_gen.records.question import Blank, Question
from cloze_gen.records.rejection import Rejection
from cloze_gen.records.sentence import Sentence

TOKENS = st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=12).map(tuple)


@given(TOKENS, st.data())
def test_blank_and_answer_give_the_source(tokens, data):
    blank = Blank("b:0:0", tokens, data.draw(st.integers(0, len(tokens) - 1)))
    assert blank.filled(blank.answer) == tokens
    other = blank.filled(blank.answer + "x")
    assert [i for i, (a, b) in enumerate(zip(other, tokens, strict=True)) if a != b] == [
        blank.position
    ]


def test_question_knows_its_answer():
    """The answer is the option at its index, and the question's blank is filled by it."""
    question = Question("b:3:1", "b", ("We", "hide", "it", "."), 1, ("eat", "hide"), 1)
    assert question.answer == "hide" == question.blank.answer
    assert question.blank.filled("eat") == ("We", "eat", "it", ".")


@given(
    st.lists(
        st.lists(st.sampled_from("abc."), min_size=1, max_size=4).map(tuple), min_size=1, max_size=4
    ).map(tuple),
    st.data(),
)
def test_a_passage_is_what_is_shown_the_target_and_what_is_not(sentences, data):
    target_position = data.draw(st.integers(0, len(sentences[-1]) - 1))
    texts = tuple(data.draw(st.sampled_from(["", " "])).join(sentence) for sentence in sentences)
    passage = Passage("b:4", "b", Part.TEST, sentences, texts, target_position, 0, 9)
    tokens = tuple(token for sentence in sentences for token in sentence)
    assert (*passage.before_target, passage.target) == tokens[: len(passage.before_target) + 1]
    assert (*passage.context, *passage.target_sentence) == tokens
    assert len(passage.before_target) == len(passage.context) + target_position
    assert passage.opening + passage.target + passage.closing == texts[-1]


def test_sentence_id_is_its_provenance():
    """A sentence is known by its book and its number in it."""
    assert Sentence("pg1661", 12, 5, 9, 0, "prose", "Oh .", ("Oh", ".")).id == "pg1661:12"


@pytest.mark.parametrize("record", [Rejection("b:0", "why"), Blank("b:0:0", ("a",), 0)])
def test_records_do_not_change(record):
    """A record is frozen and takes no further attribute."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.id = "other"
    with pytest.raises((AttributeError, TypeError)):
        record.note = "x"
