"""The focus word: the longest of its sentence."""

from __future__ import annotations

import pyarrow as pa
from pydantic import Field

from cloze_gen.corpus.books import book_folder, kept_books
from cloze_gen.corpus.source_sentences import read_sentences
from cloze_gen.recipes.tables import sentence_table, write_rejections
from cloze_gen.records.rejection import Rejection
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.schema import Column, Table
from cloze_gen.store.tables import FOCUS, SOURCE_SENTENCES, write_parquet

FOCUS_WORDS = Table(
    FOCUS,
    "The blank of each sentence.",
    Column("id", pa.string(), "id of the item"),
    Column("sentence_id", pa.string(), "id of the sentence"),
    Column("position", pa.int16(), "index among the sentence's tokens"),
    Column("word", pa.string(), "the answer"),
)


class FocusSettings(SettingsGroup):
    """Settings of the focus words."""

    min_tokens: int = Field(12, ge=3, le=1000, description="tokens a sentence needs")


def longest_word(tokens):
    """Its position; the first of several."""
    return max(range(len(tokens) - 1), key=lambda place: (len(tokens[place]), -place))


def write_focus(writer, ctx, *, source, settings):
    """Write `focus.parquet`, `sentences.parquet` and `rejected.parquet`."""
    every = [
        s
        for row in kept_books(source)
        for s in read_sentences(book_folder(source, row), row["book_id"], {})
    ]
    kept = [s for s in every if s.kind == "prose" and len(s.tokens) >= settings.min_tokens]
    rows = [
        {"id": f"{s.id}:{at}", "sentence_id": s.id, "position": at, "word": s.tokens[at]}
        for s, at in [(sentence, longest_word(sentence.tokens)) for sentence in kept]
    ]
    FOCUS_WORDS.write_records(writer, rows)
    writer.rows[SOURCE_SENTENCES] = write_parquet(
        writer.path(SOURCE_SENTENCES), sentence_table(kept)
    )
    rejected = [Rejection(s.id, "sentence_short") for s in every if s not in kept]
    write_rejections(writer, rejected, unit="sentences", kept=len(kept))
