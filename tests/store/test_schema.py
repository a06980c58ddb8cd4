"""Schemas write, check and describe their tables."""

import numpy as np
import pyarrow as pa
import pytest

from cloze_gen.errors import DamageError
from cloze_gen.store.schema import CODED, Column, Table

WORDS = Table(
    "words/part-*.parquet",
    "One row a word.",
    Column("word", CODED, "the word"),
    Column("rank", pa.int16(), "rank, from 1"),
    Column("score", pa.float32(), "log10 probability"),
)
COLUMNS = {"score": np.array([-1.5, np.nan]), "rank": [1, 2], "word": ["sea", "sea"]}


def test_a_table_has_the_order_and_types_of_its_schema(tmp_path):
    assert WORDS.write(tmp_path / "part.parquet", COLUMNS) == 2
    found = WORDS.read(tmp_path / "part.parquet")
    assert found.schema.names == ["word", "rank", "score"]
    assert found["rank"].type == pa.int16()
    assert found["score"].type == pa.float32()
    assert found["word"].to_pylist() == ["sea", "sea"]
    assert WORDS.doc.columns == {
        "word": "string: the word",
        "rank": "int16: rank, from 1",
        "score": "float: log10 probability",
    }


@pytest.mark.parametrize(
    "columns", [{"word": []}, COLUMNS | {"more": [1, 2]}], ids=["missing", "unknown"]
)
def test_a_missing_or_unknown_column_is_not_written(tmp_path, columns):
    with pytest.raises(ValueError, match=r"words/part"):
        WORDS.write(tmp_path / "part.parquet", columns)
    assert not list(tmp_path.iterdir())


def test_a_table_of_another_schema_is_damage(tmp_path):
    other = Table("other.parquet", "", Column("word", CODED, ""))
    other.write_records(tmp_path / "part.parquet", [{"word": "sea"}])
    with pytest.raises(DamageError, match="has the columns"):
        WORDS.read(tmp_path / "part.parquet")
