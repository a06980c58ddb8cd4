"""What is told of a release's origin, faults and use."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from cloze_gen.formats.licences import set_licence
from cloze_gen.formats.responsible_ai import BOOKS_NAMED, provenance, responsible_ai
from cloze_gen.records.release_facts import ReleaseFacts
from tests.cases.releases import BOOKS, FACTS, HOSTILE, TOLD, hostile_facts

LICENCE = set_licence(FACTS.item_books)
# NeurIPS 2026 asks for these of a data set that is handed in.
ASKED = ("dataLimitations", "dataBiases", "personalSensitiveInformation", "dataUseCases", "dataSocialImpact", "hasSyntheticData")


def told(facts: ReleaseFacts, *splits: str) -> dict[str, Any]:
    return {key.removeprefix("rai:"): value for key, value in responsible_ai(facts, LICENCE, splits).items()}


def test_what_was_read_is_counted() -> None:
    """By side; the sample's books are nobody's but ours."""
    assert told(FACTS)["dataCollection"].startswith(
        "cloze-gen 0.2.0 read 4 books that its user gave it (train: 1, source: 3); 2 books gave questions."
    )
    assert told(replace(FACTS, sample=True, books=()))["dataCollection"].startswith("cloze-gen 0.2.0 read 0 books that it brings; 0 books")


def test_every_field_that_reviewers_ask_for_is_there() -> None:
    """And says something."""
    assert all(told(FACTS)[key] not in ("", [], None) for key in ASKED)
    assert told(FACTS)["hasSyntheticData"] is False


def test_figures_are_told_once_measured() -> None:
    """Until then the command that measures them."""
    assert "`cloze-gen evaluate`" in told(FACTS)["dataBiases"][-1]
    assert told(TOLD)["dataBiases"][1:] == [
        "A classifier picks the answer in 25 %.",
        "bias length: right in 25.0% (95 %: 10.0% to 50.0%), 3 folds.",
        "README.md and release.json have all rows.",
    ]


def test_the_spread_over_books_is_told() -> None:
    """Books, authors that are named, books that name none, the largest share."""
    assert told(FACTS)["dataBiases"][0].startswith(
        "The items are of 2 books by 1 named author; of 1 book no author is named; the book with most of them has 75%."
    )


def test_limits_are_told() -> None:
    """Too few items, the canary, the order, a sample, text that is left out, and what the style notes."""
    first, second, *rest = told(FACTS)["dataLimitations"]
    assert first.startswith("4 questions; 5 were wanted, in English. They stand in an order drawn by lot")
    assert "cloze-gen canary 1" in second
    assert rest == ["groomed: machine"]
    odd = told(replace(FACTS, n_wanted=4, order="corpus", canary="", sample=True, text="pointers", notes=()))["dataLimitations"]
    assert odd[0].startswith("4 questions, in English. They stand in the order of the books.")
    assert "canary" not in odd[1]
    assert (len(odd), "own copies" in odd[2], "small sample" in odd[3]) == (4, True, True)


@pytest.mark.parametrize(
    ("splits", "begins"), [((), "Not for training:"), (("train", "test"), "Training: the split train, and nothing else")]
)
def test_only_a_split_for_training_is_for_training(splits: tuple[str, ...], begins: str) -> None:
    """Where there is one."""
    assert told(FACTS, *splits)["dataUseCases"][1].startswith(begins)


def test_who_judged_is_told() -> None:
    """Programs, or what people did."""
    assert told(FACTS)["dataAnnotationProtocol"][0] == "No person judged the items."
    assert told(TOLD)["dataAnnotationProtocol"][0] == "Judged: three teachers read every question."


def test_books_are_named_with_their_digests() -> None:
    """Those of the items first, background as such, an unknown licence as unknown; dropped ones not at all."""
    books = provenance(FACTS)["prov:wasDerivedFrom"]
    assert [book["prov:label"] for book in books] == ["One", "two", "t"]
    assert (books[0]["author"], books[0]["sha256"], books[0]["license"]) == ("A. B.", "b" * 64, "CC0-1.0")
    assert [book["additionalProperty"][0]["value"] for book in books] == ["3 items", "1 item", "background: nothing of it is printed"]
    (unknown,) = provenance(replace(FACTS, books=(replace(BOOKS[1], license=""),)))["prov:wasDerivedFrom"]
    assert unknown["license"] == "unknown"


def test_many_books_are_counted() -> None:
    """Beyond the first hundred; `release.json` has them."""
    many = tuple(replace(BOOKS[1], book_id=f"b{n}", title="") for n in range(BOOKS_NAMED + 7))
    books = provenance(replace(FACTS, books=many))["prov:wasDerivedFrom"]
    assert len(books) == BOOKS_NAMED + 1
    assert books[-1]["prov:label"] == "7 more books; release.json names them all"


def test_the_run_is_told() -> None:
    """Its program, style, paper, seed, signature and all settings."""
    run = provenance(FACTS)["prov:wasGeneratedBy"]
    values = {one["name"]: one["value"] for one in run["additionalProperty"]}
    assert (values["version of cloze-gen"], values["style"], values["seed"]) == ("0.2.0", "toy-style", 1)
    assert (values["signature"], json.loads(values["settings"])) == (FACTS.signature, {"release": {"harness": True}})
    assert "set by the user" not in values


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_add_no_field(words: str) -> None:
    """What is told has the same keys, whatever the strings hold."""
    facts = hostile_facts(words)
    assert responsible_ai(facts, LICENCE, ()).keys() == responsible_ai(TOLD, LICENCE, ()).keys()
    (book,) = provenance(facts)["prov:wasDerivedFrom"]
    assert book["prov:label"] == words
