"""What a sentence alone shows of whether it is an answer."""

import numpy as np
import pyarrow as pa
import pytest

from cloze_gen.english.cohesion import surface_ties
from cloze_gen.recipes.scde.propensity import (
    log_odds,
    residual,
    separability,
    trait_table,
    traits,
)


def shown(line):
    tokens = line.split()
    return traits(tokens, surface_ties(tokens))


def sentences(count, seed, **share):
    """Sentences that show each trait independently, in so many of all; five others in half of them."""
    rng = np.random.default_rng(seed)
    every = dict.fromkeys("vwxyz", 0.5) | share
    return [
        frozenset(name for name, often in every.items() if rng.random() < often)
        for _ in range(count)
    ]


def test_traits_are_told_by_name():
    assert shown('" But she saw Pip , and Joe ? "') == {
        "word but", "word she", "word saw", "word pip", "word and", "word joe", "person she",
        "words 7", "content words 3", "past 1", "present 0", "names 2", "persons 1", "commas 1", "marks 5",
        "mean half letters 6", "tense 1", "opener conjunction", "first but", 'ends "',
    }  # fmt: skip


def test_near_numbers_are_one_trait():
    """Many words are counted in steps, and four of a kind are many."""

    def words(count):
        return next(one for one in shown("a " * count) if one.startswith("words "))

    assert [words(count) for count in (1, 4, 5, 6, 45, 46, 90)] == [
        f"words {step}" for step in (1, 5, 5, 7, 45, 46, 46)
    ]
    assert "commas 4" in shown("a , a , a , a , a , a .")
    assert "words 0" in shown("? !")


def learn(answers, distractors):
    """Trait -> its log odds; traits that are not learnt are left out."""
    names, table = trait_table(pa.array(list(map(sorted, (*answers, *distractors)))))
    weights = log_odds(table, np.repeat([True, False], [len(answers), len(distractors)]))
    return {name: weight for name, weight in zip(names, weights.tolist(), strict=True) if weight}


def area(answers, distractors):
    """Separability of sentences of two books."""
    _, table = trait_table(pa.array(list(map(sorted, (*answers, *distractors)))))
    is_answer = np.repeat([True, False], [len(answers), len(distractors)])
    return separability(table, is_answer, np.arange(len(is_answer)) % 2)


def test_a_trait_of_answers_is_learnt():
    answers, distractors = (
        sentences(400, 1, planted=0.6, avoided=0.1),
        sentences(400, 2, planted=0.2, avoided=0.5),
    )
    weights = learn(answers, distractors)
    assert weights["planted"] > 0.3
    assert weights["avoided"] < -0.3
    assert all(abs(weights[name]) < 0.15 for name in "vwxyz")
    assert area(answers, distractors) > 0.65


def test_nothing_is_learnt_from_noise():
    answers, distractors = sentences(2000, 1, planted=0.4), sentences(2000, 2, planted=0.4)
    assert all(abs(weight) < 0.15 for weight in learn(answers, distractors).values())
    assert area(answers, distractors) == pytest.approx(0.5, abs=0.03)


def test_a_trait_of_one_book_does_not_separate_the_other():
    """The area is measured on books that the classifier has not seen."""
    count = 200
    is_answer = np.repeat([True, False], count)
    books = np.arange(2 * count) % 2
    shown = [
        [f"book {book}"] if answer == bool(book) else []
        for answer, book in zip(is_answer, books, strict=True)
    ]
    _, table = trait_table(pa.array(shown))
    assert separability(table, is_answer, books) == pytest.approx(0.5, abs=0.01)


def test_a_rare_trait_counts_for_nothing():
    """Though every answer and no distractor showed it: thirty sentences must."""
    rare = frozenset({"rare"})
    others = sentences(300, 2)
    assert "rare" not in learn([one | rare for one in sentences(29, 1)], others)
    assert learn([one | rare for one in sentences(30, 1)], others)["rare"] > 0.1
    assert learn(others[:5], others[5:10]) == {}
    assert area(others[:5], others[5:10]) == 0.5


def test_both_sides_weigh_the_same():
    """However many more there are of one; exchanged, they change the sign."""
    answers, distractors = sentences(300, 1, planted=0.6), sentences(300, 2, planted=0.3)
    forth, back = learn(answers, distractors), learn(distractors, answers)
    assert {name: -weight for name, weight in back.items()} == pytest.approx(forth, abs=1e-3)
    assert learn(answers * 9, distractors) == pytest.approx(
        learn(answers, distractors * 9), abs=1e-3
    )


# ---- what traits tell of a measure


def test_a_residual_depends_on_no_trait():
    """Also on rows that did not train the regression."""
    shown = sentences(4000, 1, planted=0.4, other=0.3)
    noise = np.random.default_rng(3).normal(size=4000)
    values = np.array([2.0 * ("planted" in one) - ("other" in one) for one in shown]) + noise
    is_train = np.arange(4000) < 2000
    _, table = trait_table(pa.array(list(map(sorted, shown))))
    left = residual(values, table, is_train)
    for rows in (is_train, ~is_train):
        assert np.corrcoef(left[rows], noise[rows])[0, 1] > 0.98
        for name in ("planted", "other", *"vwxyz"):
            shows = np.array([name in one for one in shown])[rows]
            assert abs(left[rows][shows].mean() - left[rows][~shows].mean()) < 0.15


def test_a_measure_of_few_sentences_stays_as_it_is():
    """Thirty training sentences must show a trait."""
    values = np.array([5.0] * 30 + [0.0] * 30)
    _, table = trait_table(pa.array([["rare"]] * 30 + [[]] * 30))
    is_train = np.ones(60, np.bool_)
    assert residual(values, table, is_train)[0] < 2
    is_train[0] = False
    assert residual(values, table, is_train).tolist() == values.tolist()
