"""Which items make the set."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.common import PRINTED_BEFORE
from cloze_gen.recipes.scs.questions import QuestionReason, QuestionsSettings, choose_questions

IDS = [f"{book}:{i}:2" for book in ("a", "b", "c") for i in range(40)]
LINES = {item.rpartition(":")[0]: ("It", "was", item.replace(":", ""), ".") for item in IDS}


def chosen(ids, **settings):
    kept, _ = choose_questions(
        ids, tokens_of=LINES, settings=QuestionsSettings.model_validate(settings)
    )
    return kept


@given(
    st.lists(st.sampled_from(IDS), unique=True),
    st.integers(1, 130),
    st.sampled_from(["mixed", "corpus"]),
)
def test_every_item_is_asked_or_told_why_not(ids, n, order):
    """Kept and rejected make up all items, and never more than n are kept."""
    settings = QuestionsSettings.model_validate({"n_questions": n, "order": order})
    kept, rejected = choose_questions(ids, tokens_of=LINES, settings=settings)
    assert sorted([*kept, *(item.id for item in rejected)]) == sorted(ids)
    assert len(kept) == min(n, len(ids))
    assert {item.reason for item in rejected} <= {QuestionReason.BEYOND_N}


@given(st.permutations(IDS))
def test_the_mixed_order_is_the_sentences_own(ids):
    """In whatever order the items come, the same are asked in the same order."""
    assert chosen(ids, n_questions=50) == chosen(IDS, n_questions=50)


def test_a_cut_leaves_no_book_out():
    """In the mixed order the first third has items of every book."""
    assert {item[0] for item in chosen(IDS, n_questions=40)} == {"a", "b", "c"}
    assert chosen(IDS, n_questions=40, order="corpus") == IDS[:40]


@pytest.mark.parametrize("order", ["mixed", "corpus"])
def test_of_two_printings_the_first_is_asked(order):
    """The later one is told which sentence stands for it, and takes no other item's place."""
    lines = {
        "a:1": ("Go", "out", "!"),
        "b:1": ('"', "Go", "out", ".", '"'),
        "c:1": ("Come", "in", "."),
    }
    settings = QuestionsSettings.model_validate({"n_questions": 2, "order": order})
    kept, (again,) = choose_questions(
        ["a:1:0", "b:1:1", "c:1:0"], tokens_of=lines, settings=settings
    )
    assert len(kept) == 2
    assert again.reason == PRINTED_BEFORE
    assert f"{again.detail}:" in " ".join(kept)
