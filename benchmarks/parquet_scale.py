"""Ingest of one Parquet file of many books against the same books as .txt files.

    python benchmarks/parquet_scale.py data/holmes-training --scratch /tmp/scale

It builds a table of 8,000 books, about 2 GB, and the same books as files. It ingests both, kills an
ingest of the table after a third of its books, and resumes it. It prints the cost of each, and exits
with 1 if the stored books differ, if a process takes more than 1 GiB, or if the resumed run stores a
book again. Compare CPU time on a machine that does other work.

A book is a draw of chapters (25 kB, cut between paragraphs) from all novels, in random order, so no
two books are equal. Chapters recur, and ingest keeps a memory of words and chunks, so it runs
faster than on 8,000 real novels: the share of reading is an upper bound.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from processes import Usage, measure

from cloze_gen.corpus.decoding import decode_book
from cloze_gen.corpus.ingest import write_ingest
from cloze_gen.corpus.parse_book import IngestSettings
from cloze_gen.corpus.scan import read_digests, scan_corpus
from cloze_gen.engine.local import LocalEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.store.artifacts import Store
from cloze_gen.store.fingerprint import StageKey

CHAPTER_CHARS = 25_000
MOST_BYTES = 1024**3
TABLE, FILES = "parquet", "txt"


def chapters_of(folder: Path) -> list[str]:
    """Pieces of all novels of a folder, cut between paragraphs."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() != ".txt":
            continue
        text = decode_book(path.read_bytes()).text.replace("\r\n", "\n")
        start = 0
        while start < len(text):
            end = text.find("\n\n", start + CHAPTER_CHARS)
            end = end if end != -1 else len(text)
            found.append(text[start:end].strip())
            start = end + 2
    return found


def books_of(chapters: list[str], count: int, mean_bytes: float) -> Iterator[str]:
    """`count` books, from a quarter to seven quarters of the mean size."""
    for number in range(count):
        rng = random.Random(number)
        most, book, size = mean_bytes * rng.uniform(0.25, 1.75), list[str](), 0
        while size < most or not book:
            book.append(rng.choice(chapters))
            size += len(book[-1])
        yield f"Book {number}\n\n" + "\n\n".join(book)[: int(most)] + "\n"


def build(args: argparse.Namespace) -> None:
    """The table and the files, in `scratch`."""
    chapters = chapters_of(args.folder)
    for kind in (TABLE, FILES):
        (args.scratch / kind).mkdir(parents=True)
    schema = pa.schema([("title", pa.string()), ("text", pa.large_string())])
    with pq.ParquetWriter(args.scratch / TABLE / "books.parquet", schema) as writer:
        titles: list[str] = []
        texts: list[str] = []
        size = 0
        for number, text in enumerate(books_of(chapters, args.books, args.bytes / args.books)):
            (args.scratch / FILES / f"book-{number}.txt").write_bytes(text.encode())
            titles.append(f"book-{number}")
            texts.append(text)
            size += len(text)
            if size >= args.group_bytes or number == args.books - 1:
                writer.write_table(pa.table({"title": titles, "text": texts}, schema=schema))
                titles, texts, size = [], [], 0


def ingest(args: argparse.Namespace) -> None:
    """What a run does with a folder of books, in this process and its workers."""
    books = scan_corpus(args.folder)
    digests = read_digests(books)
    store, key = Store(args.scratch), StageKey("ingest", 1)
    engine = LocalEngine(args.workers)
    try:
        with store.writing(key) as writer:
            if writer is not None:
                write_ingest(
                    writer,
                    StageContext(store, engine, "ingest"),
                    books=books,
                    digests=digests,
                    settings=IngestSettings(),
                )
    finally:
        engine.close()


# In processes of their own: a process counts the memory of the one that starts it as its own.
STEPS = {"build": build, "ingest": ingest}


def command(args: argparse.Namespace, kind: str, out: Path) -> list[str]:
    program = [sys.executable, __file__, str(args.scratch / kind), "--scratch", str(out)]
    return [*program, "--workers", str(args.workers), "--step", "ingest"]


def stored(out: Path) -> dict[str, float]:
    """The finished books of a store, and when they were written."""
    return {
        path.parent.name: path.stat().st_mtime
        for path in (out / "store").glob("book-*/*/manifest.json")
    }


def killed(args: argparse.Namespace, out: Path) -> dict[str, float]:
    """The books that an ingest had stored when it was killed, at about a third of all."""
    process = subprocess.Popen(
        command(args, TABLE, out), start_new_session=True, stderr=subprocess.DEVNULL
    )
    while process.poll() is None and len(stored(out)) < args.books / 3:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return stored(out)


def row(name: str, usage: Usage) -> str:
    return (
        f"| {name} | {usage.wall_seconds:.0f} | {usage.cpu_seconds:.0f} | "
        f"{usage.peak_bytes / 2**30:.2f} |"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="novels as .txt files")
    parser.add_argument("--books", type=int, default=8_000)
    parser.add_argument("--bytes", type=float, default=3.3e9, help="of text; Snappy saves 40 %%")
    parser.add_argument(
        "--group-bytes", type=float, default=1e8, help="of text in a row group of the table"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.step:
        STEPS[args.step](args)
        return 0
    if not (args.scratch / TABLE).exists():
        subprocess.run([sys.executable, *sys.argv, "--step", "build"], check=True)
    size = (args.scratch / TABLE / "books.parquet").stat().st_size
    print(f"{args.books:,} books; the table has {size / 1e9:.2f} GB", flush=True)
    print("| books as | wall s | CPU s | peak of any process, GiB |\n|---|---:|---:|---:|")
    usages = {}
    for kind in (FILES, TABLE):
        usages[kind] = measure(
            command(args, kind, args.scratch / f"out-{kind}"), stderr=subprocess.DEVNULL
        )
        print(row(kind, usages[kind]), flush=True)
    resumed = args.scratch / "out-resumed"
    before = killed(args, resumed)
    usages["resumed"] = measure(command(args, TABLE, resumed), stderr=subprocess.DEVNULL)
    print(row(f"{TABLE}, resumed after {len(before):,} books", usages["resumed"]))
    after = stored(resumed)
    slower = usages[TABLE].cpu_seconds / usages[FILES].cpu_seconds
    peak = max(usage.peak_bytes for usage in usages.values())
    same = set(stored(args.scratch / f"out-{FILES}")) == set(after)
    again = sum(after[name] != when for name, when in before.items())
    print(
        f"CPU time of the table / of the files: {slower:.3f}. Peak {peak / 2**30:.2f} GiB. "
        f"Books stored again: {again}. The same stored books: {same}."
    )
    for kind in (FILES, TABLE):
        shutil.rmtree(args.scratch / f"out-{kind}")
    shutil.rmtree(resumed)
    return 0 if same and not again and peak <= MOST_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
