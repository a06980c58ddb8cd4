r"""The published files of the MSR Sentence Completion Challenge: machine, human and lm.

Writer and reader are exact inverses on the published questions. Files do not contain the book, so
questions have the ids ``msr:1``, ``msr:2`` ... Readers accept a byte-order mark and ``\r\n``.

Source: the files at the address in Zweig & Burges 2011, section 1, which are ASCII with ``\n``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from cloze_gen.errors import FormatError
from cloze_gen.parsing import quote
from cloze_gen.records.question import Question

OPTION_COUNT = 5  # MSR 2.3: the answer and four impostors
BLANK = "_____"  # five underscores in the published human file
# `answer_index` of a question read without its answers; its `tokens` then hold `BLANK`
UNKNOWN_ANSWER = -1
BOOK_ID = "msr"
MIN_OPTION_COUNT, MAX_OPTION_COUNT = 2, 26  # one letter an option
LETTERS = "abcdefghijklmnopqrstuvwxyz"
FINAL_STOPS = (".", "?", "!")
SENTENCE_START, SENTENCE_END = "<s>", "</s>"


def check_writable(questions: Iterable[Question]) -> Iterable[Question]:
    """The questions; FormatError if one cannot be written in the MSR formats."""
    for question in questions:
        where = f"question {question.id}"
        if len(question.options) != OPTION_COUNT or len(set(question.options)) != OPTION_COUNT:
            raise FormatError(
                f"{where}: the MSR formats need {OPTION_COUNT} different options, found "
                f"{len(set(question.options))}"
            )
        if (
            not 0 <= question.answer_index < OPTION_COUNT
            or question.tokens[question.position] != question.answer
        ):
            raise FormatError(
                f"{where}: the sentence does not contain the answer; read the questions with their "
                "answers"
            )
        if question.tokens[-1] not in FINAL_STOPS or question.position == len(question.tokens) - 1:
            raise FormatError(
                f"{where}: the last token must be a full stop, question mark or exclamation mark "
                "after the answer; render it for MSR first"
            )
        if question.tokens[-1] == "." and question.tokens[-2] in ("?", "!"):
            raise FormatError(
                f"{where}: the lm format cannot represent two stops at the end; render it for MSR "
                "first"
            )
        for token in (*question.tokens, *question.options):
            if (
                not token
                or re.search(r"[\s\[\]]", token)
                or token in (BLANK, SENTENCE_START, SENTENCE_END)
            ):
                raise FormatError(
                    f"{where}: the MSR formats cannot represent the token {token!r}; render it for "
                    "MSR first"
                )
        yield question


def numbered_question(
    number: int, tokens: Sequence[str], position: int, options: tuple[str, ...], answer_index: int
) -> Question:
    word = BLANK if answer_index == UNKNOWN_ANSWER else options[answer_index]
    filled = (*tokens[:position], word, *tokens[position + 1 :])
    return Question(f"{BOOK_ID}:{number}", BOOK_ID, filled, position, options, answer_index)


def lines_of(text: str) -> list[str]:
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n").split("\n")
    return [line for line in lines if line]


def joined(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def answer_line(answers: Sequence[str], index: int, name: str) -> str:
    if index >= len(answers):
        raise FormatError(
            f"answers to {name}: only {len(answers)} lines, fewer than questions; pass the "
            "matching answers file"
        )
    return answers[index]


def require_count(answers: Sequence[str] | None, questions: Sequence[Question], name: str) -> None:
    if answers is not None and len(answers) != len(questions):
        raise FormatError(
            f"answers to {name}: {len(answers)} lines for {len(questions)} questions; pass "
            "the matching answers file"
        )


_NUMBERED_LINE = re.compile(r"([0-9]{1,9})([a-z])\) (.+)")
_BRACKETED = re.compile(r"\[([^\[\]]+)\]")


def format_machine(questions: Sequence[Question]) -> tuple[str, str]:
    """The files ``(questions, answers)``: ``12c) I could [climb] it .``, a line an option.

    >>> question = Question("b:0:1", "b", ("I", "could", "climb", "it", "."), 2, ("write", "climb", "see", "be", "go"), 1)
    >>> lines, answers = format_machine([question])
    >>> lines.splitlines()[0], answers
    ('1a) I could [write] it .', '1b) I could [climb] it .\\n')
    """
    lines, answers = [], []
    for number, question in enumerate(check_writable(questions), 1):
        printed = [
            f"{number}{LETTERS[index]}) {' '.join(question.blank.filled(f'[{option}]'))}"
            for index, option in enumerate(question.options)
        ]
        lines.extend(printed)
        answers.append(printed[question.answer_index])
    return joined(lines), joined(answers)


def parse_machine(
    questions_text: str, answers_text: str | None = None, *, name: str = "machine questions"
) -> list[Question]:
    """Read machine files; FormatError if a question's lines differ outside the brackets.

    Without answers, `answer_index` is `UNKNOWN_ANSWER` and `BLANK` is at `position`.
    """
    answers = None if answers_text is None else lines_of(answers_text)
    questions: list[Question] = []
    group: list[tuple[str, ...]] = []
    number, position = 0, 0

    def finish(line_number: int) -> None:
        if not MIN_OPTION_COUNT <= len(group) <= MAX_OPTION_COUNT:
            raise FormatError(
                f"{name}, line {line_number}: question {number} has {len(group)} options; "
                "expected 2 to 26"
            )
        options = tuple(tokens[position] for tokens in group)
        if len({(*tokens[:position], *tokens[position + 1 :]) for tokens in group}) != 1:
            raise FormatError(
                f"{name}, line {line_number}: the lines of question {number} differ outside "
                "the bracketed word"
            )
        if len(set(options)) != len(options):
            twice = next(option for option in options if options.count(option) > 1)
            raise FormatError(
                f"{name}, line {line_number}: question {number} has the option {quote(twice)} twice"
            )
        index = UNKNOWN_ANSWER
        if answers is not None:
            index = _answer_index(
                answers, len(questions), number, options, position, group[0], name
            )
        questions.append(numbered_question(number, group[0], position, options, index))

    line_number = 0
    for line_number, line in enumerate(lines_of(questions_text), 1):
        line_question, letter, tokens, line_position = _line_parts(line, name, line_number)
        if group and letter == "a":
            finish(line_number - 1)
            group = []
        if not group:
            if letter != "a" or (questions and line_question != number + 1):
                raise FormatError(
                    f"{name}, line {line_number}: expected {number + 1}a), found "
                    f"{line_question}{letter})"
                )
            number, position = line_question, line_position
        elif (line_question, letter, line_position) != (number, LETTERS[len(group) % 26], position):
            expected = (
                f"{number}{LETTERS[len(group) % 26]}) with the bracket on token {position + 1}"
            )
            found = f"{line_question}{letter}) on token {line_position + 1}"
            raise FormatError(f"{name}, line {line_number}: expected {expected}, found {found}")
        group.append(tokens)
    if group:
        finish(line_number)
    require_count(answers, questions, name)
    return questions


def _line_parts(line: str, name: str, line_number: int) -> tuple[int, str, tuple[str, ...], int]:
    """``(number, letter, tokens with the option bare, position of the option)`` of one line."""
    match = _NUMBERED_LINE.fullmatch(line.rstrip(" "))
    tokens = match[3].split(" ") if match else []
    places = [place for place, token in enumerate(tokens) if _BRACKETED.fullmatch(token)]
    if match is None or len(places) != 1 or "" in tokens:
        raise FormatError(
            f"{name}, line {line_number}: expected a line such as '12c) I could [climb] it "
            f".', found {quote(line)}"
        )
    tokens[places[0]] = tokens[places[0]][1:-1]
    return int(match[1]), match[2], tuple(tokens), places[0]


def _answer_index(
    answers: Sequence[str],
    index: int,
    number: int,
    options: Sequence[str],
    position: int,
    tokens: tuple[str, ...],
    name: str,
) -> int:
    line = answer_line(answers, index, name)
    answer_number, letter, answer_tokens, answer_position = _line_parts(
        line, f"answers to {name}", index + 1
    )
    place = LETTERS.index(letter)
    right = place < len(options) and answer_tokens == (
        *tokens[:position],
        options[place],
        *tokens[position + 1 :],
    )
    if not right or (answer_number, answer_position) != (number, position):
        raise FormatError(
            f"answers to {name}, line {index + 1}: not one of the lines of question {number}; "
            "pass the matching answers file"
        )
    return place


def format_human(questions: Sequence[Question]) -> tuple[str, str]:
    """The files ``(questions, answers)``: a numbered stem with `BLANK`, its final stop attached,
    options after a tab, two empty lines. Only the very first line begins with a space. An answer
    is ``12) [c] climb``.
    """
    lines: list[str] = []
    answers: list[str] = []
    for number, question in enumerate(check_writable(questions), 1):
        *stem, stop = question.blank.filled(BLANK)
        lines.append(f"{number}) {' '.join(stem)}{stop}")
        lines.extend(
            f"\t{LETTERS[index]}) {option}" for index, option in enumerate(question.options)
        )
        lines.extend(("", ""))
        answers.append(f"{number}) [{LETTERS[question.answer_index]}] {question.answer}")
    return " " * bool(lines) + joined(lines), joined(answers)


def format_lm(questions: Sequence[Question]) -> tuple[str, str]:
    """The files ``(questions, answers)``: ``<s> ... </s>``, a line an option, without number and
    final full stop. Lines of questions end in a space, those of answers do not.
    """
    lines: list[str] = []
    answers: list[str] = []
    for question in check_writable(questions):
        lines.extend(
            f"{lm_sentence(question.blank.filled(option))} " for option in question.options
        )
        answers.append(lm_sentence(question.blank.filled(question.answer)))
    return joined(lines), joined(answers)


def lm_sentence(tokens: Sequence[str]) -> str:
    """One sentence as an lm line without its trailing space.

    >>> lm_sentence(("We", "hide", "it", "."))
    '<s> We hide it </s>'
    """
    inner = tokens[:-1] if tokens and tokens[-1] == "." else tokens
    return " ".join((SENTENCE_START, *inner, SENTENCE_END))
