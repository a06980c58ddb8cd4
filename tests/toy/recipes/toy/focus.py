"""The focus word: the longest of its sentence."""

from __future__ import annotations

from pydantic import Field

from cloze_gen.corpus.books import book_folder, kept_books
from cloze_gen.corpus.source_sentences import read_sentences
from cloze_gen.records.rejection import Rejection
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import funnel
from cloze_gen.store.tables import (
    FOCUS,
    REJECTED,
    SOURCE_SENTENCES,
    rejection_columns,
    sentence_columns,
    write_parquet,
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
    kept = {s.id: s for s in every if s.kind == "prose" and len(s.tokens) >= settings.min_tokens}
    places = [longest_word(sentence.tokens) for sentence in kept.values()]
    rows = [
        (f"{s.id}:{at}", s.id, at, s.tokens[at])
        for s, at in zip(kept.values(), places, strict=True)
    ]
    focus = dict(
        zip(
            ("id", "sentence_id", "position", "word"),
            map(list, zip(*rows, strict=True)),
            strict=True,
        )
    )
    rejected = rejection_columns(
        [Rejection(s.id, "sentence_short") for s in every if s.id not in kept]
    )
    for file, columns in (
        (FOCUS, focus),
        (SOURCE_SENTENCES, sentence_columns(list(kept.values()))),
        (REJECTED, rejected),
    ):
        writer.rows[file] = write_parquet(writer.path(file), columns)
    writer.funnel = funnel(
        "sentences", kept=len(kept), rejected={"sentence_short": len(every) - len(kept)}
    )
