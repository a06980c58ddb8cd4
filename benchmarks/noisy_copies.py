"""Make a folder of books larger: the books themselves, and copies of them with noise, to see how a run grows with its text.

    python benchmarks/noisy_copies.py data/holmes-training DIR --times 5

In a copy one lower-case word in three is another one, drawn from all words of a sample of the books, so that no copy is taken for its
book and n-grams that nobody wrote grow in number as those of new books would. How noisy a place of a book is, from not at all to seven
words in ten, is the same in all its copies: n-grams that stand twice, three times, four times in all copies together grow rarer as they
do in books, and `lmplz` can estimate its discounts from them (at the same noise everywhere it refuses five copies). One word in four
hundred has two letters exchanged, so that the vocabulary grows too. A copy is the same every time, whatever else is made: its noise is
of its own name. What is not ASCII, and everything that is no lower-case word (headers, licences, marks, names), stays.
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


def grown(books: Sequence[Path], out: Path, *, times: float, seed: int = 1) -> int:
    """Write the books and as many noisy copies as make `times` their number; returns the bytes written.

    Raises:
        FileExistsError: the folder is there already.
    """
    out.mkdir(parents=True)
    step = max(1, len(books) // _POOL_BOOKS)
    pool = np.array([word for book in books[::step] for word in _WORD.findall(book.read_bytes())], dtype=object)
    written = 0
    for number, book in enumerate(_repeated(books, times)):
        copy = number // len(books)
        raw = book.read_bytes()
        name = f"{book.stem}-COPY{copy}{book.suffix}" if copy else book.name
        if copy:
            places, rng = derive_rng(seed, "benchmarks.places", book.name), derive_rng(seed, "benchmarks.noise", name)
            raw = noisy(raw, pool, places=places, rng=rng)
        written += (out / name).write_bytes(raw)
    return written


def _repeated(books: Sequence[Path], times: float) -> Iterator[Path]:
    """Each book so often, one after the other; of a part of a time, books spread evenly."""
    whole = int(times)
    for _ in range(whole):
        yield from books
    rest = round((times - whole) * len(books))
    yield from (books[i * len(books) // rest] for i in range(rest))


def noisy(raw: bytes, pool: np.ndarray, *, places: np.random.Generator, rng: np.random.Generator) -> bytes:
    """A book with noise: as much as `places` says of each place, and what `rng` says there."""
    parts = _WORD.split(raw)  # every second part is a word
    count = len(parts) // 2
    share = places.uniform(0, _MOST_REPLACED, -(-count // _PLACE_WORDS)).repeat(_PLACE_WORDS)[:count]
    drawn = rng.random(count)
    replaced = np.flatnonzero(drawn < share)
    for place, word in zip((2 * replaced + 1).tolist(), pool[rng.integers(len(pool), size=len(replaced))].tolist(), strict=True):
        parts[place] = word
    for i in np.flatnonzero(drawn > 1 - _MISSPELT).tolist():
        word = parts[2 * i + 1]
        at = int(rng.integers(len(word) - 1))
        parts[2 * i + 1] = word[:at] + word[at + 1 : at + 2] + word[at : at + 1] + word[at + 2 :]
    return b"".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("books", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--times", type=float, required=True, help="how many times the books; 2.5 is allowed")
    args = parser.parse_args()
    if args.times < 1:
        parser.error("--times: 1 is the books alone, less is not made")
    books = sorted(path for path in args.books.iterdir() if path.suffix.lower() == ".txt")
    if not books:
        parser.error(f"{args.books}: no .txt file")
    sys.stdout.write(f"{grown(books, args.out, times=args.times):,} bytes in {args.out}\n")


if __name__ == "__main__":
    main()
