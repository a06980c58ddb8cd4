"""Questions for people: CSV and Moodle XML.

The texts of Moodle XML are HTML with all marks escaped, except for words that a student types or
picks from a list, which are plain.
"""

from __future__ import annotations

import html
import string
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from cloze_gen.errors import FormatError
from cloze_gen.parsing import one_line, quote


@dataclass(frozen=True, slots=True)
class QuizQuestion:
    """One question, in printable characters on one line each.

    Attributes:
        paragraphs: the text with `_____` for a blank, numbered where there are several.
        options: of all blanks; empty where the word is to be written.
        answers: index into `options` for each blank; empty where the word is to be written.
        word: the word to be written.
    """

    id: str
    book: str
    paragraphs: tuple[str, ...]
    options: tuple[str, ...] = ()
    answers: tuple[int, ...] = ()
    word: str = ""

    @classmethod
    def of_text(
        cls, id: str, book: str, paragraphs: Sequence[str], options: Sequence[str] = (),
        answers: Sequence[int] = (), word: str = "",
    ) -> QuizQuestion:  # fmt: skip
        """From texts of books, whose control characters become spaces; FormatError if one is empty."""
        texts, given = ([one_line(text) for text in some] for some in (paragraphs, options))
        found = cls(
            one_line(id), one_line(book), tuple(texts), tuple(given), tuple(answers), one_line(word)
        )
        if not all((found.id, *texts, *given)) or not (given or found.word):
            raise FormatError(
                f"{quote(id)}: a text, an option or the answer has no printable character, so the "
                "item cannot be exported. Correct or remove it."
            )
        return found

    @property
    def answer_texts(self) -> tuple[str, ...]:
        return tuple(self.options[place].casefold() for place in self.answers) or (
            self.word.casefold(),
        )

    @property
    def key(self) -> str:
        """
        >>> question = QuizQuestion("b:0:1", "b", ("We _____ it.",), ("eat", "hide"), (1,))
        >>> question.key, QuizQuestion("b:0", "b", ("(1) _____ (2) _____",), ("a", "b"), (1, 0)).key
        ('b', '1b 2a')
        """
        letters = [option_letter(place) for place in self.answers]
        if len(letters) > 1:
            return " ".join(f"{number}{letter}" for number, letter in enumerate(letters, 1))
        return letters[0] if letters else self.word


def option_letter(place: int) -> str:
    """
    >>> option_letter(0), option_letter(25), option_letter(26)
    ('a', 'z', 'aa')
    """
    before, letter = divmod(place, 26)
    return (option_letter(before - 1) if before else "") + string.ascii_lowercase[letter]


_MOST_ID_CHARS = 100  # of an ID number in Moodle


def _names(questions: Sequence[QuizQuestion], title: str) -> list[str]:
    """The title and a number, padded so that a list sorted by name keeps the order."""
    width = len(str(len(questions)))
    return [f"{title} {number:0{width}}" for number in range(1, len(questions) + 1)]


def _id_number(one: QuizQuestion) -> str:
    return one.id[-_MOST_ID_CHARS:]


# ---- CSV

_FORMULA = ("=", "+", "-", "@")  # a spreadsheet runs a cell that begins with one


def to_csv(questions: Sequence[QuizQuestion], title: str) -> bytes:
    """A row a question. An apostrophe precedes a cell that a spreadsheet takes for a formula."""
    most = max((len(one.options) for one in questions), default=0)
    rows = [["number", "id", "book", "question", *map(option_letter, range(most)), "answer"]]
    for number, one in enumerate(questions, 1):
        options = [*one.options, *[""] * (most - len(one.options))]
        rows.append([str(number), one.id, one.book, " ".join(one.paragraphs), *options, one.key])
    text = "".join(f"{','.join(map(_cell, row))}\n" for row in rows)
    return text.encode("utf-8-sig")  # Excel needs the mark to see UTF-8


def _cell(text: str) -> str:
    """
    >>> print(_cell("=1+1"), _cell('a "b", c'))
    "'=1+1" "a ""b"", c"
    """
    safe = f"'{text}" if text.startswith(_FORMULA) else text
    return '"' + safe.replace('"', '""') + '"'


def _typed(word: str) -> str:
    return word.replace("*", "\\*")  # to Moodle, a bare asterisk matches anything


def _pairs(one: QuizQuestion) -> list[tuple[str, str]]:
    """(number of a blank, its answer); then the other options with no number."""
    pairs = [(f"({number})", one.options[place]) for number, place in enumerate(one.answers, 1)]
    others = [option for i, option in enumerate(one.options) if i not in one.answers]
    return [*pairs, *(("", option) for option in others)]


# ---- XML


def _element(name: str, *content: str | ET.Element, **attributes: str) -> ET.Element:
    element = ET.Element(name, attributes)
    for one in content:
        if isinstance(one, str):
            element.text = one
        else:
            element.append(one)
    return element


def _document(root: ET.Element) -> bytes:
    ET.indent(root)
    found: bytes = ET.tostring(root, encoding="UTF-8", xml_declaration=True)
    return found + b"\n"


# ---- Moodle


def to_moodle_xml(questions: Sequence[QuizQuestion], title: str) -> bytes:
    category = _element("category", _element("text", f"top/{title.replace('/', '//')}"))
    quiz = _element("quiz", _element("question", category, type="category"))
    quiz.extend(map(_moodle, questions, _names(questions, title)))
    return _document(quiz)


def _moodle(one: QuizQuestion, name: str) -> ET.Element:
    common = [
        _element("name", _element("text", html.escape(name))),
        _html("questiontext", *one.paragraphs),
        _html("generalfeedback"),
        _element("defaultgrade", "1"),
        _element("penalty", "0.3333333"),
        _element("hidden", "0"),
        _element("idnumber", _id_number(one)),
    ]
    if not one.options:
        answer = _html("answer", fraction="100", format="moodle_auto_format")
        answer[0].text = _typed(one.word)
        answer.append(_html("feedback"))
        return _element("question", *common, _element("usecase", "0"), answer, type="shortanswer")
    feedback = [_html(f"{of}feedback") for of in ("correct", "partiallycorrect", "incorrect")]
    if len(one.answers) > 1:
        pairs = []
        for left, option in _pairs(one):
            pairs.append(_html("subquestion", *[left] * bool(left)))
            pairs[-1].append(_element("answer", _element("text", option)))
        shuffled = _element("shuffleanswers", "true")
        return _element("question", *common, shuffled, *feedback, *pairs, type="matching")
    settings = {"single": "true", "shuffleanswers": "false", "answernumbering": "abc"}
    answers = []
    for place, option in enumerate(one.options):
        answer = _html("answer", option, fraction="100" if place in one.answers else "0")
        answer.append(_html("feedback"))
        answers.append(answer)
    own = [_element(name, value) for name, value in settings.items()]
    return _element("question", *common, *own, *feedback, *answers, type="multichoice")


def _html(name: str, *paragraphs: str, **attributes: str) -> ET.Element:
    """An element of Moodle whose `text` is HTML: paragraphs, with all marks escaped."""
    text = "".join(f"<p>{html.escape(part, quote=False)}</p>" for part in paragraphs)
    return _element(name, _element("text", text), **{"format": "html", **attributes})
