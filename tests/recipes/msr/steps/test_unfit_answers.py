"""Predicates on a sentence and its answer: each fault with a case that raises it and a neighbour that does not."""

from __future__ import annotations

from typing import Any

import pytest

from cloze_gen.recipes.msr.steps.grooming import GroomingSettings
from cloze_gen.recipes.msr.steps.unfit_answers import AnswerFault, answer_fault, tells_too_little

LINE = "He took the oars and the lantern at dusk ."


@pytest.mark.parametrize("line", [LINE, LINE.replace("the lantern", '" the -- lantern "')])
def test_a_sentence_that_tells_too_little(line: str) -> None:
    """The bound is inclusive, of tokens; what is not printed does not count."""
    found = [tells_too_little(line.split(), settings=GroomingSettings(min_tokens=bound)) for bound in (0, 10, 11)]
    assert found == [False, False, True]


SOUND: dict[str, Any] = {"classes": (), "has_tag": True, "doubtful": False}


@pytest.mark.parametrize(
    ("tags", "change", "fault"),
    [
        ("DT NN VBD", {}, None),
        ("DT NN", {}, None),
        ("DT NN VBD", {"classes": ("verb",)}, AnswerFault.CLASS_NOT_ASKED),
        ("DT NN VBD", {"classes": ("verb", "noun")}, None),
        ("DT NN VBD", {"has_tag": False}, AnswerFault.TAG_DOUBTFUL),
        ("DT NN VBD", {"doubtful": True}, AnswerFault.TAG_DOUBTFUL),
        ("DT NN NNS", {}, AnswerFault.COMPOUND),
        ("NNP NNP NNP", {}, AnswerFault.COMPOUND),
        ("PRP VBD NN", {}, None),
        ("NN NN VBD", {}, None),
    ],
)
def test_what_a_tagger_shows_of_an_answer(tags: str, change: dict[str, Any], fault: AnswerFault | None) -> None:
    """A class not asked for, a tag that it cannot have or is mistaken in, the first part of a compound."""
    assert answer_fault(tags.split(), 1, **SOUND | change) == fault


def test_the_first_fault_is_the_verdict() -> None:
    """What is mended makes way for the next fault, down to none."""
    against: dict[str, Any] = {"classes": ("verb",), "has_tag": False, "doubtful": True}
    tags = ["DT", "NN", "NN"]
    assert answer_fault(tags, 1, **against) is AnswerFault.CLASS_NOT_ASKED
    against["classes"] = ()
    assert answer_fault(tags, 1, **against) is AnswerFault.TAG_DOUBTFUL
    against |= {"has_tag": True, "doubtful": False}
    assert answer_fault(tags, 1, **against) is AnswerFault.COMPOUND
    assert answer_fault(tags[:2], 1, **against) is None
