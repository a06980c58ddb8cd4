"""Clean ends: how much each rule of `front_back_matter` removes from books, removals to read, and
the first and last paragraphs that are kept.

    python benchmarks/clean_ends.py data/holmes-training data/en100 --removals 50
    python benchmarks/clean_ends.py data/en100 --rule notes --longer 2000 --removals 0
    python benchmarks/clean_ends.py data/holmes-training --removals 0 --kept 40

Prints a table of rules, then random removals (or, with --longer, all above that size) with the text
around them, to be read for lost story; then paragraphs, to be read for matter that was missed.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.corpus.decoding import decode_book, flatten
from cloze_gen.corpus.front_back_matter import Removed
from cloze_gen.corpus.gutenberg import Body, find_body
from cloze_gen.corpus.readers import read_book
from cloze_gen.corpus.scan import scan_corpus
from cloze_gen.corpus.sentences import OTHER, split_paragraphs
from cloze_gen.errors import BookError

_CONTEXT_CHARS = 150
_SHOWN_CHARS = 400


@dataclass(frozen=True)
class Book:
    name: str
    flat: str
    body: Body


def read_books(folder: Path) -> Iterator[Book]:
    for book in scan_corpus(folder):
        try:
            flat = flatten(decode_book(read_book(book.path, book.member).data).text)
        except BookError as error:
            print(f"{book.file}: {error}", file=sys.stderr)
        else:
            yield Book(book.file, flat, find_body(flat))


def table(books: int, chars: int, hit: Counter[str], removed: Counter[str]) -> str:
    lines = ["| rule | books | characters | share |", "|---|---|---|---|"]
    lines += [
        f"| {rule} | {hit[rule]:,} | {count:,} | {count / chars:.3%} |"
        for rule, count in removed.most_common()
    ]
    lines.append(f"| all | | {removed.total():,} | {removed.total() / max(1, chars):.3%} |")
    return f"{books:,} books, {chars:,} characters between header and footer\n" + "\n".join(lines)


def excerpt(flat: str, start: int, end: int) -> str:
    text = " ".join(flat[start:end].split())
    if len(text) <= _SHOWN_CHARS:
        return text
    return f"{text[: _SHOWN_CHARS // 2]} [...] {text[-_SHOWN_CHARS // 2 :]}"


def sample_by_rule(
    removals: list[tuple[Book, Removed]], wanted: int, rng: random.Random
) -> list[tuple[Book, Removed]]:
    """As many of each rule as there are, for most removals are footnotes."""
    rng.shuffle(removals)
    turn: Counter[str] = Counter()
    ranked: list[tuple[int, str, int, Book, Removed]] = []
    for book, one in removals:
        turn[one.rule] += 1
        ranked.append((turn[one.rule], one.rule, len(ranked), book, one))
    return [(book, one) for *_, book, one in sorted(ranked, key=lambda row: row[:3])[:wanted]]


def print_removal(book: Book, one: Removed) -> None:
    before = excerpt(book.flat, max(book.body.start, one.start - _CONTEXT_CHARS), one.start)
    after = excerpt(book.flat, one.end, min(book.body.end, one.end + _CONTEXT_CHARS))
    print(f"\n{book.name}, {one.rule}, {one.end - one.start:,} characters at {one.start:,}")
    print(f"  before:  {before}\n  REMOVED: {excerpt(book.flat, *one[:2])}\n  after:   {after}")


def print_kept(book: Book, paragraphs: int) -> None:
    kept = [one for one in split_paragraphs(book.flat, book.body) if one.kind != OTHER]
    for part, chosen in (("first", kept[:paragraphs]), ("last", kept[-paragraphs:])):
        print(f"\n{book.name}, {part} paragraphs")
        for one in chosen:
            print(f"  {one.kind[:5]:5} {excerpt(book.flat, one.start, one.end)[:100]}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument(
        "--removals", type=int, default=20, help="print so many, of every rule alike"
    )
    parser.add_argument("--longer", type=int, help="print all removals of more characters instead")
    parser.add_argument("--rule", help="print removals of this rule only")
    parser.add_argument("--kept", type=int, default=0, help="print the ends of so many books")
    parser.add_argument("--paragraphs", type=int, default=15, help="how many at each end")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    books = [book for folder in arguments.folders for book in read_books(folder)]
    chars = sum(book.body.end - book.body.start for book in books)
    hit: Counter[str] = Counter()
    removed: Counter[str] = Counter()
    for book in books:
        hit.update({one.rule for one in book.body.skipped})
        for one in book.body.skipped:
            removed[one.rule] += one.end - one.start
    print(table(len(books), chars, hit, removed))
    rng = random.Random(arguments.seed)
    removals = [
        (book, one)
        for book in books
        for one in book.body.skipped
        if arguments.rule in (None, one.rule)
    ]
    if arguments.longer is not None:
        shown = [(book, one) for book, one in removals if one.end - one.start > arguments.longer]
    else:
        shown = sample_by_rule(removals, arguments.removals, rng)
    for book, one in shown:
        print_removal(book, one)
    for book in rng.sample(books, min(arguments.kept, len(books))):
        print_kept(book, arguments.paragraphs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
