from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.english.sentence_fitness import SentenceFault, lacks_main_clause, sentence_fault
from cloze_gen.formats.printed_tokens import rendered_positions

CASES = json.loads(
    (Path(__file__).parents[1] / "cases" / "sentence_fitness.json").read_text(encoding="utf-8")
)
TOKENS = st.lists(
    st.sampled_from(["He", "dog", "ran", "--", '"', ",", ".", "Dr", "the", "(", ")", "?", "..."]),
    max_size=12,
)


@pytest.mark.parametrize(("line", "fault"), CASES)
def test_the_first_fault_of_a_sentence(line, fault):
    tokens = line.split(" ")
    assert (
        sentence_fault(tokens, printed=rendered_positions(tokens), offensive=frozenset({"cur"}))
        == fault
    )


@given(TOKENS)
def test_every_sequence_of_tokens_is_judged(tokens):
    found = sentence_fault(tokens, printed=rendered_positions(tokens), offensive=())
    assert found is None or found in SentenceFault


def test_what_is_not_printed_is_not_read():
    tokens = ["*", "He", "ran", "home", "."]
    assert sentence_fault(tokens, printed=[1, 2, 3, 4], offensive=()) is None
    assert sentence_fault(tokens, printed=range(5), offensive=()) == SentenceFault.BEGINS_LOW


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
