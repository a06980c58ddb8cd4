"""The blanks of every passage, chosen book by book."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cloze_gen.english.cohesion import surface_ties
from cloze_gen.errors import CorpusError
from cloze_gen.recipes.scde.stages.book_reading import read_book
from cloze_gen.recipes.scde.stages.coherence import open_coherence, read_stems
from cloze_gen.recipes.scde.stages.tables import BLANK, BLANKS, NOT_DRAWN, VERDICTS, Window, windows_by_book
from cloze_gen.recipes.scde.steps.blanks import (
    BlankReason,
    BlanksSettings,
    ChosenBlanks,
    PassageReason,
    blank_reason,
    choose_blanks,
    draw_blanks,
    new_here,
)
from cloze_gen.rng import derive_rng
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.hyphens import HYPHENS
from cloze_gen.stages.room import Room
from cloze_gen.stages.source_books import decided_hyphens
from cloze_gen.stages.tables import REJECTED
from cloze_gen.stats.cues import rarity_of, tie
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import write_parquet
from cloze_gen.text.sentence_traits import sentence_traits


@dataclass(frozen=True, slots=True)
class BlankShard:
    """The windows of one book, for a worker."""

    folder: Path
    windows: tuple[Window, ...]
    coherence: Path
    hyphens: Path
    settings: BlanksSettings
    seed: int


@dataclass(frozen=True, slots=True)
class BlankedWindow:
    """What became of a window: the verdict on each of its sentences, and the blanks where it has any."""

    window: Window
    verdicts: tuple[str, ...]
    chosen: ChosenBlanks | None


def blank_book(shard: BlankShard) -> list[BlankedWindow]:
    """Choose the blanks of one book's windows."""
    return list(_blanked(shard))


def _blanked(shard: BlankShard) -> Iterator[BlankedWindow]:
    book = read_book(shard.folder, decided_hyphens(shard.hyphens))
    traits = sentence_traits(book.text, offensive=())
    model, rarity = open_coherence(shard.coherence), rarity_of(*read_stems(shard.coherence))
    for window in shard.windows:
        sentences = range(window.first, window.last + 1)
        tokens = [book.text.tokens(i) for i in sentences]
        ties = [surface_ties(one) for one in tokens]
        reasons = [
            blank_reason(tokens[k], ties[k], whole=bool(traits.whole[i]), in_speech=bool(traits.in_speech[i]), settings=shard.settings)
            for k, i in enumerate(sentences)
        ]
        reasons = [reason or new for reason, new in zip(reasons, new_here(ties), strict=True)]
        if not shard.settings.edges:
            reasons[0], reasons[-1] = reasons[0] or BlankReason.EDGE, reasons[-1] or BlankReason.EDGE
        places = [k for k, reason in enumerate(reasons) if reason is None]
        rng = derive_rng(shard.seed, "scde.blanks", window.id)
        draws = draw_blanks(places, shard.settings, rng)
        chosen = None
        if len(draws):
            columns = np.full(len(tokens), -1)
            columns[places] = np.arange(len(places))
            tied = tie(ties, [ties[k] for k in places], rarity)
            behind, before = model.follows(tokens, [tokens[k] for k in places])
            chosen = choose_blanks(draws, columns=columns, ties=tied, behind=behind, before=before, settings=shard.settings, rng=rng)
        blanked = frozenset(chosen.places if chosen else ())
        verdicts = (str(reason) if reason else BLANK if k in blanked else NOT_DRAWN for k, reason in enumerate(reasons))
        yield BlankedWindow(window, tuple(verdicts), chosen)


def write_blanks(
    writer: ArtifactWriter,
    room: Room,
    *,
    partition: Artifact,
    passages: Artifact,
    coherence: Artifact,
    settings: BlanksSettings,
    seed: int,
) -> None:
    """Write the blanks of every passage, in the order of the passages.

    Files: `blanks.parquet`, a row a passage that has them: `id`, `book_id`, `blanks` (places within the passage, from 0), `solved`,
    `wanted` and `margin` (`steps.blanks.ChosenBlanks`). `sentences.parquet`, a row for every sentence of every passage: `id` of the
    passage, `sentence` (place within it), `verdict` (``blank``, ``not_drawn``, or why it can be no blank). `rejected.parquet`, the
    passages without: `id`, `reason`, `detail` (how many of its sentences can be blanks).

    Raises:
        CorpusError: no passage has blanks.
    """
    of_book = windows_by_book(passages)
    hyphens = passages.path(HYPHENS)
    shards = [
        BlankShard(book_folder(partition, row), tuple(of_book[row["book_id"]]), coherence.folder, hyphens, settings, seed)
        for row in kept_books(partition)
        if row["book_id"] in of_book
    ]
    found = [one for windows in room.map(blank_book, shards, unit="books") for one in windows]
    kept = [(one.window, one.chosen) for one in found if one.chosen is not None]
    if not kept:
        raise CorpusError(
            f"no passage has {settings.count} sentences that can be blanks ({len(found):,} passages looked at). Lower blanks.count or "
            "blanks.min_words, raise passages.min_sentences, or give more books."
        )
    _write_tables(writer, found, kept)
    chosen = [one for _, one in kept]
    n_blanks = sum(len(one.places) for one in chosen)
    writer.facts |= {
        "sentences": dict(sorted(Counter(verdict for one in found for verdict in one.verdicts).items())),
        "solved_by_surface": round(sum(one.solved for one in chosen) / n_blanks, 4),
        "beside_another": round(sum(_beside(one.places) for one in chosen) / n_blanks, 4),
    }
    room.say(f"{len(kept):,} of {len(found):,} passages have {settings.count} blanks")


def _write_tables(writer: ArtifactWriter, found: Sequence[BlankedWindow], kept: Sequence[tuple[Window, ChosenBlanks]]) -> None:
    """The three tables of `write_blanks`, and the funnel."""
    columns = {
        "id": [window.id for window, _ in kept],
        "book_id": [window.book_id for window, _ in kept],
        "blanks": [list(one.places) for _, one in kept],
        "solved": [one.solved for _, one in kept],
        "wanted": [one.wanted for _, one in kept],
        "margin": [round(one.margin, 6) for _, one in kept],
    }
    writer.rows[BLANKS] = write_parquet(writer.path(BLANKS), columns)
    verdicts = [(one.window.id, k, verdict) for one in found for k, verdict in enumerate(one.verdicts)]
    table = dict(zip(("id", "sentence", "verdict"), map(list, zip(*verdicts, strict=True)), strict=True))
    writer.rows[VERDICTS] = write_parquet(writer.path(VERDICTS), table)
    without, reason = [one for one in found if one.chosen is None], str(PassageReason.FEW_SENTENCES)
    rejected = {
        "id": [one.window.id for one in without],
        "reason": [reason] * len(without),
        "detail": [str(sum(verdict == NOT_DRAWN for verdict in one.verdicts)) for one in without],
    }
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejected)
    writer.funnel = funnel("passages", kept=len(kept), rejected=Counter({reason: len(without)} if without else {}))


def _beside(places: tuple[int, ...]) -> int:
    """How many blanks stand beside another."""
    return sum(place - 1 in places or place + 1 in places for place in places)
