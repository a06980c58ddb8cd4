"""Texts as places in the spans that they came from."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.formats.pointers import (
    filled_record,
    pointer_record,
    reference_text,
    text_at,
    text_places,
)

WORDS = st.text(alphabet="ab c\xad-?.\n", max_size=30)


@given(WORDS, WORDS, st.integers(0, 40))
def test_every_text_comes_back(text, reference, start):
    """Whatever the reference holds of it, and through JSON."""
    places = json.loads(json.dumps(text_places(text, reference, start)))
    assert text_at(places, reference, where="here") == text


@given(WORDS, WORDS)
def test_a_character_stands_for_itself_only_where_the_reference_lacks_it(text, reference):
    """So nothing of a book can be read in a list of places."""
    assert all(
        place not in reference
        for place in text_places(text, reference)
        if isinstance(place, str) and place
    )


def test_tokens_are_found_one_behind_the_other():
    """The second `the` is the second one of the sentence."""
    record = pointer_record(
        {"tokens": ["the", "cat", "the", "dog"]}, "the cat, the dog", texts=("tokens",), derived=()
    )
    assert record["tokens"] == [[0, 3], [4, 7], [9, 12], [13, 16]]


@pytest.mark.parametrize(
    ("record", "texts"),
    [
        (
            {"id": "a", "tokens": ["It", "rained", "."], "source": {"text": "It rained.", "n": 1}},
            ("tokens", "source.text"),
        ),
        (
            {
                "id": "a",
                "sentences": [["It", "rained", "."], ["Rain"]],
                "texts": ["It rained.", ""],
            },
            ("sentences", "texts", "missing.text"),
        ),
        (
            {"id": "a", "passage": ["It rained.", None], "history": [], "next": ""},
            ("passage", "history", "next"),
        ),
        ({"id": "a", "source": None}, ("source.text",)),
        ({"id": "a", "passage": [None, None]}, ("passage",)),
    ],
)
def test_records_come_back(record, texts):
    """Lists of texts, lists of lists, blanks, empty ones, objects; the rest as it was."""
    reference = reference_text(["It rained.", "Nobody came."])
    pointed = json.loads(
        json.dumps(pointer_record(record, reference, texts=texts, derived=("input",)))
    )
    assert filled_record(pointed, reference, texts=texts, where="line 1") == record
    assert "rained" not in json.dumps(pointed)


@pytest.mark.parametrize(
    "places", [[0, 99], [0], [5, 2], [-1, 2], [True, 2], [0, "x"], [0.5, 2], [0, [1]]]
)
def test_what_is_no_list_of_places_is_refused(places):
    """With the line and the field."""
    with pytest.raises(FormatError, match=r"line 3, `source\.text`"):
        filled_record(
            {"source": {"text": places}}, "It rained.", texts=("source.text",), where="line 3"
        )


def test_no_more_is_quoted_than_the_spans_hold():
    """A small file can not become an enormous one, whatever lists its slices are in."""
    places = {"tokens": [[0, 6], [0, 5]]}
    with pytest.raises(
        FormatError, match="`tokens`: the slices have 11 characters, more than the 10 of its spans"
    ):
        filled_record(places, "It rained.", texts=("tokens",), where="line 3")
