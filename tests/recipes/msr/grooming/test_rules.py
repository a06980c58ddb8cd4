"""Rules on an answer and its candidates: for each fault a case with it and one without."""

import json
from pathlib import Path

import pytest

from cloze_gen.english.content_words import stem
from cloze_gen.recipes.msr.grooming.rules import (
    AnswerFault,
    CandidateFault,
    answer_fault,
    candidate_fault,
)

PLACES = [
    ("The/DT [plate]/NN fell/VBD ./.", ("noun",), None),
    ("The/DT [plate]/NN fell/VBD ./.", (), None),
    ("The/DT [plate]/NN fell/VBD ./.", ("verb", "noun"), None),
    ("The/DT [plate]/NN fell/VBD ./.", ("verb",), AnswerFault.CLASS_NOT_SELECTED),
    ("The/DT [across]/NN fell/VBD ./.", (), AnswerFault.TAG_DOUBTFUL),
    ("They/PRP [spread]/VBD it/PRP ./.", (), AnswerFault.TAG_DOUBTFUL),
    ("The/DT [brass]/NN plates/NNS fell/VBD ./.", (), AnswerFault.COMPOUND),
    ("They/PRP [buried]/VBD plates/NNS ./.", (), None),
    ("The/DT brass/NN [plate]/NN ./.", (), None),
    # the first fault is the verdict
    ("The/DT [across]/NN plates/NNS ./.", ("verb",), AnswerFault.CLASS_NOT_SELECTED),
    ("The/DT [across]/NN plates/NNS ./.", (), AnswerFault.TAG_DOUBTFUL),
]


@pytest.mark.parametrize(("marked", "classes", "fault"), PLACES)
def test_the_first_fault_of_an_answer(marked, classes, fault):
    pairs = [part.rsplit("/", 1) for part in marked.split()]
    position = next(i for i, (token, _) in enumerate(pairs) if token.startswith("["))
    tokens = [token.strip("[]") for token, _ in pairs]
    tags = [tag for _, tag in pairs]
    assert answer_fault(tokens, tags, position, classes=classes) == fault


CASES = json.loads(
    (Path(__file__).parents[3] / "cases" / "candidates.json").read_text(encoding="utf-8")
)
SENTENCE = "He wandered with a lamp through the house .".split()
AROUND = {
    "answer": "lamp",
    "tag": "",
    "predecessor": "the",
    "sentence_stems": frozenset(map(stem, SENTENCE)),
    "offensive": frozenset({"cur"}),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case.values())))
def test_the_first_fault_of_a_candidate(case):
    """One reason a candidate, by its letters alone."""
    words = {name: value for name, value in case.items() if name in AROUND}
    assert candidate_fault(case["candidate"], **AROUND | words) == case["fault"]


def test_every_fault_has_a_case():
    """None of those that the words show goes untried."""
    asked = {
        CandidateFault.TAG,
        CandidateFault.TAG_IMPOSSIBLE,
        CandidateFault.FITS_AS_WELL,
        CandidateFault.UNGRAMMATICAL,
    }
    assert {case["fault"] for case in CASES} == {None, *CandidateFault} - asked


def test_the_first_fault_of_a_candidate_is_the_verdict():
    """Faults are mended one by one, down to none."""
    around = {
        "answer": "owls",
        "tag": "RB",
        "predecessor": "a",
        "sentence_stems": {"owl"},
        "offensive": {"owl"},
    }
    mended = [
        (CandidateFault.ARTICLE, {"predecessor": "the"}),
        (CandidateFault.FORM_OF_ANSWER, {"answer": "60,000"}),
        (CandidateFault.IN_SENTENCE, {"sentence_stems": ()}),
        (CandidateFault.OFFENSIVE, {"offensive": ()}),
        (CandidateFault.DIGITS, {"answer": "lamp"}),
        (CandidateFault.TAG_IMPOSSIBLE, {"tag": "NN"}),
    ]
    for fault, change in mended:
        assert candidate_fault("owl", **around) is fault
        around |= change
    assert candidate_fault("owl", **around) is None


@pytest.mark.parametrize(
    ("candidate", "answer", "tag", "takes"),
    [
        ("beer", "wine", "NN", True),
        ("dreadful", "wine", "NN", False),
        ("dreadful", "wine", "", True),  # without a tag there is nothing to look up
        ("spread", "bury", "VB", False),  # easily confused with another form
        # `hidden` is no past tense, `painted` is: only `painted` may replace `buried`
        ("hidden", "buried", "VBN", False),
        ("painted", "buried", "VBN", True),
        ("hidden", "driven", "VBN", True),
        ("painted", "buried", "VBD", True),
    ],
)
def test_the_dictionary_must_list_the_answers_tag(candidate, answer, tag, takes):
    fault = candidate_fault(candidate, **AROUND | {"answer": answer, "tag": tag})
    assert fault == (None if takes else CandidateFault.TAG_IMPOSSIBLE)
