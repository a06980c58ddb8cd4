"""Counts of the training corpus: surface types, tagged forms, lemmas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from cloze_gen.corpus.books import book_folder, kept_books, read_type_counts
from cloze_gen.corpus.counts import CountTable, Pair, count_table
from cloze_gen.corpus.hyphens import HYPHENS, mend_token, read_hyphen_forms, write_hyphens
from cloze_gen.corpus.tagging import TAGGED_TYPES, lemma_pair, tag_folders
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.treebank import host
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import read_parquet, read_tsv, write_tsv
from cloze_gen.word_tokens import is_word

COUNTS, FORMS, LEMMAS = "counts.tsv", "forms.tsv", "lemmas.tsv"


def write_counts(writer: ArtifactWriter, ctx: StageContext, *, corpus: Artifact) -> None:
    """Write `counts.tsv` and `hyphens.tsv`; broken types count as the attested form."""
    counts, initial = read_type_counts(book_folder(corpus, row) for row in kept_books(corpus))
    forms = write_hyphens(writer, counts)
    table = count_table(_renamed(counts, forms), _renamed(initial, forms))
    columns = {
        "word": table.words,
        "count": table.count.tolist(),
        "folded_count": table.folded_count.tolist(),
        "freq": table.freq.tolist(),
        "lower_share": table.lower_share.tolist(),
    }
    rows = zip(*columns.values(), strict=True)
    writer.rows[COUNTS] = write_tsv(writer.path(COUNTS), list(columns), rows)
    writer.facts |= {
        "word_tokens": table.word_tokens,
        "types": len(table.words),
        "tokens": int(table.count.sum()),
    }
    ctx.say(
        f"{table.word_tokens:,} word tokens, {len(table.words):,} types, {len(forms):,} types "
        "repaired at line ends"
    )


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
            include_columns=["word", "count", "folded_count", "lower_share"],
            column_types={"word": pa.string(), "lower_share": pa.float64()},
            strings_can_be_null=False,
        ),
    )
    folded = table["folded_count"].to_numpy()
    word_tokens = int(artifact.facts["word_tokens"])
    return CountTable(
        words=table["word"].to_pylist(),
        count=table["count"].to_numpy(),
        folded_count=folded,
        freq=folded / max(1, word_tokens),
        lower_share=table["lower_share"].to_numpy(),
        word_tokens=word_tokens,
    )


def write_tagged_counts(
    writer: ArtifactWriter, ctx: StageContext, *, tagging: Artifact, counts: Artifact
) -> None:
    """Write `forms.tsv`: tokens by lower-cased host and tag, and `lemmas.tsv`: by lemma and class;
    without headings. Broken tokens count as in `write_counts`.
    """
    tables = [read_parquet(folder / TAGGED_TYPES) for folder in tag_folders(tagging).values()]
    merged = pa.concat_tables(tables).group_by(["word", "tag"]).aggregate([("count", "sum")])
    columns = merged.to_pydict()
    mended = read_hyphen_forms(counts.path(HYPHENS))
    forms: Counter[tuple[str, str]] = Counter()
    for word, tag, count in zip(columns["word"], columns["tag"], columns["count_sum"], strict=True):
        whole = mend_token(word, mended)
        if is_word(whole):
            forms[host(whole).lower(), tag] += count
    lemmas: Counter[Pair] = Counter()
    for (form, tag), count in forms.items():
        lemmas[lemma_pair(form, tag)] += count
    writer.rows[FORMS] = _write_pairs(writer.path(FORMS), ("form", "tag", "count"), forms)
    writer.rows[LEMMAS] = _write_pairs(writer.path(LEMMAS), ("lemma", "class", "count"), lemmas)
    writer.facts["word_tokens"] = forms.total()
    ctx.say(
        f"{forms.total():,} word tokens, {len(forms):,} (form, tag) pairs, {len(lemmas):,} "
        "(lemma, class) pairs"
    )


def _write_pairs(path: Path, header: Sequence[str], counts: Counter[tuple[str, str]]) -> int:
    """Write pairs with their counts, the most frequent first."""
    pairs = sorted(counts, key=lambda pair: (-counts[pair], pair))
    return write_tsv(path, header, [(*pair, counts[pair]) for pair in pairs])


def read_form_counts(artifact: Artifact) -> dict[tuple[str, str], int]:
    """Tokens by (lower-cased form, Penn tag)."""
    return {(row["form"], row["tag"]): int(row["count"]) for row in read_tsv(artifact.path(FORMS))}


def read_lemma_counts(artifact: Artifact) -> dict[Pair, int]:
    return {
        (row["lemma"], row["class"]): int(row["count"]) for row in read_tsv(artifact.path(LEMMAS))
    }
