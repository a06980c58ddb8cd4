"""The files of the MSR challenge, as `holmes-style` releases them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cloze_gen.formats.msr.human import format_human
from cloze_gen.formats.msr.lm import format_lm
from cloze_gen.formats.msr.machine import format_machine
from cloze_gen.records.question import Question


def msr_files(name: str, questions: Sequence[Question], seed: int, finished: Path) -> dict[str, str]:
    """The three official formats, questions and answers each; nothing in them is drawn."""
    files = {}
    for label, formatted in (("machine", format_machine(questions)), ("human", format_human(questions)), ("lm", format_lm(questions))):
        for part, text in zip(("questions", "answers"), formatted, strict=True):
            files[f"{name}.{label}_format.{part}.txt"] = text
    return files
