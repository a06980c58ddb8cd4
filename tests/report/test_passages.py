"""What a report says of passages, read back."""

from __future__ import annotations

from typing import Any

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.formats.lambada.jsonl import passage_record
from cloze_gen.records.passage import Part, Passage, SetPassage, Split
from cloze_gen.report.passages import passage_evaluation_from_record, sample_passage

ROW: dict[str, Any] = {"name": "n-gram", "set": "passages", "kind": "model", "n": 9, "accuracy": 0.5, "low": 0.2, "high": 0.8,
                       "perplexity": 99.0, "median_rank": 3, "coverage": None, "note": ""}  # fmt: skip


def test_rows_are_told_by_their_set() -> None:
    """A figure that nobody told stays untold; a row of the other set is another row."""
    found = passage_evaluation_from_record({"baselines": [ROW, ROW | {"set": "control", "accuracy": None, "note": "no case"}]}, where="e")
    assert found.of_set("passages")["n-gram"].median_rank == 3
    assert found.of_set("control")["n-gram"].accuracy is None
    assert found.of_set("control")["n-gram"].note == "no case"


@pytest.mark.parametrize(
    "record",
    [{}, {"baselines": 3}, {"baselines": [{}]}, {"baselines": [ROW | {"accuracy": "half"}]}, {"baselines": [ROW | {"low": float("nan")}]},
     {"baselines": [ROW | {"n": None}]}],
)  # fmt: skip
def test_what_is_no_evaluation_is_refused(record: dict[str, Any]) -> None:
    """One message that names the file and what to do."""
    with pytest.raises(FormatError, match=r"e\.json: not an evaluation of passages .* Run `cloze-gen evaluate` again"):
        passage_evaluation_from_record(record, where="e.json")


def test_a_sample_is_the_book_s_own_text() -> None:
    """Before the target, the target and what stands behind it are the passage; probabilities are no logarithms."""
    passage = Passage("b:7", "b", Part.TEST, (("Who", "?"), ('"', "Ann", ".", '"')), ("Who?", '"Ann."'), 1, 5, 1023)
    one = SetPassage(passage, Split.TEST, "crime")
    sample = sample_passage(one, passage_record(passage, scores={"ngram": -3.0}, signals={"read_prob": 0.25}), file="b.txt")
    assert sample.before + sample.target + sample.behind == 'Who? "Ann."'
    assert sample.place == "b.txt, characters 5 to 1,023"
    assert sample.scores == (("ngram", "0.001"),)
    assert sample.signals == (("read prob", "0.25"),)
