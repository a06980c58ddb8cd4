"""Predicates on a sentence and its answer: for each fault a case with it and one without."""

import json
from pathlib import Path

import pytest

from cloze_gen.english.content_words import stem
from cloze_gen.recipes.msr.grooming.predicates import (
    AnswerFault,
    CandidateFault,
    GroomingSettings,
    answer_fault,
    dictionary_fault,
    is_too_short,
    reader_fault,
    word_fault,
)

LINE = "He took the oars and the lantern at dusk ."


@pytest.mark.parametrize("line", [LINE, LINE.replace("the lantern", '" the -- lantern "')])
def test_a_sentence_that_tells_too_little(line):
    """The bound is inclusive, of tokens; what is not printed does not count."""
    found = [
        is_too_short(line.split(), settings=GroomingSettings(min_tokens=bound))
        for bound in (0, 10, 11)
    ]
    assert found == [False, False, True]


SOUND = {"classes": (), "has_tag": True, "doubtful": False}


@pytest.mark.parametrize(
    ("tags", "change", "fault"),
    [
        ("DT NN VBD", {}, None),
        ("DT NN", {}, None),
        ("DT NN VBD", {"classes": ("verb",)}, AnswerFault.CLASS_NOT_SELECTED),
        ("DT NN VBD", {"classes": ("verb", "noun")}, None),
        ("DT NN VBD", {"has_tag": False}, AnswerFault.TAG_DOUBTFUL),
        ("DT NN VBD", {"doubtful": True}, AnswerFault.TAG_DOUBTFUL),
        ("DT NN NNS", {}, AnswerFault.COMPOUND),
        ("NNP NNP NNP", {}, AnswerFault.COMPOUND),
        ("PRP VBD NN", {}, None),
        ("NN NN VBD", {}, None),
    ],
)
def test_what_a_tagger_shows_of_an_answer(tags, change, fault):
    assert answer_fault(tags.split(), 1, **SOUND | change) == fault


def test_the_first_fault_of_an_answer_is_the_verdict():
    """What is mended makes way for the next fault, down to none."""
    against = {"classes": ("verb",), "has_tag": False, "doubtful": True}
    tags = ["DT", "NN", "NN"]
    assert answer_fault(tags, 1, **against) is AnswerFault.CLASS_NOT_SELECTED
    against["classes"] = ()
    assert answer_fault(tags, 1, **against) is AnswerFault.TAG_DOUBTFUL
    against |= {"has_tag": True, "doubtful": False}
    assert answer_fault(tags, 1, **against) is AnswerFault.COMPOUND
    assert answer_fault(tags[:2], 1, **against) is None


CASES = json.loads(
    (Path(__file__).parents[3] / "cases" / "candidates.json").read_text(encoding="utf-8")
)
SENTENCE = "He wandered with a lamp through the house .".split()
AROUND = {
    "answer": "lamp",
    "predecessor": "the",
    "sentence_stems": frozenset(map(stem, SENTENCE)),
    "offensive": frozenset({"cur"}),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case.values())))
def test_the_first_fault_of_a_candidate(case):
    """One reason a candidate, by its letters alone."""
    words = {name: value for name, value in case.items() if name in AROUND}
    assert word_fault(case["candidate"], **AROUND | words) == case["fault"]


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
    around = {"answer": "owls", "predecessor": "a", "sentence_stems": {"owl"}, "offensive": {"owl"}}
    mended = [
        (CandidateFault.ARTICLE, {"predecessor": "the"}),
        (CandidateFault.FORM_OF_ANSWER, {"answer": "60,000"}),
        (CandidateFault.IN_SENTENCE, {"sentence_stems": ()}),
        (CandidateFault.OFFENSIVE, {"offensive": ()}),
        (CandidateFault.NUMBER_SHAPE, {"answer": "lamp"}),
    ]
    for fault, change in mended:
        assert word_fault("owl", **around) is fault
        around |= change
    assert word_fault("owl", **around) is None


@pytest.mark.parametrize(
    ("tag", "change", "speaks_against"),
    [
        ("VBD", {}, False),
        ("NN", {"has_tag": False}, True),
        ("NN", {"doubtful": True}, True),
        ("VBD", {"same_past_forms": False}, True),
        ("VBN", {"same_past_forms": False}, True),
        ("VBZ", {"same_past_forms": False}, False),
        ("NN", {"same_past_forms": False}, False),
    ],
)
def test_what_a_dictionary_shows(tag, change, speaks_against):
    """A tag that the word cannot have or is mistaken in; past forms where they matter."""
    sound = {"has_tag": True, "doubtful": False, "same_past_forms": True}
    assert dictionary_fault(tag, **sound | change) == (
        CandidateFault.TAG_IMPOSSIBLE if speaks_against else None
    )


@pytest.mark.parametrize(
    ("fits_as_well", "ungrammatical", "fault"),
    [
        (0.0999, 0.1999, None),
        (0.1, 0.0, CandidateFault.FITS_AS_WELL),
        (0.0, 0.2, CandidateFault.UNGRAMMATICAL),
        (0.1, 0.2, CandidateFault.FITS_AS_WELL),
    ],
)
def test_what_readers_would_find(fits_as_well, ungrammatical, fault):
    """Both bounds are exclusive; what fits as well is said first."""
    assert (
        reader_fault(
            fits_as_well,
            ungrammatical,
            settings=GroomingSettings(max_ambiguity=0.1, max_ungrammatical=0.2),
        )
        == fault
    )


def test_bounds_of_one_are_off():
    """No opinion short of certainty speaks against a candidate then."""
    assert (
        reader_fault(
            0.999999, 0.999999, settings=GroomingSettings(max_ambiguity=1, max_ungrammatical=1)
        )
        is None
    )
