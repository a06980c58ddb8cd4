"""Sentences and rejections on disk and back."""

import os
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.tables import read_source_sentences, sentence_table
from cloze_gen.records.sentence import Sentence, sentence_of
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import (
    SOURCE_SENTENCES,
    ArrayFile,
    ArrayWriter,
    escape_cell,
    read_jsonl,
    read_parquet,
    read_rows,
    read_tsv,
    unescape_cell,
    write_jsonl,
    write_parquet,
    write_tsv,
)

TOKENS = st.lists(
    st.sampled_from(["He", "to-day", "'em", "--", "été", "."]), min_size=1, max_size=6
).map(tuple)
SENTENCES = st.lists(
    st.builds(
        Sentence,
        st.sampled_from(["a", "pg0042", "x:y"]),
        st.integers(0, 9),
        st.integers(0, 10**6),
        st.integers(0, 10**6),
        st.integers(0, 9),
        st.sampled_from(["prose", "verse"]),
        st.text(max_size=9),
        TOKENS,
    ),
    unique_by=lambda sentence: sentence.id,
)


@given(SENTENCES)
def test_sentences_come_back_as_they_were(sentences):
    """Every field, in the same order, by id."""
    with tempfile.TemporaryDirectory() as folder:
        write_parquet(Path(folder) / SOURCE_SENTENCES, sentence_table(sentences))
        found = read_source_sentences(Artifact(Path(folder), {}))
    assert list(found.values()) == sentences
    assert list(found) == [sentence.id for sentence in sentences]


@given(SENTENCES, st.integers(0, 200))
def test_an_item_names_its_sentence(sentences, position):
    """A book's id may hold colons of its own."""
    for sentence in sentences:
        assert sentence_of(f"{sentence.id}:{position}") == sentence.id


# ---- tables on disk give back what they were given, and equal values give equal bytes


@given(st.binary(max_size=30))
def test_any_file_name_is_a_cell(name):
    text = os.fsdecode(name)
    cell = escape_cell(text)
    assert unescape_cell(cell) == text
    assert not any(char < " " or char == "\x7f" for char in cell)
    cell.encode("utf-8")


def test_plain_cells_stay_as_they_are():
    """Nothing is escaped that need not be."""
    assert escape_cell('Émile\'s "book" | 1.txt') == 'Émile\'s "book" | 1.txt'


def test_tsv_gives_back_its_rows(tmp_path):
    """Quotation marks, `NA` and empty cells are ordinary text."""
    path = tmp_path / "t.tsv"
    assert (
        write_tsv(path, ("word", "count"), [('"', 1), ("NA", None), ("null", 0.25), ("", 3)]) == 4
    )
    assert path.read_text() == 'word\tcount\n"\t1\nNA\t\nnull\t0.25\n\t3\n'
    assert [row["word"] for row in read_tsv(path)] == ['"', "NA", "null", ""]
    assert [row["count"] for row in read_tsv(path)] == ["1", "", "0.25", "3"]


@pytest.mark.parametrize("bad", ["a\tb", "a\nb", "a\rb"])
def test_tsv_refuses_what_would_break_it(tmp_path, bad):
    """A tab or line end in a cell is an error, not a broken table."""
    with pytest.raises(ValueError, match="tab or line break"):
        write_tsv(tmp_path / "t.tsv", ("word",), [(bad,)])


def test_a_users_tsv_may_come_from_a_spreadsheet(tmp_path):
    """A byte-order mark, CRLF and short rows are taken as they are meant."""
    path = tmp_path / "manifest.tsv"
    path.write_bytes("\ufefffile\tauthor\r\na.txt\tÉmile\r\nb.txt\r\n\r\n".encode())
    assert read_tsv(path) == [{"file": "a.txt", "author": "Émile"}, {"file": "b.txt"}]


def test_jsonl_gives_back_its_records(tmp_path):
    records = [{"a": "é\u2028\n", "b": [1, None]}, {"a": ""}]
    assert write_jsonl(tmp_path / "r.jsonl", records) == 2
    assert list(read_jsonl(tmp_path / "r.jsonl")) == records
    assert (tmp_path / "r.jsonl").read_bytes().count(b"\n") == 2


def test_equal_tables_have_equal_bytes(tmp_path):
    """Nothing but the values enters a Parquet file."""
    for name in ("a", "b"):
        assert (
            write_parquet(
                tmp_path / f"{name}.parquet", {"w": pa.array(["x", "y"]), "n": pa.array([1, 2])}
            )
            == 2
        )
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    assert read_parquet(tmp_path, columns=["n"])["n"].to_pylist() == [1, 2, 1, 2]


def test_an_array_on_disk_is_read_slice_by_slice(tmp_path):
    array = np.arange(100, 160, dtype=np.uint32)
    with ArrayWriter(tmp_path / "ids.npy", "<u4") as ids:
        ids.write(array[:7])
        ids.write(array[7:].astype(np.int64))
    assert len(ids) == 60
    np.save(tmp_path / "saved.npy", array)
    assert (tmp_path / "ids.npy").read_bytes() == (tmp_path / "saved.npy").read_bytes()
    found = ArrayFile(tmp_path / "ids.npy")
    assert len(found) == 60
    assert (found[0], found[59]) == (100, 159)
    for at in (slice(0, 60), slice(5, 9), slice(50, 99), slice(9, 9), slice(9, 5), slice(70, 80)):
        assert found[at].dtype == np.uint32
        assert found[at].tolist() == array[at].tolist()


def test_the_rows_of_an_item_are_read_from_the_groups_that_can_have_it(tmp_path, monkeypatch):
    """Its rows in all groups are found; a group whose ids are all less or greater is not read."""
    ids = ["a:1", "a:2", "a:2", "b:1", "b:2", "c:1", "c:2", "d:1"]
    table = pa.table({"words": [[one] for one in ids], "id": ids, "at": range(len(ids))})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=2)
    read = []
    whole = pq.ParquetFile.read_row_group

    def noted(file, group, **given):
        read.append(group)
        return whole(file, group, **given)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", noted)
    found = {one: read_rows(tmp_path / "t.parquet", one)["at"].to_pylist() for one in {*ids, "b:3"}}
    assert found == {
        one: [at for at, other in enumerate(ids) if other == one] for one in {*ids, "b:3"}
    }
    read.clear()
    read_rows(tmp_path / "t.parquet", "a:2")
    assert set(read) == {0, 1}
