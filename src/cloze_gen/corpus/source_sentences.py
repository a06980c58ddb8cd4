"""Sentences of source books as a recipe reads them: line-end hyphens decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from cloze_gen.corpus.books import SENTENCES, book_folder, kept_books, read_type_counts
from cloze_gen.corpus.counts import CountTable
from cloze_gen.corpus.hyphens import mend_line, mend_text
from cloze_gen.corpus.normalization import LINE_END_HYPHEN
from cloze_gen.records.sentence import Sentence
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import read_parquet


def hyphen_evidence(source: Artifact, table: CountTable) -> Counter[str]:
    """Counts that decide line-end hyphens: the training corpus's and the source's own types."""
    evidence = Counter(dict(zip(table.words, table.count.tolist(), strict=True)))
    source_counts, _ = read_type_counts(book_folder(source, row) for row in kept_books(source))
    evidence.update(
        {word: count for word, count in source_counts.items() if LINE_END_HYPHEN in word}
    )
    return evidence


def read_sentences(folder: Path, book_id: str, forms: Mapping[str, str]) -> Iterator[Sentence]:
    columns = read_parquet(folder / SENTENCES).to_pydict()
    for index, start, end, paragraph, kind, text, tokens in zip(*columns.values(), strict=True):
        if LINE_END_HYPHEN in tokens:
            text, tokens = mend_text(text, tokens, forms), mend_line(tokens, forms)
        yield Sentence(book_id, index, start, end, paragraph, kind, text, tuple(tokens.split(" ")))
