"""Measures for grooming: of the neighbours that are printed, and what the books say of each word beside what they say of the answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cloze_gen.english.closed_classes import After, Before
from cloze_gen.recipes.msr.stages.measures import measures_of, place_of, printed_beside, sentence_tags, window_tags
from cloze_gen.recipes.msr.steps.reader_models import features_of
from cloze_gen.recipes.msr.steps.word_place import Frame

WINE = "He drank the wine of Spain ."


def measured(item: Any, index: Any, space: Any) -> dict[str, list[float]]:
    (found,) = measures_of([(item, item.candidates)], index, space)
    return {name: values.tolist() for name, values in found.items()}


@pytest.mark.parametrize("line", [WINE, 'He drank the " wine " of Spain .', "He drank -- the ( wine ) of Spain ."])
def test_neighbours_are_those_that_are_printed(line: str, item_of: Any, books: Any, space: Any) -> None:
    """Quotes, dashes and brackets, which are deleted, stand between no two words, whatever is measured of the neighbours."""
    item, words = item_of(line, "wine", ["beer"]), space()
    assert printed_beside(item) == ("the", "of")
    found = measured(item, books("the beer", "wine of"), words)
    assert (found["attested_before"], found["attested_after"]) == ([0, 1], [1, 0])
    assert words.beside == [("the", "before"), ("of", "after")]
    assert words.near == [(["drank", "the"], []), ([], ["of", "Spain"])]


def test_the_answer_comes_first_and_every_measure_has_all_words(item_of: Any, books: Any, space: Any) -> None:
    """The answer is alike to itself; the models take all of it."""
    item = item_of(WINE, "wine", ["beer", "rug"])
    (found,) = measures_of([(item, item.candidates)], books(), space(similar={"beer": 0.25}))
    assert {values.shape for values in found.values()} == {(3,)}
    assert found["similarity"].tolist() == [1, 0.25, 0]
    assert np.isfinite(features_of(found, place_of(item, frequent=()))).all()


def test_ngrams_are_those_of_the_books_own_tokens(item_of: Any, books: Any, space: Any) -> None:
    """What the language model is asked holds what is not printed too, as it was trained; each n-gram stands for its own measure."""
    item = item_of('He drank the " wine of Spain .', "wine", ["beer", "rug", "tea"])
    found = measured(item, books('the " beer', '" rug of', "tea of Spain"), space())
    assert found["attested_history"] == [0, 1, 0, 0]
    assert found["attested_around"] == [0, 0, 1, 0]
    assert found["attested_following"] == [0, 0, 0, 1]


def test_items_asked_together_have_what_they_have_alone(item_of: Any, books: Any, space: Any) -> None:
    """One search for all of them: each keeps its own words, however many, and its own neighbours; no item is no question."""
    index = books("the beer", "wine of", "<s> He ran", "sat . </s>")
    items = [item_of(WINE, "wine", ["beer", "rug", "tea"]), item_of("He ran .", "ran", []), item_of("He ran .", "ran", ["sat"])]
    together = list(measures_of([(item, item.candidates) for item in items], index, space()))
    for item, found in zip(items, together, strict=True):
        assert {name: values.tolist() for name, values in found.items()} == measured(item, index, space())
    assert list(measures_of([], index, space())) == []


def test_near_a_sentences_edge_its_marks_stand_for_tokens(item_of: Any, books: Any, space: Any) -> None:
    """The history of the second token holds the sentence's start, and what follows the last but one its end."""
    index = books("<s> He ran", "sat . </s>")
    assert measured(item_of("He ran .", "ran", ["sat"]), index, space())["attested_history"] == [1, 0]
    assert measured(item_of("He ran .", "ran", ["sat"]), index, space())["attested_following"] == [0, 1]


def test_topicality_is_with_the_other_words(item_of: Any, books: Any, space: Any) -> None:
    """The answer does not speak for itself, though it stand twice."""
    words = space(topical={"oars": 0.75, "rug": 0.25})
    found = measured(item_of("The oars and oars fell .", "oars", ["rug", "lamp"]), books(), words)
    assert found["topicality"] == [0.75, 0.25, 0]
    assert words.others == ["The", "and", "oars", "fell", "."]


def test_uses_are_of_places_like_this(item_of: Any, books: Any, space: Any) -> None:
    """A word that mostly stands after an article has more of it than one that never does; of an unknown word nothing is told."""
    after_article, alone = {(Before.ARTICLE, After.CLOSED): 40}, {(Before.SUBJECT, After.OBJECT): 40}
    item = item_of("He drank a wine of Spain .", "wine", ["beer", "rug", "unheard"])
    found = measured(item, books(), space(wine=after_article, beer=after_article, rug=alone))
    for name in ("use_before", "use_after"):
        wine, beer, rug, unheard = found[name]
        assert wine == beer > unheard > rug


def test_a_frame_is_asked_of_each_word(item_of: Any, books: Any, space: Any) -> None:
    """Where the place asks for an object, by the words' own uses; where nothing is asked every word takes it."""
    words = space(buried={(Before.SUBJECT, After.OBJECT): 20}, slept={(Before.SUBJECT, After.CLOSED): 20})
    item = item_of("I buried the dog .", "buried", ["slept"])
    assert measured(item, books(), words)["takes_frame"] == [1, 1]
    item.tag, item.frame = "VBD", Frame.OBJECT
    assert measured(item, books(), words)["takes_frame"] == [1, 0]


def test_what_is_known_of_the_place(item_of: Any) -> None:
    """Printed tokens and the blank's place among them; rarer words beside the blank; the kinds of the printed neighbours."""
    item = item_of('He drank " a wine " of old Spain .', "wine", [])
    item.tag = "NN"
    found = place_of(item, frequent={"he", "a", "of"})
    assert (found.tokens, found.place, found.content_words) == (8, 3 / 8, 3)
    assert (found.tag, found.frame, found.before) == ("NN", None, Before.ARTICLE)


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
