"""Machine grooming by cases: each predicate on words that a reader would judge at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.english.stems import stem
from cloze_gen.recipes.msr.steps.grooming import GroomingSettings, candidate_fault

CASES = json.loads((Path(__file__).parents[3] / "cases" / "grooming.json").read_text(encoding="utf-8"))
SETTINGS = GroomingSettings(max_similarity=0.5)
SENTENCE = "He wandered with a lamp through the house .".split()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['candidate']}-{case['fault']}")
def test_the_first_fault_of_a_candidate(case: dict[str, Any]) -> None:
    """One reason a candidate, the first that speaks against it; bounds are exclusive where they say so."""
    found = candidate_fault(
        case["candidate"],
        answer=case.get("answer", "lamp"),
        predecessor=case.get("predecessor", "the"),
        sentence_stems=frozenset(map(stem, SENTENCE)),
        offensive=frozenset({"cur"}),
        similarity=case.get("similarity", 0.1),
        attested=case.get("attested", True),
        collocates=case.get("collocates", False),
        lift=case.get("lift", 0.0),
        gain=case.get("gain", 0.0),
        topicality=case.get("topicality", 0.0),
        settings=SETTINGS,
    )
    assert found == case["fault"]


@pytest.mark.parametrize("setting", [{"require_attested": False}, {"reject_collocations": False}])
def test_predicates_that_can_be_turned_off(setting: dict[str, bool]) -> None:
    """What a setting turns off rejects nothing."""
    settings = GroomingSettings(max_similarity=0.5, **setting)  # type: ignore[arg-type]
    arguments = {
        "answer": "lamp",
        "predecessor": "the",
        "sentence_stems": (),
        "offensive": (),
        "similarity": 0.0,
        "lift": 0.0,
        "gain": 0.0,
        "topicality": 0.0,
    }
    attested, collocates = "require_attested" not in setting, "reject_collocations" in setting
    assert candidate_fault("candle", **arguments, attested=attested, collocates=collocates, settings=settings) is None  # type: ignore[arg-type]
