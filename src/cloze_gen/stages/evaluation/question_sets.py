"""Reading the questions to evaluate: a release's or anyone's `questions.jsonl`, or a published MSR machine-format file."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.errors import UsageError
from cloze_gen.evaluate.question_set import QuestionSet
from cloze_gen.formats.jsonl import parse_questions, parse_records
from cloze_gen.formats.msr.machine import parse_machine
from cloze_gen.notation import reason
from cloze_gen.store.files import read_regular_text


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


def _answers_beside(path: Path) -> Path:
    beside = path.with_name(path.name.replace("questions", "answers"))
    if beside == path or not beside.is_file():
        raise UsageError(f"{path}: its answers are not beside it; name their file with --answers, or lay it there")
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
