"""Paragraphs and their kinds."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cloze_gen.corpus.front_back_matter import Removed
from cloze_gen.corpus.gutenberg import Body
from cloze_gen.corpus.sentences import SentenceCutter, split_paragraphs

CASES = json.loads((Path(__file__).parents[1] / "cases" / "ingest_paragraphs.json").read_text())


def paragraphs(flat):
    return [
        (p.kind, flat[p.start : p.end]) for p in split_paragraphs(flat, Body(0, len(flat), "", ""))
    ]


@pytest.mark.parametrize(("block", "kind"), CASES)
def test_the_look_of_a_block_gives_its_kind(block, kind):
    """Each block is seen as a reader sees it."""
    assert paragraphs(f"\n\n{block}\n\n\n") == [(kind, block.strip())]


def test_a_page_break_does_not_cut_a_sentence():
    """A paragraph that breaks off goes on behind the page number; one that ends does not."""
    assert paragraphs("the lamp was\n\n[12]\n\nout.\n\nthen he left.") == [
        ("prose", "the lamp was\n\n[12]\n\nout."),
        ("prose", "then he left."),
    ]
    assert len(paragraphs("the lamp was\n\n  out.")) == 2  # what is indented begins anew


def test_verse_does_not_run_into_the_prose_around_it():
    """A quotation that the sentence leads up to stays apart."""
    kinds = [
        kind
        for kind, _ in paragraphs(
            "and he sang,\n\n   Over the hill\n   And under the sky,\n\nand wept."
        )
    ]
    assert kinds == ["prose", "verse", "prose"]


def test_notes_lose_their_brackets():
    """The words of a footnote are a paragraph of their own without its mark."""
    assert paragraphs("[Footnote 3: See the lamp.]") == [("prose", "See the lamp.")]


def test_skipped_spans_are_stored_as_other():
    """Credits keep their span and are never split into sentences."""
    flat = "Scanned by me.\n\nIt was night."
    assert [
        p.kind
        for p in split_paragraphs(flat, Body(0, len(flat), "", "", (Removed(0, 14, "credits"),)))
    ] == [
        "other",
        "prose",
    ]


@given(st.text(alphabet='aA1." \n', max_size=80))
def test_paragraphs_keep_all_that_is_not_space(flat):
    """In order and apart; only white space lies between them."""
    at = 0
    for paragraph in split_paragraphs(flat, Body(0, len(flat), "", "")):
        assert not flat[at : paragraph.start].strip()
        assert paragraph.start < paragraph.end
        at = paragraph.end
    assert not flat[at:].strip()


# ---- sentence boundaries in dialogue, around abbreviations, dashes and numbers

CASES_SENTENCES = json.loads(
    (Path(__file__).parents[1] / "cases" / "ingest_sentences.json").read_text()
)
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


@pytest.mark.parametrize(
    ("flat", "expected"), [case for cases in CASES_SENTENCES.values() for case in cases]
)
def test_sentences_are_cut_where_a_reader_would(flat, expected):
    """Each case is a paragraph and its sentences."""
    assert [
        flat[start:end]
        for start, end in zip(*SentenceCutter(flat).bounds(0, len(flat)), strict=True)
    ] == expected


@given(st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join))
@example("... I")
def test_sentences_cover_the_paragraph(flat):
    """In order, without overlap, and nothing but space is left out."""
    flat = flat.strip() or "x"
    starts, ends = SentenceCutter(flat).bounds(0, len(flat))
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
        starts, ends = SentenceCutter(paragraph).bounds(0, len(paragraph))
        assert cutter.bounds(place, place + len(paragraph)) == (
            [place + at for at in starts],
            [place + at for at in ends],
        )
        place += len(paragraph) + len("\n\nNobody. Came.\n\n")
