"""A model of the user's own in a local folder, asked how well a candidate fits a blank."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cloze_gen.adapters.causal_model import CausalModel
from cloze_gen.adapters.next_sentence_model import NextSentenceModel, is_next_sentence_model
from cloze_gen.evaluate.blanks.asked import AskedBlanks, BlankScorer, Direction
from cloze_gen.evaluate.blanks.sides import sentences_beside

_MOST_PIECES = 256  # SCDE 4.6
_MARKS = 3  # of a pair: before the first text, between the two, behind the second
Pairs = Sequence[tuple[str, str]]


class LocalBlankScorer:
    """Scores of a model that reads two texts, one after the other.

    Before a blank the context is the first text and the candidate the second, after it the other way round (SCDE 4.6). A causal model says
    log10 P(candidate | context) and log10 P(context | candidate), a next-sentence model ln P(second follows first). Context and candidate
    are at most 256 pieces together, and only the context is cut, at its far end. *Read:* it is cut as the longest candidate of the passage
    needs it, so that all candidates are asked about the same text: the probabilities of longer and shorter contexts do not compare.
    """

    def __init__(self, model: CausalModel | NextSentenceModel) -> None:
        self._pieces = model.pieces
        self._most = min(_MOST_PIECES, model.window or _MOST_PIECES) - _MARKS
        self._ask: Callable[[Pairs], NDArray[np.float64]]
        if isinstance(model, NextSentenceModel):
            self._between, self._ask = "", model.log_probs
        else:
            self._between, self._ask = " ", model.log10_probs

    def scores(self, asked: AskedBlanks) -> Mapping[Direction, NDArray[np.float64]]:
        """As `asked.BlankScorer.scores`."""
        passage = asked.passage
        room = self._most - max(map(self._pieces.count, passage.candidates))
        found = {}
        for direction, beside in sentences_beside(passage).items():
            scores = np.full((len(passage.blanks), len(passage.candidates)), np.nan)
            contexts = [" ".join(compress(passage.sentences, row)) for row in beside.tolist()]
            there = [blank for blank, context in enumerate(contexts) if context]
            pairs = [self._pair(contexts[blank], candidate, direction, room) for blank in there for candidate in passage.candidates]
            if pairs:
                scores[there] = self._ask(pairs).reshape(-1, len(passage.candidates))
            found[direction] = scores
        return found

    def _pair(self, context: str, candidate: str, direction: Direction, room: int) -> tuple[str, str]:
        if direction in (Direction.P, Direction.AP):
            return self._pieces.end(context, room), f"{self._between}{candidate}"
        return candidate, f"{self._between}{self._pieces.beginning(context, room)}"


def open_local_scorer(folder: Path) -> BlankScorer:
    """The model of a folder: by its next-sentence head where it is of a family that has one, else as a causal model.

    Raises:
        ToolError: the extra is not installed.
        ModelError: the folder holds neither.
    """
    return LocalBlankScorer(NextSentenceModel(folder) if is_next_sentence_model(folder) else CausalModel(folder))
