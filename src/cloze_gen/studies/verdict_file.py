"""The file of what a study's judges said, as a stage or an evaluation is given it."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.errors import UsageError
from cloze_gen.formats.verdicts import VerdictFile, parse_verdicts
from cloze_gen.notation import reason, shown
from cloze_gen.records.judgement import Task
from cloze_gen.store.files import read_regular_text


def read_verdicts(path: str | Path, *, task: Task, given_as: str) -> VerdictFile:
    """The verdicts in a file.

    Args:
        given_as: the setting or option that names it, for messages.
    Raises:
        UsageError: it cannot be read.
        FormatError: it holds no verdicts of this task.
    """
    try:
        text = read_regular_text(path, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        place = shown(str(path), most_chars=300)
        raise UsageError(
            f"{given_as}: {place} cannot be read as a file of verdicts ({reason(error)}). `cloze-gen judge apply` writes it."
        ) from None
    return parse_verdicts(text, task=task, name=str(path))
