"""Counts of the training corpus: surface types, tagged forms, lemmas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.csv

from cloze_gen.corpus.books import book_folder, kept_books, read_type_counts
from cloze_gen.corpus.counts import CountTable, Pair, count_table, lemma_counts
from cloze_gen.corpus.hyphens import HYPHENS, mend_token, read_hyphen_forms, write_hyphens
from cloze_gen.corpus.normalization import LINE_END_HYPHEN
from cloze_gen.corpus.tagging import TAGGED_TYPES, lemma_pair, tag_folders
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.treebank import host
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import read_parquet, read_tsv, write_tsv
from cloze_gen.word_tokens import is_word

COUNTS, FORMS, LEMMAS = "counts.tsv", "forms.tsv", "lemmas.tsv"
_HEADER = ("word", "count", "initial_count", "folded_count", "freq", "lower_share")


def write_counts(writer: ArtifactWriter, ctx: StageContext, *, corpus: Artifact) -> None:
    """Write `counts.tsv` and `hyphens.tsv`; broken types count as the attested form."""
    counts, initial = read_type_counts(book_folder(corpus, row) for row in kept_books(corpus))
    forms = write_hyphens(writer, counts)
    table = count_table(_renamed(counts, forms), _renamed(initial, forms))
    rows = zip(table.words, *(column.tolist() for column in _columns(table)), strict=True)
    writer.rows[COUNTS] = write_tsv(writer.path(COUNTS), _HEADER, rows)
    writer.facts |= {
        "word_tokens": table.word_tokens,
        "types": len(table.words),
        "tokens": int(table.count.sum()),
    }
    ctx.say(
        f"{table.word_tokens:,} word tokens, {len(table.words):,} types, {len(forms):,} types "
        "repaired at line ends"
    )


def _columns(table: CountTable) -> tuple[np.ndarray, ...]:
    return table.count, table.initial_count, table.folded_count, table.freq, table.lower_share


def _renamed(counts: Mapping[str, int], forms: Mapping[str, str]) -> Counter[str]:
    renamed: Counter[str] = Counter()
    for word, count in counts.items():
        renamed[forms.get(word, word)] += count
    return renamed


def read_counts(artifact: Artifact) -> CountTable:
    table = pyarrow.csv.read_csv(
        artifact.path(COUNTS),
        parse_options=pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={"word": pa.string(), "freq": pa.float64(), "lower_share": pa.float64()},
            strings_can_be_null=False,
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


@dataclass(frozen=True, slots=True)
class TaggedCounts:
    """Tokens by (lower-cased host, Penn tag) without clitics, and by (lemma, class)."""

    forms: dict[tuple[str, str], int]
    lemmas: dict[Pair, int]
    word_tokens: int

    def freq(self, pair: Pair) -> float:
        return self.lemmas.get(pair, 0) / max(1, self.word_tokens)


def write_tagged_counts(
    writer: ArtifactWriter, ctx: StageContext, *, tagging: Artifact, counts: Artifact
) -> None:
    """Write `forms.tsv` and `lemmas.tsv` without headings; broken tokens as in `write_counts`."""
    tables = [
        read_parquet(folder / TAGGED_TYPES).cast(_PLAIN)
        for _, folder in sorted(tag_folders(tagging).items())
    ]
    merged = pa.concat_tables(tables).group_by(["word", "tag"]).aggregate([("count", "sum")])
    mended = read_hyphen_forms(counts.path(HYPHENS))
    forms: Counter[tuple[str, str]] = Counter()
    for word, tag, count in zip(
        merged["word"].to_pylist(),
        merged["tag"].to_pylist(),
        merged["count_sum"].to_pylist(),
        strict=True,
    ):
        if LINE_END_HYPHEN in word:
            word = mend_token(word, mended)
        if is_word(word):
            forms[host(word).lower(), tag] += count
    pairs = lemma_counts((lemma_pair(form, tag), count) for (form, tag), count in forms.items())
    word_tokens = sum(forms.values())
    rows = [
        (form, tag, count)
        for (form, tag), count in sorted(forms.items(), key=lambda item: (-item[1], item[0]))
    ]
    writer.rows[FORMS] = write_tsv(writer.path(FORMS), ("form", "tag", "count"), rows)
    lemma_rows = [
        (*pair, count, count / word_tokens)
        for pair, count in sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
    ]
    writer.rows[LEMMAS] = write_tsv(
        writer.path(LEMMAS), ("lemma", "class", "count", "freq"), lemma_rows
    )
    writer.facts |= {"word_tokens": word_tokens, "forms": len(forms), "lemmas": len(pairs)}
    ctx.say(
        f"{word_tokens:,} word tokens, {len(forms):,} (form, tag) pairs, {len(pairs):,} "
        "(lemma, class) pairs"
    )


_PLAIN = pa.schema([("word", pa.string()), ("tag", pa.string()), ("count", pa.int64())])


def read_tagged_counts(artifact: Artifact) -> TaggedCounts:
    forms = {(row["form"], row["tag"]): int(row["count"]) for row in read_tsv(artifact.path(FORMS))}
    return TaggedCounts(forms, read_lemma_counts(artifact), int(artifact.facts["word_tokens"]))


def read_lemma_counts(artifact: Artifact) -> dict[Pair, int]:
    return {
        (row["lemma"], row["class"]): int(row["count"]) for row in read_tsv(artifact.path(LEMMAS))
    }
