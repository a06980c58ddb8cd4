"""Tests of `cloze_gen.evaluation.passages`."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from cloze_gen.evaluation.passage_baselines import chance_metrics
from cloze_gen.evaluation.passages import (
    PassageExample,
    PassageMetrics,
    PassageRow,
    TargetScores,
    measure,
    number_passages,
    ranks,
    table_text,
)
from cloze_gen.rng import derive_rng

# ---- asked


WORDS = ("the", "lamp", "went", "out", ".")
TOKEN = st.sampled_from([*WORDS, "whatsit"])
SENTENCES = st.lists(st.lists(TOKEN, max_size=4).map(tuple), min_size=1, max_size=3).map(tuple)


@given(
    st.lists(
        st.builds(
            lambda sentences, target: PassageExample("x", "passages", sentences, target),
            SENTENCES,
            TOKEN,
        ),
        max_size=4,
    )
)
def test_numbers_say_the_passages_again(passages):
    ids, lengths = number_passages(passages, WORDS)
    names = ["<s>", *WORDS, "whatsit"]
    for passage, part in zip(passages, np.split(ids, np.cumsum(lengths)[:-1]), strict=False):
        said = [token for sentence in passage.sentences for token in ("<s>", *sentence)]
        assert [names[i] for i in part] == [*said, passage.target]
    assert len(ids) == lengths.sum()


# ---- metrics


@given(
    st.lists(
        st.lists(st.sampled_from([-1.0, -2.0, -3.0]), min_size=4, max_size=4),
        min_size=1,
        max_size=6,
    ),
    st.integers(-1, 3),
)
def test_ranks_are_scipys(rows, target):
    """Equals share the mean of their ranks; an unknown target has none."""
    table = np.array(rows)
    found = ranks(table, np.full(len(rows), target))
    if target < 0:
        assert np.isnan(found).all()
    else:
        assert found.tolist() == [rankdata(-row)[target] for row in table]


def test_a_uniform_model_is_a_random_vocabulary_word():
    """Over V words perplexity is V and the rank (V + 1) / 2, as the paper's first row has them."""
    size = 60
    table = np.full((7, size), -math.log10(size))
    row = measure(
        TargetScores.by_rank(table[:, 0], ranks(table, np.zeros(7, np.int64)), np.ones(7, np.bool_))
    )
    assert (row.perplexity, row.median_rank, row.correct, row.coverage) == (
        pytest.approx(size),
        (size + 1) / 2,
        0,
        1.0,
    )


def test_unknown_targets_are_wrong_and_counted_apart():
    known = np.array([True, False])
    row = measure(TargetScores.by_rank(np.array([-2.0, -4.0]), np.array([1.0, np.nan]), known))
    assert (row.n, row.correct, row.accuracy, row.coverage) == (2, 1, 0.5, 0.5)
    assert (row.perplexity, row.perplexity_with_unknown, row.median_rank) == (
        pytest.approx(100),
        pytest.approx(1000),
        1.0,
    )
    assert row.low < row.accuracy < row.high


def test_a_tie_for_the_first_place_is_not_right():
    """Where two words are as likely the model has no first choice."""
    table = np.log10(np.array([[0.4, 0.4, 0.2]]))
    assert (
        measure(
            TargetScores.by_rank(table[:, 0], ranks(table, np.array([0])), np.array([True]))
        ).correct
        == 0
    )


def test_where_nobody_tells_there_is_no_accuracy():
    untold, every = np.full(2, np.nan), np.ones(2, np.bool_)
    row = measure(TargetScores(np.array([-1.0, -3.0]), untold, every, None))
    assert (row.correct, row.perplexity) == (None, pytest.approx(100))
    assert (row.accuracy, row.low, row.high, row.median_rank) == (None,) * 4
    told = measure(TargetScores(np.array([-1.0, -3.0]), untold, every, np.array([True, False])))
    assert (told.correct, told.accuracy) == (1, 0.5)
    assert told.median_rank is None


def test_no_passages_have_no_measures():
    """Of nothing there is no mean."""
    row = measure(TargetScores.by_rank(np.zeros(0), np.zeros(0), np.zeros(0, np.bool_)))
    assert row.n == row.correct == 0
    assert all(
        value is None
        for value in (
            row.accuracy,
            row.perplexity,
            row.perplexity_with_unknown,
            row.median_rank,
            row.coverage,
        )
    )


# ---- table


KNOWN = TargetScores.by_rank(np.array([-2.0]), np.array([1.0]), np.array([True]))


def row(name, of_set, metrics, **more):
    return PassageRow(name=name, kind="rule", set=of_set, **dict(metrics), **more)


def test_every_set_has_its_row():
    model = measure(KNOWN)
    rows = [
        row("random word", "passages", chance_metrics(np.array([0.25]))),
        row("n-gram", "control", model.model_copy(update={"accuracy": 0.5})),
    ]
    _, first, second = (re.split("  +", line) for line in table_text(rows).splitlines())
    assert first == ["random word", "passages", "1", "25.00", "0.00 - 100.00", *"-----"]
    assert second == [
        "n-gram",
        "control",
        "1",
        "50.00",
        "20.65 - 100.00",
        "-",
        "100",
        "100",
        "1",
        "100.0",
    ]


def test_what_was_not_measured_is_named_once():
    """One line below the table for each reason."""
    nothing = PassageMetrics(n=1, correct=None, accuracy=None, low=None, high=None)
    rows = [
        row(name, one, nothing, note="no case")
        for one in ("passages", "control")
        for name in ("last name", "first name")
    ]
    assert table_text(rows).splitlines()[-1] == "no case: last name, first name"
    assert rows[0].share is None


def test_the_interval_holds_what_drawing_gives():
    """Of 300 sets of draws about 95 % lie within it."""
    probs = np.linspace(0, 0.5, 200)
    found = chance_metrics(probs)
    assert found.low is not None
    assert found.high is not None
    drawn = [(derive_rng(1, "test", str(n)).random(200) < probs).mean() for n in range(300)]
    assert np.mean([found.low <= share <= found.high for share in drawn]) == pytest.approx(
        0.95, abs=0.04
    )
