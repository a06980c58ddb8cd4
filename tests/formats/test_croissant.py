"""A release as a Croissant description."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.formats.croissant import croissant_json, record_set_id
from cloze_gen.formats.features import Table, features_of
from cloze_gen.formats.licences import set_licence
from cloze_gen.records.release_facts import ReleaseFacts
from tests.cases.releases import FACTS, HOSTILE, TABLES, TOLD, hostile_facts

ROWS = [
    {"id": "b:1", "options": ["a", "b"], "source": {"start": 1, "tokens": ["A", "b"]}, "scores": [{"word": "a", "n": None}], "f": None},
    {"id": "b:2", "options": [], "source": {"start": 2, "tokens": []}, "scores": [{"word": "b", "n": 1}, {"word": "c", "n": 2}], "f": 0.5},
]


def described(facts: ReleaseFacts) -> dict[str, Any]:
    return dict(json.loads(croissant_json(facts, TABLES, set_licence(facts.item_books))))


def test_files_are_named_as_they_lie() -> None:
    """With kind, size and digest."""
    first, second = described(FACTS)["distribution"]
    assert (first["contentUrl"], first["encodingFormat"], first["contentSize"]) == ("questions.jsonl", "application/jsonlines", "120 B")
    assert (second["contentUrl"], second["encodingFormat"], second["sha256"]) == (
        "data/control.parquet",
        "application/x-parquet",
        "e" * 64,
    )


def test_every_split_is_a_record_set() -> None:
    """Asked for by its name, and that of its config where it is not the default; what its fields cannot say is told."""
    splits, first, second = described(FACTS)["recordSet"]
    assert [first["@id"], second["@id"]] == ["test", "control_test"] == [record_set_id(table) for table in TABLES]
    assert splits["data"] == [{"splits/name": "test", "splits/url": "cr:TestSplit"}]
    assert first["description"].endswith("Not described here, though in the file: source.deep, scores.a b.")
    assert second["description"] == "1 records of the split test of the config control."


def test_a_split_is_known_as_one() -> None:
    """By a field with its name, unless the table has a column that is called so."""
    _, first, second = described(FACTS)["recordSet"]
    assert (first["field"][-1]["value"], first["field"][-1]["references"]) == ("test", {"field": {"@id": "splits/name"}})
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
        == "The items are sentences of 2 books, of which no licence is known: whoever publishes them must know."
    )


@pytest.mark.parametrize("words", [*HOSTILE, "half \ud800"])
def test_hostile_words_add_no_field(words: str) -> None:
    """The text is JSON that UTF-8 can hold, with the same keys but for an address and a day that are none."""
    facts = hostile_facts(words)
    text = croissant_json(facts, TABLES, set_licence(facts.item_books))
    told = set(json.loads(text.encode("utf-8"))) | {"url", "datePublished"}
    assert told == set(described(TOLD))


def release(folder: Path, facts: ReleaseFacts) -> Path:
    """A folder with `ROWS` in one file, and its description."""
    data = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    (folder / "questions.jsonl").write_bytes(data)
    digest = sha256(data).hexdigest()
    table = Table(config="default", split="test", file="questions.jsonl", rows=2, bytes=len(data), sha256=digest, columns=features_of(ROWS))
    path = folder / "croissant.json"
    path.write_text(croissant_json(facts, [table], set_licence(facts.item_books)), encoding="utf-8")
    return path


@pytest.mark.parametrize("facts", [FACTS, TOLD, *map(hostile_facts, HOSTILE)], ids=range(2 + len(HOSTILE)))
def test_mlcroissant_takes_it(facts: ReleaseFacts, tmp_path: Path) -> None:
    """Without an error, and without a warning but for the day of publication where nobody told it; it loads the records."""
    mlcroissant = pytest.importorskip("mlcroissant")
    dataset = mlcroissant.Dataset(jsonld=str(release(tmp_path, facts)))
    assert not dataset.metadata.ctx.issues.errors
    assert all("datePublished" in said for said in dataset.metadata.ctx.issues.warnings) is True
    assert bool(dataset.metadata.ctx.issues.warnings) is not bool(facts.published)
    first, second = dataset.records("test")
    assert (first["test/id"], second["test/options"], second["test/f"]) == (b"b:1", [], 0.5)
    assert second["test/scores"] == [{"test/scores/word": b"b", "test/scores/n": 1}, {"test/scores/word": b"c", "test/scores/n": 2}]
    assert first["test/source"] == {"test/source/start": 1, "test/source/tokens": [b"A", b"b"]}
