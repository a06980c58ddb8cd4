"""What places words take."""

import numpy as np
import pytest

from cloze_gen.recipes.scs.place_counts import join_keys
from cloze_gen.recipes.scs.place_table import PlacesSettings, PlaceTable
from cloze_gen.recipes.scs.places import ACTIVE, PASSIVE, Place
from cloze_gen.recipes.scs.token_kinds import N_KINDS, Kind

OBJECT = Place("verb", ACTIVE, Kind.SUBJECT, Kind.NOUN * N_KINDS + Kind.END)
NOTHING = Place("verb", ACTIVE, Kind.SUBJECT, Kind.END * N_KINDS + Kind.END)
BY = Place("verb", PASSIVE, Kind.BE, Kind.WITH * N_KINDS + Kind.END)
ATTRIBUTE = Place("adjective", 0, Kind.THE, Kind.NOUN)
PREDICATE = Place("adjective", 0, Kind.BE, Kind.END)
HEADLESS = Place("adjective", 0, Kind.THE, Kind.END)

USES = {
    ("see", "verb"): {OBJECT: 90, NOTHING: 10, BY: 90},
    ("sleep", "verb"): {NOTHING: 99, OBJECT: 1, BY: 90},
    ("take", "verb"): {OBJECT: 95, NOTHING: 5, BY: 90},
    ("doze", "verb"): {NOTHING: 3},
    ("old", "adjective"): {ATTRIBUTE: 50, PREDICATE: 50, HEADLESS: 5},
    ("asleep", "adjective"): {PREDICATE: 60},
    ("mere", "adjective"): {ATTRIBUTE: 60},
}


def table(**settings):
    rows = [
        (row, *place[1:], count)
        for row, places in enumerate(USES.values())
        for place, count in places.items()
    ]
    row, use, left, right, counts = np.array(rows, np.int64).T
    return PlaceTable(
        list(USES),
        keys=join_keys(row, use, left, right),
        counts=counts,
        settings=PlacesSettings(**settings),
    )


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (OBJECT, {"see", "take"}),
        (NOTHING, {"sleep"}),
        (BY, {"see", "take"}),
        (ATTRIBUTE, {"old", "mere"}),
        (PREDICATE, {"old", "asleep"}),
        (HEADLESS, {"old"}),
        (Place("adjective", 0, Kind.DEGREE, Kind.END), set()),
    ],
)
def test_a_word_takes_the_places_it_is_seen_in(place, words):
    assert {
        lemma
        for lemma, name in USES
        if name == place.word_class and table().takes((lemma, name), place)
    } == words


def test_a_rare_word_is_believed_by_a_prior():
    assert not table().takes(("doze", "verb"), NOTHING)
    assert table(prior_affinity=1.0).takes(("doze", "verb"), NOTHING)


def test_nothing_is_asked_where_the_limit_is_zero():
    """Except for passives."""
    assert {
        lemma for lemma, name in USES if table(min_affinity=0.0).takes((lemma, name), HEADLESS)
    } == {"old", "asleep", "mere"}


def test_words_of_the_same_places_are_alike():
    """Each among the nearest of the other; the share asked for decides how many."""
    number_of, matrix = table(similar_share=0.5).likeness("verb", ACTIVE)
    assert matrix[number_of["see", "verb"], number_of["take", "verb"]]
    assert not matrix[number_of["see", "verb"], number_of["sleep", "verb"]]
    assert (matrix == matrix.T).all()
    assert not table(similar_share=0.0).likeness("verb", ACTIVE).matrix.any()


def test_a_place_of_few_words_is_not_open():
    """Words are weighed by their uses; a participle right after a noun is not asked."""
    assert table().is_open(OBJECT)
    assert not table(min_accepting_share=0.7).is_open(OBJECT)
    assert not table(min_accepting_share=0.0).is_open(Place("verb", PASSIVE, Kind.NOUN, BY.right))


def test_shares_are_drawn_to_the_average():
    """A word's own share, and a little of what an average word has."""
    assert table().share(("see", "verb"), OBJECT) > 0.8
    assert 0 < table().share(("doze", "verb"), OBJECT) < 0.6
