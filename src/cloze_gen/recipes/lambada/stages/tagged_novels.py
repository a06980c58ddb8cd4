"""Some of the training novels, to be tagged: enough to know what class each common word is of."""

from __future__ import annotations

from cloze_gen.recipes.lambada.steps.ranking import RankingSettings
from cloze_gen.rng import stable_fraction
from cloze_gen.stages.corpus.book_table import kept_books, write_book_table
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter


def write_tagged_novels(writer: ArtifactWriter, room: Room, *, novels: Artifact, settings: RankingSettings) -> None:
    """Write `books.tsv` (as `write_part`) of the first training novels in the order of each one's own draw, until `tagged_tokens` are
    reached."""
    chosen, tokens = set[str](), 0
    for row in sorted(kept_books(novels), key=lambda row: stable_fraction("lambada.tagged", row["book_id"])):
        if tokens >= settings.tagged_tokens:
            break
        chosen.add(row["book_id"])
        tokens += int(row["tokens"])
    write_book_table(writer, [row for row in kept_books(novels) if row["book_id"] in chosen], strict=room.strict)
    room.say(f"{len(chosen):,} novels of {tokens:,} tokens")
