"""Quizzes for people: what each format holds is read back by the rules of the programs that import it."""

import csv
import html
import io
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.formats.quiz import (
    QuizQuestion,
    option_letter,
    to_csv,
    to_moodle_xml,
)

TITLE = "::[x] <y> {z}: =~#"  # of every quiz here
CHOICE = QuizQuestion.of_text("b:0:1", "b", ["We _____ it."], ["eat", "hide"], [1])
MATCHING = QuizQuestion.of_text(
    "b:4", "b", ["It rained. (1) _____", "(2) _____"], ["Jane sang.", "Nobody came.", "No."], [1, 0]
)
WRITTEN = QuizQuestion.of_text("b:9", "b", ["It was _____."], word="Jane")
HOSTILE = (
    "<script>alert(1)</script>", "a ~b =c #d {e} f:g \\h \\n", "::title::", "[html]<b>x</b>", "%50%half", "// comment", "$CATEGORY: x",
    "=1+1", "@SUM(A1)", "-2", "+3", "&&058; &lt;", "]]>", "<!-- x -->", "{=%100%right}", "\x00\x1b[31m\u202e\ud800", "a\nb\r\n\n\u2028c", "====", "'; --",
)  # fmt: skip
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=20)).filter(
    lambda text: any(mark.isprintable() and not mark.isspace() for mark in text)
)


@st.composite
def quizzes(draw):
    """Questions of all three kinds, made of texts that mean something to a format."""
    found = []
    for number in range(draw(st.integers(1, 3))):
        head = f"{number} {draw(TEXTS)}", draw(TEXTS), draw(st.lists(TEXTS, min_size=1, max_size=3))
        options = draw(st.lists(TEXTS, min_size=2, max_size=4))
        places = st.integers(0, len(options) - 1)
        answers = draw(st.lists(places, min_size=1, max_size=3, unique=True))
        if draw(st.booleans()):
            found.append(QuizQuestion.of_text(*head, options, answers))
        else:
            found.append(QuizQuestion.of_text(*head, word=draw(TEXTS)))
    return found


def of_html(text):
    """The paragraphs of a text, in which every other mark must be escaped."""
    assert re.fullmatch(r"(<p>[^<>]*</p>)*", text), text
    return tuple(map(html.unescape, re.findall(r"<p>([^<>]*)</p>", text)))


# ---- readers


def of_pairs(name, stem, pairs):
    blanks = [left for left, _ in pairs if left]
    assert blanks == [f"({number})" for number in range(1, len(blanks) + 1)]
    return QuizQuestion(name, "", stem, tuple(right for _, right in pairs), tuple(range(len(blanks))))  # fmt: skip


def moodle_questions(data):
    """Read Moodle XML by the paths of `qformat_xml`; the first entry is the category."""
    category, *questions = ET.fromstring(data)
    assert category.get("type") == "category"
    assert (category.findtext("category/text") or "").startswith("top/")
    return [moodle_question(one) for one in questions]


def moodle_question(one):
    name, text = one.findtext("name/text") or "", one.find("questiontext")
    assert text is not None
    assert text.get("format") == "html"
    stem = of_html(text.findtext("text") or "")
    for tag in ("generalfeedback/text", "defaultgrade", "penalty", "hidden"):
        assert one.find(tag) is not None
    assert re.fullmatch(rf"{re.escape(TITLE)} \d+", html.unescape(name))
    id = one.findtext("idnumber") or ""
    answers = one.findall("answer")
    assert all(answer.find("feedback/text") is not None for answer in answers)
    if one.get("type") == "shortanswer":
        (answer,) = answers
        assert (answer.get("fraction"), one.findtext("usecase")) == ("100", "0")
        return QuizQuestion(id, "", stem, word=(answer.findtext("text") or "").replace("\\*", "*"))
    for of in ("correct", "partiallycorrect", "incorrect"):
        assert one.find(f"{of}feedback/text") is not None
    if one.get("type") == "matching":
        pairs = [
            ("".join(of_html(pair.findtext("text") or "")), pair.findtext("answer/text") or "")
            for pair in one.findall("subquestion")
        ]
        return of_pairs(id, stem, pairs)
    assert one.get("type") == "multichoice"
    assert (one.findtext("single"), one.findtext("shuffleanswers")) == ("true", "false")
    options = [of_html(answer.findtext("text") or "") for answer in answers]
    fractions = [answer.get("fraction") for answer in answers]
    assert sorted(fractions) == ["0"] * (len(options) - 1) + ["100"]
    return QuizQuestion(id, "", stem, tuple(text for (text,) in options), (fractions.index("100"),))


def expected(one):
    """Matching in Moodle lists the answers first, in the order of their blanks."""
    one = replace(one, book="")
    if len(one.answers) < 2:
        return one
    others = [place for place in range(len(one.options)) if place not in one.answers]
    options = tuple(one.options[place] for place in (*one.answers, *others))
    return replace(one, options=options, answers=tuple(range(len(one.answers))))


# ---- tests


@given(quizzes())
def test_moodle_xml_gives_the_questions_back(quiz):
    """Texts of books are escaped HTML, also where they look like markup."""
    assert moodle_questions(to_moodle_xml(quiz, TITLE)) == [expected(one) for one in quiz]


@given(quizzes())
def test_csv_gives_the_questions_back_and_no_formula(quiz):
    """A cell never begins like a formula; without its apostrophe it is the text."""
    rows = list(csv.DictReader(io.StringIO(to_csv(quiz, "t").decode("utf-8-sig"), newline="")))
    assert len(rows) == len(quiz)
    for number, (row, one) in enumerate(zip(rows, quiz, strict=True), 1):
        cells = {name: re.sub(r"^'(?=[=+@-])", "", cell) for name, cell in row.items()}
        assert not any(cell[:1] in {"=", "+", "-", "@"} for cell in row.values())
        given = {option_letter(place): option for place, option in enumerate(one.options)}
        text = " ".join(one.paragraphs)
        want = {"number": str(number), "id": one.id, "book": one.book, "question": text} | given
        assert {name: cell for name, cell in cells.items() if cell} == want | {"answer": one.key}


@pytest.mark.parametrize("write", [to_csv, to_moodle_xml])
def test_each_kind_has_its_form(write):
    """The same questions give the same bytes."""
    quiz = [CHOICE, MATCHING, WRITTEN]
    assert write(quiz, "t") == write(quiz, "t") != write(quiz[:2], "t")


@pytest.mark.parametrize("texts", [(["\u200b"], ["a", "b"]), (["a"], ["a", "\x07"])])
def test_an_invisible_text_is_refused(texts):
    """An option that nobody can see is an error that names the item."""
    with pytest.raises(FormatError, match=r"'b:7': a text, an option or the answer has no"):
        QuizQuestion.of_text("b:7", "b", *texts, [0])
    with pytest.raises(FormatError, match="'b:7'"):
        QuizQuestion.of_text("b:7", "b", ["a"], word=" ")
