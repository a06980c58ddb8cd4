"""The training text: the kept books' sentences as lines for `lmplz` and as numbers."""

from __future__ import annotations

import functools
import shutil
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
_BOOKS_A_SHARD = 8


@dataclass(frozen=True, slots=True)
class TextShard:
    counts: Path
    folders: tuple[Path, ...]
    text: Path
    tokens: Path


def write_training_text(
    writer: ArtifactWriter, ctx: StageContext, *, corpus: Artifact, counts: Artifact
) -> None:
    """Write the kept books' sentences without headings: `sentences.txt`, and `tokens.npy` (uint32)
    with each token's row in the counts, from 1, and 0 after each sentence.
    """
    folders = [book_folder(corpus, row) for row in kept_books(corpus)]
    groups = [
        tuple(folders[i : i + _BOOKS_A_SHARD]) for i in range(0, len(folders), _BOOKS_A_SHARD)
    ]
    parts = writer.path("parts/x").parent
    shards = [
        TextShard(counts.folder, group, parts / f"{i:05}.txt", parts / f"{i:05}.ids")
        for i, group in enumerate(groups)
    ]
    sentences = 0
    with open(writer.path(TEXT), "wb") as text, ArrayWriter(writer.path(TOKENS), "<u4") as tokens:
        for shard, lines in zip(shards, ctx.map(write_part, shards, unit="parts"), strict=True):
            with open(shard.text, "rb") as part:
                shutil.copyfileobj(part, text, 1 << 20)
            tokens.write(np.fromfile(shard.tokens, "<u4"))
            for path in (shard.text, shard.tokens):
                path.unlink()  # at once, so that half of the output never needs to reach the disk
            sentences += lines
    parts.rmdir()
    n_ids = len(tokens)
    writer.rows |= {TEXT: sentences, TOKENS: n_ids}
    writer.facts |= {"sentences": sentences, "tokens": n_ids - sentences}
    ctx.say(f"{sentences:,} sentences, {n_ids - sentences:,} tokens")


@functools.lru_cache(maxsize=1)
def _vocabulary(counts: Path) -> dict[str, int]:
    table = read_counts(open_artifact(counts))
    return {word: i + 1 for i, word in enumerate(table.words)}


@functools.lru_cache(maxsize=1)
def _forms(counts: Path) -> dict[str, str]:
    return read_hyphen_forms(open_artifact(counts).path(HYPHENS))


def write_part(shard: TextShard) -> int:
    """Write one part; returns its number of sentences."""
    vocabulary, forms = _vocabulary(shard.counts), _forms(shard.counts)
    n_lines = 0
    with open(shard.text, "wb") as text, open(shard.tokens, "wb") as tokens:
        for folder in shard.folders:
            lines = training_lines(folder, forms)
            text.write("".join(f"{line}\n" for line in lines).encode())
            tokens.write(line_ids(lines, vocabulary).astype("<u4").tobytes())
            n_lines += len(lines)
    return n_lines


def training_lines(folder: Path, forms: dict[str, str]) -> list[str]:
    """A book's sentences but headings as lines of mended tokens."""
    table = read_parquet(folder / SENTENCES, columns=["kind", "tokens"])
    lines = table.filter(pc.field("kind") != HEADING)["tokens"].to_numpy().tolist()
    return [mend_line(line, forms) if LINE_END_HYPHEN in line else line for line in lines]
