r"""Questions as JSON Lines: strict on the fields that make a question, blind to the others.

The form is our own; no paper has it. One JSON object a line, UTF-8, ``\n`` at the end of every line; letters beyond ASCII stand as
themselves, fields in the record's own order (`store.tables.write_jsonl` writes them). U+2028 may stand inside a string: it ends no line.

A release's ``questions.jsonl`` says more of each question (provenance, scores, traces); those fields pass through `question_record` and
are ignored by `parse_questions`, so that a set of another version, or of another maker, can be evaluated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.formats.requirements import require
from cloze_gen.notation import NotationError, parse_json, shown
from cloze_gen.records.question import Question
from cloze_gen.records.sentence import Sentence

REQUIRED_FIELDS = ("id", "book_id", "tokens", "position", "options", "answer_index")


def source_record(sentence: Sentence, position: int) -> dict[str, Any]:
    """Where a question came from: the sentence as the book has it, and the blank among its own tokens."""
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
    """The JSON object of one question: `REQUIRED_FIELDS`, then `answer` for a reader, then `more` in the order given.

    Raises:
        FormatError: `more` repeats a field of the question itself.

    >>> question = Question("b:0:1", "b", ("We", "hide", "it", "."), 1, ("hide", "eat"), 0)
    >>> question_record(question, length_tokens=4)["answer"]
    'hide'
    >>> question_from_record(question_record(question)) == question
    True
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
        raise FormatError(f"question {question.id}: the added fields {', '.join(repeated)} are the question's own; name them otherwise")
    return record | more


def question_from_record(record: Mapping[str, Any], *, where: str = "question record") -> Question:
    """The question of one JSON object; other fields are ignored.

    Raises:
        FormatError: a required field is missing, of another type or contradicts the others; names `where` and the field.
    """
    missing = [field for field in REQUIRED_FIELDS if field not in record]
    if missing:
        raise FormatError(f"{where}: lacks {', '.join(missing)}; a question needs {', '.join(REQUIRED_FIELDS)}")
    for field in ("id", "book_id"):
        require(isinstance(record[field], str) and record[field] != "", where, f"`{field}` must be a string that is not empty")
    for field in ("tokens", "options"):
        require(
            isinstance(record[field], list) and all(isinstance(word, str) and word.strip() for word in record[field]),
            where,
            f"`{field}` must be a list of strings that are not empty",
        )
    for field, other in (("position", "tokens"), ("answer_index", "options")):
        require(
            type(record[field]) is int and 0 <= record[field] < len(record[other]),
            where,
            f"`{field}` must be a whole number from 0 to {len(record[other]) - 1}, the last of `{other}`; found {shown(record[field])}",
        )
    question = Question(
        record["id"], record["book_id"], tuple(record["tokens"]), record["position"], tuple(record["options"]), record["answer_index"]
    )
    require(len(question.options) >= 2, where, "a question needs at least two options")
    require(len(set(question.options)) == len(question.options), where, "an option is there twice")
    require(question.blank.answer == question.answer, where, f"the token at `position` is not the answer {shown(question.answer)}")
    told = record.get("answer")
    said = f"`answer` is {shown(told)}, but `answer_index` {question.answer_index} is {shown(question.answer)}"
    require(told == question.answer or not isinstance(told, str), where, said)
    return question


def parse_questions(lines: Iterable[str], *, name: str = "questions.jsonl") -> Iterator[Question]:
    """Questions of a JSON Lines file; empty lines are passed over.

    Raises:
        FormatError: a line is no JSON object or no question, or an id is there twice; names file and line.
    """
    first_lines: dict[str, int] = {}
    for number, record in parse_records(lines, name=name):
        question = question_from_record(record, where=f"{name}, line {number}")
        if question.id in first_lines:
            raise FormatError(f"{name}, line {number}: the id {question.id[:80]} was there before, on line {first_lines[question.id]}")
        first_lines[question.id] = number
        yield question


def parse_records(lines: Iterable[str], *, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """``(line number from 1, JSON object)`` of every line that is not empty."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
        except NotationError as error:
            raise FormatError(f"{name}, line {number}: not JSON ({error}); expected one object a line") from None
        if not isinstance(record, dict):
            raise FormatError(f"{name}, line {number}: expected a JSON object, found {type(record).__name__}")
        yield number, record
