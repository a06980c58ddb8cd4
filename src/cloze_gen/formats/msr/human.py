"""The human files: a numbered stem with a blank, the lettered options under it, two empty lines.

The final stop is attached to the last word, a tab stands before every option, and the very first line alone has a leading space. The
answers' file says ``12) [c] climb``.

Source: ``Holmes.human_format.{questions,answers}.txt`` of the challenge (Zweig & Burges 2011, 1).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cloze_gen.errors import FormatError
from cloze_gen.formats.msr.questions import (
    BLANK,
    FINAL_STOPS,
    LETTERS,
    MAX_OPTION_COUNT,
    MIN_OPTION_COUNT,
    UNKNOWN_ANSWER,
    answer_line,
    carried,
    joined,
    lines_of,
    numbered_question,
    require_count,
)
from cloze_gen.notation import shown
from cloze_gen.records.question import Question

_STEM = re.compile(r" ?([0-9]{1,9})\) (.+)")
_OPTION = re.compile(r"\t([a-z])\) (\S+)")
_ANSWER = re.compile(r"([0-9]{1,9})\) \[([a-z])\] (\S+)")


def format_human(questions: Sequence[Question], *, first_number: int = 1) -> tuple[str, str]:
    """The human files ``(questions, answers)``: stem with `BLANK`, final stop attached, options under it, two empty lines.

    Only the very first line has a leading space, as published.
    """
    lines: list[str] = []
    answers: list[str] = []
    for number, question in enumerate(carried(questions), first_number):
        *stem, stop = question.blank.filled(BLANK)
        lines.append(f"{number}) {' '.join(stem)}{stop}")
        lines.extend(f"\t{LETTERS[index]}) {option}" for index, option in enumerate(question.options))
        lines.extend(("", ""))
        answers.append(f"{number}) [{LETTERS[question.answer_index]}] {question.answer}")
    return " " * bool(lines) + joined(lines), joined(answers)


def parse_human(questions_text: str, answers_text: str | None = None, *, name: str = "human questions") -> list[Question]:
    """Read human files; the attached final stop becomes a token again. Arguments and errors as `parse_machine`."""
    answers = None if answers_text is None else lines_of(answers_text)
    lines = lines_of(questions_text, keep_empty=True)
    questions: list[Question] = []
    at = number = 0
    while at < len(lines):
        stem = _STEM.fullmatch(lines[at])
        if stem is None or (questions and int(stem[1]) != number + 1):
            raise FormatError(f"{name}, line {at + 1}: expected a numbered stem such as '12) I have _____ it.', found {shown(lines[at])}")
        number = int(stem[1])
        tokens = _stem_tokens(stem[2])
        if tokens.count(BLANK) != 1:
            raise FormatError(f"{name}, line {at + 1}: expected exactly one {BLANK} standing by itself")
        options: list[str] = []
        at += 1
        while at < len(lines) and (option := _OPTION.fullmatch(lines[at])) is not None:
            if option[1] != LETTERS[len(options) % 26]:
                raise FormatError(f"{name}, line {at + 1}: expected option {LETTERS[len(options) % 26]}), found {option[1]})")
            options.append(option[2])
            at += 1
        if not MIN_OPTION_COUNT <= len(options) <= MAX_OPTION_COUNT or lines[at : at + 2] not in (["", ""], [""], []):
            raise FormatError(f"{name}, line {at + 1}: expected 2 to 26 lines such as '<TAB>a) write', then two empty lines")
        at += 2
        index = UNKNOWN_ANSWER if answers is None else _answer_index(answers, len(questions), number, options, name)
        questions.append(numbered_question(number, tokens, tokens.index(BLANK), tuple(options), index))
    require_count(answers, questions, name)
    return questions


def _stem_tokens(stem: str) -> tuple[str, ...]:
    return tuple((f"{stem[:-1]} {stem[-1]}" if stem[-1] in FINAL_STOPS else stem).split(" "))


def _answer_index(answers: Sequence[str], index: int, number: int, options: Sequence[str], name: str) -> int:
    match = _ANSWER.fullmatch(answer_line(answers, index, name))
    place = LETTERS.index(match[2]) if match else len(options)
    if match is None or int(match[1]) != number or place >= len(options) or options[place] != match[3]:
        raise FormatError(f"answers to {name}, line {index + 1}: expected '{number}) [letter] option' of that question")
    return place
