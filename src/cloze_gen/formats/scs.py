r"""The published files of an SCS set: machine and lm files as MSR's, and two shuffled halves.

Source: Argouarc'h 2018, 3.4 (the files) and 3.5 (the halves). No published file could be had; the paper names the files and says that they
follow the MSR set's, so the lines are those of `formats.msr`, ended by ``\n``: numbered from 1, five lines a question. The index files
number the questions from 0, one integer a line ("numbers from 0 to 5999").
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cloze_gen.errors import FormatError
from cloze_gen.formats.msr.lm import format_lm
from cloze_gen.formats.msr.machine import format_machine
from cloze_gen.records.question import Question


def format_scs(questions: Sequence[Question], *, rng_a: np.random.Generator, rng_b: np.random.Generator) -> dict[str, str]:
    """File name -> text of the five files; N in the names is the number of questions.

    Args:
        rng_a, rng_b: shuffle the two halves.
    Raises:
        FormatError: a question has not five options, has no known answer, or holds a token that the formats cannot carry.
    """
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


def split_ranks(n: int, *, rng_a: np.random.Generator, rng_b: np.random.Generator) -> tuple[list[int], list[int]]:
    """The ranks 0..n-1 as two lists, even ranks in the first, odd in the second, each shuffled.

    >>> a, b = split_ranks(5, rng_a=np.random.default_rng(1), rng_b=np.random.default_rng(2))
    >>> sorted(a), sorted(b)
    ([0, 2, 4], [1, 3])
    """
    return rng_a.permutation(np.arange(0, n, 2)).tolist(), rng_b.permutation(np.arange(1, n, 2)).tolist()


def format_ranks(ranks: Sequence[int]) -> str:
    """One integer a line."""
    return "".join(f"{rank}\n" for rank in ranks)


def parse_ranks(text: str, *, name: str = "randex") -> list[int]:
    """The ranks of an index file.

    Raises:
        FormatError: a line is no whole number from 0, or a rank is there twice.
    """
    ranks: list[int] = []
    for number, line in enumerate(text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else [], 1):
        if not (line.isascii() and line.isdigit()):
            raise FormatError(f"{name}, line {number}: expected one whole number from 0, found {line[:40]!r}")
        ranks.append(int(line))
    if len(set(ranks)) != len(ranks):
        raise FormatError(f"{name}: a rank is there twice; expected each question once")
    return ranks
