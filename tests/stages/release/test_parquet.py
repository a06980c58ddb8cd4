"""Records as Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from cloze_gen.formats.features import features_of
from cloze_gen.stages.release.parquet import write_records


def test_rows_come_back_with_the_declared_types(tmp_path: Path) -> None:
    """Nulls, empty lists, objects in lists, whole numbers beside fractions, a key that some rows lack."""
    records: list[dict[str, Any]] = [
        {"id": "a", "n": 1, "words": [], "scores": [{"p": 0.5, "w": "x"}], "who": None, "source": {"start": 3}},
        {"id": "b", "n": 0.5, "words": ["y"], "scores": [{"p": 1}], "who": None, "source": {"start": 4, "end": 9}},
    ]
    write_records(tmp_path / "a.parquet", records, features_of(records))
    table = pq.read_table(tmp_path / "a.parquet")
    assert [str(field.type) for field in table.schema][:2] == ["string", "double"]
    assert str(table.schema.field("who").type) == "string"
    assert table.to_pylist()[1] == {**records[1], "scores": [{"p": 1.0, "w": None}]}
    assert table.to_pylist()[0]["source"] == {"start": 3, "end": None}
