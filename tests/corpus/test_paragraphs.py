"""Paragraphs and their kinds."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.corpus.front_back_matter import Removed
from cloze_gen.corpus.gutenberg import Body
from cloze_gen.corpus.paragraphs import split_paragraphs

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


WRAPPED = [
    "The lamp was lit when they came to the door, and nobody had",
    "thought of the oil. She said so to the keeper, who was not",
    "listening.",
    '"It will burn till noon," he said.',
    "In the garden the wind had put out all the others, and the",
    "house was dark.",
]
OF_LINES = [3, 1, 2]  # of each paragraph


@pytest.mark.parametrize(
    ("between_lines", "between_paragraphs"),
    [
        ("\n\n", "\n\n\n\n"),
        ("\n \n", "\n \n\n \n"),
        ("\n\n", "\n\n    "),
        ("\n", "\n   "),
        ("\n", "\n"),
    ],
    ids=["a blank line after every line", "CR CR LF", "both", "indents", "short lines alone"],
)
def test_wrapped_lines_without_plain_gaps_are_joined(between_lines, between_paragraphs):
    """The habits of a book show where its paragraphs end."""
    lines = iter(WRAPPED)
    blocks = [between_lines.join(next(lines) for _ in range(count)) for count in OF_LINES]
    book = between_paragraphs.join(["", *blocks * 8])
    found = [" ".join(text.split()) for kind, text in paragraphs(book) if kind == "prose"]
    assert found == [" ".join(block.split()) for block in blocks] * 8


def test_long_lines_without_blank_lines_are_paragraphs():
    lines = ["THE LAMP", "CHAPTER I", " ".join(WRAPPED[:3]), WRAPPED[3], " ".join(WRAPPED[4:])]
    kinds = ["heading", "heading", "prose", "prose", "prose"]
    assert paragraphs("\n".join(lines * 4)) == list(zip(kinds, lines, strict=True)) * 4


def test_chapters_of_wrapped_lines_without_blank_lines_keep_their_headings_apart():
    chapter = ["Chapter 2", *WRAPPED]
    found = paragraphs("\n".join(chapter * 8))
    assert found.count(("heading", "Chapter 2")) == 8


@pytest.mark.parametrize("number", ["32", "            32", "[32]", "- 32 -", "{Page 32}"])
@pytest.mark.parametrize(
    "rest", ["out before she came up\nthe stairs.", "Out went the lamp, and\nthe oil."]
)
def test_a_page_number_above_prose_is_no_part_of_it(number, rest):
    """A page that begins with its number, without a blank line below."""
    begun = "Nobody was there when\nthe lamp went"
    texts = [text.strip() for kind, text in paragraphs(f"{begun}\n\n{number}\n{rest}")]
    if rest[0].islower():
        assert texts == [f"{begun}\n\n{number}\n{rest}"]
    else:
        assert texts[-2:] == [number.strip(), rest]


def test_verse_does_not_run_into_the_prose_around_it():
    """A quotation that the sentence leads up to stays apart."""
    kinds = [
        kind
        for kind, _ in paragraphs(
            "and he sang,\n\n   Over the hill\n   And under the sky\n   And home,\n\nand wept."
        )
    ]
    assert kinds == ["prose", "verse", "prose"]


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
