"""Time and memory of reading one collection in several shapes: collected, and ingested by two workers.

    python benchmarks/shapes.py --novels NOVELS --scratch DIR [--copies 8]

The novels are written as text files, as one Parquet table (2 GB with 8 copies of 600 novels, each
copy with other names in it), and as 20,000 small files, plain and gzipped. What is in DIR is this
program's own.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from processes import measure, row

from cloze_gen.corpus.collect import collect
from cloze_gen.corpus.folder import Location
from cloze_gen.corpus.ingest import BookShard, ingest_book
from cloze_gen.corpus.parse_book import IngestSettings
from cloze_gen.engine.local import engine_scope, make_engine
from cloze_gen.store.artifacts import Store

_SMALL_FILES = 20_000
_SMALL_CHARS = 12_000
_ROWS_A_GROUP = 100


def read(place: Path, out: Path) -> None:
    """Collect and ingest the books of a place."""
    store = Store(out)
    books = collect(Location.parse(str(place)), store, workers=2).books
    shards = [BookShard(out, book, IngestSettings()) for book in books]
    with engine_scope(make_engine("local", workers=2)) as engine:
        for _ in engine.map(ingest_book, shards):
            pass


def texts(novels: Path, copies: int) -> Iterator[tuple[str, str]]:
    """(name, text); every copy has a first line of its own, so that no two texts are equal."""
    files = sorted(path for path in novels.iterdir() if path.suffix.lower() == ".txt")
    for copy, file in itertools.product(range(copies), files):
        text = file.read_bytes().decode("utf-8", "replace")
        yield f"{file.stem}-copy{copy}", f"Copy {copy} of a novel.\n\n{text}"


def write_shapes(novels: Path, folder: Path, copies: int) -> list[Path]:
    """The collection in each shape; what is there is kept."""
    plain, table = folder / "text", folder / "novels.parquet"
    small, packed = folder / "small", folder / "small-gz"
    if not packed.exists():
        for place in (plain, small, packed):
            place.mkdir(parents=True, exist_ok=True)
        schema = pa.schema({"id": pa.string(), "text": pa.large_string()})
        with pq.ParquetWriter(table, schema, compression="zstd") as writer:
            books = texts(novels, copies)
            while group := list(itertools.islice(books, _ROWS_A_GROUP)):
                rows = [{"id": name, "text": text} for name, text in group]
                writer.write_table(pa.Table.from_pylist(rows, schema))
                for name, text in group:
                    (plain / f"{name}.txt").write_bytes(text.encode())
        for number, text in enumerate(itertools.islice(_pieces(novels), _SMALL_FILES)):
            (small / f"story-{number}.txt").write_bytes(text.encode())
            (packed / f"story-{number}.txt.gz").write_bytes(
                gzip.compress(text.encode(), 1, mtime=0)
            )
    return [plain, table, small, packed]


def _pieces(novels: Path) -> Iterator[str]:
    """Pieces of the novels, each of whole paragraphs."""
    for _, text in texts(novels, 1):
        piece = ""
        for paragraph in text.replace("\r\n", "\n").split("\n\n"):
            piece += f"{paragraph}\n\n"
            if len(piece) > _SMALL_CHARS:
                yield piece
                piece = ""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--novels", type=Path)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--copies", type=int, default=8)
    parser.add_argument("--read", type=Path, help="collect and ingest this place, into --scratch")
    args = parser.parse_args()
    if args.read:
        read(args.read, args.scratch)
        return
    print("| shape | wall s | CPU s | peak of any process, GiB |\n|---|---:|---:|---:|")
    for place in write_shapes(args.novels, args.scratch / "books", args.copies):
        command = [sys.executable, __file__, "--read", str(place), "--scratch"]
        usage = measure(
            [*command, str(args.scratch / f"out-{place.name}")], stdout=subprocess.DEVNULL
        )
        print(row(place.name, [usage]), flush=True)


if __name__ == "__main__":
    main()
