"""A recording scorer, a passage of five blanks and seven candidates, and a builder of passages."""

import numpy as np
import pytest

from cloze_gen.evaluation.blanks import ClozeExample, Direction
from cloze_gen.records.blanked_passage import BlankedPassage


@pytest.fixture
def passage():
    """Blank 2 opens it, 1 and 2 are adjacent, the other answers are candidates 0, 1 and 2."""
    sentences = ("B.", "A.", "Tea.", "C.", "Milk.", "D.", "E.", "Rum.")
    return BlankedPassage(
        "b:0",
        sentences,
        (1, 0, 3, 5, 6),
        ("C.", "D.", "E.", "Gin.", "A.", "Ale.", "B."),
        (4, 6, 0, 1, 2),
    )


@pytest.fixture
def tell():
    """Scores of the named directions from single pairs; `nothing` has blanks without that side."""

    def scores(shape, nothing=None, **told):
        found = {}
        for name, values in told.items():
            matrix = np.zeros(shape)
            for (blank, candidate), score in values.items():
                matrix[blank, candidate] = score
            matrix[list((nothing or {}).get(name, ()))] = np.nan
            found[Direction(name)] = matrix
        return found

    return scores


@pytest.fixture
def ask():
    """A passage from space-joined sentences; the first candidates answer its `blanks` in order."""

    def asked(
        sentences,
        blanks,
        distractors="",
        *,
        name="b:0",
        book="b",
    ):
        said = tuple(sentences.split(" / "))
        candidates = (*(said[i] for i in blanks), *filter(None, distractors.split(" / ")))
        passage = BlankedPassage(name, said, blanks, candidates, tuple(range(len(blanks))))
        return ClozeExample(
            passage,
            book,
            "test",
            *(tuple(tuple(text.split()) for text in texts) for texts in (said, candidates)),
        )

    return asked
