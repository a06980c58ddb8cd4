"""The likeness of a book's vocabulary to a reference's."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import UsageError
from cloze_gen.formats.msr import format_machine
from cloze_gen.recipes.scs.books import (
    BookSimilarity,
    book_similarity,
    common_words,
    is_common_word,
)
from cloze_gen.records.question import Question
from tests.support.errors import refused

vectors = st.dictionaries(
    st.tuples(st.sampled_from("abcdefgh"), st.just("noun")), st.integers(1, 30), min_size=1
)


@given(vectors)
def test_a_text_is_like_itself(counts):
    assert book_similarity(counts, counts).similarity == pytest.approx(1)
    longer = {pair: 7 * count for pair, count in counts.items()}
    assert book_similarity(counts, longer).similarity == pytest.approx(1)
    assert book_similarity(counts, longer).coverage == 1


@given(vectors, vectors)
def test_measures_stay_in_their_range(reference, book):
    found = book_similarity(reference, book)
    assert 0 <= found.similarity <= 1 + 1e-12
    assert found.coverage == pytest.approx(len(reference.keys() & book.keys()) / len(reference))
    assert book_similarity(reference, book | {("zebra", "noun"): 99}) == found


def test_a_book_without_common_words():
    """Nothing shared is 0, not a division by zero."""
    assert book_similarity({("dog", "noun"): 1}, {}) == BookSimilarity(0.0, 0.0)


@pytest.mark.parametrize(
    ("similarity", "coverage", "passes"),
    [(0.76, 0.71, True), (0.75, 0.71, False), (0.76, 0.70, False)],
)
def test_limits_are_exclusive(similarity, coverage, passes):
    assert BookSimilarity(similarity, coverage).passes == passes


@pytest.mark.parametrize(
    ("pair", "common"),
    [
        (("dog", "noun"), True),
        (("run", "verb"), True),
        (("the", "function"), False),
        (("be", "verb"), False),
        (("holmes", "proper_noun"), False),
        (("60", "noun"), False),
    ],
)
def test_common_words_are_content_words(pair, common):
    assert is_common_word(pair) == common


QUESTIONS = [
    Question(
        "b:0:2", "b", ("He", "saw", "owls", "."), 2, ("cups", "owls", "hats", "pens", "keys"), 1
    ),
    Question(
        "b:1:1", "b", ("She", "ran", "home", "."), 1, ("ran", "sat", "fell", "rode", "came"), 0
    ),
]


def machine_files(folder):
    questions, answers = format_machine(QUESTIONS)
    paths = folder / "x_questions.txt", folder / "x_answers.txt"
    for path, text in zip(paths, (questions, answers), strict=True):
        path.write_text(text, encoding="ascii")
    return paths


def test_a_question_counts_with_its_answer_in_place(tmp_path):
    """The answers are read from the file beside the questions; the other options do not count."""
    questions, _ = machine_files(tmp_path)
    assert common_words(questions).keys() == {
        ("see", "verb"),
        ("owl", "noun"),
        ("run", "verb"),
        ("home", "adverb"),
    }


def test_an_unusable_reference_is_refused(tmp_path):
    """It is missing, has no questions, or has no answers beside it."""
    (tmp_path / "empty.jsonl").write_text("")
    questions, answers = machine_files(tmp_path)
    answers.unlink()
    for name in ("gone.jsonl", "empty.jsonl", questions.name):
        refused(partial(common_words, tmp_path / name), UsageError, names=name)
