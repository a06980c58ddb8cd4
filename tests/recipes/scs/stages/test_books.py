"""The reference question set that books are compared with."""

from __future__ import annotations

from pathlib import Path

import pytest

from cloze_gen.errors import UsageError
from cloze_gen.formats.msr.machine import format_machine
from cloze_gen.recipes.scs.stages.books import read_reference
from cloze_gen.records.question import Question

QUESTIONS = [
    Question("b:0:2", "b", ("He", "saw", "owls", "."), 2, ("cups", "owls", "hats", "pens", "keys"), 1),
    Question("b:1:1", "b", ("She", "ran", "home", "."), 1, ("ran", "sat", "fell", "rode", "came"), 0),
]


def machine_files(folder: Path) -> tuple[Path, Path]:
    questions, answers = format_machine(QUESTIONS)
    paths = folder / "x_questions.txt", folder / "x_answers.txt"
    for path, text in zip(paths, (questions, answers), strict=True):
        path.write_text(text, encoding="ascii")
    return paths


def test_a_question_is_its_sentence_with_the_answer_in_place(tmp_path: Path) -> None:
    """The answers are read from the file beside the questions; the other options do not count."""
    questions, _ = machine_files(tmp_path)
    assert read_reference(str(questions)) == ["He saw owls .", "She ran home ."]


def test_without_answers_the_missing_word_does_not_count(tmp_path: Path) -> None:
    """The rest of the sentence does."""
    questions, answers = machine_files(tmp_path)
    answers.unlink()
    assert read_reference(str(questions)) == ["He saw .", "She home ."]


@pytest.mark.parametrize(("name", "text"), [("gone.jsonl", None), ("empty.jsonl", "")])
def test_a_reference_that_holds_no_question_is_told(tmp_path: Path, name: str, text: str | None) -> None:
    """Not there, or empty: one message that says what to give."""
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match=r"Give a questions\.jsonl or a machine-format questions file"):
        read_reference(str(tmp_path / name))
