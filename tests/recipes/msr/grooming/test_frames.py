"""What a place requires of a word, and what counts show a word to take."""

import numpy as np
import pytest

from cloze_gen.english.word_lists import After, Before
from cloze_gen.recipes.msr.grooming.frames import Frame, required_frame, takes_frame

# token/TAG; the place is marked by [ ].
PLACES = [
    ("She/PRP [took]/VBD the/DT oar/NN ./.", Frame.OBJECT),
    ("She/PRP [slept]/VBD in/IN the/DT boat/NN ./.", Frame.NO_OBJECT),
    ("She/PRP [slept]/VBD ./.", Frame.NO_OBJECT),
    ("She/PRP [said]/VBD that/IN it/PRP rained/VBD ./.", Frame.CLAUSE),
    ("She/PRP [grew]/VBD pale/JJ ./.", Frame.UNCLEAR),
    ("She/PRP [picked]/VBD it/PRP up/RP again/RB ./.", Frame.UNCLEAR),
    ("She/PRP [offered]/VBD me/PRP a/DT place/NN ./.", Frame.UNCLEAR),
    ("She/PRP [forced]/VBD him/PRP to/TO go/VB ./.", Frame.UNCLEAR),
    ("She/PRP [listened]/VBD to/IN the/DT rain/NN ./.", Frame.UNCLEAR),
    ("It/PRP was/VBD never/RB [found]/VBN by/IN him/PRP ./.", Frame.OBJECT),
    ("She/PRP had/VBD not/RB [slept]/VBN in/IN it/PRP ./.", Frame.NO_OBJECT),
    ("a/DT room/NN [reserved]/VBN for/IN us/PRP ./.", Frame.OBJECT),
    ("It/PRP was/VBD a/DT long/JJ [night]/NN ./.", Frame.COUNT),
    ("It/PRP was/VBD a/DT cold/JJ and/CC long/JJ [night]/NN ./.", Frame.COUNT),
    ("Her/PRP$ [night]/NN was/VBD long/JJ ./.", Frame.NOUN),
    ("The/DT man/NN 's/POS [night]/NN was/VBD long/JJ ./.", Frame.NOUN),
    ("There/EX was/VBD [rain]/NN ./.", Frame.MASS),
    ("It/PRP was/VBD full/JJ of/IN cold/JJ [rain]/NN ./.", Frame.MASS),
    ("The/DT [proof]/NN that/IN he/PRP lied/VBD ./.", Frame.UNCLEAR),
    ("It/PRP was/VBD [cold]/JJ ./.", None),
    ("The/DT [lamps]/NNS were/VBD out/RB ./.", None),
]


@pytest.mark.parametrize(("marked", "frame"), PLACES, ids=[marked for marked, _ in PLACES])
def test_what_a_place_asks_for(marked, frame):
    """Objects, clauses, mass and count; a second complement makes it unclear."""
    pairs = [part.rsplit("/", 1) for part in marked.split()]
    position = next(i for i, (token, _) in enumerate(pairs) if token.startswith("["))
    assert (
        required_frame(
            [token.strip("[]") for token, _ in pairs], [tag for _, tag in pairs], position
        )
        == frame
    )


def cues(**cells):
    """Counts by `BEFORE_AFTER`."""
    found = np.zeros((len(Before), len(After)), np.int64)
    for name, count in cells.items():
        before, after = name.split("_")
        found[Before[before], After[after]] = count
    return found


BURIED = cues(SUBJECT_OBJECT=30, HAVE_OBJECT=10, SUBJECT_CLOSED=10, BE_CLOSED=900)
TRAVELLED = cues(SUBJECT_CLOSED=40, HAVE_CLOSED=20, SUBJECT_OBJECT=2)
FOOD = cues(DETERMINER_CLOSED=46, BARE_CLOSED=53, DETERMINER_OPEN=1)
BOX = cues(ARTICLE_CLOSED=25, DETERMINER_FINITE=73, BARE_CLOSED=2)
KEEN = cues(ARTICLE_OPEN=25, DETERMINER_OPEN=40, DETERMINER_CLOSED=5, BARE_OPEN=30)


@pytest.mark.parametrize(
    ("counts", "tag", "frame", "taken"),
    [
        (BURIED, "VBD", Frame.OBJECT, True),
        (BURIED, "VBN", Frame.NO_OBJECT, False),
        (TRAVELLED, "VBD", Frame.NO_OBJECT, True),
        # the share of a transitive verb is inclusive
        (cues(SUBJECT_OBJECT=3, SUBJECT_CLOSED=7), "VBD", Frame.OBJECT, True),
        (cues(SUBJECT_OBJECT=3, SUBJECT_CLOSED=7), "VBD", Frame.NO_OBJECT, False),
        (TRAVELLED, "VBN", Frame.OBJECT, False),
        (TRAVELLED, "VBD", Frame.CLAUSE, False),
        (cues(SUBJECT_CLAUSE=3, SUBJECT_OBJECT=30), "VBD", Frame.CLAUSE, True),
        (TRAVELLED, "VBD", Frame.UNCLEAR, False),
        (cues(SUBJECT_OBJECT=4), "VBD", Frame.OBJECT, False),
        (cues(BE_CLOSED=40), "VBN", Frame.OBJECT, False),
        (FOOD, "NN", Frame.MASS, True),
        (FOOD, "NN", Frame.COUNT, False),
        (BOX, "NN", Frame.COUNT, True),
        (BOX, "NN", Frame.MASS, False),
        (BOX, "NN", Frame.NOUN, True),
        (KEEN, "NN", Frame.NOUN, False),
        (KEEN, "NN", Frame.COUNT, False),
    ],
)
def test_what_a_word_takes(counts, tag, frame, taken):
    """A word's own uses decide; too few of them, or an unclear place, is no."""
    nothing = np.zeros_like(counts)  # a form of which nothing is known takes nothing
    assert takes_frame(np.array([counts, nothing]), tag=tag, frame=frame).tolist() == [taken, False]
