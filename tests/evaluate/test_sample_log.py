"""Logs of lm-evaluation-harness."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.evaluate.sample_log import is_sample_log, parse_sample_log


def line(item_id: Any, *ln_probs: Any, **more: Any) -> str:
    """As the harness writes one: texts, and a list of one answer for each request."""
    resps = [[[str(one) if isinstance(one, float) else one, "False"]] for one in ln_probs]
    record = {"doc_id": 0, "doc": {"id": item_id, "choices": ["x", "y"], "gold": 1}, "target": "1", "resps": resps, "filter": "none"}
    return json.dumps(record | {"filtered_resps": [one[0] for one in resps]} | more)


def test_every_document_comes_once() -> None:
    """Texts become numbers; lines of other filters, and answers from other batches, repeat what the first said."""
    text = "\n".join([line("a", -1.5, -2.0), line(7, -3.25, -0.5), line("a", -1.5, -2.0, filter="other"), line("a", -1.51, -1.99), ""])
    assert [(one.id, one.ln_probs, one.greedy) for one in parse_sample_log(text)] == [
        ("a", (-1.5, -2.0), (False, False)),
        ("7", (-3.25, -0.5), (False, False)),
    ]


def test_numbers_and_truth_may_be_themselves() -> None:
    """Other versions write no texts; what is asked several times is told the same."""
    [sample] = parse_sample_log(line("a", resps=[[[-1.5, True], [-1.5, True]], [["-2", "False"]]]))
    assert (sample.ln_probs, sample.greedy) == ((-1.5, -2.0), (True, False))


def test_other_files_are_no_logs() -> None:
    """Scores of our own form, lines of a sentence and a score, and what is broken; a mark at the head of the file is none of it."""
    assert is_sample_log("\ufeff\n" + line("a", -1.0))
    assert not any(map(is_sample_log, ['{"id": "a", "scores": [1]}', "<s> We hide </s>\t-1.5", '{"doc"', '["doc", "resps"]', ""]))


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (line("a", -9.0, -2.0), "line 2: a has other answers on line 1"),
        (line("a", -1.0), "line 2: a has other answers on line 1"),
        (line("b", "-inf"), "line 2: `resps` of 'b': '-inf' is not a finite number"),
        (line("b", "nan", -1.0), "'nan' is not a finite number"),
        (line("b", "1_5"), "'1_5' is not a finite number"),
        (line("b", True), "True is not a finite number"),
        (line("b", resps=[]), "`resps` of 'b' is empty"),
        (line("b", resps=[["B C"]]), "the task generates, so its log holds no scores"),
        (line("b", resps=[["-1.5", "False"]]), "expected one answer to each request"),
        (line("b", resps=[[["-1.5", "False"], ["-2", "False"]]]), "expected one answer to each request"),
        (line("b", resps=[[["-1.5"]]]), 'expected ["-1.5", "False"], found'),
        (line("b", resps=[[["-1.5", "maybe"]]]), 'expected ["-1.5", "False"], found'),
        (line("b", resps=[[["-1.5", ["False"]]]]), 'expected ["-1.5", "False"], found'),
        (line("b", resps=[{}]), "expected one answer to each request"),
        (line("b", doc={"query": "x"}), "line 2: `doc` has no `id`"),
        (line("b", doc={"id": True}), "line 2: `doc` has no `id`"),
        (line("b", doc="x"), "line 2: expected a line of a log"),
        ("{", "line 2: not JSON"),
        ("[1]", "line 2: expected a line of a log"),
    ],
)
def test_mistakes_are_one_message(second: str, said: str) -> None:
    """File, line and what is wrong with it."""
    with pytest.raises(FormatError) as caught:
        parse_sample_log(f"{line('a', -1.5, -2.0)}\n{second}\n", name="samples.jsonl")
    assert said in str(caught.value)
    assert str(caught.value).startswith("samples.jsonl, line 2")


@pytest.mark.parametrize("choices", [["eat it.", "hide it."], ["eat", "hide"], ["A", "B"]])
def test_the_options_may_be_told_in_three_ways(choices: list[str]) -> None:
    """With the rest of the sentence, alone, or by letters."""
    [sample] = parse_sample_log(line("a", -1.0, -2.0, doc={"id": "a", "choices": choices, "gold": 1}))
    sample.check_options(("eat", "hide"), 1)


@pytest.mark.parametrize(
    ("doc", "options", "said"),
    [
        ({"choices": ["hide it.", "eat it."], "gold": 1}, ("eat", "hide"), "the options of a are others here"),
        ({"choices": ["A", "B"], "gold": 0}, ("eat", "hide"), "the options of a are others here"),
        ({"choices": "AB"}, ("A", "B"), "the options of a are others here"),
        ({"choices": [1, 2]}, ("A", "B"), "the options of a are others here"),
        ({}, ("eat", "hide", "see"), "2 answers for the 3 options of a"),
    ],
)
def test_a_log_of_another_set_is_found(doc: dict[str, Any], options: tuple[str, ...], said: str) -> None:
    """The same id does not make the same item: order, texts and answer are compared, as far as the log tells them."""
    [sample] = parse_sample_log(line("a", -1.0, -2.0, doc={"id": "a", **doc}))
    with pytest.raises(FormatError, match=f"line 1: {said}"):
        sample.check_options(options, 1)
