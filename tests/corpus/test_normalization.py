"""Normalizing: the marks of the typist go, many are as one."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.corpus.decoding import flatten
from cloze_gen.corpus.normalization import normalize_many, normalize_sentence

CASES = json.loads((Path(__file__).parents[1] / "cases" / "ingest_normalize.json").read_text())
# Made of the pieces that the rules look at, so that rules meet each other.
SINGLE = "ab1.-_*[]<>{}`'~\n pP\u2014\u2026\u00e9\x7f"
PIECES = st.lists(
    st.sampled_from([*SINGLE, "<i>", "[1]", "--", ". .", "\n12\n", "- ", "a-\nb"]), max_size=25
)
MARKED = PIECES.map("".join)


@pytest.mark.parametrize(("piece", "expected"), CASES)
def test_marks_of_the_typist_go(piece, expected):
    """Each rule on an example from the books."""
    assert normalize_sentence(piece) == expected


@given(st.one_of(MARKED, st.text().map(flatten)))
def test_clean_text_has_single_spaces(piece):
    text = normalize_sentence(piece)
    assert text.split() == text.split(" ") or not text


@given(st.lists(st.one_of(MARKED, st.text().map(flatten)), min_size=1, max_size=5))
def test_a_book_is_normalized_as_its_sentences_are(pieces):
    """No rule reaches from a sentence into the next."""
    assert normalize_many(pieces) == [normalize_sentence(piece) for piece in pieces]
