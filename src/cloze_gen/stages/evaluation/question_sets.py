"""Reading the questions to evaluate: a release's or anyone's `questions.jsonl`, or a published MSR machine-format file."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.errors import UsageError
from cloze_gen.evaluate.results import score_matrix
from cloze_gen.formats.jsonl import parse_questions, parse_records
from cloze_gen.formats.msr.machine import parse_machine
from cloze_gen.notation import reason
from cloze_gen.records.question import Question
from cloze_gen.store.files import read_regular_text


@dataclass(frozen=True, slots=True, eq=False)
class QuestionSet:
    """Questions with what their file says of them.

    Attributes:
        records: the JSON objects of a `questions.jsonl`, one a question; empty for other formats.
    """

    questions: tuple[Question, ...]
    records: tuple[Mapping[str, Any], ...] = ()

    @property
    def digest(self) -> str:
        """16 hexadecimal digits over the questions themselves, whatever file they came in."""
        lines = (repr((q.id, q.book_id, q.tokens, q.position, q.options, q.answer_index)) for q in self.questions)
        return hashlib.blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()

    def recorded(self, name: str) -> Any:
        """A score of every option as the records tell it: float64, shape (n, k); None unless they all do."""
        rows: list[list[Any]] = []
        for question, record in zip(self.questions, self.records, strict=False):
            scores = record.get("option_scores")
            listed = [row for row in scores if isinstance(row, dict)] if isinstance(scores, list) else []
            told = {row["word"]: row.get(name) for row in listed if isinstance(row.get("word"), str)}
            rows.append([told.get(option) for option in question.options])
        if not rows or not all(_is_score(value) for row in rows for value in row):
            return None
        return score_matrix(rows)


def read_question_set(path: Path, answers: Path | None = None) -> QuestionSet:
    """The questions of a file, told apart by its first line.

    Args:
        answers: the machine-format answers; by default the file beside `path` whose name says `answers` for `questions`.
    Raises:
        UsageError: no such file, no question in it, or no answers.
        FormatError: the file does not follow its format.
    """
    text = _read_text(path)
    if not text.strip("\ufeff \r\n\t"):
        raise UsageError(f"{path}: holds no question")
    if path.suffix == ".jsonl" or text.lstrip("\ufeff \n").startswith("{"):
        lines = text.split("\n")  # not splitlines: U+2028 may stand inside a string
        records = tuple(record for _, record in parse_records(lines, name=path.name))
        found = QuestionSet(tuple(parse_questions(lines, name=path.name)), records)
    else:
        key = answers or _answers_beside(path)
        found = QuestionSet(tuple(parse_machine(text, _read_text(key), name=path.name)))
    if not found.questions:
        raise UsageError(f"{path}: holds no question")
    return found


def _is_score(value: Any) -> bool:
    """Another maker's file may call anything `option_scores`; only finite numbers are scores."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < sys.float_info.max


def _answers_beside(path: Path) -> Path:
    beside = path.with_name(path.name.replace("questions", "answers"))
    if beside == path or not beside.is_file():
        raise UsageError(f"{path}: its answers are not beside it; name their file with --answers")
    return beside


def _read_text(path: Path) -> str:
    wanted = "Give a run, a questions.jsonl or a machine-format file of the MSR challenge."
    try:
        return read_regular_text(path)
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file. {wanted}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 ({error}). {wanted}") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read ({reason(error)}). {wanted}") from None
