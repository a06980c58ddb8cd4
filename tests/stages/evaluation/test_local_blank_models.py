"""How a model that reads two texts is asked about blanks: with a fake that tells what it was asked."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from cloze_gen.adapters.causal_model import CausalModel
from cloze_gen.evaluate.blanks.asked import Direction
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.stages.evaluation.blank_sets import asked_blanks
from cloze_gen.stages.evaluation.local_blank_models import LocalBlankScorer

PASSAGE = BlankedPassage(
    "7", ("A b c d e.", "One.", "F g h.", "Two two.", "I j."), (1, 3), ("One.", "Two two.", "Three three three."), (0, 1)
)


class Words:
    """Pieces that are words."""

    def count(self, text: str) -> int:
        return len(text.split())

    def beginning(self, text: str, most: int) -> str:
        return " ".join(text.split()[: max(0, most)])

    def end(self, text: str, most: int) -> str:
        return " ".join(text.split()[-most:]) if most > 0 else ""


class Teller:
    """A causal model that remembers what it was asked and answers with the number of the question."""

    def __init__(self, window: int | None) -> None:
        self.pieces, self.window = Words(), window
        self.asked: list[tuple[str, str]] = []

    def log10_probs(self, texts: list[tuple[str, str]]) -> np.ndarray:
        self.asked += texts
        return np.arange(len(texts), dtype=np.float64)


def ask(window: int | None) -> tuple[Teller, dict[Direction, np.ndarray]]:
    teller = Teller(window)
    return teller, dict(LocalBlankScorer(cast("CausalModel", teller)).scores(asked_blanks([PASSAGE])[0]))


def test_order_is_kept() -> None:
    """Before a blank the context comes first, after it the candidate; no other blank is read; a row a blank, a column a candidate."""
    teller, found = ask(None)
    assert teller.asked[:4] == [
        ("A b c d e.", " One."),
        ("A b c d e.", " Two two."),
        ("A b c d e.", " Three three three."),
        ("F g h.", " One."),
    ]
    assert ("Two two.", " I j.") in teller.asked
    assert ("A b c d e. F g h.", " One.") in teller.asked
    assert ("One.", " F g h. I j.") in teller.asked
    assert found[Direction.P].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


def test_only_the_context_is_cut_at_its_far_end() -> None:
    """A window of eight, three of them marks, three of the longest candidate: two words of context are left, the nearest ones."""
    teller, _ = ask(8)
    before = [context for context, _ in teller.asked[:6]]
    assert before == ["d e."] * 3 + ["g h."] * 3
    assert ("Three three three.", " F g") in teller.asked
    assert ("One.", " F g") in teller.asked


@pytest.mark.parametrize("direction", [Direction.P, Direction.AP])
def test_a_blank_with_nothing_on_a_side_is_not_asked(direction: Direction) -> None:
    """Its row is NaN, and the model is never shown an empty context."""
    teller = Teller(None)
    opening = BlankedPassage("8", ("One.", "F g h."), (0,), ("One.", "Two."), (0,))
    found = LocalBlankScorer(cast("CausalModel", teller)).scores(asked_blanks([opening])[0])
    assert np.isnan(found[direction]).all()
    assert not any(context == "" for context, _ in teller.asked)
