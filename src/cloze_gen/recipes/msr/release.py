"""The files of the MSR challenge, as `holmes-style` releases them."""

from __future__ import annotations

from cloze_gen.formats.msr.human import format_human
from cloze_gen.formats.msr.lm import format_lm
from cloze_gen.formats.msr.machine import format_machine
from cloze_gen.records.release_facts import PaperReference
from cloze_gen.stages.finished_run import PublishedSet

REFERENCE = PaperReference(
    authors=("Zweig, Geoffrey", "Burges, Christopher J. C."),
    title="The Microsoft Research Sentence Completion Challenge",
    year=2011,
    kind="report",
    venue="Microsoft Research",
    number="MSR-TR-2011-129",
)


def msr_files(run: PublishedSet) -> dict[str, str]:
    """The three official formats, questions and answers each; nothing in them is drawn."""
    formats = {"machine": format_machine, "human": format_human, "lm": format_lm}
    return {
        f"{run.name}.{label}_format.{part}.txt": text
        for label, formatted in formats.items()
        for part, text in zip(("questions", "answers"), formatted(run.items), strict=True)
    }
