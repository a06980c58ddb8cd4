"""Which passages make the set, and how they are printed."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.corpus import overlap
from cloze_gen.corpus.books import kept_books
from cloze_gen.errors import CorpusError
from cloze_gen.formats.scde import parse_passages
from cloze_gen.recipes.scde import blanked_passages as module
from cloze_gen.recipes.scde.blanked_passages import choose_set
from cloze_gen.recipes.scde.blanks import read_blanks
from cloze_gen.recipes.scde.distractors import DISTRACTORS
from cloze_gen.recipes.scde.passages import windows_by_book
from cloze_gen.records.passage import Part
from cloze_gen.store.tables import PASSAGE_SET, REJECTED, read_parquet
from tests.recipes.scde.conftest import sample_of

PLACED = st.tuples(st.integers(0, 3), st.integers(0, 4).map(float))  # ranks, separation
PASSAGES = st.dictionaries(
    st.text("abcdef:0123456789", min_size=1, max_size=6), PLACED, max_size=20
)


@given(PASSAGES, st.integers(1, 25))
def test_the_set_is_as_large_as_it_may_be(passages, most):
    """Of the passages there are, in whatever order they come."""
    chosen = choose_set(passages, most)
    assert chosen <= set(passages)
    assert len(chosen) == min(most, len(passages))
    assert choose_set(dict(reversed(passages.items())), most) == chosen


@given(PASSAGES, st.integers(1, 25))
def test_of_equal_ranks_the_least_separated_are_taken(passages, most):
    chosen = choose_set(passages, most)
    for name in chosen:
        for other in passages.keys() - chosen:
            if passages[name][0] == passages[other][0]:
                assert passages[name][1] <= passages[other][1]


def test_ranks_are_equally_frequent():
    many = {f"often{i}": ("often", 1.0 + i) for i in range(90)} | {
        f"seldom{i}": ("seldom", 100.0 + i) for i in range(12)
    }
    assert Counter(many[name][0] for name in choose_set(many, 20)) == {"often": 10, "seldom": 10}
    assert Counter(many[name][0] for name in choose_set(many, 40)) == {"often": 28, "seldom": 12}


@given(PASSAGES, st.text("xyz", min_size=1), PLACED, st.integers(1, 25))
def test_one_passage_more_moves_one_at_most(passages, more, placed, most):
    before = choose_set(passages, most)
    after = choose_set(passages | {more: placed}, most)
    assert len(before - after) <= 1
    assert after - before <= {more}


def test_the_set_is_no_slice_of_the_alphabet():
    """Of passages that are separated alike."""
    ids = {f"{letter}:{i}": ((0, 1), 0.0) for letter in "az" for i in range(300)}
    kept = Counter(name[0] for name in choose_set(ids, 300))
    assert abs(kept["a"] - 150) < 35


def set_of(artifact):
    with open(artifact.path(PASSAGE_SET), encoding="utf-8") as handle:
        return list(parse_passages(handle))


def test_a_passage_is_printed_as_in_its_book(sample):
    """Each sentence and candidate is the raw file's text at its source."""
    files = {row["book_id"]: row["file"] for row in kept_books(sample.partition)}
    raw = {name: (sample.novels.books / file).read_text() for name, file in files.items()}
    windows = {
        window.id: window for some in windows_by_book(sample.passages).values() for window in some
    }
    for one in set_of(sample.blanked_passages()):
        window = windows[one.id]
        assert (one.part, one.domain) == (window.part, window.domain)
        assert [source.index for source in one.sources] == [*range(window.first, window.last + 1)]
        printed = [*one.passage.sentences, *one.passage.candidates]
        for text, source in zip(printed, (*one.sources, *one.candidate_sources), strict=True):
            in_file = raw[source.book_id][source.start : source.end]
            assert re.findall(r"\w+", in_file) == re.findall(r"\w+", text)


def test_candidates_are_the_answers_and_the_distractors(sample):
    blanks = read_blanks(sample.blanks())
    for kind in ("hard", "random", "none"):
        rows = read_parquet(sample.distractors(kind=kind).path(DISTRACTORS.name)).to_pylist()
        passages = set_of(sample.blanked_passages(kind=kind))
        assert {one.id for one in passages} == {row["id"] for row in rows}
        of_passage = {
            row["id"]: set(zip(row["books"], row["distractors"], strict=True)) for row in rows
        }
        for one in passages:
            assert one.passage.blanks == blanks[one.id]
            assert len(one.passage.candidates) == (5 if kind == "none" else 7)
            for blank, answer in zip(one.passage.blanks, one.passage.answers, strict=True):
                assert one.candidate_sources[answer] == one.sources[blank]
                assert one.passage.candidates[answer] == one.passage.sentences[blank]
            others = {
                (one.candidate_sources[i].book_id, one.candidate_sources[i].index)
                for i in one.passage.distractors
            }
            assert others == of_passage[one.id]


def test_candidates_are_shuffled(sample):
    """Answers and distractors stand anywhere in the list, each passage in its own order."""
    passages = [item.passage for item in set_of(sample.blanked_passages())]
    orders = {(*passage.answers, *passage.distractors) for passage in passages}
    assert len(orders) > 0.8 * len(passages)
    assert {place for passage in passages for place in passage.distractors} == set(range(7))


def test_a_smaller_set_is_part_of_the_larger(sample):
    large, small = sample.blanked_passages(), sample.blanked_passages(n_passages=9)
    of_large = {one.id: one for one in set_of(large)}
    few = set_of(small)
    assert len(few) == 9
    assert (small.funnel["kept"], small.funnel["rejected"]) == (
        9,
        {"beyond_n_passages": len(of_large) - 9},
    )
    assert large.funnel["rejected"] == {}
    parts = Counter(one.part for one in few)
    assert small.facts == {"wanted": 9, "parts": {part: parts[part] for part in Part}}
    assert all(one == of_large[one.id] for one in few)
    for some in (few, list(of_large.values())):
        places = [(one.sources[0].book_id, one.sources[0].index) for one in some]
        assert places == sorted(places)


@pytest.mark.slow
def test_a_set_without_test_passages_is_an_error(sample, monkeypatch):
    """The message says what to do."""
    windows = [window for some in windows_by_book(sample.passages).values() for window in some]
    other = {window.id for window in windows if window.part == Part.DEVELOPMENT}
    monkeypatch.setattr(
        module, "choose_set", lambda passages, n: frozenset(other & passages.keys())
    )
    with pytest.raises(
        CorpusError, match=r"no test passages \(0 train, \d+ development, 0 test\).*novels"
    ):
        sample.blanked_passages(n_passages=3)


@pytest.mark.slow
def test_no_long_sentence_is_printed_in_two_passages(own_sample, monkeypatch):
    """A novel may contain a story of another, here all of it, with other punctuation."""
    monkeypatch.setattr(overlap, "_MIN_CONTAINMENT", 1.1)  # else the other is a duplicate
    first, second = sorted(own_sample.novels.books.rglob("*.txt"))[:2]
    second.write_text(
        second.read_text() + "\n\nCHAPTER THE LAST\n\n" + first.read_text().replace(";", ",")
    )
    both = sample_of(own_sample.novels)
    artifact = both.blanked_passages()
    rejected = read_parquet(artifact.path(REJECTED)).to_pylist()
    assert {row["reason"] for row in rejected} == {"sentence_printed_before"}
    assert artifact.funnel["rejected"] == {"sentence_printed_before": len(rejected)}
    passages = set_of(artifact)
    assert {row["detail"] for row in rejected} <= {one.id for one in passages}
    printed = Counter(
        tuple(re.findall(r"\w+", text.lower()))
        for one in passages
        for text in one.passage.sentences
        if len(re.findall(r"\w+", text)) > 14
    )
    assert printed.total() > 100
    assert max(printed.values()) == 1
