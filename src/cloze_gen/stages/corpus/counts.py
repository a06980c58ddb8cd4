"""Counts of the training corpus: one row a surface type, and how line-end hyphens were decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.csv

from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.hyphens import write_hyphens
from cloze_gen.stages.corpus.ingest import read_type_counts
from cloze_gen.stages.room import Room
from cloze_gen.stats.counts import CountTable, count_table
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import write_tsv

COUNTS = "counts.tsv"
_HEADER = ("word", "count", "initial_count", "folded_count", "freq", "lower_share")


def write_counts(writer: ArtifactWriter, room: Room, *, corpus: Artifact) -> None:
    """Count the kept books' types; types broken at line ends are counted under the form the corpus attests.

    Writes `counts.tsv`, a row a type, the commonest first, with the columns of `stats.counts.CountTable`, and `hyphens.tsv`
    (`hyphens.write_hyphens`).
    """
    counts, initial = read_type_counts(book_folder(corpus, row) for row in kept_books(corpus))
    forms = write_hyphens(writer, counts)
    table = count_table(_renamed(counts, forms), _renamed(initial, forms))
    rows = zip(table.words, *(column.tolist() for column in _columns(table)), strict=True)
    writer.rows[COUNTS] = write_tsv(writer.path(COUNTS), _HEADER, rows)
    writer.facts |= {"word_tokens": table.word_tokens, "types": len(table.words), "tokens": int(table.count.sum())}
    room.say(f"{table.word_tokens:,} word tokens, {len(table.words):,} types, {len(forms):,} types mended at line ends")


def _columns(table: CountTable) -> tuple[np.ndarray, ...]:
    return table.count, table.initial_count, table.folded_count, table.freq, table.lower_share


def _renamed(counts: Mapping[str, int], forms: Mapping[str, str]) -> Counter[str]:
    renamed: Counter[str] = Counter()
    for word, count in counts.items():
        renamed[forms.get(word, word)] += count
    return renamed


def read_counts(artifact: Artifact) -> CountTable:
    """The count table back from disk."""
    table = pyarrow.csv.read_csv(
        artifact.path(COUNTS),
        parse_options=pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={"word": pa.string(), "freq": pa.float64(), "lower_share": pa.float64()}, strings_can_be_null=False
        ),
    )
    folded = table["folded_count"].to_numpy()
    word_tokens = int(artifact.facts["word_tokens"])
    return CountTable(
        words=table["word"].to_pylist(),
        count=table["count"].to_numpy(),
        initial_count=table["initial_count"].to_numpy(),
        folded_count=folded,
        freq=folded / max(1, word_tokens),
        lower_share=table["lower_share"].to_numpy(),
        word_tokens=word_tokens,
    )
