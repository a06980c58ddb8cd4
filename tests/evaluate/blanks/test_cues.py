"""The solver of surface cues as a scorer of blanks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cloze_gen.evaluate.blanks.asked import AskedBlanks, Direction
from cloze_gen.evaluate.blanks.contexts import CONTEXTS, context_scores
from cloze_gen.evaluate.blanks.cues import CueScorer, learnt_cues
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.stats import cues

TEXTS = ("Ann saw the lantern.", "The lantern was lit.", "It rained.", "The ferry left.", "Nobody saw the ferry.")
CANDIDATES = ("The lantern was lit.", "The ferry left.", "A museum opens.")


def asked() -> AskedBlanks:
    tokens = [tuple(text.replace(".", " .").split()) for text in (*TEXTS, *CANDIDATES)]
    passage = BlankedPassage("b:0", TEXTS, (1, 3), CANDIDATES, (0, 1))
    return AskedBlanks(passage, "b", "test", tuple(tokens[:5]), tuple(tokens[5:]))


# Weights of our own, 1 for rare words of the two neighbours, so that nothing here depends on those that are fitted.
BY_ECHOES = np.array([1.0, 1.0, *([0.0] * (len(cues.CUES) - 2))])


def test_an_echoed_word_is_a_cue() -> None:
    """Both blanks are solved by the word that their neighbour has; from both sides at once, so there is a row of AP+AN and no other."""
    found = CueScorer(lambda stem: 2.0, BY_ECHOES).scores(asked())
    assert found[Direction.BOTH].argmax(axis=1).tolist() == [0, 1]
    assert [context for context in CONTEXTS if context_scores(found, context) is not None] == ["AP+AN"]


def test_the_answer_in_its_place_is_not_read() -> None:
    """Whatever stands in the blanks, the scores are the same."""
    one = asked()
    other = replace(one, sentences=tuple(("Zebras", ".") if i in (1, 3) else tokens for i, tokens in enumerate(one.sentences)))
    scorer = CueScorer(lambda stem: 2.0, BY_ECHOES)
    assert np.array_equal(scorer.scores(one)[Direction.BOTH], scorer.scores(other)[Direction.BOTH])


def test_a_solver_learns_what_answers_blanks() -> None:
    """Where answers echo their neighbours the weights of echoes come out above nothing, and the blanks are solved."""
    solver = learnt_cues([asked()] * 40, lambda stem: 2.0)
    assert solver.scores(asked())[Direction.BOTH].argmax(axis=1).tolist() == [0, 1]
