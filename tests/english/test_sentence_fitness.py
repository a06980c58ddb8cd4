from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.english.sentence_fitness import lacks_main_clause, printed_fault, sentence_fault
from cloze_gen.formats.printed_tokens import rendered_positions

CASES = json.loads(
    (Path(__file__).parents[1] / "cases" / "sentence_fitness.json").read_text(encoding="utf-8")
)
TOKENS = st.lists(
    st.sampled_from(["He", "dog", "ran", "--", '"', ",", ".", "Dr", "the", "(", ")", "?", "..."]),
    max_size=12,
)


def fault_in_print(tokens):
    return printed_fault(tokens, printed=rendered_positions(tokens), offensive={"cur"})


@pytest.mark.parametrize(("line", "fault"), CASES["whole"])
def test_the_first_fault_of_a_sentence(line, fault):
    assert sentence_fault(line.split(" ")) == fault


@pytest.mark.parametrize(("line", "fault"), CASES["printed"])
def test_the_first_fault_of_a_sentence_printed_alone(line, fault):
    assert fault_in_print(line.split(" ")) == fault


@given(TOKENS)
def test_a_sentence_that_is_not_whole_is_not_printed(tokens):
    fault = sentence_fault(tokens)
    assert fault is None or fault_in_print(tokens) == fault


@pytest.mark.parametrize(
    ("tagged", "lacks"),
    [
        ("He/PRP came/VBD", False),
        ("Coming/VBG home/NN", True),
        ("When/WRB he/PRP came/VBD", True),
        ("When/WRB he/PRP came/VBD she/PRP left/VBD", False),
        ("They/PRP said/VBD that/IN he/PRP lied/VBD", False),
    ],
)
def test_a_main_clause_needs_a_finite_verb_of_its_own(tagged, lacks):
    tokens, tags = zip(*(pair.split("/") for pair in tagged.split()), strict=True)
    assert lacks_main_clause(tokens, tags) is lacks
