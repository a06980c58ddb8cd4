"""The body of a Gutenberg file: every shape of header and footer."""

import json
from pathlib import Path

import pytest

from cloze_gen.corpus.gutenberg import find_body

CASES = json.loads((Path(__file__).parents[1] / "cases" / "ingest_boilerplate.json").read_text())
STORY = "It was night.\n\nThe lamp was lit, and nobody had come to put it out.\n"
LICENCE = "Project Gutenberg Etexts are made by volunteers.\nWhy is this here?\n"


def body_text(flat):
    """The body without its skipped spans."""
    body = find_body(flat)
    at, pieces = body.start, []
    for start, end, _ in body.skipped:
        pieces.append(flat[at:start])
        at = end
    return "".join((*pieces, flat[at : body.end])).strip()


@pytest.mark.parametrize("header", CASES["headers"].values(), ids=CASES["headers"])
def test_the_book_begins_behind_its_header(header):
    """Every header shape is found, however it is spelled or broken."""
    assert body_text(f"{LICENCE}\n{header}\n\n\n{STORY}") == STORY.strip()


@pytest.mark.parametrize("footer", CASES["footers"])
def test_the_book_ends_before_its_footer(footer):
    """Every spelling of the footer is found."""
    found = body_text(f"{LICENCE}\n*END*THE SMALL PRINT! Ver.04*END*\n\n{STORY}\n\n\n{footer}\n")
    assert found.removesuffix("THE END\n\nof").strip() == STORY.strip()


def test_text_without_any_marker_is_all_book():
    """A plain text file is kept whole."""
    assert body_text(STORY) == STORY.strip()


def test_small_print_at_the_bottom_is_no_header():
    """Cutting to the last small print would leave nothing."""
    start, end = (f"*** {word} OF THE PROJECT GUTENBERG EBOOK X ***" for word in ("START", "END"))
    assert (
        body_text(f"{start}\n\n{STORY}\n{end}\n{LICENCE}*END THE SMALL PRINT*\n") == STORY.strip()
    )


def test_a_footer_with_more_of_the_book_behind_it_does_not_end_it():
    """A preface printed behind the first footer stays; the footer between is skipped."""
    footer = "End of Project Gutenberg's Etext of A Story\n\n"
    preface = "I wrote this preface last of all, in the garden, when the lamp was out. " * 12
    assert body_text(f"{STORY}\n{footer}{preface}\n\n{footer}").split() == [
        *STORY.split(),
        *preface.split(),
    ]


def test_a_list_of_corrections_behind_the_footer_is_not_the_book():
    """What a proofreader changed is cut with the footer before it."""
    footer = "End of Project Gutenberg's Etext of A Story\n\n"
    table = (
        "PAGE  PARA  LINE  ORIGINAL  CHANGED TO\n"
        + "  72     VIII          3     1  Ludstadt          Lustadt\n" * 20
    )
    assert body_text(f"{STORY}\n{footer}{table}\n\n{footer}") == STORY.strip()
