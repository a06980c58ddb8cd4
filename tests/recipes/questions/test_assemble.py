"""Assembling: positions dealt evenly, options whole."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.questions.assemble import assemble_question, deal_positions

IDS = st.lists(st.text(min_size=1, max_size=6), unique=True, max_size=60)


@given(IDS, st.integers(2, 6), st.integers(0, 99))
def test_positions_are_dealt_evenly(ids: list[str], n_options: int, seed: int) -> None:
    """Each position n/k times, give or take one, whatever the order of the ids."""
    dealt = deal_positions(ids, n_options=n_options, seed=seed)
    counts = [Counter(dealt.values())[position] for position in range(n_options)]
    assert sum(counts) == len(ids)
    assert max(counts) - min(counts) <= 1
    assert deal_positions(ids[::-1], n_options=n_options, seed=seed) == dealt


def test_positions_are_uniform_over_seeds() -> None:
    """No question has a favourite position: chi-square over 2,000 seeds stays under its 0.1 % bound (18.5 at 4 degrees)."""
    ids = [f"q{i}" for i in range(7)]
    for question in ids[::3]:
        counts = Counter(deal_positions(ids, n_options=5, seed=seed)[question] for seed in range(2000))
        assert sum((counts[i] - 400) ** 2 / 400 for i in range(5)) < 18.5


@given(st.integers(0, 4), st.integers(0, 99))
def test_a_question_holds_its_answer_and_its_impostors(answer_index: int, seed: int) -> None:
    """The answer stands at its dealt position, the impostors fill the rest, and the blank filled is the sentence."""
    tokens, impostors = ("He", "could", "climb", "it", "."), ("swim", "eat", "drink", "lose")
    question = assemble_question("b:1:2", book_id="b", tokens=tokens, position=2, impostors=impostors, answer_index=answer_index, seed=seed)
    assert question.answer == "climb" == question.options[answer_index]
    assert sorted(question.options) == sorted((*impostors, "climb"))
    assert question.blank.filled(question.answer) == tokens


def test_impostors_are_shuffled_by_the_item() -> None:
    """Their order tells nothing of their scores: over many items each stands first about as often."""
    first = Counter(
        assemble_question(
            f"b:{i}:1", book_id="b", tokens=("a", "b"), position=1, impostors=("w", "x", "y", "z"), answer_index=4, seed=1
        ).options[0]
        for i in range(2000)
    )
    assert all(first[word] == pytest.approx(500, abs=90) for word in "wxyz")
