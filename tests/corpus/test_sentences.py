"""Sentence boundaries in dialogue, around abbreviations, dashes and numbers."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cloze_gen.corpus.sentences import SentenceCutter

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
def test_sentences_are_cut_where_a_reader_would(flat, expected):
    """Each case is a paragraph and its sentences."""
    assert [flat[start:end] for start, end in SentenceCutter(flat).bounds(0, len(flat))] == expected


@given(st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join))
@example("... I")
def test_sentences_cover_the_paragraph(flat):
    """In order, without overlap, and nothing but space is left out."""
    flat = flat.strip() or "x"
    starts, ends = zip(*SentenceCutter(flat).bounds(0, len(flat)), strict=True)
    assert starts[0] == 0
    assert ends[-1] == len(flat)
    assert all(start < end for start, end in zip(starts, ends, strict=True))
    assert all(not flat[end:start].strip() for end, start in zip(ends, starts[1:], strict=False))


@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join), max_size=4)
)
@example(["He left. Mr.", "Holmes cried."])
@example(["no.", "I. He left."])
def test_a_cut_does_not_depend_on_what_stands_around_the_paragraph(paragraphs):
    paragraphs = [paragraph.strip() or "x" for paragraph in paragraphs]
    flat = "Mr. I " + "\n\nNobody. Came.\n\n".join(paragraphs) + "\nThe end."
    cutter = SentenceCutter(flat)
    place = 6
    for paragraph in paragraphs:
        bounds = SentenceCutter(paragraph).bounds(0, len(paragraph))
        assert cutter.bounds(place, place + len(paragraph)) == [
            (place + start, place + end) for start, end in bounds
        ]
        place += len(paragraph) + len("\n\nNobody. Came.\n\n")
