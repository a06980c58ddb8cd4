"""Questions as JSON Lines and as printed text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.json_lines import read_records
from cloze_gen.records.question import Blank, Question
from cloze_gen.records.sentence import Sentence


def source_record(sentence: Sentence, position: int) -> dict[str, Any]:
    return {
        "book_id": sentence.book_id,
        "sentence_index": sentence.index,
        "start": sentence.start,
        "end": sentence.end,
        "text": sentence.text,
        "tokens": list(sentence.tokens),
        "position": position,
    }


def question_record(question: Question, **more: Any) -> dict[str, Any]:
    """The JSON object of one question; FormatError if `more` repeats one of its fields.

    >>> question = Question("b:0:1", "b", ("We", "hide", "it", "."), 1, ("hide", "eat"), 0)
    >>> question_record(question, length_tokens=4)["answer"]
    'hide'
    """
    record: dict[str, Any] = {
        "id": question.id,
        "book_id": question.book_id,
        "tokens": list(question.tokens),
        "position": question.position,
        "options": list(question.options),
        "answer_index": question.answer_index,
        "answer": question.answer,
    }
    repeated = sorted(record.keys() & more.keys())
    if repeated:
        raise FormatError(
            f"question {question.id}: the added fields {', '.join(repeated)} already exist; "
            "rename them"
        )
    return record | more


def parse_questions(lines: Iterable[str], *, name: str = "questions.jsonl") -> Iterator[Question]:
    """Read questions from JSON Lines; ids must be unique, other fields are ignored."""
    for _, question in read_records(lines, Question, name=name):
        yield question


BLANK_MARK = "_____"

# punctuation without a space before it
_ATTACHED_LEFT = frozenset({",", ";", ".", ":", "?", "!", ")"})
_ATTACHED_RIGHT = frozenset({"("})


def as_printed(tokens: Sequence[str]) -> str:
    """Tokens joined as in print, as far as the MSR rendering allows.

    >>> as_printed(("Ah", ",", "yes", "."))
    'Ah, yes.'
    """
    text = ""
    glue = True
    for token in tokens:
        text += token if glue or token in _ATTACHED_LEFT else f" {token}"
        glue = token in _ATTACHED_RIGHT
    return text


def blanked_sentence(question: Question) -> str:
    """The sentence as printed, with `BLANK_MARK` for the answer.

    >>> blanked_sentence(Question("b:0:3", "b", ("Holmes", ",", "we", "hide", "it", "."), 3, ("eat", "hide"), 1))
    'Holmes, we _____ it.'
    """
    return as_printed(question.blank.filled(BLANK_MARK))


_AFTER_QUOTE = " ,.;:!?)]-—"  # what follows a mark that closes a quotation


def closed_quotes(text: str) -> str:
    """With the quotation marks that a sentence of a longer speech lacks at its ends.

    >>> closed_quotes('Do you know?"'), closed_quotes('Stay!" he said; "we go'), closed_quotes('"A"')
    ('"Do you know?"', '"Stay!" he said; "we go"', '"A"')
    """
    opens = [f"{text} "[match.end()] not in _AFTER_QUOTE for match in re.finditer('"', text)]
    before = '"' if opens and not opens[0] else ""
    after = '"' if opens and opens[-1] else ""
    return f"{before}{text}{after}"


def around_blank(blank: Blank) -> tuple[str, str]:
    """The printed text before and after the blank.

    >>> around_blank(Blank("b:0:3", ("Holmes", ",", "we", "hide", ",", "now", "."), 3))
    ('Holmes, we ', ', now.')
    """
    before = as_printed((*blank.tokens[: blank.position], BLANK_MARK)).removesuffix(BLANK_MARK)
    return before, as_printed(blank.filled(BLANK_MARK))[len(before) + len(BLANK_MARK) :]
