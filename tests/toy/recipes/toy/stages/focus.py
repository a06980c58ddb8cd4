"""The focus words of all books as an artifact."""

from cloze_gen.recipes.toy.steps.focus import FocusSettings, longest_word
from cloze_gen.records.rejection import Rejection
from cloze_gen.stages.corpus.ingest import book_folder, kept_books
from cloze_gen.stages.room import Room
from cloze_gen.stages.source_books import read_sentences
from cloze_gen.stages.tables import FOCUS, REJECTED, SOURCE_SENTENCES, rejection_columns, sentence_columns
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import write_parquet


def write_focus(writer: ArtifactWriter, room: Room, *, source: Artifact, settings: FocusSettings) -> None:
    """Write `focus.parquet`, `sentences.parquet` and `rejected.parquet`."""
    every = [s for row in kept_books(source) for s in read_sentences(book_folder(source, row), row["book_id"], {})]
    kept = [sentence for sentence in every if len(sentence.tokens) >= settings.min_tokens and sentence.kind == "prose"]
    places = [longest_word(sentence.tokens) for sentence in kept]
    short = [Rejection(sentence.id, "sentence_short_or_no_prose") for sentence in every if sentence not in kept]
    ids, words = ([f"{s.id}:{at}" for s, at in zip(kept, places)], [s.tokens[at] for s, at in zip(kept, places)])
    table = {"id": ids, "sentence_id": [s.id for s in kept], "position": places, "word": words}
    for file, columns in ((FOCUS, table), (SOURCE_SENTENCES, sentence_columns(kept)), (REJECTED, rejection_columns(short))):
        writer.rows[file] = write_parquet(writer.path(file), columns)
    writer.funnel = funnel("sentences", kept=len(kept), rejected={"sentence_short_or_no_prose": len(short)})
