"""Speed of ingest (bytes to sentences of tokens), next to `spacy.blank("en").pipe` on the same
paragraphs, one core.

    OMP_NUM_THREADS=1 python benchmarks/ingest_speed.py data/holmes-training --books 40 --check

CPU seconds of this process, both on the same books in turn. Ours does everything (decoding,
boilerplate, paragraphs, sentences, tokens, counts, content sketch); spaCy only tokenizes ready
paragraphs, with line ends as in the file and unwrapped. "Cold" starts with an empty chunk memo,
"warm" reads the books again.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import spacy

from cloze_gen.adapters.spacy_tokenizer import build_tokenizer, chunk_tokenizer
from cloze_gen.corpus.decoding import decode_book, flatten
from cloze_gen.corpus.gutenberg import find_body
from cloze_gen.corpus.parse_book import IngestSettings, ParsedBook, parse_book
from cloze_gen.corpus.sentences import OTHER, split_paragraphs
from cloze_gen.corpus.tokens import ChunkMemo

SPACY, UNWRAPPED = "spaCy", "spaCy, unwrapped"
_PARAGRAPHS_A_DOC = 200  # joined for the identity check only, to keep it short


def paragraphs_of(raw: bytes) -> list[str]:
    """Paragraphs of the body with their line ends."""
    flat = flatten(decode_book(raw).text)
    return [
        flat[p.start : p.end] for p in split_paragraphs(flat, find_body(flat)) if p.kind != OTHER
    ]


def differing_sentences(book: ParsedBook) -> list[tuple[str, str]]:
    """Sentences whose memoized tokens differ from the tokenizer's, with the latter."""
    tokenizer = build_tokenizer()
    found = []
    for start in range(0, len(book.text), _PARAGRAPHS_A_DOC):
        texts = book.text[start : start + _PARAGRAPHS_A_DOC]
        own = " ".join(token.text for token in tokenizer(" ".join(texts)))
        if own != " ".join(book.tokens[start : start + _PARAGRAPHS_A_DOC]):
            for text, tokens in zip(texts, book.tokens[start:], strict=False):
                alone = " ".join(token.text for token in tokenizer(text))
                if alone != tokens:
                    found.append((tokens, alone))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--books", type=int, default=40, help="how many, spread evenly over the folder; 0 for all"
    )
    parser.add_argument(
        "--check", action="store_true", help="compare all tokens with the tokenizer's own"
    )
    arguments = parser.parse_args()
    files = sorted(path for path in arguments.folder.iterdir() if path.suffix.lower() == ".txt")
    step = max(1, len(files) // arguments.books) if arguments.books else 1
    settings, memo, pipeline = IngestSettings(), ChunkMemo(chunk_tokenizer()), spacy.blank("en")
    seconds = {"ours, cold": 0.0, "ours, warm": 0.0, SPACY: 0.0, UNWRAPPED: 0.0}
    tokens = dict.fromkeys(seconds, 0)
    different = 0
    for file in files[::step]:
        raw = file.read_bytes()
        for run in ("ours, cold", "ours, warm"):
            begun = time.process_time()
            book = parse_book(raw, settings=settings, memo=memo)
            seconds[run] += time.process_time() - begun
            tokens[run] += book.audit.tokens
        wrapped = paragraphs_of(raw)
        for run, texts in (
            (SPACY, wrapped),
            (UNWRAPPED, [" ".join(text.split()) for text in wrapped]),
        ):
            begun = time.process_time()
            tokens[run] += sum(len(doc) for doc in pipeline.pipe(texts))
            seconds[run] += time.process_time() - begun
        if arguments.check:
            for ours, own in differing_sentences(book):
                different += 1
                print(f"{file.name}: {ours!r} is not the tokenizer's {own!r}")
    print(
        f"{len(files[::step])} books, {len(memo):,} chunk types; speed against spaCy on "
        "paragraphs as they stand / unwrapped"
    )
    for run, spent in seconds.items():
        ratios = " / ".join(f"{seconds[other] / spent:.2f}" for other in (SPACY, UNWRAPPED))
        print(
            f"{run:17} {spent:8.2f} s {tokens[run]:12,} tokens {tokens[run] / spent:12,.0f} "
            f"tokens/s   {ratios}"
        )
    if arguments.check:
        print(
            "tokens identical to the tokenizer's own"
            if not different
            else f"{different} sentences differ"
        )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
