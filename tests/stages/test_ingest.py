"""Reading books into the store, whoever reads beside."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cloze_gen.stages.ingest import SENTENCES, BookShard, ingest_book
from cloze_gen.store.artifacts import Store
from cloze_gen.store.corpus import BookFile, book_digest
from cloze_gen.store.tables import read_parquet
from cloze_gen.text.parse_book import IngestSettings

NOVEL = Path(__file__).parents[2] / "corpora" / "sample" / "source" / "the-clockmakers-debt.txt"
N_BOOKS = 120


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads that take turns after a microsecond instead of five thousand: what can happen once a day happens now."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def tokens_of(out: Path, shards: list[BookShard]) -> list[list[str]]:
    return [read_parquet(Store(out).folder(shard.key) / SENTENCES)["tokens"].to_pylist() for shard in shards]


@pytest.mark.usefixtures("hasty_threads")
def test_several_threads_read_what_one_reads(tmp_path: Path) -> None:
    """The memory of chunks is one a process, yet threads that share it spoil no book."""
    lines = NOVEL.read_text(encoding="utf-8", errors="replace").splitlines()
    settings = IngestSettings(min_word_tokens=0, min_function_word_share=0)
    books = []
    for i in range(N_BOOKS):
        path = tmp_path / f"{i:03}.txt"
        path.write_text("\n".join(lines[i * len(lines) // N_BOOKS : (i + 1) * len(lines) // N_BOOKS]), encoding="utf-8")
        books.append(BookFile(tmp_path, path.name, path.stem))
    several, one = ([BookShard(tmp_path / name, book, book_digest(book), settings) for book in books] for name in ("several", "one"))
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(ingest_book, several))
    assert found == [ingest_book(shard) for shard in one]
    assert tokens_of(tmp_path / "several", several) == tokens_of(tmp_path / "one", one)
