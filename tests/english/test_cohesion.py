from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.english.cohesion import Opener, Person, surface_ties

TOKENS = st.lists(
    st.sampled_from("Pip Joe's lamp lamps he We're the But \" ' ? . walked is don't".split())
)


def ties(line):
    return surface_ties(line.split())


@pytest.mark.parametrize(
    ("line", "marks", "begins", "ends", "half"),
    [
        ('" Go , " said he .', 2, True, False, False),
        ("' Go ! '", 2, True, True, False),
        ("`` Go ! ''", 2, True, True, False),
        ('" Go on .', 1, True, False, True),
        ('And that is all . "', 1, False, True, True),
        ("Joe's dogs' bowl o' milk wasn't there .", 0, False, False, False),
        ("", 0, False, False, False),
    ],
)
def test_quotation_marks_are_tokens_of_their_own(line, marks, begins, ends, half):
    found = ties(line)
    assert (
        found.quotation_marks,
        found.begins_quoted,
        found.ends_quoted,
        found.is_half_speech,
    ) == (marks, begins, ends, half)


@pytest.mark.parametrize(
    ("line", "persons"),
    [
        ("I told her that we're theirs .", {Person.I, Person.SHE, Person.WE, Person.THEY}),
        ("Thou hast thy will .", {Person.YOU}),
        ("He'll keep its lid for himself .", {Person.HE, Person.IT}),
        ("Pip left .", set()),
    ],
)
def test_a_pronoun_has_a_person_in_any_case(line, persons):
    assert ties(line).persons == persons


def test_a_first_word_is_no_name_and_may_be_one():
    found = ties("\" Pip's lamp , \" said Joe's wife to Mr. Wopsle .")
    assert found.names == {"joe", "wopsle"}
    assert found.first_word == "pip"
    assert ties("-- 1860 was cold .").first_word == "1860"
    assert ties('" .').first_word == ""


def test_forms_of_a_word_of_content_have_one_stem():
    lamps, lamp = ties("The lamps were climbing ."), ties("A lamp climbed on .")
    assert len(lamps.stems) == 2
    assert lamps.stems == lamp.stems


@pytest.mark.parametrize(
    ("line", "past", "present", "tense"),
    [
        ("He walked on and was gone .", 2, 0, 1),
        ("She knows that he isn't here .", 0, 2, -1),
        ("He said that she is here .", 1, 1, 0),
        ("We need red bread .", 0, 0, 0),
        ("Away !", 0, 0, 0),
    ],
)
def test_tense_is_that_of_most_verbs(line, past, present, tense):
    """`ed` is a past form in words of five letters or more."""
    found = ties(line)
    assert (found.past, found.present, found.tense) == (past, present, tense)


@pytest.mark.parametrize(
    ("line", "opener"),
    [
        ("But no .", Opener.CONJUNCTION),
        ('" Then go ! "', Opener.CONJUNCTION),
        ("That's all .", Opener.DEMONSTRATIVE),
        ("He'd go .", Opener.PRONOUN),
        ("An old man came .", Opener.ARTICLE),
        ("Pip came .", Opener.OTHER),
        (".", Opener.OTHER),
    ],
)
def test_a_sentence_opens_with_its_first_word(line, opener):
    assert ties(line).opener == opener


@pytest.mark.parametrize(
    ("line", "question"), [('" Who ? " said he .', True), ("Who knows .", False)]
)
def test_a_question_has_its_mark(line, question):
    assert ties(line).question == question


@given(TOKENS, TOKENS)
def test_what_is_counted_is_the_sum_of_the_halves(one, other):
    whole, first, second = map(surface_ties, (one + other, one, other))

    def counted(some):
        return some.quotation_marks, some.past, some.present

    assert counted(whole) == tuple(map(sum, zip(counted(first), counted(second), strict=True)))
    assert whole.persons == first.persons | second.persons
    assert whole.stems == first.stems | second.stems
