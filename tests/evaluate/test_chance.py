"""Tests of `cloze_gen.evaluation.chance`."""

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.evaluation import chance
from cloze_gen.evaluation.chance import (
    chance_metrics,
    expected_distractors,
    random_capitalised_word,
    random_vocabulary_word,
    random_word,
    random_word_type,
    right_probability,
)
from cloze_gen.evaluation.passage_baselines import RULES, rule_hits
from cloze_gen.formats.lambada import parse_plain_text
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.rng import derive_rng

# ---- chance


@pytest.mark.parametrize(
    ("answers", "balanced"),
    [([0, 1, 2], True), ([0, 0, 1, 2], True), ([0, 0, 1], False), ([0, 0, 0, 1, 2], False)],
)
def test_positions_of_answers_may_differ_by_one(answers, balanced):
    """A position without an answer counts too."""
    assert chance.positions_balanced(np.array(answers), option_count=3) is balanced


@pytest.mark.parametrize(
    "option_counts", [[], [1], [5] * 7, [2, 5, 2, 4, 1, 5], [3] * 40 + [4] * 25]
)
def test_the_distribution_is_that_of_independent_guesses(option_counts):
    """One guess after the other, whatever the sizes of the items and their order."""
    expected = np.ones(1)
    for count in option_counts:
        expected = np.convolve(expected, (1 - 1 / count, 1 / count))
    assert chance.correct_count_distribution(option_counts) == pytest.approx(expected, rel=1e-12)


def test_large_sets_take_no_time_of_their_square():
    """200,000 items of two sizes; one convolution an item would take minutes."""
    counts = [4, 5] * 100_000
    clock = time.process_time()
    distribution = chance.correct_count_distribution(counts)
    assert time.process_time() - clock < 2
    mean = 100_000 * (1 / 4 + 1 / 5)
    assert distribution.sum() == pytest.approx(1)
    assert (distribution @ np.arange(200_001)) == pytest.approx(mean)
    assert 0 < distribution[int(mean) + 4_000] < 1e-40


# ---- passages


PASSAGES = st.lists(
    st.lists(
        st.sampled_from(["Joe", "joe", "the", "The", ".", "sea", "60"]), min_size=2, max_size=12
    ),
    min_size=1,
    max_size=5,
)


@given(PASSAGES)
def test_expectations_are_what_drawing_gives(passages):
    """Word by word counted out: the share of the pool that is the target; chances lie in 0..1."""
    for tokens, token, kind, capital in zip(
        passages,
        random_word(passages),
        random_word_type(passages),
        random_capitalised_word(passages),
        strict=True,
    ):
        pool, target = [word for word in tokens[:-1] if word != "."], tokens[-1].casefold()
        folded = [word.casefold() for word in pool]
        assert token == pytest.approx(np.mean([word == target for word in folded]) if pool else 0)
        assert kind == pytest.approx((target in folded) / len(set(folded)) if pool else 0)
        capitals = [word.casefold() for word in pool if word[0].isupper()]
        assert capital == pytest.approx(
            np.mean([word == target for word in capitals]) if capitals else 0
        )


def test_drawing_agrees():
    """A thousand draws from one passage come near the expectation."""
    tokens = "the old lamp , the lamp and the sea by the lamp".split()
    pool = [token for token in tokens[:-1] if token != ","]
    drawn = [
        pool[derive_rng(1, "test", str(n)).integers(len(pool))] == tokens[-1] for n in range(1000)
    ]
    assert np.mean(drawn) == pytest.approx(random_word([tokens])[0], abs=0.05)


def test_an_unknown_target_is_never_guessed():
    """Any word of the vocabulary is as likely; an empty vocabulary guesses nothing."""
    assert random_vocabulary_word(["joe", "whatsit"], ["joe", "sea", "lamp", "oil"]).tolist() == [
        0.25,
        0.0,
    ]
    assert random_vocabulary_word(["joe"], []).tolist() == [0.0]


@pytest.mark.realdata
@pytest.mark.slow
def test_the_papers_random_words_come_out(data_dir):
    """Development set: a random word 1.4 to 1.9 %, a random capitalised one never."""
    path = data_dir / "published" / "lambada-dev" / "lambada_development_plain_text.txt"
    if not path.is_file():
        pytest.skip("the published LAMBADA development set is not unpacked (make data SHARED=DIR)")
    passages = parse_plain_text(path.read_text(encoding="utf-8"))
    assert random_word(passages).mean() == pytest.approx(0.0181, abs=0.0005)
    assert random_word_type(passages).mean() == pytest.approx(0.0183, abs=0.0005)
    assert random_capitalised_word(passages).sum() == 0
    hits = {rule: rule_hits(passages, rule).mean() for rule in RULES}
    assert hits["most repeated content word"] == pytest.approx(0.073, abs=0.001)
    assert hits["cache"] == pytest.approx(0.003, abs=0.0005)
    assert hits["last name"] == hits["most repeated name"] == 0


# ---- blanks


SIZES = [(1, 1), (1, 4), (2, 2), (3, 5), (4, 4), (5, 7)]


def sized(blanks, candidates):
    texts = tuple(f"{i}." for i in range(candidates))
    return BlankedPassage(
        f"{blanks}:{candidates}", texts[:blanks], tuple(range(blanks)), texts, tuple(range(blanks))
    )


@pytest.mark.parametrize(("blanks", "candidates"), SIZES)
def test_the_formulas_are_the_enumeration(blanks, candidates):
    lists = list(itertools.permutations(range(candidates), blanks))
    right = np.bincount(
        [sum(i == one for i, one in enumerate(answers)) for answers in lists], minlength=blanks + 1
    )
    assert [right_probability(k, blanks, candidates) for k in range(blanks + 1)] == pytest.approx(
        (right / len(lists)).tolist()
    )
    distractors = [sum(one >= blanks for one in answers) for answers in lists]
    assert expected_distractors(blanks, candidates, candidates - blanks) == pytest.approx(
        np.mean(distractors)
    )


def test_the_papers_numbers():
    """48.2 % of answer lists have none right, 1 in 2,520 all; 1.429 of five are distractors."""
    row = chance_metrics([sized(5, 7)] * 10)
    assert f"{100 * right_probability(0, 5, 7):.1f}" == "48.2"
    assert 1 / row.pa == pytest.approx(2520)
    assert f"{row.de:.3f}" == "1.429"
    assert [row.ba, row.ba_micro] == pytest.approx([1 / 7] * 2)


def test_passages_of_different_sizes_are_averaged():
    row = chance_metrics([sized(2, 2), sized(4, 8), sized(4, 8)])
    assert row.ba == pytest.approx((1 / 2 + 1 / 8 + 1 / 8) / 3)
    assert row.ba_micro == pytest.approx((1 + 0.5 + 0.5) / 10)
    assert row.pa == pytest.approx((1 / 2 + 2 / math.perm(8, 4)) / 3)
    assert row.de == pytest.approx((0 + 2 + 2) / 3)


def test_the_bounds_hold_what_guessing_scores():
    """Guessing 2,000 times on 60 passages falls within the bounds in about 95 % of the tries."""
    rng = np.random.default_rng(1)
    row = chance_metrics([sized(5, 7)] * 60)
    guesses = rng.permuted(np.tile(np.arange(7), (2000, 60, 1)), axis=2)[..., :5]
    means = (guesses == np.arange(5)).mean(axis=(1, 2))
    assert 0.93 <= ((row.ba_low <= means) & (means <= row.ba_high)).mean() <= 0.97
    chosen = (guesses >= 5).sum(axis=2).mean(axis=1)
    assert 0.93 <= ((row.de_low <= chosen) & (chosen <= row.de_high)).mean() <= 0.97


def test_blanks_that_share_an_answer_are_never_all_right():
    """A file of somebody else's may say so; the candidates that answer none are then more."""
    shared = BlankedPassage("x", ("A.", "A."), (0, 1), ("A.", "B."), (0, 0))
    row = chance_metrics([shared])
    assert (row.pa, row.ba, row.de) == (0.0, 0.5, 1.0)
