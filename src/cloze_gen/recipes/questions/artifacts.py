"""The files that several recipes of questions write."""

from __future__ import annotations

from cloze_gen.release.items.questions import QUESTION_ITEMS
from cloze_gen.store.file_docs import FileDoc

_TYPES = {
    "id": "string",
    "book_id": "string",
    "tokens": "list of string",
    "position": "int",
    "options": "list of string",
    "answer_index": "int",
    "answer": "string",
    "source": "object",
    "history": "list of string",
    "next_token": "string",
    "answer_tag": "string",
    "answer_class": "string",
    "answer_rank": "int",
    "answer_forward_rank": "int",
    "option_scores": "list of object",
}


def questions_file(*, without: tuple[str, ...], example: str = "") -> FileDoc:
    columns = {
        name: f"{kind}: {QUESTION_ITEMS.column_docs[name]}"
        for name, kind in _TYPES.items()
        if name not in without
    }
    return FileDoc("questions.jsonl", "The questions, one object each.", columns, example=example)


def fewshot_file(about: str) -> FileDoc:
    return FileDoc("fewshot.jsonl", about, optional=True)
