"""Sample questions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.records.question import Question
from cloze_gen.report.samples import draw_samples, sample_question, stem_around_blank

QUESTION = Question("b:0:1", "b", ("We", "hide", "it", "."), 1, ("hide", "eat"), 0)


@given(n=st.integers(0, 300), seed=st.integers(0, 5), count=st.integers(0, 30))
def test_a_draw_is_without_repetition_and_in_order(n: int, seed: int, count: int) -> None:
    """As many as asked for, or all there are; each once, in the set's order."""
    drawn = draw_samples(n, seed=seed, count=count)
    assert len(drawn) == min(n, count)
    assert drawn == sorted(set(drawn))
    assert all(0 <= index < n for index in drawn)


def test_seeds_draw_differently() -> None:
    """The seed chooses the samples, and the same seed the same."""
    assert draw_samples(1040, seed=1) == draw_samples(1040, seed=1) != draw_samples(1040, seed=2)


def test_a_bare_record_suffices() -> None:
    """Without source, scores and candidates there is still the question."""
    sample = sample_question(QUESTION, {"id": "b:0:1"})
    assert (sample.before, sample.after, sample.book) == ("We ", " it.", "b")
    assert (sample.source, sample.place, sample.facts, sample.score_rows, sample.candidates) == ("", "", (), (), ())


def test_what_a_style_adds_is_told() -> None:
    """Fields this code has never heard of become facts; nested ones are passed over."""
    record = {
        "id": "b:0:1",
        "answer_tag": "VB",
        "rank": 3,
        "deep": {"x": 1},
        "history": ["We", "then"],
        "source": {"start": 1000, "end": 1020},
    }
    sample = sample_question(QUESTION, record, file="b.txt")
    assert sample.facts == (("answer tag", "VB"), ("rank", "3"), ("history", "We / then"))
    assert sample.place == "b.txt, characters 1,000 to 1,020"


def test_scores_of_options_may_differ_in_columns() -> None:
    """An option without a figure has an empty cell."""
    sample = sample_question(QUESTION, {"option_scores": [{"word": "hide", "freq": 1e-5}, {"word": "eat", "count": 3}]})
    assert sample.score_columns == ("word", "freq", "count")
    assert sample.score_rows == (("hide", "1e-05", ""), ("eat", "", "3"))


def test_candidates_stand_by_verdict() -> None:
    """Candidates are grouped by verdict, in the order given."""
    listed = {
        "candidates": [{"word": "eat", "verdict": "fit"}, {"word": "an", "verdict": "breaks_a_an"}, {"word": "see", "verdict": "fit"}]
    }
    assert sample_question(QUESTION, {}, candidates=listed).candidates == (("fit", "eat, see"), ("breaks a an", "an"))


def test_a_blank_at_either_end() -> None:
    """A blank that opens or closes its sentence has nothing on that side."""
    assert stem_around_blank(("Go", "home", "."), 0) == ("", " home.")
    assert stem_around_blank(("Go", "home"), 1) == ("Go ", "")
