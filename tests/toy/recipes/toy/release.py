"""The toy's own file: one sentence a line, its blank left open."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cloze_gen.records.question import Question


def toy_files(name: str, questions: Sequence[Question], seed: int, finished: Path) -> dict[str, str]:
    """`NAME.toy.txt`."""
    return {f"{name}.toy.txt": "".join(" ".join(question.blank.filled("___")) + "\n" for question in questions)}
