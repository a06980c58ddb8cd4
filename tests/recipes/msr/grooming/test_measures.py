"""Measures for grooming: printed neighbours, and each word's corpus counts beside the answer's."""

import numpy as np
import pytest

from cloze_gen.english.word_lists import After, Before
from cloze_gen.recipes.msr.grooming.frames import Frame
from cloze_gen.recipes.msr.grooming.measures import measures_of, set_window_tags
from cloze_gen.recipes.msr.grooming.reader_model import FEATURES, features_of, place_features
from tests.recipes.msr.fakes import Books, Space, Tags, make_table

WINE = "He drank the wine of Spain ."


def measured(table, index, space):
    """Measures of the open candidates of each item, by name."""
    rows = table.open()
    measures = measures_of(table, rows, index, space)
    return {
        name: [values[table.item[rows] == item].tolist() for item in range(len(table.items))]
        for name, values in measures.items()
    }


@pytest.mark.parametrize(
    "line", [WINE, 'He drank the " wine " of Spain .', "He drank -- the ( wine ) of Spain ."]
)
def test_neighbours_are_those_that_are_printed(line):
    table, words = make_table((line, "wine", ["beer"])), Space()
    assert (table.items[0].before, table.items[0].after) == ("the", "of")
    measures = measured(table, Books("the beer", "wine of"), words)
    assert (measures["attested_before"], measures["attested_after"]) == ([[1]], [[0]])
    assert (measures["answer_attested_before"], measures["answer_attested_after"]) == ([[0]], [[1]])
    assert words.beside == [("the", "before"), ("of", "after")]
    assert words.near == [(["drank", "the"], []), ([], ["of", "Spain"])]


def test_ngrams_are_those_of_the_books_own_tokens():
    """Unlike the neighbours they include unprinted tokens, as in training."""
    table = make_table(('He drank the " wine of Spain .', "wine", ["beer", "rug", "tea"]))
    measures = measured(table, Books('the " beer', '" rug of', "tea of Spain"), Space())
    assert measures["attested_history"] == [[1, 0, 0]]
    assert measures["attested_around"] == [[0, 1, 0]]
    assert measures["attested_following"] == [[0, 0, 1]]


def test_items_measured_together_have_what_they_have_alone():
    index = Books("the beer", "wine of", "<s> He ran", "sat . </s>")
    known = {"similar": {"beer": 0.25, "sat": 0.5}}
    rows = [
        (WINE, "wine", ["beer", "rug", "tea"]),
        ("He ran .", "ran", []),
        ("He ran .", "ran", ["sat"]),
    ]
    together = measured(make_table(*rows), index, Space(**known))
    alone = [measured(make_table(row), index, Space(**known)) for row in rows]
    assert together["similarity"] == [[0.25, 0, 0], [], [0.5]]
    for name, values in together.items():
        assert values == [measures[name][0] for measures in alone]


def test_an_answer_is_measured_beside_its_candidates():
    words = Space(topical={"wine": 0.75, "beer": 0.25})
    table = make_table((WINE, "wine", ["rug", "beer"]), (WINE, "drank", []))
    measures = measured(table, Books(), words)
    assert measures["answer_topicality"] == [[0.75, 0.75], []]
    assert measures["topicality_gained"] == [[-0.75, -0.5], []]
    assert [item.topicality for item in table.items] == [0.75, 0]


def test_features_are_finite():
    """Also those of no candidate."""
    for table in (make_table((WINE, "wine", ["beer", "rug"])), make_table((WINE, "wine", []))):
        rows = table.open()
        places = [place_features(item, frequent=()) for item in table.items]
        measures = measures_of(table, rows, Books(), Space())
        features = features_of(measures, places, table.item[rows])
        assert features.shape == (len(rows), len(FEATURES))
        assert np.isfinite(features).all()


def test_marks_stand_for_tokens_beyond_a_sentences_edge():
    table = make_table(("He ran .", "ran", ["sat"]))
    measures = measured(table, Books("<s> He ran", "sat . </s>"), Space())
    assert (measures["attested_history"], measures["attested_following"]) == ([[0]], [[1]])


def test_topicality_is_with_the_other_words():
    """The answer's own place does not count, though the word occurs twice."""
    words = Space(topical={"oars": 0.75, "rug": 0.25})
    table = make_table(("The oars and oars fell .", "oars", ["rug", "lamp"]))
    assert measured(table, Books(), words)["topicality"] == [[0.25, 0]]
    assert words.others == [["The", "and", "oars", "fell", "."]]


def test_uses_are_of_places_like_this():
    after_article = {(Before.ARTICLE, After.CLOSED): 40}
    alone = {(Before.SUBJECT, After.OBJECT): 40}
    table = make_table(("He drank a wine of Spain .", "wine", ["beer", "rug", "unheard"]))
    words = Space(wine=after_article, beer=after_article, rug=alone)
    measures = measured(table, Books(), words)
    for name in ("use_before", "use_after"):
        beer, rug, unheard = measures[name][0]
        assert measures[f"answer_{name}"][0][0] == beer > unheard > rug


def test_each_word_is_measured_by_the_frame_of_its_place():
    words = Space(
        buried={(Before.SUBJECT, After.OBJECT): 20}, slept={(Before.SUBJECT, After.CLOSED): 20}
    )
    row = ("I buried the dog .", "buried", ["slept"])
    table = make_table(row, row)
    table.items[0].tag = "VBD"
    table.items[0].frame = Frame.OBJECT
    assert measured(table, Books(), words)["takes_frame"] == [[0], [1]]


@pytest.mark.parametrize("reach", [1, 2])
def test_a_word_is_tagged_in_its_window(reach):
    """The tagger gets the tokens within its reach."""
    table = make_table(
        ("mother saw it there .", "mother", ["sister's"]),
        ("He saw it with the mother .", "mother", ["there", "sister's"]),
        ("a b c d e f g h i j k l m n o p q r mother s .", "mother", []),
    )
    tags = Tags(mother="NN", **{"sister's": "NN+POS"}, there="EX", the="DT")
    tags.reach = reach
    set_window_tags(table, tags)
    assert [item.window_tag for item in table.items] == ["NN", "NN", "NN"]
    assert table.tag.tolist() == ["NN+POS", "EX", "NN+POS"]
    assert max(tags.lengths) == 2 * reach + 1
