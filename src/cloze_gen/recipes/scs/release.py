"""The five files of an SCS set, as `scs-style` releases them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cloze_gen.formats.scs import format_scs
from cloze_gen.records.question import Question
from cloze_gen.rng import derive_rng


def scs_files(name: str, questions: Sequence[Question], seed: int, finished: Path) -> dict[str, str]:
    """The paper names them by the number of questions, whatever the run's name; two of them are drawn."""
    return format_scs(questions, rng_a=derive_rng(seed, "scs.randex_a"), rng_b=derive_rng(seed, "scs.randex_b"))
