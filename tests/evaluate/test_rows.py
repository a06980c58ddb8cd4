"""Evaluations written and read back, whatever the items are."""

import json

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.evaluation.adversary import adversary_text
from cloze_gen.evaluation.blanks import BlankEvaluation
from cloze_gen.evaluation.passages import PassageEvaluation
from cloze_gen.evaluation.questions import QuestionEvaluation
from cloze_gen.store.manifest import json_text
from tests.support.errors import refused

QUESTION = {
    "name": "lsa", "kind": "baseline", "accuracy": 0.5, "low": 0.2, "high": 0.8, "n": 10, "chance": 0.2,
}  # fmt: skip
PASSAGE = {
    "name": "n-gram", "set": "passages", "kind": "model", "n": 9, "correct": None, "accuracy": 0.5, "low": 0.2, "high": 0.8,
    "perplexity": 99.0, "median_rank": 3.0, "coverage": None, "note": "",
}  # fmt: skip
BLANK = {
    "name": "lsa", "kind": "model", "context": "P", "decoder": "EXH", "n": 40, "blanks": 200, "ba": 0.25, "ba_low": 0.2, "ba_high": 0.3,
    "ba_micro": 0.24, "pa": 0.025, "pa_low": 0.0, "pa_high": 0.05, "de": 1.2, "de_low": 1.1, "de_high": 1.3,
}  # fmt: skip
RULE = {
    "name": "longest", "ba": 0.15, "ba_low": 0.1, "ba_high": 0.2, "ba_chance": 0.14, "named": 80.0, "distractors": None,
    "distractors_low": None, "distractors_high": None, "distractors_chance": None,
}  # fmt: skip
RECORDS = {
    QuestionEvaluation: {"n": 10, "chance": 0.2, "signature": "s", "baselines": [QUESTION]},
    PassageEvaluation: {"n": 9, "sets": {"passages": 9}, "baselines": [PASSAGE]},
    BlankEvaluation: {"n": 40, "blanks": 200, "rules": [RULE], "baselines": [BLANK]},
}


@pytest.mark.parametrize("kind", RECORDS)
def test_what_is_read_is_written_again(kind):
    """Byte for byte, and without a field that was not there."""
    record = RECORDS[kind]
    assert json_text(kind.from_record(record, where="here").record()) == json_text(record)


@pytest.mark.parametrize(
    ("kind", "of", "broken"),
    [
        *(
            (QuestionEvaluation, "", broken)
            for broken in (
                {},
                [],
                {"n": "many"},
                {"baselines": [{"name": "x"}]},
                {"baselines": ["lsa"]},
                {"left_out": ["lsa"]},
                {"baselines": [QUESTION | {"low": float("nan")}]},
            )
        ),
        *(
            (PassageEvaluation, " of passages", broken)
            for broken in (
                {},
                {"baselines": 3},
                {"baselines": [{}]},
                {"baselines": [PASSAGE | {"accuracy": "half"}]},
                {"baselines": [PASSAGE | {"low": float("nan")}]},
                {"baselines": [PASSAGE | {"n": None}]},
            )
        ),
        *(
            (BlankEvaluation, " of blanked passages", broken)
            for broken in (
                {"baselines": [{"name": "x"}]},
                {"n": "many"},
                {"baselines": [BLANK | {"ba": None}]},
                {"baselines": [BLANK | {"ba": float("nan")}]},
                {"rules": [{"a": 1}]},
                {"blanks": None},
            )
        ),
    ],
)
def test_another_record_is_refused(kind, of, broken):
    """One message with the file and the command that mends it; a figure that is no number too."""
    record = RECORDS[kind] | broken if isinstance(broken, dict) and broken else broken
    message = refused(lambda: kind.from_record(record, where="here"), FormatError, names="here: ")
    assert f"not an evaluation{of} (" in message


def test_an_adversary_tells_its_way():
    """Family and folds in words; what was left out keeps its reason."""
    adversary = QUESTION | {
        "name": "adversary-scores",
        "kind": "adversary",
        "family": "trees",
        "folds": "book",
    }
    record = RECORDS[QuestionEvaluation] | {
        "baselines": [QUESTION, adversary],
        "left_out": {"lsa": "no corpus"},
    }
    evaluation = QuestionEvaluation.from_record(record, where="here")
    assert [row.method for row in evaluation.baselines] == ["", "trees, folds by book"]
    assert evaluation.left_out == {"lsa": "no corpus"}
    assert "50 % of questions (95 % interval 20-80)" in adversary_text(evaluation)
    assert adversary_text(QuestionEvaluation(n=1, chance=0.2, baselines=())) == (
        "No adversary was measured."
    )


def test_rows_of_passages_are_known_by_their_set():
    """A figure that is not known stays so; a row of the other set is another row."""
    rows = [PASSAGE, PASSAGE | {"set": "control", "accuracy": None, "note": "no case"}]
    found = PassageEvaluation.from_record({"n": 9, "baselines": rows}, where="e")
    assert found.of_set("passages")["n-gram"].median_rank == 3
    assert found.of_set("control")["n-gram"].accuracy is None
    assert found.of_set("control")["n-gram"].note == "no case"
    assert [row.label for row in found.compared] == ["n-gram, passages"]


def test_a_comparison_has_the_main_rows_of_blanks():
    """From the widest context, answered together; JSON makes no difference."""
    rows = [
        BLANK | {"context": context, "decoder": decoder}
        for context in ("P", "AP+AN")
        for decoder in ("INC", "EXH")
    ]
    record = json.loads(json.dumps(RECORDS[BlankEvaluation] | {"baselines": rows}))
    found = BlankEvaluation.from_record(record, where="e")
    assert [(row.label, row.share) for row in found.compared] == [("lsa, AP+AN", (0.25, 0.2, 0.3))]
