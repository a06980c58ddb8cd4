"""The machine files: a numbered and lettered line an option, the whole sentence on it, the option in brackets.

``12c) I could [climb] it .``, tokens apart; the answers' file repeats the right line of every question. No empty line anywhere.

Source: ``Holmes.machine_format.{questions,answers}.txt`` of the challenge (Zweig & Burges 2011, 1).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cloze_gen.errors import FormatError
from cloze_gen.formats.msr.questions import (
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

_NUMBERED_LINE = re.compile(r"([0-9]{1,9})([a-z])\) (.+)")
_BRACKETED = re.compile(r"\[([^\[\]]+)\]")


def format_machine(questions: Sequence[Question], *, first_number: int = 1) -> tuple[str, str]:
    """The machine files ``(questions, answers)``: a numbered and lettered line an option, the option in brackets.

    Raises:
        FormatError: a question has not five options, has no known answer, or holds a token the format cannot carry.

    >>> question = Question("b:0:1", "b", ("I", "could", "climb", "it", "."), 2, ("write", "climb", "see", "be", "go"), 1)
    >>> lines, answers = format_machine([question])
    >>> lines.splitlines()[0], answers
    ('1a) I could [write] it .', '1b) I could [climb] it .\\n')
    """
    lines, answers = [], []
    for number, question in enumerate(carried(questions), first_number):
        printed = [
            f"{number}{LETTERS[index]}) {' '.join(question.blank.filled(f'[{option}]'))}" for index, option in enumerate(question.options)
        ]
        lines.extend(printed)
        answers.append(printed[question.answer_index])
    return joined(lines), joined(answers)


def parse_machine(questions_text: str, answers_text: str | None = None, *, name: str = "machine questions") -> list[Question]:
    """Read machine files; without answers, `answer_index` is `UNKNOWN_ANSWER` and `BLANK` stands at `position`.

    Args:
        name: what error messages call the questions' file.
    Raises:
        FormatError: a line is not of the form, or the lines of a question do not differ in the bracketed word alone.
    """
    answers = None if answers_text is None else lines_of(answers_text)
    questions: list[Question] = []
    group: list[tuple[str, ...]] = []
    number, position = 0, 0

    def finish(line_number: int) -> None:
        if not MIN_OPTION_COUNT <= len(group) <= MAX_OPTION_COUNT:
            raise FormatError(f"{name}, line {line_number}: question {number} has {len(group)} options; expected 2 to 26")
        options = tuple(tokens[position] for tokens in group)
        if len({(*tokens[:position], *tokens[position + 1 :]) for tokens in group}) != 1:
            raise FormatError(f"{name}, line {line_number}: the lines of question {number} differ outside the bracketed word")
        if len(set(options)) != len(options):
            twice = next(option for option in options if options.count(option) > 1)
            raise FormatError(f"{name}, line {line_number}: question {number} has the option {shown(twice)} twice")
        index = UNKNOWN_ANSWER
        if answers is not None:
            index = _answer_index(answers, len(questions), number, options, position, group[0], name)
        questions.append(numbered_question(number, group[0], position, options, index))

    line_number = 0
    for line_number, line in enumerate(lines_of(questions_text), 1):
        line_question, letter, tokens, line_position = _line_parts(line, name, line_number)
        if group and letter == "a":
            finish(line_number - 1)
            group = []
        if not group:
            if letter != "a" or (questions and line_question != number + 1):
                raise FormatError(f"{name}, line {line_number}: expected {number + 1}a), found {line_question}{letter})")
            number, position = line_question, line_position
        elif (line_question, letter, line_position) != (number, LETTERS[len(group) % 26], position):
            expected = f"{number}{LETTERS[len(group) % 26]}) with the bracket on token {position + 1}"
            found = f"{line_question}{letter}) on token {line_position + 1}"
            raise FormatError(f"{name}, line {line_number}: expected {expected}, found {found}")
        group.append(tokens)
    if group:
        finish(line_number)
    require_count(answers, questions, name)
    return questions


def _line_parts(line: str, name: str, line_number: int) -> tuple[int, str, tuple[str, ...], int]:
    """``(number, letter, tokens with the option bare, position of the option)`` of one machine line."""
    match = _NUMBERED_LINE.fullmatch(line.rstrip(" "))
    tokens = match[3].split(" ") if match else []
    places = [place for place, token in enumerate(tokens) if _BRACKETED.fullmatch(token)]
    if match is None or len(places) != 1 or "" in tokens:
        raise FormatError(f"{name}, line {line_number}: expected a line such as '12c) I could [climb] it .', found {shown(line)}")
    tokens[places[0]] = tokens[places[0]][1:-1]
    return int(match[1]), match[2], tuple(tokens), places[0]


def _answer_index(
    answers: Sequence[str], index: int, number: int, options: Sequence[str], position: int, tokens: tuple[str, ...], name: str
) -> int:
    line = answer_line(answers, index, name)
    answer_number, letter, answer_tokens, answer_position = _line_parts(line, f"answers to {name}", index + 1)
    place = LETTERS.index(letter)
    right = place < len(options) and answer_tokens == (*tokens[:position], options[place], *tokens[position + 1 :])
    if not right or (answer_number, answer_position) != (number, position):
        raise FormatError(f"answers to {name}, line {index + 1}: not one of the lines of question {number}; pass the matching answers file")
    return place
