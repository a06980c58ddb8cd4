"""Which items make the set."""

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.common import RepeatReason
from cloze_gen.recipes.scs.questions import QuestionReason, choose_questions

IDS = [f"{book}:{i}:2" for book in ("a", "b", "c") for i in range(40)]


def choose(ids, *, n):
    tokens_of = {item: ("It", "was", item.replace(":", ""), ".") for item in ids}
    return choose_questions(tokens_of, n_questions=n)


@given(st.lists(st.sampled_from(IDS), unique=True), st.integers(1, 130))
def test_every_item_is_kept_or_rejected(ids, n):
    """Never more than n are kept."""
    kept, rejected = choose(ids, n=n)
    assert sorted([*kept, *(item.id for item in rejected)]) == sorted(ids)
    assert len(kept) == min(n, len(ids))
    assert {item.reason for item in rejected} <= {QuestionReason.BEYOND_N}


@given(st.permutations(IDS))
def test_the_order_is_the_sentences_own(ids):
    """In whatever order the items come, the same are kept in the same order."""
    assert choose(ids, n=50) == choose(IDS, n=50)


def test_a_cut_leaves_no_book_out():
    """The first third has items of every book."""
    kept, _ = choose(IDS, n=40)
    assert {item[0] for item in kept} == {"a", "b", "c"}


def test_of_two_printings_the_first_is_kept():
    """The later one names the item that stands for it, and takes no other item's place."""
    tokens_of = {
        "a:1:0": ("Go", "out", "!"),
        "b:1:1": ('"', "Go", "out", ".", '"'),
        "c:1:0": ("Come", "in", "."),
    }
    kept, (repeat,) = choose_questions(tokens_of, n_questions=2)
    assert len(kept) == 2
    assert repeat.reason == RepeatReason.PRINTED_BEFORE
    assert repeat.detail in kept
