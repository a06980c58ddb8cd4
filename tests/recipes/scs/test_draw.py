"""The question of a sentence: its focus word, impostors, and the reasons against the other words."""

import functools

import numpy as np
import pytest

from cloze_gen.recipes.scs.draw import DrawReason, draw_question
from cloze_gen.recipes.scs.focus import Form
from cloze_gen.recipes.scs.impostors import Pools
from cloze_gen.recipes.scs.place_table import PlacesSettings, PlaceTable
from cloze_gen.recipes.scs.token_kinds import Kind
from cloze_gen.records.rejection import Rejection

NOUNS = tuple("lamp door house river horse garden boat bridge candle window letter table".split())
TOKENS = "He saw the garden and the boat .".split()
TAGS = "PRP VBD DT NN CC DT NN .".split()


@functools.cache
def pools(nouns, **settings):
    """Nouns that are used alike, the first one most often."""
    pairs = [(noun, "noun") for noun in nouns]
    counts = {
        "row": np.arange(len(nouns)),
        "use": np.zeros(len(nouns), np.int64),
        "left": np.full(len(nouns), Kind.THE),
        "right": np.full(len(nouns), Kind.END),
        "count": np.full(len(nouns), 100),
    }
    places = PlaceTable(pairs, counts, PlacesSettings(**settings))
    forms = {
        (noun, "NN"): Form(noun, noun, "noun", "NN", "count", "NN", 100, 100, 1e-4 / i, 1e-4)
        for i, noun in enumerate(nouns, 1)
    }
    return Pools(forms, places, matched=True)


def draw(item="b:1", *, nouns=NOUNS, seed=1, **settings):
    return draw_question(item, TOKENS, TAGS, pools=pools(nouns, **settings), seed=seed)


def test_one_word_of_a_sentence_is_drawn():
    """Each has the same chance; the other is rejected as not tried."""
    positions = []
    for i in range(200):
        drawn, rejected = draw(f"b:{i}", similar_share=0.0)
        assert len({drawn.blank.answer, *drawn.impostors}) == 5
        (other,) = {3, 6} - {drawn.blank.position}
        assert rejected == [Rejection(f"b:{i}:{other}", DrawReason.NOT_TRIED)]
        positions.append(drawn.blank.position)
    assert 70 < positions.count(3) < 130


def test_a_draw_belongs_to_the_sentence_and_the_seed():
    drawn = [draw(f"b:{i}", similar_share=0.0) for i in range(20)]
    assert [draw(f"b:{i}", similar_share=0.0) for i in reversed(range(20))] == drawn[::-1]
    assert [draw(f"b:{i}", similar_share=0.0, seed=2) for i in range(20)] != drawn


@pytest.mark.parametrize(
    ("nouns", "similar_share", "reason"),
    [
        (("garden", "boat", "lamp", "door"), 0.0, DrawReason.FEW_FORMS),
        (NOUNS, 0.99, DrawReason.NO_SET),
    ],
)
def test_words_without_impostors_have_their_reason(nouns, similar_share, reason):
    """Too few forms is not the same as forms that are all similar."""
    drawn, rejected = draw(nouns=nouns, similar_share=similar_share)
    assert drawn is None
    assert {(item.id, item.reason) for item in rejected} == {("b:1:3", reason), ("b:1:6", reason)}


def test_a_sentence_without_eligible_word_is_rejected_as_a_whole():
    drawn, rejected = draw(nouns=("lamp",))
    assert drawn is None
    assert rejected == [Rejection("b:1", DrawReason.NONE_ELIGIBLE)]
