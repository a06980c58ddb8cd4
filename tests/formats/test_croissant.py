"""A release as a Croissant description."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.formats.croissant import (
    BOOKS_NAMED,
    croissant_json,
    fields,
    left_out,
    provenance,
    record_set_id,
    responsible_ai,
)
from cloze_gen.formats.features import Columns, ListOf, Table, features_of
from cloze_gen.formats.licences import set_licence
from cloze_gen.records.release_facts import ReleaseFacts
from tests.cases.releases import BOOKS, COLUMNS, FACTS, HOSTILE, TABLES, TOLD, hostile_facts

ROWS = [
    {
        "id": "b:1",
        "options": ["a", "b"],
        "source": {"start": 1, "tokens": ["A", "b"]},
        "scores": [{"word": "a", "n": None}],
        "f": None,
    },
    {
        "id": "b:2",
        "options": [],
        "source": {"start": 2, "tokens": []},
        "scores": [{"word": "b", "n": 1}, {"word": "c", "n": 2}],
        "f": 0.5,
    },
]


def described(facts: ReleaseFacts) -> dict[str, Any]:
    return dict(json.loads(croissant_json(facts, TABLES, set_licence(facts.item_books))))


def test_files_are_named_as_they_lie() -> None:
    """With kind, size and digest."""
    first, second = described(FACTS)["distribution"]
    assert (first["contentUrl"], first["encodingFormat"], first["contentSize"]) == (
        "questions.jsonl",
        "application/jsonlines",
        "120 B",
    )
    assert (second["contentUrl"], second["encodingFormat"], second["sha256"]) == (
        "data/control.parquet",
        "application/x-parquet",
        "e" * 64,
    )


def test_every_split_is_a_record_set() -> None:
    splits, first, second = described(FACTS)["recordSet"]
    assert (
        [first["@id"], second["@id"]]
        == ["test", "control_test"]
        == [record_set_id(table) for table in TABLES]
    )
    assert splits["data"] == [{"splits/name": "test", "splits/url": "cr:TestSplit"}]
    assert first["description"].endswith(
        "Columns of the file without a description here: source.deep, scores.a b."
    )
    assert second["description"] == "1 records of the split test of the config control."


def test_a_split_is_known_as_one() -> None:
    """By a field with its name, unless the table has a column that is called so."""
    _, first, second = described(FACTS)["recordSet"]
    assert (first["field"][-1]["value"], first["field"][-1]["references"]) == (
        "test",
        {"field": {"@id": "splits/name"}},
    )
    assert [field["@id"] for field in second["field"]] == ["control_test/split"]
    assert "value" not in second["field"][0]


def test_only_what_the_user_told_is_told() -> None:
    """Makers, day and address; never made up."""
    assert not {"creator", "datePublished", "url"} & described(FACTS).keys()
    found = described(TOLD)
    assert (found["datePublished"], found["url"]) == ("2026-11-22", "https://example.org/sets/mine")
    assert [one["@type"] for one in found["creator"]] == ["sc:Person", "sc:Organization"]
    assert found["creator"][0]["name"] == "Jane Doe"


def test_the_licence_is_an_address_or_a_sentence() -> None:
    """Of the licence that all books share; else what is known."""
    assert described(FACTS)["license"] == "https://spdx.org/licenses/CC0-1.0.html"
    unknown = replace(FACTS, books=tuple(replace(book, license="") for book in FACTS.books))
    assert (
        described(unknown)["license"]
        == "The items are sentences of 2 books. The licences of the books are unknown; check "
        "them before publishing."
    )


@pytest.mark.parametrize("words", [*HOSTILE, "half \ud800"])
def test_hostile_words_add_no_field(words: str) -> None:
    facts = hostile_facts(words)
    text = croissant_json(facts, TABLES, set_licence(facts.item_books))
    told = set(json.loads(text.encode("utf-8"))) | {"url", "datePublished"}
    assert told == set(described(TOLD))


def release(folder: Path, facts: ReleaseFacts) -> Path:
    """A folder with `ROWS` in one file, and its description."""
    data = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    (folder / "questions.jsonl").write_bytes(data)
    digest = sha256(data).hexdigest()
    table = Table(
        config="default",
        split="test",
        file="questions.jsonl",
        rows=2,
        bytes=len(data),
        sha256=digest,
        columns=features_of(ROWS),
    )
    path = folder / "croissant.json"
    path.write_text(croissant_json(facts, [table], set_licence(facts.item_books)), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "facts", [FACTS, TOLD, *map(hostile_facts, HOSTILE)], ids=range(2 + len(HOSTILE))
)
def test_mlcroissant_takes_it(facts: ReleaseFacts, tmp_path: Path) -> None:
    """The only warning is about a missing day of publication."""
    mlcroissant = pytest.importorskip("mlcroissant")
    dataset = mlcroissant.Dataset(jsonld=str(release(tmp_path, facts)))
    assert not dataset.metadata.ctx.issues.errors
    assert all("datePublished" in said for said in dataset.metadata.ctx.issues.warnings) is True
    assert bool(dataset.metadata.ctx.issues.warnings) is not bool(facts.published)
    first, second = dataset.records("test")
    assert (first["test/id"], second["test/options"], second["test/f"]) == (b"b:1", [], 0.5)
    assert second["test/scores"] == [
        {"test/scores/word": b"b", "test/scores/n": 1},
        {"test/scores/word": b"c", "test/scores/n": 2},
    ]
    assert first["test/source"] == {"test/source/start": 1, "test/source/tokens": [b"A", b"b"]}


# Columns as fields of a record set


FOUND = {field["name"]: field for field in fields(COLUMNS, record_set="test", file="q.jsonl")}


def test_a_plain_column_is_a_field() -> None:
    """With its type, known by the id of its record set, and where it comes from."""
    assert FOUND["id"] == {
        "@type": "cr:Field",
        "@id": "test/id",
        "name": "id",
        "dataType": "sc:Text",
        "source": {"fileObject": {"@id": "q.jsonl"}, "extract": {"column": "id"}},
    }
    assert FOUND["even"]["dataType"] == "sc:Boolean"


def test_lists_have_a_shape() -> None:
    """One length that is not told for each depth; a plain column has none."""
    assert [FOUND[name].get("arrayShape") for name in ("id", "options", "sentences")] == [
        None,
        "-1",
        "-1,-1",
    ]
    assert FOUND["sentences"]["isArray"] is True


def test_objects_have_parts() -> None:
    start, tokens = FOUND["source"]["subField"]
    assert (start["@id"], start["dataType"], start["source"]["transform"]) == (
        "test/source/start",
        "cr:Int64",
        {"jsonPath": "start"},
    )
    assert (tokens["arrayShape"], start.get("isArray"), FOUND["source"].get("isArray")) == (
        "-1",
        None,
        None,
    )
    assert FOUND["scores"]["isArray"] is True
    assert [part["name"] for part in FOUND["scores"]["subField"]] == ["word", "log10"]
    assert {part["source"]["extract"]["column"] for part in FOUND["scores"]["subField"]} == {
        "scores"
    }


def test_what_cannot_be_said_is_named() -> None:
    """An object in an object, and names that a path or an id cannot hold; all else is a field."""
    assert left_out(COLUMNS) == ["source.deep", "scores.a b"]
    odd = Columns(
        {
            "empty": Columns({}),
            "deep": ListOf(ListOf(Columns({"x": "string"}))),
            **dict.fromkeys((HOSTILE[0], *HOSTILE[2:6]), "string"),
        }
    )
    assert left_out(odd) == list(odd.types)
    assert fields(odd, record_set="test", file="q.jsonl") == []


# What is told of a release's origin, faults and use


LICENCE = set_licence(FACTS.item_books)
# NeurIPS 2026 asks for these of a data set that is handed in.
ASKED = (
    "dataLimitations",
    "dataBiases",
    "personalSensitiveInformation",
    "dataUseCases",
    "dataSocialImpact",
    "hasSyntheticData",
)


def told(facts: ReleaseFacts, *splits: str) -> dict[str, Any]:
    return {
        key.removeprefix("rai:"): value
        for key, value in responsible_ai(facts, LICENCE, splits).items()
    }


def test_what_was_read_is_counted() -> None:
    """By side; the sample's books are nobody's but ours."""
    assert told(FACTS)["dataCollection"].startswith(
        "cloze-gen 0.2.0 read 4 books of its user (train: 1, source: 3); questions "
        "come from 2 books."
    )
    assert told(replace(FACTS, sample=True, books=()))["dataCollection"].startswith(
        "cloze-gen 0.2.0 read 0 books of its sample; questions come from 0 books"
    )


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
        "README.md and release.json list all rows.",
    ]


def test_the_spread_over_books_is_told() -> None:
    """Books, authors that are named, books that name none, the largest share."""
    assert told(FACTS)["dataBiases"][0].startswith(
        "The items come from 2 books by 1 named author; 1 book without a named author; the "
        "largest share of one book is 75%."
    )


def test_limits_are_told() -> None:
    first, second, *rest = told(FACTS)["dataLimitations"]
    assert first.startswith("4 questions (5 were requested), in English. They are in random order")
    assert "cloze-gen canary 1" in second
    assert rest == ["groomed: machine"]
    odd = told(
        replace(
            FACTS, n_wanted=4, order="corpus", canary="", sample=True, text="pointers", notes=()
        )
    )["dataLimitations"]
    assert odd[0].startswith("4 questions, in English. They are in the order of the books.")
    assert "canary" not in odd[1]
    assert (len(odd), "own copies" in odd[2], "small sample" in odd[3]) == (4, True, True)


@pytest.mark.parametrize(
    ("splits", "begins"),
    [((), "Not for training:"), (("train", "test"), "Training: only the split train")],
)
def test_only_a_split_for_training_is_for_training(splits: tuple[str, ...], begins: str) -> None:
    """Where there is one."""
    assert told(FACTS, *splits)["dataUseCases"][1].startswith(begins)


def test_who_judged_is_told() -> None:
    """Programs, or what people did."""
    assert told(FACTS)["dataAnnotationProtocol"][0] == "No person judged the items."
    assert told(TOLD)["dataAnnotationProtocol"][0] == "Judged: three teachers read every question."


def test_books_are_named_with_their_digests() -> None:
    books = provenance(FACTS)["prov:wasDerivedFrom"]
    assert [book["prov:label"] for book in books] == ["One", "two", "t"]
    assert (books[0]["author"], books[0]["sha256"], books[0]["license"]) == (
        "A. B.",
        "b" * 64,
        "CC0-1.0",
    )
    assert [book["additionalProperty"][0]["value"] for book in books] == [
        "3 items",
        "1 item",
        "background: no text of it is included",
    ]
    (unknown,) = provenance(replace(FACTS, books=(replace(BOOKS[1], license=""),)))[
        "prov:wasDerivedFrom"
    ]
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
    assert (values["version of cloze-gen"], values["style"], values["seed"]) == (
        "0.2.0",
        "toy-style",
        1,
    )
    assert (values["signature"], json.loads(values["settings"])) == (
        FACTS.signature,
        {"release": {"harness": True}},
    )
    assert "set by the user" not in values


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_add_no_field_responsible_ai(words: str) -> None:
    """What is told has the same keys, whatever the strings hold."""
    facts = hostile_facts(words)
    assert responsible_ai(facts, LICENCE, ()).keys() == responsible_ai(TOLD, LICENCE, ()).keys()
    (book,) = provenance(facts)["prov:wasDerivedFrom"]
    assert book["prov:label"] == words
