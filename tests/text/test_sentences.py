"""Sentence boundaries in dialogue, around abbreviations, dashes and numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cloze_gen.text.sentences import sentence_bounds

CASES = json.loads((Path(__file__).parents[1] / "cases" / "ingest_sentences.json").read_text())
WORDS = [
    "He",
    "left",
    "Mr.",
    "I.",
    "no.",
    '"Stay."',
    "'Go!'",
    "J.",
    "1.",
    "...",
    ".",
    "--",
    "said",
    "I",
    "Holmes",
    "cried",
    "?",
    '!"',
    "(",
    ")",
    "\n",
]


@pytest.mark.parametrize(("flat", "expected"), [case for cases in CASES.values() for case in cases])
def test_sentences_are_cut_where_a_reader_would(flat: str, expected: list[str]) -> None:
    """Each case is a paragraph and its sentences."""
    assert [flat[start:end] for start, end in zip(*sentence_bounds(flat, 0, len(flat)), strict=True)] == expected


@given(st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join))
@example("... I")
def test_sentences_cover_the_paragraph(flat: str) -> None:
    """In order, without overlap, and nothing but space is left out."""
    flat = flat.strip() or "x"
    starts, ends = sentence_bounds(flat, 0, len(flat))
    assert starts[0] == 0
    assert ends[-1] == len(flat)
    assert all(start < end for start, end in zip(starts, ends, strict=True))
    assert all(not flat[end:start].strip() for end, start in zip(ends, starts[1:], strict=False))


def test_a_cut_does_not_depend_on_what_stands_around_the_paragraph() -> None:
    """The same paragraph inside a longer text has the same sentences."""
    paragraph = 'Dr. Watson rose. "Come!" said he.'
    flat = f"Mr. {paragraph} The end."
    starts, ends = sentence_bounds(flat, 4, 4 + len(paragraph))
    assert [flat[a:b] for a, b in zip(starts, ends, strict=True)] == ["Dr. Watson rose.", '"Come!" said he.']
