"""Measures for grooming: of the neighbours that are printed, each kind for its purpose, and of the words in their windows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from cloze_gen.recipes.msr.stages.measures import candidate_measures, printed_beside, sentence_tags, topicality, window_tags


@pytest.mark.parametrize(
    "line", ["He drank the wine of Spain .", 'He drank the " wine " of Spain .', "He drank -- the ( wine ) of Spain ."]
)
def test_neighbours_are_those_that_are_printed(line: str, item_of: Any) -> None:
    """Quotes, dashes and brackets, which are deleted, stand between no two words."""
    assert printed_beside(item_of(line, "wine", [])) == ("the", "of")


@pytest.mark.parametrize("line", ["He drank the wine of Spain .", 'He drank the " wine " of Spain .'])
def test_beside_frequent_words_it_is_grammar(line: str, item_of: Any, bigrams: Any, space: Any) -> None:
    """The lesser association of the two sides; a pair that the books never have is beyond all bounds, seldom ones are below 0."""
    books = bigrams("the beer of", "the rug", "the tea of", 'the " rug " of', seldom="tea of")
    item = item_of(line, "wine", ["beer", "tea", "rug"])
    found = candidate_measures(item, books, space(), frequent={"the", "of"})
    assert [measures.association for measures in found] == [0.0, -0.5, -math.inf]
    assert not any(measures.collocates for measures in found)


def test_beside_rarer_words_it_is_meaning(item_of: Any, bigrams: Any, space: Any) -> None:
    """A pair that the books have speaks against the candidate, on either side; association is then not asked."""
    books = bigrams("drank beer", "tea of")
    item = item_of("He drank wine of Spain .", "wine", ["beer", "tea", "rug"])
    both = candidate_measures(item, books, space(), frequent=())
    assert [(measures.collocates, measures.association) for measures in both] == [(True, math.inf), (True, math.inf), (False, math.inf)]
    left = candidate_measures(item, books, space(), frequent={"of"})
    assert [(measures.collocates, measures.association) for measures in left] == [(True, -math.inf), (False, 0.0), (False, -math.inf)]


def test_a_mark_is_a_frequent_neighbour(item_of: Any, bigrams: Any, space: Any) -> None:
    """Who stands before a comma is a matter of grammar."""
    item = item_of("He drank wine , too .", "wine", ["beer", "rug"])
    found = candidate_measures(item, bigrams("beer ,"), space(), frequent={"drank"})
    assert [measures.association for measures in found] == [-math.inf, -math.inf]
    found = candidate_measures(item, bigrams("drank beer , drank"), space(), frequent={"drank"})
    assert [measures.association for measures in found] == [0.0, -math.inf]


def test_what_comes_with_the_item_is_handed_on(item_of: Any, bigrams: Any, space: Any) -> None:
    """Gain and topicality of each candidate, and its lift over its own frequency."""
    item = item_of("He drank wine .", "wine", ["beer", "rug"])
    item.gain, item.topicality, item.history_log10_prob = np.array([0.5, 1.0]), [0.1, 0.2], np.array([-2.0, -3.0])
    books = bigrams()
    books.levels[0].log10_prob[:] = -4.0
    found = candidate_measures(item, books, space(), frequent=())
    assert [(measures.lift, measures.gain, measures.topicality) for measures in found] == [(2.0, 0.5, 0.1), (1.0, 1.0, 0.2)]


def test_topicality_is_with_the_other_words(item_of: Any, space: Any) -> None:
    """The answer does not speak for itself, though it stand twice."""
    words = space(topical={"oars": 0.75, "rug": 0.25})
    assert topicality(item_of("The oars and oars fell .", "oars", ["rug", "lamp"]), words) == (0.75, [0.25, 0.0])
    assert words.others == ["The", "and", "oars", "fell", "."]


def test_a_sentence_is_tagged_once(item_of: Any, tagger: Any) -> None:
    """However many of its words are asked for."""
    tags = tagger(He="PRP", fell="VBD")
    items = [item_of("He fell here .", answer, []) for answer in ("fell", "here")]
    assert sentence_tags(items, tags) == {"b:1": ["PRP", "VBD", "IN", "IN"]}
    assert tags.asked == 1


@pytest.mark.parametrize("reach", [1, 2, 8])
def test_a_word_is_tagged_in_its_window(reach: int, item_of: Any, tagger: Any) -> None:
    """The window holds the word in its place, near the sentence's edges too; its clitics' tags are part of its own."""
    early, late = item_of("mother saw it there .", "mother", []), item_of("He saw it with the mother .", "mother", [])
    tags = tagger(mother="NN", **{"sister's": "NN+POS"}, there="EX", the="DT")
    asked = [(early, "mother"), (early, "sister's"), (late, "there"), (late, "sister's")]
    assert window_tags(asked, tags, reach=reach) == ["NN", "NN+POS", "EX", "NN+POS"]
