"""The focus words of all books as an artifact."""

from __future__ import annotations

from cloze_gen.recipes.toy.steps.focus import FocusSettings, longest_word
from cloze_gen.records.rejection import Rejection
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.room import Room
from cloze_gen.stages.source_books import read_sentences
from cloze_gen.stages.tables import FOCUS, REJECTED, SOURCE_SENTENCES, rejection_columns, sentence_columns
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import write_parquet


def write_focus(writer: ArtifactWriter, room: Room, *, source: Artifact, settings: FocusSettings) -> None:
    """Write `focus.parquet`, `sentences.parquet` and `rejected.parquet`."""
    every = [s for row in kept_books(source) for s in read_sentences(book_folder(source, row), row["book_id"], {})]
    kept = {s.id: s for s in every if s.kind == "prose" and len(s.tokens) >= settings.min_tokens}
    places = [longest_word(sentence.tokens) for sentence in kept.values()]
    rows = [(f"{s.id}:{at}", s.id, at, s.tokens[at]) for s, at in zip(kept.values(), places, strict=True)]
    focus = dict(zip(("id", "sentence_id", "position", "word"), map(list, zip(*rows, strict=True)), strict=True))
    rejected = rejection_columns([Rejection(s.id, "sentence_short") for s in every if s.id not in kept])
    for file, columns in ((FOCUS, focus), (SOURCE_SENTENCES, sentence_columns(list(kept.values()))), (REJECTED, rejected)):
        writer.rows[file] = write_parquet(writer.path(file), columns)
    writer.funnel = funnel("sentences", kept=len(kept), rejected={"sentence_short": len(every) - len(kept)})
