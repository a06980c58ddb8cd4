"""What is printed around a book: every kind of matter is removed, and no story with it."""

import json
import time
from pathlib import Path

import pytest

from cloze_gen.corpus.gutenberg import find_body
from cloze_gen.corpus.paragraphs import OTHER, split_paragraphs

CASES = json.loads((Path(__file__).parents[1] / "cases" / "front_back_matter.json").read_text())
STORY = "It was night.\n\nThe lamp was lit, and nobody had come to put it out.\n"
STORIES = f"{STORY}\n" * 100


def cases(group):
    return [pytest.param(case, id=name) for name, case in CASES[group].items()]


def book_with(matter, zone, gap="\n\n"):
    """A book of one story, told over and over, with `matter` at one place."""
    before = "" if zone == "front" else STORIES
    after = "" if zone == "back" else STORIES
    return f"{before}{gap}{matter}{gap}{after}"


def kept_text(flat, body):
    at, pieces = body.start, []
    for start, end, _ in body.skipped:
        pieces.append(flat[at:start])
        at = end
    return "".join((*pieces, flat[at : body.end]))


@pytest.mark.parametrize("case", cases("removed"))
@pytest.mark.parametrize("gap", ["\n\n", " \n \n"], ids=["empty", "blank"])
def test_matter_is_removed_and_the_story_stays(case, gap):
    """By the rule of its name, with everything that belongs to it and nothing else."""
    flat = book_with(case["text"].replace("\n\n", gap), case["zone"], gap)
    body = find_body(flat)
    expected = STORIES * (2 if case["zone"] == "inside" else 1)
    assert kept_text(flat, body).split() == expected.split()
    assert case["rule"] in {one.rule for one in body.skipped}


@pytest.mark.parametrize("case", cases("kept"))
def test_what_only_looks_like_matter_stays(case):
    """At the place where it could be taken for matter."""
    flat = book_with(case["text"], case["zone"])
    assert kept_text(flat, find_body(flat)).split() == flat.split()


def test_a_long_text_behind_the_heading_of_a_list_of_books_stays():
    lists = "THE SECOND LAMP. A bright book.\n\n" * 200
    flat = f"{STORIES * 12}\n\nBY THE SAME AUTHOR\n\n{lists}"
    assert kept_text(flat, find_body(flat)).split() == f"{STORIES * 12}{lists}".split()


def test_lists_of_books_are_looked_for_at_the_end_alone():
    """In the middle of a book such a heading may be the author's."""
    flat = f"{STORIES}\nBY THE SAME AUTHOR\n\n{STORIES}"
    assert kept_text(flat, find_body(flat)).split() == flat.split()


@pytest.mark.parametrize("heading", ["FOOTNOTES", "CHAPTER II", "INDEX.", "Appendix"])
def test_a_transcribers_notes_end_where_the_book_goes_on(heading):
    """Notes that stand before the author's own, or before a chapter."""
    flat = f"{STORIES}\nTRANSCRIBER'S NOTES\n\nMisprints were mended.\n\n{heading}\n\n{STORY}"
    kept = kept_text(flat, find_body(flat)).split()
    heading = "" if heading == "FOOTNOTES" else heading
    assert kept == [*STORIES.split(), *heading.split(), *STORY.split()]


@pytest.mark.parametrize("mark", ["[1]", "(1)", "*", "**"])
def test_a_paragraph_with_the_mark_of_a_word_before_is_a_footnote(mark):
    """Only with that mark behind a word of the text."""
    note = f"{mark} A lamp of brass."
    marked = f"The lamp{mark} was lit, and nobody came.\n\n{note}\n\n{STORY}"
    kept = kept_text(marked, find_body(marked))
    assert kept.split() == marked.replace(note, "").split()
    unmarked = f"The lamp was lit, and nobody came.\n\n{note}\n\n{STORY}"
    assert kept_text(unmarked, find_body(unmarked)) == unmarked


def test_stars_around_emphasis_mark_no_footnotes():
    flat = f"She had *never* been so cold.\n\n*I will not stay,* she thought.\n\n{STORY}"
    assert kept_text(flat, find_body(flat)) == flat


def test_numbered_chapters_behind_endnotes_stay():
    """Chapters have numbers too, but no brackets."""
    story = f"8. THE LAMP GOES OUT\n\n{STORY}\n9. NIGHT\n\n{STORY}"
    flat = f"{STORIES}\nENDNOTES:\n(1) Of brass.\n(2) Of oil.\n\n{story}"
    assert kept_text(flat, find_body(flat)).split() == f"{STORIES}{story}".split()


@pytest.mark.parametrize(
    "text",
    [
        "[Footnote 1: Of brass.] The lamp was lit.",
        "[Footnote 1: Of brass.]\n[Footnote 2: Of [tin].]  \n     The lamp was lit.",
    ],
)
def test_text_behind_a_note_is_a_paragraph_of_its_own(text):
    """Without a blank line between, no word of the story is lost."""
    flat = f"{text}\n\n{STORY}"
    prose = [flat[a:b] for a, b, kind in split_paragraphs(flat, find_body(flat)) if kind == "prose"]
    assert prose[-3:] == ["The lamp was lit.", *(one.strip() for one in STORY.split("\n\n"))]


def test_a_long_paragraph_at_the_border_of_a_zone_is_read_whole():
    """The first part of it is short, and has a word of a credit."""
    flat = f"{STORY * 40}\nShe wrote to a@lamps.example, and {'waited and ' * 400}died."
    assert kept_text(flat, find_body(flat)) == flat


def test_a_bracket_that_nothing_closes_ends_with_its_paragraph():
    flat = f"[Footnote 1: Of brass.\n\n{STORY}"
    assert kept_text(flat, find_body(flat)).strip() == STORY.strip()


def test_positions_hold_in_a_text_of_other_letters():
    """Letters that are two in small or no Latin-1 do not move what is removed."""
    flat = f"İİİ ŒŒ “ʻ”\n\n{STORIES}[Footnote 1: Of brass.]\n\n{STORIES}"
    (one,) = find_body(flat).skipped
    assert flat[one.start : one.end] == "[Footnote 1: Of brass.]"


def test_a_line_without_end_is_looked_at_once():
    """Text without a blank line, full of hints, takes no time."""
    flat = "footnote ebook " * 20_000
    assert find_body(flat).skipped == ()


def test_removed_paragraphs_are_no_prose():
    flat = f"Copyright 2012 Jane Quill\n\n{STORY}"
    kinds = [one.kind for one in split_paragraphs(flat, find_body(flat))]
    assert kinds == [OTHER, "prose", "prose"]


@pytest.mark.parametrize(
    "paragraph",
    [
        "Transcriber's note: punctuation changed.",
        "[Footnote 1: of brass",
        "[Footnote [Footnote [Footnote",
        "(1) of brass",
        "* of brass",
        "FOOTNOTES:",
        "CONTENTS",
        "+\n" * 40 + "| transcribed",
    ],
)
def test_the_same_paragraph_over_and_over_takes_no_time(paragraph):
    """Time rises with the size of the book, whatever it says."""
    flat = f"{paragraph}\n\n" * (100_000 // len(paragraph))
    begun = time.process_time()
    find_body(flat)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        (
            "[_Aside._] The lamp was lit. [_To_ JANE] Nobody saw it.",
            ["The lamp was lit.", "Nobody saw it."],
        ),
        ("JANE. [_aside_] The lamp was lit.", ["The lamp was lit."]),
        ("JANE [_rising. The lamp goes out_]. Nobody saw it.", ["Nobody saw it."]),
        ("The lamp was lit. [Never closed.", ["The lamp was lit.", "[Never closed."]),
    ],
)
def test_stage_directions_are_no_part_of_a_speech(text, prose):
    """Whatever stands before and after them in the paragraph."""
    flat = f"{STORY}\n{text}\n\n{STORY}"
    blocks = list(split_paragraphs(flat, find_body(flat)))
    spoken = " ".join(flat[start:end] for start, end, kind in blocks if kind == "prose")
    for sentence in prose:
        assert sentence in spoken
    for direction in ("Aside", "aside", "rising", "_To_"):
        assert direction not in spoken
