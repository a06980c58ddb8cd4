from __future__ import annotations

import numpy as np

from cloze_gen.recipes.scs.place_counts import count_places
from cloze_gen.recipes.scs.places import places_of, token_codes

TOKENS = "The cat saw the cat .".split()
TAGS = ["DT", "NN", "VBD", "DT", "NN", "."]
CLASS_OF_ROW = ["noun", "verb"]
ROW_OF = {"cat": 0, "saw": 1}


def test_a_place_in_a_book_is_the_place_of_a_blank():
    tokens = [(".", "."), *zip(TOKENS, TAGS, strict=True), (".", ".")]
    codes = [(*token_codes(token, tag), ROW_OF.get(token, -1)) for token, tag in tokens]
    counted = {
        (CLASS_OF_ROW[row["row"]], row["use"], row["left"], row["right"]): row["count"]
        for row in count_places(np.array(codes)).to_pylist()
    }
    assert counted == {tuple(place): 1 for place in places_of(TOKENS, TAGS).values()}
