"""Seconds from the command to the first book in the store, for a folder of many small books.

    benchmarks/many_files.py DIR [--books 20000]

Writes the books to DIR/books (2 kB each, from the sample), starts `cloze-gen run holmes-style
--source DIR/books` on an empty output folder DIR/out, and stops it when the first book is read.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import time
from pathlib import Path

SAMPLE = Path(__file__).resolve().parents[1] / "corpora" / "sample" / "train"
A_FOLDER = 1000  # books
PARAGRAPHS = 5


def write_books(folder: Path, count: int) -> int:
    """Write the books unless they are there; returns their bytes."""
    paragraphs = (SAMPLE / "01-the-ferrymans-ledger.txt").read_text(encoding="utf-8").split("\n\n")
    total = 0
    for number in range(count):
        file = folder / f"{number // A_FOLDER:03}" / f"book-{number:06}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            own = (paragraphs[(number + n) % len(paragraphs)] for n in range(PARAGRAPHS))
            file.write_text(f"Book {number}\n\n" + "\n\n".join(own), encoding="utf-8")
        total += file.stat().st_size
    return total


def seconds_to_first_book(books: Path, out: Path) -> float:
    command = [
        *(sys.executable, "-m", "cloze_gen", "run", "holmes-style"),
        *("--source", str(books), "--out", str(out)),
    ]
    start = time.perf_counter()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as run:
        while not any(out.glob("store/book-*/*")):
            if run.poll() is not None:
                raise SystemExit(f"the run ended before the first book: {run.communicate()[1]}")
            time.sleep(0.05)
        seconds = time.perf_counter() - start
        run.send_signal(signal.SIGINT)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, metavar="DIR", help="new folder for books and output")
    parser.add_argument("--books", type=int, default=20_000, help="number of books")
    given = parser.parse_args()
    out = given.folder / "out"
    if out.exists():
        raise SystemExit(f"{out}: exists. Give a new folder.")
    total = write_books(given.folder / "books", given.books)
    seconds = seconds_to_first_book(given.folder / "books", out)
    print(f"{given.books:,} books, {total:,} bytes: first book read after {seconds:.1f} s")


if __name__ == "__main__":
    main()
