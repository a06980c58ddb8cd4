"""The sample items of a report."""

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.formats.lambada import passage_record
from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part, Passage, SetPassage, Split
from cloze_gen.records.question import Question
from cloze_gen.release.samples import (
    Gap,
    draw_samples,
    sample_blanks,
    sample_passage,
    sample_question,
    stem_around_blank,
)

QUESTION = Question("b:0:1", "b", ("We", "hide", "it", "."), 1, ("hide", "eat"), 0)


@given(n=st.integers(0, 300), seed=st.integers(0, 5), count=st.integers(0, 30))
def test_a_draw_is_without_repetition_and_in_order(n, seed, count):
    """The requested number, or all; each once, in the set's order."""
    drawn = draw_samples(n, seed=seed, count=count)
    assert len(drawn) == min(n, count)
    assert drawn == sorted(set(drawn))
    assert all(0 <= index < n for index in drawn)


def test_seeds_draw_differently():
    """The seed chooses the samples, and the same seed the same."""
    assert draw_samples(1040, seed=1) == draw_samples(1040, seed=1) != draw_samples(1040, seed=2)


def test_a_bare_record_suffices():
    """Without source, scores and candidates there is still the question."""
    sample = sample_question(QUESTION, {"id": "b:0:1"})
    assert (sample.paragraphs, sample.book) == ((("We ", Gap("blank"), " it."),), "b")
    assert (sample.answer, sample.quotation) == ("a) hide", ("", "", ""))
    assert (sample.facts, sample.scores) == ((), ())


def test_what_a_style_adds_is_told():
    """Unknown fields become facts; nested ones are skipped."""
    record = {
        "id": "b:0:1",
        "answer_tag": "VB",
        "rank": 3,
        "deep": {"x": 1},
        "history": ["We", "then"],
        "source": {"start": 1000, "end": 1020},
    }
    sample = sample_question(QUESTION, record, file="b.txt")
    assert sample.kind == "verb"
    assert sample.facts == (
        ("raw file", "b.txt, characters 1,000 to 1,020"),
        ("answer tag", "VB"),
        ("rank", "3"),
        ("history", "We / then"),
    )


def test_scores_of_options_may_differ_in_columns():
    """An option without a figure has an empty cell."""
    sample = sample_question(
        QUESTION, {"option_scores": [{"word": "hide", "freq": 1e-5}, {"word": "eat", "count": 3}]}
    )
    assert sample.score_columns == ("word", "freq", "count")
    assert sample.scores == (("hide", "1e-05", ""), ("eat", "", "3"))


def test_candidates_stand_by_verdict():
    """Candidates are grouped by verdict, in the order given."""
    listed = {
        "candidates": [
            {"word": "eat", "verdict": "fit"},
            {"word": "an", "verdict": "breaks_a_an"},
            {"word": "see", "verdict": "fit"},
        ]
    }
    assert sample_question(QUESTION, {}, candidates=listed).facts == (
        ("candidates, fit", "eat, see"),
        ("candidates, breaks a an", "an"),
    )


def test_a_blank_at_either_end():
    """A blank that opens or closes its sentence has nothing on that side."""
    assert stem_around_blank(("Go", "home", "."), 0) == ("", " home.")
    assert stem_around_blank(("Go", "home"), 1) == ("Go ", "")


def test_a_sample_of_a_passage_is_the_text_of_the_book():
    """The text after the target is in the key only."""
    sentences, texts = (("Who", "?"), ('"', "Ann", ".", '"')), ("Who?", '"Ann."')
    passage = Passage("b:7", "b", Part.TEST, sentences, texts, 1, 5, 1023)
    record = passage_record(passage, scores={"ngram": -3.0}, signals={"read_prob": 0.25})
    sample = sample_passage(SetPassage(passage, Split.TEST, "crime"), record, file="b.txt")
    assert sample.paragraphs == (('Who? "', Gap("target")),)
    assert sample.quotation == ('Who? "', "Ann", '."')
    assert (sample.kind, sample.about) == ("test", ("crime", "test"))
    assert sample.facts == (
        ("published form", "who ? `` ann"),
        ("raw file", "b.txt, characters 5 to 1,023"),
        ("P(target), ngram", "0.001"),
        ("read prob", "0.25"),
    )


def test_a_sample_of_a_blanked_passage_has_each_candidate_s_place():
    """Paragraph by paragraph, with a numbered gap where a sentence was."""
    sentences = ("We left.", "It rained.", "So?", "No.")
    candidates = ("No.", "Jane sang.", "It rained.", "We ran.", "Who?")
    passage = BlankedPassage("b:4", sentences, (1, 3), candidates, (2, 0))
    sources = tuple(SentenceSource("b", i, 10 * i, 10 * i + 9) for i in (4, 5, 6, 7))
    others = [
        SentenceSource(book, i, 10 * i, 10 * i + 9) for book, i in (("b", 1), ("b", 9), ("c", 9))
    ]
    of_candidates = (sources[3], others[0], sources[1], *others[1:])
    one = SetBlankedPassage(passage, Part.TEST, "war", (2, 2, 3, 3), sources, of_candidates)
    sample = sample_blanks(one, book="A Book", file="b.txt")
    first, second = Gap("blank 1", "1"), Gap("blank 2", "2")
    assert sample.paragraphs == (("We left.", first), ("So?", second))
    assert (sample.book, sample.kind, sample.about) == ("A Book", "test", ("war", "test"))
    assert sample.options == candidates
    assert sample.facts == (
        ("a, blank 2", "sentence 7"),
        ("b, distractor", "sentence 1, 3 before the passage"),
        ("c, blank 1", "sentence 5"),
        ("d, distractor", "sentence 9, 2 after the passage"),
        ("e, distractor", "sentence 9 of c"),
        ("raw file", "b.txt, characters 40 to 79"),
    )
