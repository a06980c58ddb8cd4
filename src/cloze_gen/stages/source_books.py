"""The source books sentence by sentence, their line-end hyphens decided, and the parts that workers leave."""

from __future__ import annotations

import contextlib
import functools
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from cloze_gen.records.sentence import Sentence
from cloze_gen.stages.corpus.book_files import SENTENCES, read_type_counts
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.hyphens import mend_line, mend_text, read_hyphen_forms
from cloze_gen.stats.counts import CountTable
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import read_parquet
from cloze_gen.text.normalize import LINE_END_HYPHEN


@functools.lru_cache(maxsize=1)
def decided_hyphens(path: Path) -> dict[str, str]:
    """The forms of broken words, read once a worker."""
    return read_hyphen_forms(path)


def hyphen_evidence(source: Artifact, table: CountTable) -> Counter[str]:
    """What decides the source books' own line-end hyphens: the training corpus's counts, and which types the source breaks."""
    known = Counter(dict(zip(table.words, table.count.tolist(), strict=True)))
    own, _ = read_type_counts(book_folder(source, row) for row in kept_books(source))
    known.update({word: count for word, count in own.items() if LINE_END_HYPHEN in word})
    return known


def read_sentences(folder: Path, book_id: str, forms: dict[str, str]) -> Iterator[Sentence]:
    """A book's sentences as records, line-end hyphens decided."""
    columns = read_parquet(folder / SENTENCES).to_pydict()
    for index, start, end, paragraph, kind, text, tokens in zip(*columns.values(), strict=True):
        if LINE_END_HYPHEN in tokens:
            text, tokens = mend_text(text, tokens, forms), mend_line(tokens, forms)
        yield Sentence(book_id, index, start, end, paragraph, kind, text, tuple(tokens.split(" ")))


@contextlib.contextmanager
def book_parts(writer: ArtifactWriter, n_books: int) -> Iterator[list[Path]]:
    """A folder a book for the parts of the tables, gone once they are joined."""
    parts = [writer.folder / "parts" / f"{i:05}" for i in range(n_books)]
    for part in parts:
        part.mkdir(parents=True)
    yield parts
    shutil.rmtree(writer.folder / "parts")
