"""Quizzes for people: what each format holds is read back by the rules of the programs that import it."""

from __future__ import annotations

import csv
import html
import io
import re
import zipfile
from collections.abc import Callable, Sequence
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
    to_gift,
    to_moodle_xml,
)
from cloze_gen.release.export import to_qti

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
def quizzes(draw: st.DrawFn) -> list[QuizQuestion]:
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


def of_html(text: str) -> tuple[str, ...]:
    """The paragraphs of a text, in which every other mark must be escaped."""
    assert re.fullmatch(r"(<p>[^<>]*</p>)*", text), text
    return tuple(map(html.unescape, re.findall(r"<p>([^<>]*)</p>", text)))


# ---- readers


def gift_questions(data: bytes) -> list[QuizQuestion]:
    """Read GIFT as Moodle's `qformat_gift` does: blocks, escapes, then marks in its order."""
    return [gift_question(block) for block in re.split(r"\n\s*\n", data.decode().strip())]


def gift_question(block: str) -> QuizQuestion:
    comment, *rest = block.strip().split("\n")
    assert not any(line.strip().startswith("//") for line in rest)
    tagged = re.fullmatch(r"// \[id:((?:\\\]|[^\]\x00-\x1f\x7f])+)\]", comment)
    assert tagged is not None, comment
    id = tagged[1].replace("\\]", "]")
    holders = {mark: f"\ue000{ord(mark):03}" for mark in "\\:#={}~"}

    def hidden(text: str) -> str:
        return re.sub(r"\\([\\:#={}~])", lambda found: holders[found[1]], text)

    def plain(text: str) -> str:
        for mark, holder in holders.items():
            text = text.replace(holder, mark)
        return text.strip()

    text = hidden("\n".join(rest))
    found = re.fullmatch(r"::(.*?)::\[html\](.*?)\{(.*?)\}", text, re.DOTALL)
    assert found is not None, block
    assert re.fullmatch(rf"{re.escape(TITLE)} \d+", html.unescape(plain(found[1])))
    stem, answers = of_html(plain(found[2])), found[3].strip()
    assert "#" not in answers
    if "~" in answers:
        marks = [one.strip() for one in answers.replace("=", "~=").split("~") if one.strip()]
        for one in marks:  # neither a weight nor a format
            assert one.startswith("=") or not re.match(r"%-*[0-9]{1,2}\.?[0-9]*%", one)
            assert not plain(one.removeprefix("=")).startswith("[")
        options = tuple(html.unescape(plain(one.removeprefix("="))) for one in marks)
        right = [place for place, one in enumerate(marks) if one.startswith("=")]
        return QuizQuestion(id, "", stem, options, tuple(right))
    pairs = answers.removeprefix("=").split("=")
    if "->" in answers:
        sides = [pair.strip().partition("->")[::2] for pair in pairs]
        return of_pairs(id, stem, [(plain(left), plain(right)) for left, right in sides])
    (word,) = pairs
    assert word.startswith("%100%")
    return QuizQuestion(id, "", stem, word=plain(word.removeprefix("%100%")).replace("\\*", "*"))


def of_pairs(name: str, stem: tuple[str, ...], pairs: Sequence[tuple[str, str]]) -> QuizQuestion:
    blanks = [left for left, _ in pairs if left]
    assert blanks == [f"({number})" for number in range(1, len(blanks) + 1)]
    return QuizQuestion(name, "", stem, tuple(right for _, right in pairs), tuple(range(len(blanks))))  # fmt: skip


def moodle_questions(data: bytes) -> list[QuizQuestion]:
    """Read Moodle XML by the paths of `qformat_xml`; the first entry is the category."""
    category, *questions = ET.fromstring(data)
    assert category.get("type") == "category"
    assert (category.findtext("category/text") or "").startswith("top/")
    return [moodle_question(one) for one in questions]


def moodle_question(one: ET.Element) -> QuizQuestion:
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


QTI, PACKAGE = "{http://www.imsglobal.org/xsd/imsqti_v2p1}", "{http://www.imsglobal.org/xsd/imscp_v1p1}"  # fmt: skip
# Of the XSDs of QTI 2.1 and of content packages 1.1: (required attributes, other ones that are
# used; children in order as a regular expression over their names, None for text).
RULES: dict[str, tuple[str, str, str | None]] = {
    f"{QTI}assessmentItem": ("identifier title adaptive timeDependent", "label", "(responseDeclaration )*(outcomeDeclaration )*(itemBody )?(responseProcessing )?"),
    f"{QTI}responseDeclaration": ("identifier cardinality", "baseType", "(correctResponse )?(mapping )?"),
    f"{QTI}correctResponse": ("", "", "(value )+"),
    f"{QTI}value": ("", "", None),
    f"{QTI}mapping": ("", "defaultValue", "(mapEntry )+"),
    f"{QTI}mapEntry": ("mapKey mappedValue", "caseSensitive", ""),
    f"{QTI}outcomeDeclaration": ("identifier cardinality", "baseType", ""),
    f"{QTI}itemBody": ("", "", "((p|choiceInteraction|matchInteraction) )+"),
    f"{QTI}choiceInteraction": ("responseIdentifier shuffle maxChoices", "", "(simpleChoice )+"),
    f"{QTI}simpleChoice": ("identifier", "", None),
    f"{QTI}matchInteraction": ("responseIdentifier shuffle maxAssociations", "", "simpleMatchSet simpleMatchSet "),
    f"{QTI}simpleMatchSet": ("", "", "(simpleAssociableChoice )*"),
    f"{QTI}simpleAssociableChoice": ("identifier matchMax", "", None),
    f"{QTI}textEntryInteraction": ("responseIdentifier", "expectedLength", ""),
    f"{QTI}responseProcessing": ("", "template", ""),
    f"{QTI}assessmentTest": ("identifier title", "", "(testPart )+"),
    f"{QTI}testPart": ("identifier navigationMode submissionMode", "", "(assessmentSection )+"),
    f"{QTI}assessmentSection": ("identifier title visible", "", "(assessmentItemRef )*"),
    f"{QTI}assessmentItemRef": ("identifier href", "", ""),
    f"{PACKAGE}manifest": ("identifier", "", "metadata organizations resources "),
    f"{PACKAGE}metadata": ("", "", "(schema )?(schemaversion )?"),
    f"{PACKAGE}schema": ("", "", None), f"{PACKAGE}schemaversion": ("", "", None),
    f"{PACKAGE}organizations": ("", "", ""),
    f"{PACKAGE}resources": ("", "", "(resource )*"),
    f"{PACKAGE}resource": ("identifier type", "href", "(file )*(dependency )*"),
    f"{PACKAGE}file": ("href", "", ""), f"{PACKAGE}dependency": ("identifierref", "", ""),
}  # fmt: skip
RULES[f"{QTI}p"] = ("", "", "(textEntryInteraction )?")


def check_rules(root: ET.Element) -> None:
    for one in root.iter():
        required, other, children = RULES[one.tag]
        given = set(one.attrib)
        assert set(required.split()) <= given <= {*required.split(), *other.split()}, one.tag
        names = "".join(f"{child.tag.rpartition('}')[2]} " for child in one)
        assert re.fullmatch(children or "", names), (one.tag, names)
        mixed = children is None or one.tag == f"{QTI}p"
        assert mixed or not (one.text or "").strip(), one.tag
        for name in ("identifier", "responseIdentifier"):  # NCName
            assert re.fullmatch(r"[A-Za-z_][\w.-]*", one.get(name, "a"))
        assert len(one.get("label", "")) <= 256
    declared = {one.get("identifier") for one in root.iter(f"{QTI}responseDeclaration")}
    assert {one.get("responseIdentifier") for one in root.iter()} - {None} <= declared


def qti_questions(data: bytes) -> list[QuizQuestion]:
    """The items of a package, by its manifest and its test."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        roots = {name: ET.fromstring(archive.read(name)) for name in archive.namelist()}
    for root in roots.values():
        check_rules(root)
    resources = roots["imsmanifest.xml"].findall(f"{PACKAGE}resources/{PACKAGE}resource")
    assert [one.get("href") for one in resources] == list(roots)[1:]
    of_test, *others = resources
    dependencies = of_test.findall(f"{PACKAGE}dependency")
    assert [one.get("identifierref") for one in dependencies] == [
        one.get("identifier") for one in others
    ]
    listed = roots["test.xml"].iter(f"{QTI}assessmentItemRef")
    files = [one.get("href") or "" for one in listed]
    assert files == [one.get("href") for one in others]
    return [qti_question(roots[file]) for file in files]


def qti_question(item: ET.Element) -> QuizQuestion:
    stem = tuple(one.text or "" for one in item.findall(f"{QTI}itemBody/{QTI}p") if not len(one))
    declared = item.find(f"{QTI}responseDeclaration")
    assert declared is not None
    values = [one.text or "" for one in declared.findall(f"{QTI}correctResponse/{QTI}value")]
    keys = [one.get("mapKey") for one in declared.iter(f"{QTI}mapEntry")]
    assert re.fullmatch(rf"{re.escape(TITLE)} \d+", item.get("title") or "")
    id, kind, scoring = item.get("label") or "", declared.get("baseType"), item[-1].get("template")
    assert scoring is not None
    assert scoring.endswith("match_correct" if kind == "identifier" else "map_response")
    assert keys == ([] if kind == "identifier" else values)
    if kind == "string":
        assert item.find(f".//{QTI}textEntryInteraction") is not None
        return QuizQuestion(id, "", stem, word=values[0])
    names = ("simpleChoice",) if kind == "identifier" else ("simpleMatchSet", "*")
    sets = item.findall(f".//{QTI}simpleMatchSet")
    shown = list(item.iter(f"{QTI}simpleChoice")) if kind == "identifier" else list(sets[1])
    places = {one.get("identifier"): place for place, one in enumerate(shown)}
    assert len(places) == len(shown), names
    options = tuple(one.text or "" for one in shown)
    if kind == "identifier":
        return QuizQuestion(id, "", stem, options, (places[values[0]],))
    assert kind == "directedPair"
    pairs = [value.split() for value in values]
    assert [left for left, _ in pairs] == [one.get("identifier") for one in sets[0]]
    return QuizQuestion(id, "", stem, options, tuple(places[right] for _, right in pairs))


def expected(one: QuizQuestion, *, arrows: bool = False) -> QuizQuestion:
    """Matching in GIFT and Moodle lists the answers first, in the order of their blanks."""
    one = replace(one, book="", word=one.word.replace("->", "→") if arrows else one.word)
    if len(one.answers) < 2:
        return one
    others = [place for place in range(len(one.options)) if place not in one.answers]
    options = tuple(one.options[place] for place in (*one.answers, *others))
    shown = tuple(text.replace("->", "→") if arrows else text for text in options)
    return replace(one, options=shown, answers=tuple(range(len(one.answers))))


# ---- tests


@given(quizzes())
def test_gift_gives_the_questions_back(quiz: list[QuizQuestion]) -> None:
    """Texts that mean something in GIFT are read as text."""
    assert gift_questions(to_gift(quiz, TITLE)) == [expected(one, arrows=True) for one in quiz]


@given(quizzes())
def test_moodle_xml_gives_the_questions_back(quiz: list[QuizQuestion]) -> None:
    """Texts of books are escaped HTML, also where they look like markup."""
    assert moodle_questions(to_moodle_xml(quiz, TITLE)) == [expected(one) for one in quiz]


@given(quizzes())
def test_qti_follows_its_schema_and_gives_the_questions_back(quiz: list[QuizQuestion]) -> None:
    """Every element of the package has the attributes and children that the schema allows."""
    found = qti_questions(to_qti(quiz, TITLE))
    assert found == [replace(one, book="", id=one.id[:256]) for one in quiz]


@given(quizzes())
def test_csv_gives_the_questions_back_and_no_formula(quiz: list[QuizQuestion]) -> None:
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


@pytest.mark.parametrize("write", [to_csv, to_gift, to_moodle_xml, to_qti])
def test_each_kind_has_its_form(write: Callable[[Sequence[QuizQuestion], str], bytes]) -> None:
    """The same questions give the same bytes."""
    quiz = [CHOICE, MATCHING, WRITTEN]
    assert write(quiz, "t") == write(quiz, "t") != write(quiz[:2], "t")


def test_forms_of_gift() -> None:
    """A choice, a matching question with its distractor, and a word to be written."""
    lines = to_gift([CHOICE, MATCHING, WRITTEN], "t").decode().split("\n")
    assert lines == [
        "// [id:b:0:1]", r"::t 1::[html]<p>We _____ it.</p>{", "\t~eat", "\t=hide", "}", "",
        "// [id:b:4]", r"::t 2::[html]<p>It rained. (1) _____</p><p>(2) _____</p>{", "\t=(1) -> Nobody came.", "\t=(2) -> Jane sang.", "\t= -> No.", "}", "",
        "// [id:b:9]", r"::t 3::[html]<p>It was _____.</p>{", "\t=%100%Jane", "}", "",
    ]  # fmt: skip


@pytest.mark.parametrize("texts", [(["\u200b"], ["a", "b"]), (["a"], ["a", "\x07"])])
def test_an_invisible_text_is_refused(texts: tuple[list[str], list[str]]) -> None:
    """An option that nobody can see is an error that names the item."""
    with pytest.raises(FormatError, match=r"'b:7': a text, an option or the answer has no"):
        QuizQuestion.of_text("b:7", "b", *texts, [0])
    with pytest.raises(FormatError, match="'b:7'"):
        QuizQuestion.of_text("b:7", "b", ["a"], word=" ")
