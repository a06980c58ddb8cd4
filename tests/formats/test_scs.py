"""The published files of an SCS set."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.formats.msr import parse_machine
from cloze_gen.formats.scs import format_scs, split_ranks
from cloze_gen.records.question import Question

QUESTIONS = [
    Question(
        f"b:{i}:1",
        "b",
        ("We", "hide", "it", str(i), "."),
        1,
        tuple(np.roll(("hide", "eat", "see", "buy", "mend"), i % 5).tolist()),
        i % 5,
    )
    for i in range(7)
]


def files():
    return format_scs(QUESTIONS, rng_a=np.random.default_rng(1), rng_b=np.random.default_rng(2))


def test_names_carry_the_number_of_questions():
    """The paper's five names, with N the number kept."""
    kinds = ("machine_questions", "machine_answers", "lm_questions", "randex_A", "randex_B")
    assert list(files()) == [f"SCS_7_{kind}.txt" for kind in kinds]


def test_machine_and_lm_files_come_back():
    """The lines are those of the MSR set: parsing gives the questions."""
    texts = files()
    parsed = parse_machine(texts["SCS_7_machine_questions.txt"], texts["SCS_7_machine_answers.txt"])
    assert [(q.tokens, q.options, q.answer_index) for q in parsed] == [
        (q.tokens, q.options, q.answer_index) for q in QUESTIONS
    ]
    first = texts["SCS_7_lm_questions.txt"].splitlines()[:5]
    assert [line.split()[2] for line in first] == list(QUESTIONS[0].options)


@given(st.integers(0, 200), st.integers(0, 9))
def test_halves_hold_every_rank_once(n, seed):
    """Even ranks in A, odd ranks in B, together 0..n-1 exactly once."""
    a, b = split_ranks(n, rng_a=np.random.default_rng(seed), rng_b=np.random.default_rng(seed + 1))
    assert sorted(a + b) == list(range(n))
    assert all(rank % 2 == 0 for rank in a)
    assert all(rank % 2 == 1 for rank in b)


def test_halves_are_shuffled():
    """Neither half keeps the order of generation."""
    a, b = split_ranks(200, rng_a=np.random.default_rng(1), rng_b=np.random.default_rng(2))
    assert a != sorted(a)
    assert b != sorted(b)


def test_index_files_hold_one_rank_a_line():
    texts = files()
    lines = [texts[f"SCS_7_randex_{half}.txt"].splitlines() for half in "AB"]
    assert sorted(int(line) for half in lines for line in half) == list(range(7))
