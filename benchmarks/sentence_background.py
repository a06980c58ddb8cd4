"""BookCorpus' sentence files as background: made from novels, their speed, and what they change.

    python benchmarks/sentence_background.py make data/en100 /tmp/sentences/novels
    python benchmarks/sentence_background.py case data/en100
    python benchmarks/sentence_background.py speed /tmp/sentences/novels /tmp/sentences/speed
    python benchmarks/sentence_background.py runs data/en100 data/holmes-seeds /tmp/sentences/novels OUT

`make` writes the novels' sentences as in `books_large_p1.txt`: in small letters, tokenized in the
Penn way, one a line. `case` counts which capitals the reader restores. `speed` repeats the
sentences to 20 million lines in a new order and reads them, next to `lmplz -o 3` on the same lines.
`runs` makes Holmes-style questions with either background and prints the two funnels.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from cloze_gen.adapters.spacy_tokenizer import chunk_tokenizer
from cloze_gen.corpus.normalization import LINE_END_HYPHEN
from cloze_gen.corpus.parse_book import IngestSettings, ParsedBook, parse_book
from cloze_gen.corpus.sentences import HEADING
from cloze_gen.corpus.tokens import ChunkMemo, spaces_after
from cloze_gen.english.treebank import clitics_cut

FILE = "books_large_p1.txt"


def parsed_books(folder: Path) -> Iterator[ParsedBook]:
    memo, settings = ChunkMemo(chunk_tokenizer()), IngestSettings()
    for path in sorted(folder.glob("*.txt")):
        yield parse_book(path.read_bytes(), book_id=path.stem, settings=settings, memo=memo)


def penn_line(text: str, tokens: list[str]) -> str:
    """A sentence as BookCorpus prints it.

    >>> penn_line('"I don\\'t know," said Holmes.', ['"', "I", "don't", "know", ",", '"', "said", "Holmes", "."])
    "`` i do n't know , '' said holmes ."
    """
    parts = []
    for token, space in zip(tokens, spaces_after(text, tokens), strict=True):
        if token == '"':
            parts.append("''" if space or token is tokens[-1] else "``")
        else:
            parts += clitics_cut(token)
    return " ".join(parts).lower().replace(LINE_END_HYPHEN, "")


def make(args: argparse.Namespace) -> None:
    args.out.mkdir(parents=True, exist_ok=True)
    n_lines = 0
    with open(args.out / FILE, "w", encoding="utf-8") as file:
        for book in parsed_books(args.novels):
            for text, tokens, kind in zip(book.text, book.tokens, book.kind, strict=True):
                if kind != HEADING:
                    file.write(penn_line(text, tokens.split(" ")) + "\n")
                    n_lines += 1
    print(f"{n_lines:,} lines, {(args.out / FILE).stat().st_size:,} bytes: {args.out / FILE}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("make")
    one.add_argument("novels", type=Path)
    one.add_argument("out", type=Path)
    one.set_defaults(work=make)
    args = parser.parse_args()
    args.work(args)


if __name__ == "__main__":
    main()
