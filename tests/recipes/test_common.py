"""Positions, few-shot examples, and no text printed twice."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.common import (
    MOST_EXAMPLES,
    assemble_question,
    balance_answer_positions,
    draw_examples,
    printed_before,
)
from cloze_gen.records.sentence import Sentence, sentence_of

IDS = st.lists(st.text(min_size=1, max_size=6), unique=True, max_size=60)


@given(IDS, st.integers(2, 6), st.integers(0, 99))
def test_positions_are_dealt_evenly(ids, n_options, seed):
    """Each position n/k times, give or take one, whatever the order of the ids."""
    dealt = balance_answer_positions(ids, n_options=n_options, seed=seed)
    counts = [Counter(dealt.values())[position] for position in range(n_options)]
    assert sum(counts) == len(ids)
    assert max(counts) - min(counts) <= 1
    assert balance_answer_positions(ids[::-1], n_options=n_options, seed=seed) == dealt


def test_positions_are_uniform_over_seeds():
    """Chi-square over 2,000 seeds stays under its 0.1 % bound (18.5 at 4 degrees)."""
    ids = [f"q{i}" for i in range(7)]
    for question in ids[::3]:
        counts = Counter(
            balance_answer_positions(ids, n_options=5, seed=seed)[question] for seed in range(2000)
        )
        assert sum((counts[i] - 400) ** 2 / 400 for i in range(5)) < 18.5


def question(item_id="b:1:2", *, answer_index=4, seed=1):
    """A question about the fourth token of a sentence with quotation marks."""
    tokens = ('"', "He", "could", "climb", "it", "!", '"')
    sentence = Sentence("b", 1, 0, 0, 0, "prose", "", tokens)
    options = {"impostors": ("swim", "eat", "drink", "lose"), "answer_index": answer_index}
    return assemble_question(item_id, sentence, 3, **options, seed=seed)


@given(st.integers(0, 4), st.integers(0, 99))
def test_a_question_holds_its_answer_and_its_impostors(answer_index, seed):
    """The tokens and the place of the blank are those of the printed sentence."""
    result = question(answer_index=answer_index, seed=seed)
    assert result.answer == "climb" == result.options[answer_index]
    assert sorted(result.options) == ["climb", "drink", "eat", "lose", "swim"]
    assert result.blank.filled(result.answer) == ("He", "could", "climb", "it", ".")
    assert (result.book_id, result.position) == ("b", 2)


def test_impostors_are_shuffled_by_the_item():
    """Their order tells nothing of their scores: over many items each stands first about as often."""
    first = Counter(question(f"b:{i}:1").options[0] for i in range(2000))
    assert all(
        first[word] == pytest.approx(500, abs=90) for word in ("swim", "eat", "drink", "lose")
    )


IDS = st.builds("{}:{}:{}".format, st.sampled_from("abc"), st.integers(0, 9), st.integers(0, 2))


@given(st.sets(IDS, max_size=40), st.sets(IDS, max_size=6), st.integers(0, 3))
def test_examples_are_of_no_published_sentence(spare, published, seed):
    drawn = draw_examples(spare, published=published, seed=seed)
    sentences = [sentence_of(item) for item in drawn]
    assert set(drawn) <= spare
    assert len(set(sentences)) == len(sentences) <= MOST_EXAMPLES
    assert not set(sentences) & {sentence_of(item) for item in published}
    assert {item.split(":")[0] for item in drawn} <= {item.split(":")[0] for item in published}


def test_an_item_more_moves_no_other():
    """The draw depends on the item alone, whatever the order of the items."""
    spare = [f"a:{n}:0" for n in range(30)]
    drawn = draw_examples(spare, published=["a:99:0"], seed=1)
    assert draw_examples(reversed(spare), published=["a:99:0"], seed=1) == drawn
    without = [item for item in spare if item != drawn[0]]
    assert draw_examples(without, published=["a:99:0"], seed=1)[: MOST_EXAMPLES - 1] == drawn[1:]
    assert draw_examples(spare, published=["a:99:0"], seed=2) != drawn


TOKENS = st.lists(
    st.sampled_from(["Come", "in", "IN", '"', "--", ",", "!", "."]), min_size=1, max_size=4
)


def words_of(tokens):
    return [token.lower() for token in tokens if token.isalpha()]


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdef"), TOKENS), max_size=12, unique_by=lambda pair: pair[0]
    )
)
def test_what_is_left_is_printed_once_and_loses_nothing(
    sentences,
):
    later = printed_before((sentence_id, [tokens]) for sentence_id, tokens in sentences)
    printed = {sentence_id: words_of(tokens) for sentence_id, tokens in sentences}
    left = [sentence_id for sentence_id in printed if sentence_id not in later]
    assert len({tuple(printed[sentence_id]) for sentence_id in left}) == len(left)
    order = list(printed)
    for sentence_id, first in later.items():
        assert printed[first] == printed[sentence_id]
        assert first in left
        assert order.index(first) < order.index(sentence_id)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("' Hang the lamp here , sir ! '", True),
        ("Hang the LAMP here -- sir .", True),
        ("Hang the lamp , here ; sir .", True),
        ("Hang the lamp there , sir .", False),
        ("Hang the lamps here , sir .", False),
        ("The lamp hang here , sir .", False),
    ],
)
def test_marks_and_letter_case_make_no_other_sentence(other, same):
    """Other words do, and the same words in another order."""
    assert printed_before(
        [("a:1", ["Hang the lamp here , sir .".split()]), ("b:1", [other.split()])]
    ) == ({"b:1": "a:1"} if same else {})


def test_a_sentence_asked_for_twice_is_one_sentence():
    """Two focus words of a sentence do not speak against each other here."""
    assert printed_before([("a:1", [("Come", ".")]), ("a:1", [("Come", ".")])]) == {}


def test_one_text_in_common_is_enough():
    one, two, three = ("One", "lamp"), ("Two", "lamps"), ("Three", "lamps")
    assert printed_before(
        [("a", [one, one]), ("b", [two, one]), ("c", [two, three]), ("d", [three])]
    ) == {"b": "a", "d": "c"}
