"""The analysis as an artifact."""

from __future__ import annotations

import json

import pytest

from cloze_gen.adapters.inflector import AMBIGUOUS_LEMMAS
from cloze_gen.recipes.lambada.stages.analysis import analysis_record, lemma_forms
from cloze_gen.recipes.lambada.steps.analysis import PAPER, Described
from cloze_gen.store.tables import read_tsv
from tests.conftest import FinishedRun

ONE = Described(70, 4, 2, True, True, "NNP", True)


@pytest.mark.parametrize(
    ("word", "tag", "other"), [("children", "NNS", "child"), ("Goes", "VBZ", "went"), ("better", "JJR", "good"), ("Ann", "NNP", "ann")]
)
def test_all_forms_of_a_lemma(word: str, tag: str, other: str) -> None:
    """In small letters, the word itself among them."""
    assert {word.casefold(), other} <= lemma_forms(word, tag)


def test_a_word_without_forms_has_itself() -> None:
    """A function word, and a lemma whose past forms a tag does not tell."""
    assert lemma_forms("with", "IN") == {"with"}
    assert all({lemma} == lemma_forms(lemma, "VB") for lemma in AMBIGUOUS_LEMMAS)


def test_places_are_counted_in_both_sets_alike() -> None:
    """From 0 to the furthest of either, and last those that stand nowhere; measures have the paper's beside."""
    record = analysis_record({"kept": [ONE], "random": [ONE, Described(9, 1, None, False, False, "IN", False)]})
    assert record["sentences_back"] == {"kept": [0, 0, 1, 0], "random": [0, 0, 1, 1]}
    assert record["sets"] == {"kept": 1, "random": 2}
    speech = next(row for row in record["measures"] if row["measure"] == "direct speech")
    assert speech == {"measure": "direct speech", "unit": "share", "kept": 1.0, "random": 0.5, "paper_kept": 0.71, "paper_random": 0.61}


def test_an_empty_set_has_no_figures() -> None:
    """Where the judges left nothing: no NaN, which is no JSON; the paper's figures stay."""
    record = analysis_record({"kept": [], "random": []})
    assert json.loads(json.dumps(record, allow_nan=False))["measures"]
    assert {row["measure"] for row in record["measures"]} == set(PAPER)
    assert all(row["kept"] is None for row in record["measures"])


def test_the_set_is_analysed_without_its_control(lambada: FinishedRun) -> None:
    """A row a passage of the set and of the survivors, whose targets are theirs."""
    records = [json.loads(line) for line in (lambada.release / "passages.jsonl").read_text(encoding="utf-8").splitlines()]
    folder = next(lambada.folder.glob("*-analysis"))
    rows = [row for row in read_tsv(folder / "targets.tsv") if row["set"] == "kept"]
    assert {(row["id"], row["target"]) for row in rows} == {(one["id"], one["target"]) for one in records if one["split"] != "control"}
    assert len({row["id"] for row in rows}) == len(rows)
    lengths = {one["id"]: len(one["text"].split()) for one in records}
    assert all(int(row["tokens"]) == lengths[row["id"]] for row in rows)
    survivors = json.loads((next(lambada.folder.glob("*-committee")) / "manifest.json").read_text(encoding="utf-8"))["funnel"]["kept"]
    assert json.loads((folder / "analysis.json").read_text(encoding="utf-8"))["sets"] == {"kept": len(rows), "random": survivors}
