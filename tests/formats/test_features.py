"""Columns of JSON records."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.formats.features import Columns, Feature, ListOf, declared, features_of
from cloze_gen.formats.licences import yaml_lines

ROWS: list[dict[str, Any]] = [
    {
        "id": "0042",
        "none": None,
        "n": None,
        "f": 1,
        "words": [],
        "empty": [],
        "s": {"a": None},
        "ls": [{"x": 1, "y": None}],
        "b": True,
    },
    {
        "id": "7",
        "none": None,
        "n": 3,
        "f": 0.5,
        "words": ["a"],
        "empty": [],
        "s": {"b": [1, 2.5]},
        "ls": [],
        "nest": [["a"], []],
    },
    {
        "id": "9",
        "n": 2**40,
        "f": 2,
        "words": None,
        "empty": None,
        "s": None,
        "ls": None,
        "nothing": {},
    },
]
TYPES: dict[str, Feature] = {
    "id": "string",
    "none": "string",
    "n": "int64",
    "f": "float64",
    "words": ListOf("string"),
    "empty": ListOf("string"),
    "s": Columns({"a": "string", "b": ListOf("float64")}),
    "ls": ListOf(Columns({"x": "int64", "y": "string"})),
    "b": "bool",
    "nest": ListOf(ListOf("string")),
    "nothing": Columns({}),
}


def test_types_are_what_is_true_of_all_rows() -> None:
    assert dict(features_of(ROWS).types) == TYPES
    assert features_of([]) == Columns({})


def test_the_order_of_rows_changes_no_type() -> None:
    """Whichever row is first."""
    assert all(dict(features_of(rows).types) == TYPES for rows in permutations(ROWS))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"a": 1}, {"a": "1"}], "column a: int64 in one record, string in another"),
        ([{"a": True}, {"a": 1}], "column a: bool in one record, int64 in another"),
        (
            [{"s": {"w": [[1], ["x"]]}}],
            r"column s\.w\[\]\[\]: int64 in one record, string in another",
        ),
        ([{"a": {}}, {"a": []}], "column a: an object in one record, a list in another"),
        ([{"s": {"w": [b"x"]}}], r"column s\.w\[\]: a value has the Python type bytes"),
    ],
)
def test_what_no_column_can_hold_is_named(rows: list[dict[str, Any]], said: str) -> None:
    """By its place, with what was found there."""
    with pytest.raises(FormatError, match=said):
        features_of(rows)


LEAVES = st.sampled_from(["string", "int64", "float64", "bool"])
NAMES = st.text(min_size=1, max_size=6)
FEATURES = st.recursive(
    LEAVES,
    lambda inner: (
        st.builds(ListOf, inner)
        | st.builds(Columns, st.dictionaries(NAMES, inner, min_size=1, max_size=3))
    ),
    max_leaves=6,
)
SAMPLES = {"string": "x", "int64": 1, "float64": 0.5, "bool": True}


def sample(feature: Feature | None) -> Any:
    """A value of this type."""
    if isinstance(feature, ListOf):
        return [sample(feature.item)]
    if isinstance(feature, Columns):
        return {name: sample(inner) for name, inner in feature.types.items()}
    return SAMPLES[feature or "string"]


@given(st.builds(Columns, st.dictionaries(NAMES, FEATURES, max_size=4)))
def test_every_type_is_found_in_a_value_of_it(columns: Columns) -> None:
    """Whatever its depth, beside a row that has nothing."""
    assert features_of([{}, sample(columns), dict.fromkeys(columns.types)]) == columns


def test_datasets_reads_what_is_declared(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    columns = features_of(ROWS)
    info = {"config_name": "default", "features": declared(columns)}
    files = [{"split": "test", "path": "rows.jsonl"}]
    head = yaml_lines(
        {"configs": [{"config_name": "default", "data_files": files}], "dataset_info": [info]}
    )
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "README.md").write_text(
        "\n".join(["---", *head, "---", ""]), encoding="utf-8"
    )
    (tmp_path / "set" / "rows.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8"
    )
    expected = datasets.Features._from_yaml_list(declared(columns))
    assert expected._to_yaml_list() == declared(columns)
    loaded = datasets.load_dataset(str(tmp_path / "set"), cache_dir=str(tmp_path / "cache"))["test"]
    assert loaded.features == expected
    assert [row["n"] for row in loaded] == [None, 3, 2**40]
