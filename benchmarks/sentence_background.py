"""BookCorpus' sentence files as background: made from novels, their speed, and what they change.

    python benchmarks/sentence_background.py make data/en100 /tmp/sentences
    python benchmarks/sentence_background.py case data/en100
    python benchmarks/sentence_background.py overlap data/en100 /tmp/sentences
    python benchmarks/sentence_background.py speed /tmp/sentences /tmp/speed
    python benchmarks/sentence_background.py runs data/en100 data/holmes-seeds /tmp/sentences /tmp/runs

`make` writes the novels' sentences as in `books_large_p1.txt`: in small letters, tokenized in the
Penn way, one a line. `case` counts which capitals the reader restores. `overlap` measures how much
of each novel the content sketches find in that file. `speed` repeats the sentences to 20 million
lines in a new order and ingests them with one and two workers, next to `lmplz -o 3`. `runs` makes
Holmes-style questions with either background.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from processes import Usage, cloze_gen, measure

from cloze_gen.adapters.lmplz import find_lmplz
from cloze_gen.adapters.spacy_tokenizer import chunk_tokenizer
from cloze_gen.corpus.content_sketch import containment
from cloze_gen.corpus.counts import opening_words
from cloze_gen.corpus.ingest import write_ingest
from cloze_gen.corpus.normalization import LINE_END_HYPHEN
from cloze_gen.corpus.parse_book import IngestSettings, ParsedBook, parse_book
from cloze_gen.corpus.parse_sentences import (
    in_small_letters,
    parse_sentences,
    restored_case,
    sentence_tokenizer,
)
from cloze_gen.corpus.readers import MAX_BOOK_BYTES
from cloze_gen.corpus.readers.reader import InputSettings
from cloze_gen.corpus.readers.text_file import PlainText
from cloze_gen.corpus.scan import read_digests, scan_corpus
from cloze_gen.corpus.sentences import HEADING
from cloze_gen.corpus.tokens import ChunkMemo, spaces_after
from cloze_gen.engine.local import engine_scope, make_engine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.treebank import clitics_cut
from cloze_gen.store.artifacts import Store
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.word_tokens import is_word

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


def case(args: argparse.Namespace) -> None:
    """Tokens behind a sentence's first: capitals restored, and small letters capitalized."""
    small_words, restored, capitals, wrong = 0, 0, 0, Counter()
    counts, initial = Counter(), Counter()
    for book in parsed_books(args.novels):
        counts.update(book.type_counts)
        initial.update(opening_words(book.tokens))
    for word, count in counts.items():
        free = count - initial[word]
        if not is_word(word) or free <= 0:
            continue
        cased = restored_case(word.lower())
        if word == word.lower():
            small_words += free
            wrong[word] += free if cased != word else 0
        else:
            capitals += free
            restored += free if cased == word else 0
    print(
        f"{restored:,} of {capitals:,} capitals restored ({restored / capitals:.1%}); "
        f"{wrong.total():,} of {small_words:,} words in small letters capitalized "
        f"({wrong.total() / small_words:.2%}), most often "
        f"{', '.join(word for word, _ in wrong.most_common(40))}"
    )


def overlap(args: argparse.Namespace) -> None:
    """How much of each novel the content sketch finds in the file of its sentences."""
    path = args.sentences / FILE
    reader, sketches = PlainText(), []
    with open(path, "rb") as file:
        for member in reader.listing(file, InputSettings()).members:
            raw = reader.fetch(file, member.name, limit=MAX_BOOK_BYTES)[0]
            sketches.append(parsed_part(raw).sketch)
    found = sorted(
        max(containment(novel.sketch, sketch) for sketch in sketches)
        for novel in parsed_books(args.novels)
    )
    print(
        f"{len(found)} novels, {len(sketches)} parts: share of a novel found in one part: least "
        f"{found[0]:.2f}, median {statistics.median(found):.2f}, largest {found[-1]:.2f}"
    )


def parsed_part(raw: bytes) -> ParsedBook:
    small = in_small_letters(raw)
    memo = ChunkMemo(sentence_tokenizer(chunk_tokenizer(), small=small))
    return parse_sentences(
        raw, settings=IngestSettings(), memo=memo, small=small, decode=PlainText().decode
    )


def repeated(source: Path, target: Path, *, n_lines: int) -> None:
    """The lines of a file in a new order, again and again, until there are so many."""
    lines = source.read_bytes().splitlines(keepends=True)
    rng = random.Random(1)
    with open(target, "wb") as file:
        for start in range(0, n_lines, len(lines)):
            rng.shuffle(lines)
            file.writelines(lines[: n_lines - start])


def speed(args: argparse.Namespace) -> None:
    corpus = args.out / "sentences"
    corpus.mkdir(parents=True)
    text = corpus / FILE
    repeated(args.sentences / FILE, text, n_lines=args.lines)
    print(f"{args.lines:,} lines, {text.stat().st_size:,} bytes\n")
    print("| | wall s | CPU s | peak of any process, GiB |\n|---|---:|---:|---:|")
    for workers in args.workers:
        command = [
            sys.executable,
            __file__,
            "ingest",
            str(corpus),
            str(args.out / f"store{workers}"),
        ]
        show(f"ingest, workers {workers}", measure([*command, "--workers", str(workers)]))
        print(f"| (its store: {folder_bytes(args.out / f'store{workers}'):,} bytes) | | | |")
        shutil.rmtree(args.out / f"store{workers}")
    log = args.out / "lmplz.log"
    with open(log, "wb") as errors:
        command = [str(find_lmplz()), "-o", "3", "-S", "4G", "-T", str(args.out)]
        command += ["--discount_fallback", "--text", str(text), "--arpa", "/dev/null"]
        counting = threading.Thread(target=time_counting, args=(log,))
        counting.start()
        whole = measure(command, stderr=errors)
        counting.join()
    show("lmplz -o 3, whole", whole)
    if not args.keep:
        shutil.rmtree(args.out)


def time_counting(log: Path) -> None:
    """Print how long the first stage of `lmplz` takes: from its start to `=== 2/5`."""
    started = time.perf_counter()
    while "=== 2/5" not in log.read_text(encoding="utf-8"):
        time.sleep(0.2)
    print(f"| lmplz -o 3, counting | {time.perf_counter() - started:.0f} | | |", flush=True)


def show(name: str, usage: Usage) -> None:
    print(
        f"| {name} | {usage.wall_seconds:.0f} | {usage.cpu_seconds:.0f} | "
        f"{usage.peak_bytes / 2**30:.2f} |",
        flush=True,
    )


def folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def ingest(args: argparse.Namespace) -> None:
    """List, digest and read the corpus into a store, as a run does."""
    store = Store(args.out)
    books = scan_corpus(args.sentences)
    with (
        engine_scope(make_engine("local", workers=args.workers)) as engine,
        store.writing(StageKey("ingest", 1, {})) as writer,
    ):
        assert writer is not None
        ctx = StageContext(store, engine, "ingest")
        write_ingest(
            writer, ctx, books=books, digests=read_digests(books), settings=IngestSettings()
        )


def runs(args: argparse.Namespace) -> None:
    """Holmes-style runs with the novels and with their sentences as background, and the funnels."""
    for name, train in (("novels", args.novels), ("sentences", args.sentences)):
        books = ("--train", str(train), "--source", str(args.source))
        small = ("--set", "focus.min_count=10", "--set", f"choice.n_questions={args.questions}")
        command = cloze_gen(
            "run", "holmes-style", *books, "--out", str(args.out), "--name", name, *small
        )
        show(name, measure([*command, "--workers", "2"], stderr=subprocess.DEVNULL))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    for work, folders in (
        (make, ("novels", "out")),
        (case, ("novels",)),
        (overlap, ("novels", "sentences")),
        (speed, ("sentences", "out")),
        (ingest, ("sentences", "out")),
        (runs, ("novels", "source", "sentences", "out")),
    ):
        one = commands.add_parser(work.__name__)
        for folder in folders:
            one.add_argument(folder, type=Path)
        if work is speed:
            one.add_argument("--lines", type=int, default=20_000_000)
            one.add_argument("--keep", action="store_true", help="keep the lines and the log")
            one.add_argument("--workers", type=int, nargs="+", default=[1, 2])
        if work is ingest:
            one.add_argument("--workers", type=int, default=1)
        if work is runs:
            one.add_argument("--questions", type=int, default=300)
        one.set_defaults(work=work)
    args = parser.parse_args()
    args.work(args)


if __name__ == "__main__":
    main()
