"""The finished set: passages as their books print them, with every answer among the candidates."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from cloze_gen.formats.scde.jsonl import parse_passages
from cloze_gen.recipes.scde.stages.book_reading import read_book
from cloze_gen.recipes.scde.stages.tables import DISTRACTORS, read_blanks, windows_by_book
from cloze_gen.records.blanked_passage import SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.hyphens import HYPHENS, read_hyphen_forms
from cloze_gen.stages.tables import PASSAGE_SET, REJECTED
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import read_parquet
from tests.recipes.scde.stages.conftest import Blanked, sample_of


def set_of(artifact: Artifact) -> list[SetBlankedPassage]:
    with open(artifact.path(PASSAGE_SET), encoding="utf-8") as handle:
        return list(parse_passages(handle))


def test_a_passage_is_printed_as_in_its_book(sample: Blanked) -> None:
    """Every sentence of its window with its place, span and paragraph; part and genre are the window's."""
    windows = {window.id: window for some in windows_by_book(sample.passages).values() for window in some}
    forms = read_hyphen_forms(sample.passages.path(HYPHENS))
    books = {of["book_id"]: read_book(book_folder(sample.partition, of), forms) for of in kept_books(sample.partition)}
    for one in set_of(sample.blanked_passages()):
        window = windows[one.id]
        book = books[window.book_id]
        own = range(window.first, window.last + 1)
        assert (one.part, one.domain) == (window.part, window.domain)
        assert list(one.passage.sentences) == [book.texts[i] for i in own]
        assert list(one.paragraphs) == [book.paragraph[i] for i in own]
        placed = [(source.book_id, source.index, source.start, source.end) for source in one.sources]
        assert placed == [(window.book_id, i, book.start[i], book.end[i]) for i in own]
        for text, source in zip(one.passage.candidates, one.candidate_sources, strict=True):
            other = books[source.book_id]
            assert (text, source.start, source.end) == (other.texts[source.index], other.start[source.index], other.end[source.index])


def test_candidates_are_the_answers_and_the_distractors(sample: Blanked) -> None:
    """Each answer is the sentence at its blank, and what answers no blank is what was drawn for the passage, in either kind."""
    blanks = read_blanks(sample.blanks())
    for kind in ("hard", "random", "none"):
        rows = read_parquet(sample.distractors(kind=kind).path(DISTRACTORS)).to_pylist()
        passages = set_of(sample.blanked_passages(kind=kind))
        assert {one.id for one in passages} == {row["id"] for row in rows}
        of_passage = {row["id"]: set(zip(row["books"], row["distractors"], strict=True)) for row in rows}
        for one in passages:
            assert one.passage.blanks == blanks[one.id]
            assert len(one.passage.candidates) == (5 if kind == "none" else 7)
            for blank, answer in zip(one.passage.blanks, one.passage.answers, strict=True):
                assert one.candidate_sources[answer] == one.sources[blank]
                assert one.passage.candidates[answer] == one.passage.sentences[blank]
            others = {(one.candidate_sources[i].book_id, one.candidate_sources[i].index) for i in one.passage.distractors}
            assert others == of_passage[one.id]


def test_a_smaller_set_is_part_of_the_larger(sample: Blanked) -> None:
    """What is left out is counted; passages stay as they are but for the order of their candidates, books and places in order."""
    large, small = sample.blanked_passages(), sample.blanked_passages(n_passages=9)
    of_large = {one.id: one for one in set_of(large)}
    few = set_of(small)
    assert len(few) == 9
    assert (small.funnel["kept"], small.funnel["rejected"]) == (9, {"set_is_full": len(of_large) - 9})
    assert large.funnel["rejected"] == {}
    assert all(one.passage.sentences == of_large[one.id].passage.sentences for one in few)
    assert all(sorted(one.passage.candidates) == sorted(of_large[one.id].passage.candidates) for one in few)
    for some in (few, list(of_large.values())):
        places = [(one.sources[0].book_id, one.sources[0].index) for one in some]
        assert places == sorted(places)


@pytest.mark.slow
def test_no_long_sentence_is_printed_in_two_passages(own_sample: Blanked) -> None:
    """Where a novel holds another in an edition with other marks, its passages leave their places to others."""
    first, second = sorted(own_sample.novels.books.rglob("*.txt"))[:2]
    second.write_text(second.read_text() + "\n\nCHAPTER THE LAST\n\n" + first.read_text().replace(";", ","))
    both = sample_of(own_sample.novels)
    artifact = both.blanked_passages()
    rejected = read_parquet(artifact.path(REJECTED)).to_pylist()
    assert {row["reason"] for row in rejected} == {"sentence_printed_before"}
    assert artifact.funnel["rejected"] == {"sentence_printed_before": len(rejected)}
    passages = set_of(artifact)
    assert {row["detail"] for row in rejected} <= {one.id for one in passages}
    printed = Counter(
        tuple(re.findall(r"\w+", text.lower())) for one in passages for text in one.passage.sentences if len(re.findall(r"\w+", text)) > 14
    )
    assert printed.total() > 100
    assert max(printed.values()) == 1


def test_the_facts_count_the_parts(sample: Blanked) -> None:
    """Each with its passages, of all that were wanted."""
    artifact = sample.blanked_passages(n_passages=12)
    parts = Counter(one.part for one in set_of(artifact))
    assert artifact.facts["parts"] == {part: parts[part] for part in Part}
    assert (artifact.facts["wanted"], sum(parts.values())) == (12, 12)


def test_the_candidates_are_not_in_the_order_of_the_blanks(sample: Blanked) -> None:
    """A guess of that order fares as one of any other: about one blank in seven."""
    passages = [one.passage for one in set_of(sample.blanked_passages(kind="random"))]
    guesses = random.Random(1)
    in_order = sum(answer == number for one in passages for number, answer in enumerate(one.answers))
    at_random = sum(answer == guesses.randrange(7) for one in passages for answer in one.answers)
    assert abs(in_order - at_random) < 0.2 * 5 * len(passages)
