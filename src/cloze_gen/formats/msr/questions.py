r"""What the three files have in common: which questions they can carry, and a question read back from them.

Tokens come and go in the published rendering (`text.rendering.rendered_tokens`): quotes and dashes are already gone, the sentence ends in a
stop of its own. In each of the three formats writer and reader are exact inverses, down to the byte on the published questions. A
question's book, sentence and position are not in these files, so what is read back is named ``msr:1``, ``msr:2`` ..., of the book ``msr``.

Bytes: the published files are ASCII with ``\n`` at the end of every line, the last one too, and so are ours; a sentence with other letters
makes no question (the focus step leaves it out). Readers let pass a byte-order mark and ``\r\n``, which a spreadsheet may have put in.

Source: the files at the address given in Zweig & Burges 2011, section 1; their bytes, since no text describes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from cloze_gen.errors import FormatError
from cloze_gen.records.question import Question

OPTION_COUNT = 5  # MSR 2.3: the answer and four impostors
BLANK = "_____"  # five underscores in the published human file
UNKNOWN_ANSWER = -1  # `answer_index` of a question read without its answers; its `tokens` then hold `BLANK`
BOOK_ID = "msr"
MIN_OPTION_COUNT, MAX_OPTION_COUNT = 2, 26  # one letter an option
LETTERS = "abcdefghijklmnopqrstuvwxyz"
FINAL_STOPS = (".", "?", "!")
SENTENCE_START, SENTENCE_END = "<s>", "</s>"


def carried(questions: Iterable[Question]) -> Iterable[Question]:
    """The questions, each known to survive the formats and to come back equal.

    Raises:
        FormatError: a question has not five options, has no known answer, or holds a token that the formats cannot carry.
    """
    for question in questions:
        where = f"question {question.id}"
        if len(question.options) != OPTION_COUNT or len(set(question.options)) != OPTION_COUNT:
            raise FormatError(f"{where}: the MSR formats carry {OPTION_COUNT} different options, this has {len(set(question.options))}")
        if not 0 <= question.answer_index < OPTION_COUNT or question.tokens[question.position] != question.answer:
            raise FormatError(f"{where}: its sentence does not hold its answer; read it with its answers to write it")
        if question.tokens[-1] not in FINAL_STOPS or question.position == len(question.tokens) - 1:
            raise FormatError(f"{where}: must end in a stop of its own, after the focus word; render it for MSR first")
        if question.tokens[-1] == "." and question.tokens[-2] in ("?", "!"):
            raise FormatError(f"{where}: ends in two stops, which the lm format cannot tell apart; render it for MSR first")
        for token in (*question.tokens, *question.options):
            if not token or re.search(r"[\s\[\]]", token) or token in (BLANK, SENTENCE_START, SENTENCE_END):
                raise FormatError(f"{where}: the MSR formats cannot carry the token {token!r}; render it for MSR first")
        yield question


def numbered_question(number: int, tokens: Sequence[str], position: int, options: tuple[str, ...], answer_index: int) -> Question:
    """A question that was read, under its number; `tokens` may hold anything at `position`."""
    word = BLANK if answer_index == UNKNOWN_ANSWER else options[answer_index]
    filled = (*tokens[:position], word, *tokens[position + 1 :])
    return Question(f"{BOOK_ID}:{number}", BOOK_ID, filled, position, options, answer_index)


def lines_of(text: str, *, keep_empty: bool = False) -> list[str]:
    """Lines without their ends; a byte-order mark and CRLF, as other systems save the files, are let pass."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n").split("\n")
    return lines if keep_empty and lines != [""] else [line for line in lines if line]


def joined(lines: Sequence[str]) -> str:
    """Lines as a file, the last one ended too."""
    return "".join(f"{line}\n" for line in lines)


def answer_line(answers: Sequence[str], index: int, name: str) -> str:
    """The line of the answers' file for the question of this index, from 0; a FormatError where the file ends before it."""
    if index >= len(answers):
        raise FormatError(f"answers to {name}: {len(answers)} lines, but the questions go on; pass the matching answers file")
    return answers[index]


def require_count(answers: Sequence[str] | None, questions: Sequence[Question], name: str) -> None:
    """As many answers as questions, where there are answers; a FormatError otherwise."""
    if answers is not None and len(answers) != len(questions):
        raise FormatError(f"answers to {name}: {len(answers)} lines for {len(questions)} questions; pass the matching answers file")
