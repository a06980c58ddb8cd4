"""Schemas write, check and describe their tables."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import DamageError
from cloze_gen.store import schema
from cloze_gen.store.artifacts import ArtifactWriter
from cloze_gen.store.schema import CODED, Column, Table, TableWriter

WORDS = Table(
    "words.parquet",
    "One row a word.",
    Column("word", CODED, "the word"),
    Column("rank", pa.int16(), "rank, from 1"),
    Column("score", pa.float32(), "log10 probability"),
)
RANKS = Table(
    "ranks.parquet", "", Column("word", CODED, "the word"), Column("rank", pa.int16(), "rank")
)
COLUMNS = {"score": np.array([-1.5, np.nan]), "rank": [1, 2], "word": ["sea", "sea"]}


@pytest.fixture
def artifact(tmp_path):
    return ArtifactWriter(tmp_path)


def test_a_table_has_the_order_and_types_of_its_schema(artifact):
    WORDS.write(artifact, COLUMNS)
    assert artifact.rows == {WORDS.name: 2}
    found = WORDS.read(artifact.path(WORDS.name))
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
def test_a_missing_or_unknown_column_is_not_written(artifact, columns):
    with pytest.raises(ValueError, match=r"words\.parquet"):
        WORDS.write(artifact, columns)
    assert not artifact.path(WORDS.name).exists()


def test_a_table_of_another_schema_is_damage(artifact):
    RANKS.write(artifact, {"word": ["sea"], "rank": [1]})
    with pytest.raises(DamageError, match="has the columns"):
        WORDS.read(artifact.path(RANKS.name))


@given(
    pieces=st.lists(st.lists(st.sampled_from("abcd"), max_size=9), max_size=5),
    rows_a_group=st.integers(2, 7),
)
def test_where_pieces_are_cut_leaves_no_trace(pieces, rows_a_group):
    rows = [[{"word": word, "rank": rank} for rank, word in enumerate(piece)] for piece in pieces]
    whole = [row for piece in rows for row in piece]
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "ROWS_A_GROUP", rows_a_group)
        files = []
        for name, cut in (("pieces", rows), ("whole", [whole])):
            artifact = ArtifactWriter(Path(place) / name)
            artifact.folder.mkdir()
            with TableWriter(artifact, RANKS) as writer:
                for piece in cut:
                    writer.append(RANKS.of_records(piece))
            assert artifact.rows == {RANKS.name: len(whole)}
            files.append(artifact.path(RANKS.name))
        assert RANKS.read(files[0]).to_pylist() == whole
        assert files[0].read_bytes() == files[1].read_bytes()
