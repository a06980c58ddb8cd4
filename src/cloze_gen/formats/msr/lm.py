"""The lm files: ``<s> ... </s>`` with each option in its place, one a line, without numbers, for a language model to score.

The final full stop is left out, a final ``?`` or ``!`` kept. A question's lines have a trailing space, an answer's line has none.

Source: ``Holmes.lm_format.{questions,answers}.txt`` of the challenge (Zweig & Burges 2011, 1).
"""

from __future__ import annotations

from collections.abc import Sequence

from cloze_gen.errors import FormatError
from cloze_gen.formats.msr.questions import (
    OPTION_COUNT,
    SENTENCE_END,
    SENTENCE_START,
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


def format_lm(questions: Sequence[Question]) -> tuple[str, str]:
    """The lm files ``(questions, answers)``: ``<s> ... </s>`` without number and final full stop.

    A question's lines carry a trailing space, an answer's line does not, as published. A final ``?`` or ``!`` is kept.
    """
    lines: list[str] = []
    answers: list[str] = []
    for question in carried(questions):
        lines.extend(f"{lm_sentence(question.blank.filled(option))} " for option in question.options)
        answers.append(lm_sentence(question.blank.filled(question.answer)))
    return joined(lines), joined(answers)


def lm_sentence(tokens: Sequence[str]) -> str:
    """One sentence as an lm line without its trailing space; what a user's scores file repeats before the tab.

    >>> lm_sentence(("We", "hide", "it", "."))
    '<s> We hide it </s>'
    """
    inner = tokens[:-1] if tokens and tokens[-1] == "." else tokens
    return " ".join((SENTENCE_START, *inner, SENTENCE_END))


def parse_lm(
    questions_text: str,
    answers_text: str | None = None,
    *,
    option_count: int = OPTION_COUNT,
    first_number: int = 1,
    name: str = "lm questions",
) -> list[Question]:
    """Read lm files. Lines carry no number: each `option_count` of them are a question, its position the one token that differs.

    The full stop that the format leaves out is put back unless the sentence ends in ``?`` or ``!``. Arguments and errors as
    `parse_machine`.
    """
    answers = None if answers_text is None else lines_of(answers_text)
    lines = lines_of(questions_text)
    if len(lines) % option_count:
        raise FormatError(f"{name}: {len(lines)} lines are not a whole number of questions of {option_count} lines")
    questions: list[Question] = []
    for start in range(0, len(lines), option_count):
        group = [_line_tokens(line, name, start + offset + 1) for offset, line in enumerate(lines[start : start + option_count])]
        differing = [place for place, column in enumerate(zip(*group, strict=False)) if len(set(column)) > 1]
        if len({len(tokens) for tokens in group}) != 1 or len(differing) != 1:
            where = f"{name}, lines {start + 1}-{start + option_count}"
            raise FormatError(f"{where}: the lines of one question must differ in exactly one token, these differ in {len(differing)}")
        position = differing[0]
        options = tuple(tokens[position] for tokens in group)
        index = UNKNOWN_ANSWER
        if answers is not None:
            number = len(questions) + 1
            found = _line_tokens(answer_line(answers, len(questions), name), f"answers to {name}", number)
            if found not in group:
                raise FormatError(f"answers to {name}, line {number}: no sentence of that question; pass the matching answers file")
            index = group.index(found)
        questions.append(numbered_question(first_number + len(questions), group[0], position, options, index))
    require_count(answers, questions, name)
    return questions


def _line_tokens(line: str, name: str, line_number: int) -> tuple[str, ...]:
    tokens = tuple(line.rstrip(" ").split(" "))
    if len(tokens) < 3 or tokens[0] != SENTENCE_START or tokens[-1] != SENTENCE_END or "" in tokens:
        raise FormatError(f"{name}, line {line_number}: expected a line such as '<s> We hide it </s>', found {shown(line)}")
    inner = tokens[1:-1]
    return inner if inner[-1] in ("?", "!") else (*inner, ".")
