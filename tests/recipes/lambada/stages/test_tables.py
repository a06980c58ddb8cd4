"""A table that is sorted by book comes back a book at a time, however it is cut into batches."""

from __future__ import annotations

from pathlib import Path

import pytest

from cloze_gen.recipes.lambada.stages import tables
from cloze_gen.recipes.lambada.stages.tables import by_book
from cloze_gen.store.tables import write_parquet


@pytest.mark.parametrize("rows_at_once", [1, 2, 3, 100])
def test_each_book_comes_once_and_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows_at_once: int) -> None:
    """Its rows in their order, also where a batch ends within it or holds several."""
    monkeypatch.setattr(tables, "_ROWS_AT_ONCE", rows_at_once)
    books = ["a"] * 5 + ["b"] + ["c"] * 3
    write_parquet(tmp_path / "t.parquet", {"book_id": books, "index": [*range(9)]})
    found = [(book, table["index"].to_pylist()) for book, table in by_book(tmp_path / "t.parquet", ["book_id", "index"])]
    assert found == [("a", [0, 1, 2, 3, 4]), ("b", [5]), ("c", [6, 7, 8])]


def test_no_rows_are_no_books(tmp_path: Path) -> None:
    """A table without rows."""
    write_parquet(tmp_path / "t.parquet", {"book_id": ["a"][:0]})
    assert [*by_book(tmp_path / "t.parquet", ["book_id"])] == []
