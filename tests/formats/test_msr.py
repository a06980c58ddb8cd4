"""The published files of the MSR challenge."""

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.formats.msr import (
    BLANK,
    UNKNOWN_ANSWER,
    format_human,
    format_lm,
    format_machine,
    parse_machine,
)
from cloze_gen.records.question import Question

# The MSR files: written and read back without loss, the published ones byte for byte


PUBLISHED = Path(__file__).parents[3] / "data" / "published" / "msr-dev"
FORMATS = ("machine", "human", "lm")
WORD = st.sampled_from(
    [
        "a",
        "mother's",
        "60,000",
        "twenty-one",
        "Mr.",
        "I",
        "doin'",
        "7",
        "café",
        "etc.",
        "e.g",
        "x",
        "y",
        "z",
    ]
)


@st.composite
def questions(draw):
    made = []
    for number in range(1, draw(st.integers(1, 3)) + 1):
        words = draw(st.lists(WORD | st.just(","), min_size=1, max_size=6))
        position, place = draw(st.integers(0, len(words) - 1)), draw(st.integers(0, 4))
        options = tuple(draw(st.lists(WORD, min_size=5, max_size=5, unique=True)))
        tokens = (
            *words[:position],
            options[place],
            *words[position + 1 :],
            draw(st.sampled_from(".?!")),
        )
        made.append(Question(f"msr:{number}", "msr", tokens, position, options, place))
    return made


def write(form, items):
    return {"machine": format_machine, "human": format_human, "lm": format_lm}[form](items)


@settings(max_examples=40, deadline=None)
@given(items=questions())
def test_reading_what_was_written_gives_the_questions_back(items):
    assert parse_machine(*format_machine(items)) == items


@settings(max_examples=40, deadline=None)
@given(items=questions())
def test_without_answers_only_the_answer_is_missing(items):
    """A question read alone keeps options and position and says that its answer is unknown."""
    for found, item in zip(parse_machine(format_machine(items)[0]), items, strict=True):
        assert (found.options, found.position, found.answer_index) == (
            item.options,
            item.position,
            UNKNOWN_ANSWER,
        )
        assert found.tokens == item.blank.filled(BLANK)


def published(form):
    if not PUBLISHED.is_dir():
        pytest.skip(
            "the published MSR questions are not beside the project (../shared/published/msr-dev)"
        )
    questions, answers = (
        (PUBLISHED / f"Holmes.{form}_format.{part}.txt").read_bytes().decode("ascii")
        for part in ("questions", "answers")
    )
    return questions, answers


@pytest.mark.realdata
@pytest.mark.parametrize("form", FORMATS)
def test_published_files_are_reproduced_byte_for_byte(form):
    items = parse_machine(*published("machine"))
    assert len(items) == 520
    assert write(form, items) == published(form)


def test_forms_of_the_human_and_lm_files():
    """As the published ones: a space before the first stem alone, and after each lm question."""
    questions, answers = format_human([ITEM, ITEM])
    stem = "1) I could _____ it.\n\ta) write\n\tb) migrate\n\tc) climb\n\td) swear\n\te) go\n\n\n"
    assert questions == f" {stem}{stem.replace('1)', '2)')}"
    assert answers == "1) [c] climb\n2) [c] climb\n"
    question = dataclasses.replace(ITEM, tokens=("Could", "I", "climb", "it", "?"))
    lines, answer = format_lm([ITEM, question])
    assert lines.splitlines()[2:6:3] == [
        "<s> I could climb it </s> ",
        "<s> Could I write it ? </s> ",
    ]
    assert answer == "<s> I could climb it </s>\n<s> Could I climb it ? </s>\n"


ITEM = Question(
    "msr:1",
    "msr",
    ("I", "could", "climb", "it", "."),
    2,
    ("write", "migrate", "climb", "swear", "go"),
    2,
)


@pytest.mark.parametrize(
    "change",
    [
        {"options": ("climb", "go"), "answer_index": 0},
        {"answer_index": 0},
        {"tokens": ("I", "could", "climb", "it")},
        {"tokens": ("I", "[could]", "climb", "it", ".")},
        {"tokens": ("I", "could not", "climb", "it", ".")},
        {"tokens": ("I", "could", "climb", "!", ".")},
    ],
)
def test_what_the_files_cannot_carry_is_refused(change):
    """A question that would not come back as it was is an error that names it."""
    with pytest.raises(FormatError, match="msr:1"):
        format_machine([dataclasses.replace(ITEM, **change)])


# The machine files: what is wrong in one is named, and other makers' sets are read


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("1b)", "1c)", "line 2"),
        ("[write]", "write", "line 1"),
        ("I could [go]", "I would [go]", "line 5"),
        ("1a)", "a)", "line 1"),
    ],
)
def test_a_broken_line_is_named(old, new, where):
    """The error of a machine file says file and line."""
    text, answers = format_machine([ITEM])
    with pytest.raises(FormatError, match=f"mine.txt, {where}"):
        parse_machine(text.replace(old, new), answers, name="mine.txt")


def test_answers_of_another_set_are_refused():
    """An answer line that is no option's line, or a missing one, is an error."""
    text, answers = format_machine([ITEM])
    for wrong in (answers.replace("climb", "swim"), "", answers * 2):
        with pytest.raises(FormatError, match="matching answers file"):
            parse_machine(text, wrong)


def test_two_to_twenty_six_options_are_read():
    """Other makers' sets with fewer or more options can be evaluated."""
    for count in (2, 26):
        lines = "".join(f"1{chr(97 + k)}) I [w{k}] .\n" for k in range(count))
        assert len(parse_machine(lines)[0].options) == count
