"""What places words take."""

import numpy as np
import pytest

from cloze_gen.recipes.scs.place_table import PlacesSettings, PlaceTable
from cloze_gen.recipes.scs.places import ACTIVE, ATTRIBUTIVE, PASSIVE, Place
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
    names = ("row", "use", "left", "right", "count")
    counts = dict(zip(names, np.array(rows, np.int64).T, strict=True))
    return PlaceTable(list(USES), counts, PlacesSettings(**settings))


def takers(place, **settings):
    places = table(**settings)
    return {pair[0] for pair in USES if pair[1] == place.word_class and places.takes(pair, place)}


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
    assert takers(place) == words


def test_a_rare_word_is_believed_by_a_prior():
    """Three uses without object are too few, whatever the average word does."""
    assert "doze" not in takers(NOTHING)


def test_nothing_is_asked_where_the_limit_is_zero():
    assert takers(HEADLESS, min_affinity=0.0) == {"old", "asleep", "mere"}


def test_words_of_the_same_places_are_alike():
    """Each among the nearest of the other; the share asked for decides how many."""
    places = table(similar_share=0.5)
    alike = places.uses(OBJECT).alike
    see, take, sleep = (places.number_of[lemma, "verb"] for lemma in ("see", "take", "sleep"))
    assert alike[see, take]
    assert not alike[see, sleep]
    assert (alike == alike.T).all()


def test_without_similarity_a_word_is_like_itself_alone():
    alike = table(similar_share=0.0).uses(OBJECT).alike
    assert (alike == np.eye(4, dtype=bool)).all()


def test_a_place_of_few_words_is_taken_by_none():
    """No adjective is asked after a degree; a participle right after a noun is never asked."""
    assert takers(OBJECT) == {"see", "take"}
    assert not table().fitting(Place("adjective", 0, Kind.DEGREE, Kind.END)).any()
    assert not table().fitting(Place("verb", PASSIVE, Kind.NOUN, BY.right)).any()
    assert not table().fitting(Place("verb", ATTRIBUTIVE, Kind.THE, Kind.NOUN)).any()


def test_shares_are_drawn_to_the_average():
    """A word's own share, and a little of what an average word has."""
    places = table()
    share = places.uses(OBJECT).share(OBJECT)
    assert share[places.number_of["see", "verb"]] > 0.8
    assert 0 < share[places.number_of["doze", "verb"]] < 0.6
