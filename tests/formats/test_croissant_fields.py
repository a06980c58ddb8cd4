"""Columns as fields of a record set."""

from __future__ import annotations

from cloze_gen.formats.croissant_fields import fields, left_out
from cloze_gen.formats.features import Columns, ListOf
from tests.cases.releases import COLUMNS, HOSTILE

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
    assert [FOUND[name].get("arrayShape") for name in ("id", "options", "sentences")] == [None, "-1", "-1,-1"]
    assert FOUND["sentences"]["isArray"] is True


def test_objects_have_parts() -> None:
    """Each taken from the column by its name; the field of a list of objects is a list, its parts are not."""
    start, tokens = FOUND["source"]["subField"]
    assert (start["@id"], start["dataType"], start["source"]["transform"]) == ("test/source/start", "cr:Int64", {"jsonPath": "start"})
    assert (tokens["arrayShape"], start.get("isArray"), FOUND["source"].get("isArray")) == ("-1", None, None)
    assert FOUND["scores"]["isArray"] is True
    assert [part["name"] for part in FOUND["scores"]["subField"]] == ["word", "log10"]
    assert {part["source"]["extract"]["column"] for part in FOUND["scores"]["subField"]} == {"scores"}


def test_what_cannot_be_said_is_named() -> None:
    """An object in an object, and names that a path or an id cannot hold; all else is a field."""
    assert left_out(COLUMNS) == ["source.deep", "scores.a b"]
    odd = Columns(
        {"empty": Columns({}), "deep": ListOf(ListOf(Columns({"x": "string"}))), **dict.fromkeys((HOSTILE[0], *HOSTILE[2:6]), "string")}
    )
    assert left_out(odd) == list(odd.types)
    assert fields(odd, record_set="test", file="q.jsonl") == []
