"""Predicates on a sentence and its answer: each fault with a case that raises it and a neighbour that does not."""

from __future__ import annotations

from typing import Any

import pytest

from cloze_gen.recipes.msr.steps.grooming import GroomingSettings
from cloze_gen.recipes.msr.steps.unfit_answers import AnswerFault, answer_fault, tells_too_little, told_by_topic

FREQUENT = frozenset("he the at of and".split())
LINE = "He took the oars and the lantern at dusk ."  # took, lantern and dusk beside oars; ten tokens


@pytest.mark.parametrize(
    ("line", "min_tokens", "min_content_words", "found"),
    [
        (LINE, 10, 3, False),
        (LINE, 11, 3, True),
        (LINE, 10, 4, True),
        (LINE.replace("the lantern", '" the -- lantern "'), 10, 3, False),
        (LINE.replace("the lantern", '" the -- lantern "'), 11, 3, True),
        (LINE.replace("lantern", "HE"), 10, 3, True),
        (LINE.replace("lantern", "oars"), 10, 3, False),
    ],
)
def test_a_sentence_that_tells_too_little(line: str, min_tokens: int, min_content_words: int, found: bool) -> None:
    """Both bounds are inclusive; what is not printed does not count, nor do frequent words in any letter case, marks and the blank."""
    settings = GroomingSettings(min_tokens=min_tokens, min_content_words=min_content_words)
    tokens = line.split()
    assert tells_too_little(tokens, tokens.index("oars"), frequent=FREQUENT, settings=settings) == found


def test_an_answer_told_by_its_topic() -> None:
    """The bound is exclusive: at it the answer is given away."""
    settings = GroomingSettings(max_answer_topicality=0.7)
    assert [told_by_topic(topicality, settings=settings) for topicality in (0.6999, 0.7)] == [False, True]


SOUND: dict[str, Any] = {"classes": (), "has_tag": True, "doubtful": False, "takes_frame": True}


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
        ("DT NN VBD", {"takes_frame": False}, AnswerFault.FRAME_UNCLEAR),
    ],
)
def test_what_a_tagger_shows_of_an_answer(tags: str, change: dict[str, Any], fault: AnswerFault | None) -> None:
    """A class not asked for, a tag that it cannot have or is mistaken in, the first part of a compound, a frame it is not seen in."""
    assert answer_fault(tags.split(), 1, **SOUND | change) == fault


def test_the_first_fault_is_the_verdict() -> None:
    """What is mended makes way for the next fault, down to none."""
    against: dict[str, Any] = {"classes": ("verb",), "has_tag": False, "doubtful": True, "takes_frame": False}
    tags = ["DT", "NN", "NN"]
    assert answer_fault(tags, 1, **against) is AnswerFault.CLASS_NOT_ASKED
    against["classes"] = ()
    assert answer_fault(tags, 1, **against) is AnswerFault.TAG_DOUBTFUL
    against |= {"has_tag": True, "doubtful": False}
    assert answer_fault(tags, 1, **against) is AnswerFault.COMPOUND
    assert answer_fault(tags[:2], 1, **against) is AnswerFault.FRAME_UNCLEAR
    assert answer_fault(tags[:2], 1, **against | {"takes_frame": True}) is None
