"""What a place asks of a word, on sentences that a reader would judge at once, and what counts say a word gives."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.english.closed_classes import After, Before
from cloze_gen.recipes.msr.steps.guideline_1_frames import Need, gives, needed

# token/TAG; the place is marked by [ ].
PLACES = [
    ("She/PRP [took]/VBD the/DT oar/NN ./.", Need.OBJECT),
    ("She/PRP [slept]/VBD in/IN the/DT boat/NN ./.", Need.NO_OBJECT),
    ("She/PRP [slept]/VBD ./.", Need.NO_OBJECT),
    ("She/PRP [said]/VBD that/IN it/PRP rained/VBD ./.", Need.CLAUSE),
    ("She/PRP [grew]/VBD pale/JJ ./.", Need.UNCLEAR),
    ("She/PRP [picked]/VBD it/PRP up/RP again/RB ./.", Need.UNCLEAR),
    ("She/PRP [offered]/VBD me/PRP a/DT place/NN ./.", Need.UNCLEAR),
    ("She/PRP [forced]/VBD him/PRP to/TO go/VB ./.", Need.UNCLEAR),
    ("She/PRP [listened]/VBD to/IN the/DT rain/NN ./.", Need.UNCLEAR),
    ("It/PRP was/VBD never/RB [found]/VBN by/IN him/PRP ./.", Need.OBJECT),
    ("She/PRP had/VBD not/RB [slept]/VBN in/IN it/PRP ./.", Need.NO_OBJECT),
    ("a/DT room/NN [reserved]/VBN for/IN us/PRP ./.", Need.OBJECT),
    ("It/PRP was/VBD a/DT long/JJ [night]/NN ./.", Need.COUNT),
    ("It/PRP was/VBD a/DT cold/JJ and/CC long/JJ [night]/NN ./.", Need.COUNT),
    ("Her/PRP$ [night]/NN was/VBD long/JJ ./.", Need.NOUN),
    ("The/DT man/NN 's/POS [night]/NN was/VBD long/JJ ./.", Need.NOUN),
    ("There/EX was/VBD [rain]/NN ./.", Need.MASS),
    ("It/PRP was/VBD full/JJ of/IN cold/JJ [rain]/NN ./.", Need.MASS),
    ("The/DT [proof]/NN that/IN he/PRP lied/VBD ./.", Need.UNCLEAR),
    ("It/PRP was/VBD [cold]/JJ ./.", None),
    ("The/DT [lamps]/NNS were/VBD out/RB ./.", None),
]


@pytest.mark.parametrize(("marked", "need"), PLACES, ids=[marked for marked, _ in PLACES])
def test_what_a_place_asks_for(marked: str, need: Need | None) -> None:
    """Objects, clauses, mass and count; what a second complement makes unsure is said to be unclear."""
    pairs = [part.rsplit("/", 1) for part in marked.split()]
    position = next(i for i, (token, _) in enumerate(pairs) if token.startswith("["))
    assert needed([token.strip("[]") for token, _ in pairs], [tag for _, tag in pairs], position) == need


def frames(**cells: int) -> np.ndarray:
    """Counts by `BEFORE_AFTER`."""
    found = np.zeros((len(Before), len(After)), np.int64)
    for name, count in cells.items():
        before, after = name.split("_")
        found[Before[before], After[after]] = count
    return found


BURIED = frames(SUBJECT_OBJECT=30, HAVE_OBJECT=10, SUBJECT_CLOSED=10, BE_CLOSED=900)
TRAVELLED = frames(SUBJECT_CLOSED=40, HAVE_CLOSED=20, SUBJECT_OBJECT=2)
FOOD = frames(DETERMINER_CLOSED=46, BARE_CLOSED=53, DETERMINER_OPEN=1)
BOX = frames(ARTICLE_CLOSED=25, DETERMINER_FINITE=73, BARE_CLOSED=2)
KEEN = frames(ARTICLE_OPEN=25, DETERMINER_OPEN=40, DETERMINER_CLOSED=5, BARE_OPEN=30)


@pytest.mark.parametrize(
    ("counts", "tag", "need", "given"),
    [
        (BURIED, "VBD", Need.OBJECT, True),
        (BURIED, "VBN", Need.NO_OBJECT, False),
        (TRAVELLED, "VBD", Need.NO_OBJECT, True),
        (TRAVELLED, "VBN", Need.OBJECT, False),
        (TRAVELLED, "VBD", Need.CLAUSE, False),
        (frames(SUBJECT_CLAUSE=3, SUBJECT_OBJECT=30), "VBD", Need.CLAUSE, True),
        (TRAVELLED, "VBD", Need.UNCLEAR, False),
        (frames(SUBJECT_OBJECT=4), "VBD", Need.OBJECT, False),
        (frames(BE_CLOSED=40), "VBN", Need.OBJECT, False),
        (FOOD, "NN", Need.MASS, True),
        (FOOD, "NN", Need.COUNT, False),
        (BOX, "NN", Need.COUNT, True),
        (BOX, "NN", Need.MASS, False),
        (BOX, "NN", Need.NOUN, True),
        (KEEN, "NN", Need.NOUN, False),
        (KEEN, "NN", Need.COUNT, False),
    ],
)
def test_what_a_word_gives(counts: np.ndarray, tag: str, need: Need, given: bool) -> None:
    """A word's own uses decide; too few of them, or an unclear place, is no."""
    assert gives(counts, tag=tag, need=need, transitive_share=0.3) == given


def test_the_share_of_a_transitive_verb_is_inclusive() -> None:
    """A verb at the bound is transitive, and only that."""
    counts = frames(SUBJECT_OBJECT=3, SUBJECT_CLOSED=7)
    assert gives(counts, tag="VBD", need=Need.OBJECT, transitive_share=0.3)
    assert not gives(counts, tag="VBD", need=Need.NO_OBJECT, transitive_share=0.3)
