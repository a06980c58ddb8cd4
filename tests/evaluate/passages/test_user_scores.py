"""Logs of lm-evaluation-harness as scores of targets."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from cloze_gen.errors import FormatError
from cloze_gen.evaluate.passages.asked import AskedPassage
from cloze_gen.evaluate.passages.user_scores import target_scores_of_log

ONE = AskedPassage("b:1", "passages", (("it", "was"),), "ann", prompts={"cased": ("It was", " Ann"), "published": ("it was", " ann")})
TWO = AskedPassage("b:2", "passages", (("who",),), "hid")


def line(passage_id: str, ln_prob: float, greedy: bool, **doc: Any) -> str:
    return json.dumps({"doc": {"id": passage_id, **doc}, "resps": [[[str(ln_prob), str(greedy)]]]})


def test_natural_logarithms_become_ours() -> None:
    """Right is what the model would have written; nobody tells ranks; a control passage that stands in the set has its answer too."""
    text = "\n".join([line("b:2", -2 * np.log(10), False), line("b:1", -np.log(10), True, target="Ann"), line("other", -1, True)])
    control = AskedPassage("b:1", "control", ONE.sentences, "ann")
    found = target_scores_of_log(text, [ONE, TWO, control])
    np.testing.assert_allclose(found.log10_prob, [-1, -2, -1])
    assert found.right is not None
    assert (found.right.tolist(), found.known.all(), np.isnan(found.rank).all()) == ([True, False, True], True, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (line("b:1", -1, True), "mine: no answer for 1 of 2 passages, the first is b:2. A log holds one split"),
        (line("b:1", -1, True, target="Bob") + "\n" + line("b:2", -1, True), "mine, line 1: the target of b:1 is another"),
        (line("b:1", -1, True, target=["Ann"]) + "\n" + line("b:2", -1, True), "mine, line 1: the target of b:1 is another"),
        (line("b:1", 0.5, True) + "\n" + line("b:2", -1, True), "mine, line 1: 0.5 is above 0"),
        (
            json.dumps({"doc": {"id": "b:1"}, "resps": [[["-1", "True"]]] * 2}) + "\n" + line("b:2", -1, True),
            "2 answers for the one target",
        ),
    ],
)
def test_mistakes_are_one_message(text: str, said: str) -> None:
    """What is missing or of another set, with file and line."""
    with pytest.raises(FormatError) as caught:
        target_scores_of_log(text, [ONE, TWO], name="mine")
    assert said in str(caught.value)
