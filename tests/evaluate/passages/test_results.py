"""One baseline on one set: its row and its predictions."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.evaluate.passages.asked import AskedPassage
from cloze_gen.evaluate.passages.baselines import PASSAGE_BASELINES
from cloze_gen.evaluate.passages.metrics import TargetScores
from cloze_gen.evaluate.passages.results import prediction_rows, random_result, rule_result, scored_result

ROWS = {row.name: row for row in PASSAGE_BASELINES}
CASED = [
    AskedPassage("a:1", "passages", (("i", "saw", "joe", "."), ("then", "came")), "joe", ("I", "saw", "Joe", ".", "Then", "came", "Joe")),
    AskedPassage("a:2", "passages", (("the", "sea", "rose"),), "sea", ("The", "sea", "rose", "sea")),
]
SMALL = [AskedPassage(one.id, one.set, one.sentences, one.target) for one in CASED]


def test_rules_of_case_look_at_the_book() -> None:
    """A last name is found by its capital; of a file in small letters the row says that nothing was measured."""
    found = rule_result(ROWS["last name"], "passages", CASED)
    assert found.right is not None
    assert found.right.tolist() == [True, False]
    assert (found.row["kind"], found.row["set"], found.row["correct"], found.row["accuracy"]) == ("rule", "passages", 1, 0.5)
    for row in ("last name", "random capitalised word"):
        measure = rule_result if row == "last name" else lambda *given: random_result(*given, words=())
        untold = measure(ROWS[row], "passages", SMALL)
        assert (untold.row["accuracy"], untold.row["n"]) == (None, 2)
        assert "small letters" in untold.row["note"]
        assert list(prediction_rows(untold)) == []


def test_random_words_are_expectations() -> None:
    """One of three capitals of the first passage is the target, none of the second; of a vocabulary the paper's own figures come out."""
    assert random_result(ROWS["random capitalised word"], "passages", CASED, words=()).row["accuracy"] == pytest.approx(1 / 6)
    row = random_result(ROWS["random vocabulary word"], "passages", CASED, words=["joe", "the", "lamp", "."]).row
    assert (row["perplexity"], row["median_rank"], row["coverage"], row["accuracy"]) == (4.0, 2.5, 0.5, 0.125)


def test_predictions_tell_what_is_known_of_each_passage() -> None:
    """Probability, rank and first choice of a model; of a model without ranks or first choices None in their place."""
    known = np.array([True, True])
    scores = TargetScores.by_rank(np.array([-1.0, -2.0]), np.array([1.0, 7.0]), known)
    rows = list(prediction_rows(scored_result("n-gram", "model", "", "passages", CASED, scores)))
    told = {"baseline": "n-gram", "id": "a:1", "set": "passages", "log10_prob": -1.0, "rank": 1.0, "right": True}
    assert rows == [told, told | {"id": "a:2", "log10_prob": -2.0, "rank": 7.0, "right": False}]
    untold = TargetScores(np.array([-1.0, -2.0]), np.full(2, np.nan), known, None)
    assert [(row["rank"], row["right"]) for row in prediction_rows(scored_result("x", "user", "", "passages", CASED, untold))] == [
        (None, None)
    ] * 2
