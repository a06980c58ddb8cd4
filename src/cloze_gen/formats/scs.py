r"""The published files of an SCS set: machine and lm files as MSR's, and two shuffled halves.

Source: Argouarc'h 2018, 3.4 (files) and 3.5 (halves). No published file was available; by the
paper, the files have the format of the MSR set. Index files: ranks from 0, one integer per line.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cloze_gen.formats.msr import format_lm, format_machine
from cloze_gen.records.question import Question


def format_scs(
    questions: Sequence[Question], *, rng_a: np.random.Generator, rng_b: np.random.Generator
) -> dict[str, str]:
    """File name -> text of the five files; `rng_a` and `rng_b` shuffle the halves."""
    machine_questions, machine_answers = format_machine(questions)
    lm_questions, _ = format_lm(questions)
    half_a, half_b = split_ranks(len(questions), rng_a=rng_a, rng_b=rng_b)
    prefix = f"SCS_{len(questions)}"
    return {
        f"{prefix}_machine_questions.txt": machine_questions,
        f"{prefix}_machine_answers.txt": machine_answers,
        f"{prefix}_lm_questions.txt": lm_questions,
        f"{prefix}_randex_A.txt": format_ranks(half_a),
        f"{prefix}_randex_B.txt": format_ranks(half_b),
    }


def split_ranks(
    n: int, *, rng_a: np.random.Generator, rng_b: np.random.Generator
) -> tuple[list[int], list[int]]:
    """The ranks 0..n-1 as two lists, even ranks in the first, odd in the second, each shuffled.

    >>> a, b = split_ranks(5, rng_a=np.random.default_rng(1), rng_b=np.random.default_rng(2))
    >>> sorted(a), sorted(b)
    ([0, 2, 4], [1, 3])
    """
    return rng_a.permutation(np.arange(0, n, 2)).tolist(), rng_b.permutation(
        np.arange(1, n, 2)
    ).tolist()


def format_ranks(ranks: Sequence[int]) -> str:
    return "".join(f"{rank}\n" for rank in ranks)
