"""Tests of `cloze_gen.evaluation.user_scores`."""

import json
from pathlib import Path

import numpy as np
import pytest

from cloze_gen.errors import FormatError
from cloze_gen.evaluation.passages import PassageExample
from cloze_gen.evaluation.questions import Baseline, judge_scores
from cloze_gen.evaluation.user_scores import (
    is_sample_log,
    parse_blank_scores,
    parse_sample_log,
    parse_user_scores,
    target_scores_of_log,
)
from cloze_gen.formats.msr import parse_machine
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.records.question import Question
from tests.support.errors import refused

# ---- sample log


def line(item_id, *ln_probs, **more):
    """As the harness writes one: texts, and a list of one answer for each request."""
    resps = [[[str(one) if isinstance(one, float) else one, "False"]] for one in ln_probs]
    record = {
        "doc_id": 0,
        "doc": {"id": item_id, "choices": ["x", "y"], "gold": 1},
        "target": "1",
        "resps": resps,
        "filter": "none",
    }
    return json.dumps(record | {"filtered_resps": [one[0] for one in resps]} | more)


def _samples(text):
    return list(parse_sample_log(text).values())


def test_every_document_comes_once():
    text = "\n".join(
        [
            line("a", -1.5, -2.0),
            line(7, -3.25, -0.5),
            line("a", -1.5, -2.0, filter="other"),
            line("a", -1.51, -1.99),
            "",
        ]
    )
    assert [(one.id, one.ln_probs, one.greedy) for one in _samples(text)] == [
        ("a", (-1.5, -2.0), (False, False)),
        ("7", (-3.25, -0.5), (False, False)),
    ]


def test_numbers_and_truth_may_be_themselves():
    """Other versions write no texts; what is asked several times is told the same."""
    [sample] = _samples(line("a", resps=[[[-1.5, True], [-1.5, True]], [["-2", "False"]]]))
    assert (sample.ln_probs, sample.greedy) == ((-1.5, -2.0), (True, False))


def test_other_files_are_no_logs():
    assert is_sample_log("\ufeff\n" + line("a", -1.0))
    assert not any(
        map(
            is_sample_log,
            [
                '{"id": "a", "scores": [1]}',
                "<s> We hide </s>\t-1.5",
                '{"doc"',
                '["doc", "resps"]',
                "",
            ],
        )
    )


@pytest.mark.parametrize(
    "second",
    [
        line("a", -9.0, -2.0),
        line("a", -1.0),
        line("b", "-inf"),
        line("b", "1_5"),
        line("b", True),
        line("b", resps=[]),
        line("b", resps=[["B C"]]),
        line("b", resps=[["-1.5", "False"]]),
        line("b", resps=[[["-1.5", "False"], ["-2", "False"]]]),
        line("b", resps=[[["-1.5"]]]),
        line("b", resps=[[["-1.5", "maybe"]]]),
        line("b", resps=[[["-1.5", ["False"]]]]),
        line("b", resps=[{}]),
        line("b", doc={"query": "x"}),
        line("b", doc={"id": True}),
        line("b", doc="x"),
        "{",
        "[1]",
    ],
)
def test_a_wrong_line_of_a_log_is_refused(second):
    text = f"{line('a', -1.5, -2.0)}\n{second}\n"
    refused(lambda: parse_sample_log(text, name="samples"), FormatError, names="samples, line 2")


@pytest.mark.parametrize("choices", [["eat it.", "hide it."], ["eat", "hide"], ["A", "B"]])
def test_the_options_may_be_told_in_three_ways(choices):
    """With the rest of the sentence, alone, or by letters."""
    [sample] = _samples(line("a", -1.0, -2.0, doc={"id": "a", "choices": choices, "gold": 1}))
    sample.check_options(("eat", "hide"), 1)


@pytest.mark.parametrize(
    ("doc", "options"),
    [
        ({"choices": ["hide it.", "eat it."], "gold": 1}, ("eat", "hide")),
        ({"choices": ["A", "B"], "gold": 0}, ("eat", "hide")),
        ({"choices": "AB"}, ("A", "B")),
        ({"choices": [1, 2]}, ("A", "B")),
        ({}, ("eat", "hide", "see")),
    ],
)
def test_a_log_of_another_set_is_found(doc, options):
    """Order, texts and answer are compared, as ids may recur."""
    [sample] = _samples(line("a", -1.0, -2.0, doc={"id": "a", **doc}))
    refused(lambda: sample.check_options(options, 1), FormatError, names="line 1: ")


# ---- user scores


PUBLISHED = Path(__file__).parents[2] / "data" / "published" / "msr-dev"
ITEMS = [
    Question("a", "b", ("We", "hide", "."), 1, ("hide", "eat"), 0),
    Question("c", "b", ("I", "go", "."), 1, ("see", "go"), 1),
]


def test_lines_of_questions_may_come_in_any_order():
    records = '{"id": "c", "scores": [-3, -4]}\n{"id": "a", "scores": [-1.5, -2]}\n'
    assert parse_user_scores(records, ITEMS).tolist() == [[-1.5, -2], [-3, -4]]


def log(*samples):
    """As lm-evaluation-harness keeps what a model said of the options."""
    return "".join(
        json.dumps(
            {
                "doc": {"id": item_id, "choices": choices, "gold": gold},
                "resps": [[[str(one), "False"]] for one in scores],
            }
        )
        + "\n"
        for item_id, choices, gold, scores in samples
    )


@pytest.mark.parametrize(
    "choices", [(["hide.", "eat."], ["see.", "go."]), (["A", "B"], ["A", "B"])]
)
def test_a_log_of_a_harness_is_read(choices):
    """Of both tasks, in any order; documents of other questions are skipped."""
    text = log(
        ("c", choices[1], 1, [-3, -4]), ("other", ["x"], 0, [-9]), ("a", choices[0], 0, [-1.5, -2])
    )
    assert parse_user_scores(text, ITEMS).tolist() == [[-1.5, -2], [-3, -4]]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (log(("a", ["A", "B"], 0, [-1, -2])), "first: c"),
        (log(("a", ["A", "B"], 1, [-1, -2])), "line 1"),
        (log(("a", ["A", "B"], 0, [-1, -2, -3])), "line 1"),
        ("", "first: a"),
        ("<s> We hide </s>\t-1.5", "line 1: not JSON"),
        ('{"id": "a", "scores": [1, 2], "scores": [2, 1]}', "line 1"),
        ('{"id": "a", "scores": [1, 2]}', "first: c"),
        ('{"id": "a", "scores": [1, 2]}\n{"id": "a", "scores": [1, 2]}', "line 2"),
        ('{"id": "a", "scores": [1, 2, 3]}', "line 1: `scores` needs 2"),
        ('{"id": "a", "scores": [1, true]}', "line 1: `scores`"),
        ('{"id": "a", "scores": [1, "2"]}', "line 1: `scores`"),
    ],
)
def test_scores_that_do_not_fit_are_refused(text, names):
    refused(lambda: parse_user_scores(text, ITEMS, name="mine"), FormatError, names=names)


@pytest.mark.realdata
def test_published_sample_output_is_right_in_189_of_520():
    """`sample.lm_output.txt` gives exactly 36.35 %."""
    if not PUBLISHED.is_dir():
        pytest.skip(
            "the published MSR questions are not beside the project (../shared/published/msr-dev)"
        )
    files = [
        (PUBLISHED / f"Holmes.machine_format.{part}.txt").read_text()
        for part in ("questions", "answers")
    ]
    items = parse_machine(*files)
    lines = (PUBLISHED / "sample.lm_output.txt").read_text().splitlines()
    scores = np.array([float(line.rpartition("\t")[2]) for line in lines]).reshape(len(items), 5)
    result = judge_scores(Baseline("sample", "user", "user", ""), scores, items, seed=1)
    assert (result.row.correct, result.row.n) == (189, 520)


# ---- passages


ONE = PassageExample(
    "b:1",
    "passages",
    (("it", "was"),),
    "ann",
    prompts={"cased": ("It was", " Ann"), "published": ("it was", " ann")},
)
TWO = PassageExample("b:2", "passages", (("who",),), "hid")


def line_of_passages(passage_id, ln_prob, greedy, **doc):
    return json.dumps({"doc": {"id": passage_id, **doc}, "resps": [[[str(ln_prob), str(greedy)]]]})


def test_natural_logarithms_become_ours():
    text = "\n".join(
        [
            line_of_passages("b:2", -2 * np.log(10), False),
            line_of_passages("b:1", -np.log(10), True, target="Ann"),
            line_of_passages("other", -1, True),
        ]
    )
    control = PassageExample("b:1", "control", ONE.sentences, "ann")
    found = target_scores_of_log(text, [ONE, TWO, control])
    np.testing.assert_allclose(found.log10_prob, [-1, -2, -1])
    assert found.right is not None
    assert (found.right.tolist(), found.known.all(), np.isnan(found.rank).all()) == (
        [True, False, True],
        True,
        True,
    )


RIGHT = line_of_passages("b:2", -1, True)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (line_of_passages("b:1", -1, True), "first: b:2"),
        (line_of_passages("b:1", -1, True, target="Bob") + "\n" + RIGHT, "line 1"),
        (line_of_passages("b:1", -1, True, target=["Ann"]) + "\n" + RIGHT, "line 1"),
        (line_of_passages("b:1", 0.5, True) + "\n" + RIGHT, "line 1"),
        (
            json.dumps({"doc": {"id": "b:1"}, "resps": [[["-1", "True"]]] * 2}) + "\n" + RIGHT,
            "b:1",
        ),
    ],
)
def test_a_log_of_other_passages_is_refused(text, names):
    refused(lambda: target_scores_of_log(text, [ONE, TWO], name="mine"), FormatError, names=names)


# ---- blanks


PASSAGES = [
    BlankedPassage("7", ("A.", "B."), (0, 1), ("A.", "B.", "C."), (0, 1)),
    BlankedPassage("b:1", ("A.",), (0,), ("A.", "D."), (0,)),
]
FIRST = {"id": 7, "scores": [[1, 0, 0], [0, 1.5, -2]]}
SECOND = {"id": "b:1", "scores": [[0.25, 0]], "model": "mine"}


def lines(*records):
    return "\n".join(one if isinstance(one, str) else json.dumps(one) for one in records)


def test_lines_may_come_in_any_order():
    """By their ids, a number too; other passages, other fields and empty lines are skipped."""
    first, second = parse_blank_scores(
        lines(SECOND, {"id": "other", "scores": []}, "", FIRST), PASSAGES
    )
    assert (first.tolist(), second.tolist()) == ([[1.0, 0.0, 0.0], [0.0, 1.5, -2.0]], [[0.25, 0.0]])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (lines(FIRST), "first: b:1"),
        (lines(FIRST, SECOND, FIRST), "line 3"),
        (lines(FIRST, "{"), "line 2"),
        (lines([1]), "line 1"),
        (lines({"id": True, "scores": []}), "line 1"),
        (lines({"id": "7"}), "line 1"),
        (lines({"id": 7, "scores": [[1, 0, 0]]}), "line 1"),
        (lines({"id": 7, "scores": [[1, 0, 0], [0, 1]]}), "line 1, blank 2: `scores` needs 3"),
        (lines({"id": 7, "scores": [[1, 0, 0], 4]}), "line 1: `scores`"),
        (lines({"id": 7, "scores": [[1, 0, 0], [0, "1", 0]]}), "line 1: `scores`"),
        (lines('{"id": 7, "scores": [[1, 0, 0], [0, 1e999, 0]]}'), "line 1: `scores`"),
        (lines({"id": 7, "scores": [[1, 0, 0], [0, None, 0]]}), "line 1: `scores`"),
    ],
)
def test_scores_of_blanks_that_do_not_fit_are_refused(text, names):
    refused(lambda: parse_blank_scores(text, PASSAGES, name="mine"), FormatError, names=names)


def sample(item_id, choices, gold, *ln_probs):
    """As lm-evaluation-harness keeps what a model said of one blank."""
    return {
        "doc": {"id": item_id, "choices": choices, "gold": gold},
        "resps": [[[str(one), "False"]] for one in ln_probs],
    }


LOG = [
    sample("7:2", ["A.", "B.", "C."], 1, -1, -2, -3),
    sample("b:1:1", ["A.", "D."], 0, -0.5, -4),
    sample("7:1", ["A.", "B.", "C."], 0, -5, -6, -7),
    sample("other:1", ["A."], 0, -1),
]


def test_a_log_has_a_line_a_blank():
    first, second = parse_blank_scores(lines(*LOG), PASSAGES)
    assert (first.tolist(), second.tolist()) == ([[-5, -6, -7], [-1, -2, -3]], [[-0.5, -4]])


@pytest.mark.parametrize(
    ("log", "names"),
    [
        (LOG[1:], "first: 7:2"),
        ([*LOG[:2], sample("7:1", ["B.", "A.", "C."], 1, -1, -2, -3)], "line 3"),
        ([*LOG[:2], sample("7:1", ["A.", "B.", "C."], 2, -1, -2, -3)], "line 3"),
        ([*LOG[:2], sample("7:1", ["A.", "B."], 0, -1, -2)], "line 3"),
    ],
)
def test_a_log_of_other_blanks_is_refused(log, names):
    text = lines(*log)
    refused(lambda: parse_blank_scores(text, PASSAGES, name="mine"), FormatError, names=names)
