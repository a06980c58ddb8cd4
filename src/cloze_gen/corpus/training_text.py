"""The training text: the kept books' sentences as lines for `lmplz` and as numbers."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.compute as pc

from cloze_gen.corpus.arrays import line_ids
from cloze_gen.corpus.books import SENTENCES, book_folder, kept_books
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.hyphens import HYPHENS, mend_line, read_hyphen_forms
from cloze_gen.corpus.normalization import LINE_END_HYPHEN
from cloze_gen.corpus.paragraphs import HEADING
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact
from cloze_gen.store.tables import ArrayWriter, read_parquet

TEXT, TOKENS = "sentences.txt", "tokens.npy"


@dataclass(frozen=True, slots=True)
class TextShard:
    counts: Path
    book: Path


def write_training_text(
    writer: ArtifactWriter, ctx: StageContext, *, corpus: Artifact, counts: Artifact
) -> None:
    """Write the kept books' sentences without headings: `sentences.txt`, and `tokens.npy` (uint32)
    with each token's row in the counts, from 1, and 0 after each sentence.
    """
    shards = [TextShard(counts.folder, book_folder(corpus, row)) for row in kept_books(corpus)]
    sentences = 0
    with open(writer.path(TEXT), "wb") as text, ArrayWriter(writer.path(TOKENS), "<u4") as tokens:
        for lines, ids in ctx.map(training_lines, shards, unit="books"):
            text.write(lines)
            tokens.write(ids)
            sentences += lines.count(b"\n")
    n_ids = len(tokens)
    writer.rows |= {TEXT: sentences, TOKENS: n_ids}
    writer.facts |= {"sentences": sentences, "tokens": n_ids - sentences}
    ctx.say(f"{sentences:,} sentences, {n_ids - sentences:,} tokens")


def training_lines(shard: TextShard) -> tuple[bytes, np.ndarray]:
    """A book's sentences but headings as lines of mended tokens, and their numbers."""
    vocabulary, forms = _words(shard.counts)
    table = read_parquet(shard.book / SENTENCES, columns=["kind", "tokens"])
    lines = table.filter(pc.field("kind") != HEADING)["tokens"].to_numpy().tolist()
    mended = [mend_line(line, forms) if LINE_END_HYPHEN in line else line for line in lines]
    return "".join(f"{line}\n" for line in mended).encode(), line_ids(mended, vocabulary)


@functools.lru_cache(maxsize=1)
def _words(counts: Path) -> tuple[dict[str, int], Mapping[str, str]]:
    """The number of each word, and the form of each broken word."""
    artifact = open_artifact(counts)
    numbers = {word: i for i, word in enumerate(read_counts(artifact).words, 1)}
    return numbers, read_hyphen_forms(artifact.path(HYPHENS))
