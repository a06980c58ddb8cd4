"""Enlarge a folder of books with noisy copies, to see how a run grows with its text.

    python benchmarks/noisy_copies.py data/holmes-training DIR --times 5

In a copy one lower-case word in three is replaced by a random word of the books, so that no copy
counts as a duplicate and unseen n-grams grow as with new books. The noise level varies along a
book, from none to seven words in ten, and is the same in all its copies: so counts of counts fall
as in real books and `lmplz` can estimate its discounts (with uniform noise it refuses five copies).
One word in four hundred has two letters exchanged, so that the vocabulary grows. A copy depends on
its name only. Non-ASCII text and words with capitals stay as they are.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from cloze_gen.rng import derive_rng

_WORD = re.compile(rb"\b([a-z]{3,})\b")
_MOST_REPLACED, _MISSPELT = 0.7, 0.0025  # shares of the words
_PLACE_WORDS = 12  # that are equally noisy: about a line
_POOL_BOOKS = 40  # whose words stand in for others, spread evenly


def grown(books: Sequence[Path], out: Path, *, times: float) -> int:
    """Write the books and noisy copies up to `times` their number; returns the bytes written.

    Raises:
        FileExistsError: the folder exists.
    """
    out.mkdir(parents=True)
    step = max(1, len(books) // _POOL_BOOKS)
    pool = np.array(
        [word for book in books[::step] for word in _WORD.findall(book.read_bytes())], dtype=object
    )
    written = 0
    for number, book in enumerate(_repeated(books, times)):
        copy = number // len(books)
        raw = book.read_bytes()
        name = f"{book.stem}-COPY{copy}{book.suffix}" if copy else book.name
        if copy:
            places = derive_rng(1, "benchmarks.places", book.name)
            rng = derive_rng(1, "benchmarks.noise", name)
            raw = noisy(raw, pool, places=places, rng=rng)
        written += (out / name).write_bytes(raw)
    return written


def _repeated(books: Sequence[Path], times: float) -> Iterator[Path]:
    """Each book that often; a fraction is of evenly spread books."""
    whole = int(times)
    for _ in range(whole):
        yield from books
    rest = round((times - whole) * len(books))
    yield from (books[i * len(books) // rest] for i in range(rest))


def noisy(
    raw: bytes, pool: np.ndarray, *, places: np.random.Generator, rng: np.random.Generator
) -> bytes:
    """A book with noise; `places` gives the level of each place."""
    parts = _WORD.split(raw)  # every second part is a word
    count = len(parts) // 2
    share = places.uniform(0, _MOST_REPLACED, -(-count // _PLACE_WORDS)).repeat(_PLACE_WORDS)[
        :count
    ]
    drawn = rng.random(count)
    replaced = np.flatnonzero(drawn < share)
    for place, word in zip(
        (2 * replaced + 1).tolist(),
        pool[rng.integers(len(pool), size=len(replaced))].tolist(),
        strict=True,
    ):
        parts[place] = word
    for i in np.flatnonzero(drawn > 1 - _MISSPELT).tolist():
        word = parts[2 * i + 1]
        at = int(rng.integers(len(word) - 1))
        parts[2 * i + 1] = word[:at] + word[at + 1 : at + 2] + word[at : at + 1] + word[at + 2 :]
    return b"".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("books", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--times", type=float, required=True, help="how many times the books; 2.5 is allowed"
    )
    args = parser.parse_args()
    if args.times < 1:
        parser.error("--times: 1 is the books alone, less is not made")
    books = sorted(path for path in args.books.iterdir() if path.suffix.lower() == ".txt")
    if not books:
        parser.error(f"{args.books}: no .txt file")
    sys.stdout.write(f"{grown(books, args.out, times=args.times):,} bytes in {args.out}\n")


if __name__ == "__main__":
    main()
