"""The body of a Gutenberg file: every shape of header and footer."""

import json
from pathlib import Path

import pytest

from cloze_gen.corpus.gutenberg import find_body, header_facts

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


HEADERS = {
    "start lines": (
        "The Project Gutenberg EBook of {title}, by Somebody\n\nTitle: {title}\n\n"
        "*** START OF THIS PROJECT GUTENBERG EBOOK {title} ***\n\n"
    ),
    "small prints": (
        "**The Project Gutenberg Etext of {title}, by Somebody**\n\nCopyright laws change.\n\n"
        "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*\n\n"
    ),
}
LONG_STORY = STORY * 15


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
@pytest.mark.parametrize(
    "footer",
    [
        "",
        "End of the Project Gutenberg EBook of A\n\n",
        "End of Project Gutenberg's A\n\nThe licence.",
    ],
    ids=["none", "line", "licence"],
)
@pytest.mark.parametrize("count", [2, 3])
def test_several_etexts_of_one_file_are_read(header, footer, count):
    """What stands between two of them is skipped, whether the first has a footer or not."""
    flat = "\n\n".join(
        f"{header.format(title=title)}{LONG_STORY}\n\n{footer}" for title in "ABC"[:count]
    )
    assert body_text(flat).split() == LONG_STORY.split() * count
    assert find_body(flat).etexts == count


def test_a_header_over_an_older_header_is_one_header():
    """A new start line above the small print of an earlier posting."""
    new, old = (header.format(title="A") for header in HEADERS.values())
    flat = f"{new}Produced by Somebody\n\n\n{old}{LONG_STORY}"
    assert body_text(flat) == LONG_STORY.strip()
    assert find_body(flat).etexts == 1


FACTS = [
    (
        "The Project Gutenberg EBook of The Lamp, by Ann Quill\n\nTitle: The Lamp\n       Or, Night\n\n"
        "Author: Ann Quill\n\nRelease Date: May 1, 2009 [EBook #28904]\n\nLanguage: English\n\n"
        "*** START OF THIS PROJECT GUTENBERG",
        {
            "title": "The Lamp Or, Night",
            "author": "Ann Quill",
            "language": "English",
            "etext": "28904",
        },
    ),
    (
        "**The Project Gutenberg Etext of The Lamp, by Quill**\n#3 in our series by Ann Quill\n\n"
        "May, 1997  [Etext #904]\n",
        {"title": "The Lamp", "author": "Ann Quill", "etext": "904"},
    ),
    (
        "Project Gutenberg's Lamp by Lamp, by A. Quill\n",
        {"title": "Lamp by Lamp", "author": "A. Quill"},
    ),
    (
        "Project Gutenberg's Etext of The Lamp\nby A. Quill\n",
        {"title": "The Lamp", "author": "A. Quill"},
    ),
    ("***This is the Project Gutenberg Etext of The Lamp***\n***lamp10.txt", {"title": "The Lamp"}),
    (
        "\ufeffThe Project Gutenberg eBook of Der Lampe\r\n    \r\nTitle: Die Lampe\r\n\r\nLanguage: German\r\n",
        {"title": "Die Lampe", "language": "German"},
    ),
    ("The Lamp, by A. Quill\n\nTitle: a word of honour\n", {}),
    ("", {}),
]


@pytest.mark.parametrize(("header", "facts"), FACTS)
def test_what_a_header_says(header, facts):
    """New and old kinds of headers; nothing from a text without one."""
    assert header_facts(f"{header}\n\n{LONG_STORY * 3}Title: The Oil\n") == facts
