"""No sentence is printed in two questions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.questions.printed_once import printed_before

TOKENS = st.lists(st.sampled_from(["Come", "in", "IN", '"', "--", ",", "!", "."]), min_size=1, max_size=4)


def words_of(tokens: list[str]) -> list[str]:
    return [token.lower() for token in tokens if token.isalpha()]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), TOKENS), max_size=12, unique_by=lambda pair: pair[0]))
def test_what_is_left_is_printed_once_and_loses_nothing(sentences: list[tuple[str, list[str]]]) -> None:
    """The sentences left all have different words; each of the others has the words of the first of its kind, which is left."""
    later = printed_before((sentence_id, [tokens]) for sentence_id, tokens in sentences)
    printed = {sentence_id: words_of(tokens) for sentence_id, tokens in sentences}
    left = [sentence_id for sentence_id in printed if sentence_id not in later]
    assert len({tuple(printed[sentence_id]) for sentence_id in left}) == len(left)
    order = list(printed)
    for sentence_id, first in later.items():
        assert printed[first] == printed[sentence_id]
        assert first in left
        assert order.index(first) < order.index(sentence_id)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("' Hang the lamp here , sir ! '", True),
        ("Hang the LAMP here -- sir .", True),
        ("Hang the lamp , here ; sir .", True),
        ("Hang the lamp there , sir .", False),
        ("Hang the lamps here , sir .", False),
        ("The lamp hang here , sir .", False),
    ],
)
def test_marks_and_letter_case_make_no_other_sentence(other: str, same: bool) -> None:
    """Other words do, and the same words in another order."""
    assert printed_before([("a:1", ["Hang the lamp here , sir .".split()]), ("b:1", [other.split()])]) == ({"b:1": "a:1"} if same else {})


def test_a_sentence_asked_for_twice_is_one_sentence() -> None:
    """Two focus words of a sentence do not speak against each other here."""
    assert printed_before([("a:1", [("Come", ".")]), ("a:1", [("Come", ".")])]) == {}


def test_one_text_in_common_is_enough() -> None:
    """Of items with several texts; one that goes forbids no other, and an item may print a text twice."""
    one, two, three = ("One", "lamp"), ("Two", "lamps"), ("Three", "lamps")
    assert printed_before([("a", [one, one]), ("b", [two, one]), ("c", [two, three]), ("d", [three])]) == {"b": "a", "d": "c"}
