"""Steps 3 to 5: the screening, ranks, and the score of the whole sentence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.msr.forward import (
    KEPT,
    ForwardReason,
    answer_ranks,
    ranks,
    screened,
    sentence_log10_probs,
)

ITEMS = st.lists(
    st.tuples(st.integers(-9, 0), st.lists(st.integers(-9, 0), max_size=9)), min_size=1, max_size=6
)


def flat(items):
    """Scores of the answers, the item of each alternate, and scores of the alternates."""
    item = np.repeat(np.arange(len(items)), [len(alternates) for _, alternates in items])
    scores = [score for _, alternates in items for score in alternates]
    answers = np.array([answer for answer, _ in items], np.float64)
    return answers, item, np.array(scores, np.float64)


@pytest.mark.parametrize(
    ("answer", "alternates", "status"),
    [
        (-2, [-3, -2.5], ForwardReason.ANSWER_SCORES_BEST),
        (-2, [-3, -1.5], KEPT),
        (-2, [-2, -3], KEPT),
        (-9, [-3, -1.5], KEPT),
        (-9, [], ForwardReason.NO_ALTERNATES),
    ],
)
def test_best_is_rejected(answer, alternates, status):
    """A tie is not best; without alternates there is no question."""
    assert screened(*flat([(answer, alternates)])).tolist() == [status]


@given(ITEMS)
def test_each_answer_is_compared_with_its_own_alternates(items):
    arrays = flat(items)
    statuses = screened(*arrays).tolist()
    rank = answer_ranks(*arrays).tolist()
    for (answer, alternates), status, own_rank in zip(items, statuses, rank, strict=True):
        assert own_rank == 1 + sum(other > answer for other in alternates)
        assert (status == KEPT) == any(other >= answer for other in alternates)
        assert (status == ForwardReason.NO_ALTERNATES) == (not alternates)


@given(ITEMS)
def test_ranks_are_those_of_each_item_sorted(items):
    """The best has rank 1; ties are in the order of the rows."""
    _, item, scores = flat(items)
    expected = []
    for _, alternates in items:
        order = sorted(range(len(alternates)), key=lambda i: (-alternates[i], i))
        expected += [1 + order.index(i) for i in range(len(alternates))]
    assert ranks(item, scores).tolist() == expected


TOKENS = st.lists(st.sampled_from(["a", "b", "c", "d", "zz"]), min_size=1, max_size=9)


@given(st.lists(TOKENS, min_size=1, max_size=3), st.data())
def test_whole_sentence_scores_are_the_sentences_own(index, sentences, data):
    """Scoring only the windows around the blank gives what scoring every filled sentence gives."""
    places = [data.draw(st.integers(0, len(tokens) - 1)) for tokens in sentences]
    rows = st.tuples(
        st.integers(0, len(sentences) - 1), st.sampled_from(["a", "b", "c", "f", "zz"])
    )
    options = data.draw(st.lists(rows, max_size=9))
    found = sentence_log10_probs(
        index,
        [np.array([index.start, *index.ids(tokens), index.end]) for tokens in sentences],
        1 + np.array(places),
        np.array([item for item, _ in options], np.int64),
        np.array(index.ids([word for _, word in options]), np.int64),
    )
    expected = []
    for item, word in options:
        filled = list(sentences[item])
        filled[places[item]] = word
        expected.append(index.score_sentence(filled))
    assert found.tolist() == pytest.approx(expected, abs=1e-5)
