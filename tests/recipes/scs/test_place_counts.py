from __future__ import annotations

import numpy as np

from cloze_gen.recipes.scs.place_counts import count_places
from cloze_gen.recipes.scs.places import places_of
from cloze_gen.recipes.scs.token_kinds import Kind, kind_of

TOKENS = "The cat saw the cat .".split()
TAGS = ["DT", "NN", "VBD", "DT", "NN", "."]
WORDS = ["noun", "verb"]  # classes of the vocabulary


def test_a_place_in_a_book_is_the_place_of_a_blank():
    kinds = [Kind.END, *map(kind_of, TOKENS, TAGS), Kind.END]
    rows = np.array([-1, -1, 0, 1, -1, 0, -1, -1])
    table = count_places(
        np.array(kinds), np.zeros(8, np.int64), rows, class_of_row=np.array([0, 1])
    )
    counted = {
        (WORDS[row["row"]], row["use"], row["left"], row["right"]): row["count"]
        for row in table.to_pylist()
    }
    assert counted == {tuple(place): 1 for place in places_of(TOKENS, TAGS).values()}
