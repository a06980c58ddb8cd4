"""A set of questions with what its file says of each."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluate.metrics import score_matrix
from cloze_gen.records.question import Question

_LARGEST = float(np.finfo(np.float64).max)


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

    @property
    def option_counts(self) -> list[int]:
        return [len(question.options) for question in self.questions]

    def recorded(self, name: str) -> NDArray[np.float64] | None:
        """A score of every option as the records tell it, in its own unit: float64, shape (n, k); None unless they all do."""
        rows: list[list[Any]] = []
        for question, record in zip(self.questions, self.records, strict=False):
            scores = record.get("option_scores")
            listed = [row for row in scores if isinstance(row, dict)] if isinstance(scores, list) else []
            told = {row["word"]: row.get(name) for row in listed if isinstance(row.get("word"), str)}
            rows.append([told.get(option) for option in question.options])
        if not rows or not all(_is_score(value) for row in rows for value in row):
            return None
        return score_matrix(rows)


def _is_score(value: Any) -> bool:
    """Another maker's file may call anything `option_scores`; only finite numbers are scores."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST
