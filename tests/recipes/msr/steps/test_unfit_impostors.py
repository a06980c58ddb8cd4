"""Predicates on a candidate: cases that a reader would judge at once, each beside one that passes, and the order they are asked in."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.english.stems import stem
from cloze_gen.recipes.msr.steps.grooming import GroomingSettings
from cloze_gen.recipes.msr.steps.unfit_impostors import CandidateFault, CandidateMeasures, candidate_fault, tag_fault

CASES = json.loads((Path(__file__).parents[3] / "cases" / "candidates.json").read_text(encoding="utf-8"))
SETTINGS = GroomingSettings(max_similarity=0.5)
SENTENCE = "He wandered with a lamp through the house .".split()
AROUND: dict[str, Any] = {
    "answer": "lamp",
    "predecessor": "the",
    "sentence_stems": frozenset(map(stem, SENTENCE)),
    "offensive": frozenset({"cur"}),
    "settings": SETTINGS,
}
WORDS = ("answer", "predecessor")


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case.values())))
def test_the_first_fault_of_a_candidate(case: dict[str, Any]) -> None:
    """One reason a candidate; bounds are exclusive where they say so, and `min_association` is inclusive."""
    words = {name: value for name, value in case.items() if name in WORDS}
    measured = {name: value for name, value in case.items() if name not in (*WORDS, "candidate", "fault")}
    assert candidate_fault(case["candidate"], **AROUND | words, measures=CandidateMeasures(**measured)) == case["fault"]


def test_every_fault_has_a_case() -> None:
    """None of those that need no tagger goes untried."""
    tagged = {CandidateFault.TAG, CandidateFault.TAG_IMPOSSIBLE, CandidateFault.FRAME}
    assert {case["fault"] for case in CASES} == {None, *CandidateFault} - tagged


def test_the_first_fault_is_the_verdict() -> None:
    """A word against which everything speaks; what is mended makes way for the next fault, down to none."""
    around = AROUND | {"answer": "owls", "predecessor": "a", "sentence_stems": {"owl"}, "offensive": {"owl"}}
    measures = {"similarity": 1.0, "association": -math.inf, "collocates": True, "lift": 9.0, "gain": 9.0, "topicality": 9.0}
    mended: list[tuple[CandidateFault, dict[str, Any]]] = [
        (CandidateFault.ARTICLE, {"predecessor": "the"}),
        (CandidateFault.FORM_OF_ANSWER, {"answer": "60,000"}),
        (CandidateFault.IN_SENTENCE, {"sentence_stems": ()}),
        (CandidateFault.OFFENSIVE, {"offensive": ()}),
        (CandidateFault.NUMBER_SHAPE, {"answer": "lamp"}),
        (CandidateFault.SUBSTITUTABLE, {"similarity": 0.0}),
        (CandidateFault.UNATTESTED, {"association": 0.0}),
        (CandidateFault.COLLOCATION, {"collocates": False}),
        (CandidateFault.CALLED_FOR, {"lift": 0.0}),
        (CandidateFault.LIKELIER, {"gain": 0.0}),
        (CandidateFault.TOPICAL, {"topicality": 0.0}),
    ]
    for fault, change in mended:
        assert candidate_fault("owl", **around, measures=CandidateMeasures(**measures)) is fault
        around |= {name: value for name, value in change.items() if name in around}
        measures |= {name: value for name, value in change.items() if name in measures}
    assert candidate_fault("owl", **around, measures=CandidateMeasures(**measures)) is None


@pytest.mark.parametrize(
    ("setting", "measures", "fault"),
    [
        ("require_attested", CandidateMeasures(association=-math.inf), CandidateFault.UNATTESTED),
        ("reject_collocations", CandidateMeasures(collocates=True), CandidateFault.COLLOCATION),
    ],
)
def test_predicates_that_can_be_turned_off(setting: str, measures: CandidateMeasures, fault: CandidateFault) -> None:
    """What a setting turns off rejects nothing."""
    found = [
        candidate_fault("candle", **AROUND | {"settings": SETTINGS.model_copy(update={setting: on})}, measures=measures)
        for on in (True, False)
    ]
    assert found == [fault, None]


SOUND: dict[str, Any] = {"answer_tag": "VBD", "has_tag": True, "same_past_forms": True, "takes_frame": True}


@pytest.mark.parametrize(
    ("tag", "answer_tag", "change", "fault"),
    [
        ("VBD", "VBD", {}, None),
        ("VBN", "VBD", {}, CandidateFault.TAG),
        ("NN+POS", "NN", {}, CandidateFault.TAG),
        ("NN+POS", "NN+POS", {}, None),
        ("NN", "NN", {"has_tag": False}, CandidateFault.TAG_IMPOSSIBLE),
        ("VBD", "VBD", {"same_past_forms": False}, CandidateFault.TAG_IMPOSSIBLE),
        ("VBN", "VBN", {"same_past_forms": False}, CandidateFault.TAG_IMPOSSIBLE),
        ("VBD+RB", "VBD+RB", {"same_past_forms": False}, CandidateFault.TAG_IMPOSSIBLE),
        ("VBZ", "VBZ", {"same_past_forms": False}, None),
        ("NN", "NN", {"same_past_forms": False}, None),
        ("NN", "NN", {"takes_frame": False}, CandidateFault.FRAME),
        ("VBD", "VBD", {"takes_frame": False}, CandidateFault.FRAME),
    ],
)
def test_what_a_tagger_shows(tag: str, answer_tag: str, change: dict[str, bool], fault: CandidateFault | None) -> None:
    """Another tag, clitics included; a tag that the word cannot have; past forms where they matter; a frame that it does not take."""
    assert tag_fault(tag, **SOUND | change | {"answer_tag": answer_tag}) == fault


def test_the_tag_is_asked_first_and_the_frame_last() -> None:
    """A candidate of another tag is not blamed for what the dictionary or its frames say of that tag."""
    against = SOUND | {"has_tag": False, "takes_frame": False}
    assert tag_fault("VBZ", **against) is CandidateFault.TAG
    assert tag_fault("VBD", **against) is CandidateFault.TAG_IMPOSSIBLE
    assert tag_fault("VBD", **against | {"has_tag": True}) is CandidateFault.FRAME
