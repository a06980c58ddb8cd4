"""The rivals of the answers of every passage, looked for book by book."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cloze_gen.english.cohesion import SurfaceTies, surface_ties
from cloze_gen.recipes.scde.stages.book_reading import ReadBook, read_book
from cloze_gen.recipes.scde.stages.coherence import open_coherence, read_stems
from cloze_gen.recipes.scde.stages.tables import ANSWERS, CONSIDERED, RIVAL, Window, read_blanks, windows_by_book
from cloze_gen.recipes.scde.steps.blanks import BlanksSettings, blank_reason
from cloze_gen.recipes.scde.steps.coherence import coherence
from cloze_gen.recipes.scde.steps.propensity import traits
from cloze_gen.recipes.scde.steps.rivals import RivalReason, RivalsSettings, echo, fit, hardness, passage_ties, unlike_passage
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.hyphens import HYPHENS
from cloze_gen.stages.room import Room
from cloze_gen.stages.source_books import book_parts, decided_hyphens
from cloze_gen.stats.adjacent_sentences import AdjacentSentences
from cloze_gen.stats.cues import rarity_of
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import join_parquet, write_parquet
from cloze_gen.text.sentence_traits import SentenceTraits, sentence_traits

MEASURES = ("fit", "topic", "echo", "nearness")
_STRINGS = pa.list_(pa.string())
_CONSIDERED = {
    "id": pa.string(),
    "book_id": pa.string(),
    "sentence": pa.int32(),
    "text": pa.string(),
    "characters": pa.int32(),
    "verdict": pa.string(),
    **dict.fromkeys((*MEASURES, "hardness"), pa.float64()),
    "traits": _STRINGS,
}
_ANSWERS = {"id": pa.string(), "blank": pa.int32(), "sentence": pa.int32(), "characters": pa.int32(), "traits": _STRINGS}


@dataclass(frozen=True, slots=True)
class RivalShard:
    """The blanked windows of one book, for a worker.

    Attributes:
        blanks: of each window, places within it.
        out: where the worker leaves its part of each table.
    """

    folder: Path
    windows: tuple[Window, ...]
    blanks: tuple[tuple[int, ...], ...]
    coherence: Path
    hyphens: Path
    out: Path
    of_blanks: BlanksSettings
    settings: RivalsSettings


@dataclass(frozen=True, slots=True)
class OpenBook:
    """A book, and what has been asked of its sentences."""

    book: ReadBook
    of_sentences: SentenceTraits
    ties: dict[int, SurfaceTies]

    def tie(self, sentence: int) -> SurfaceTies:
        """What a sentence shows on its surface, asked once."""
        if sentence not in self.ties:
            self.ties[sentence] = surface_ties(self.book.text.tokens(sentence))
        return self.ties[sentence]

    def traits(self, sentence: int) -> list[str]:
        """What a sentence shows alone; a name in memory once, however many sentences have it."""
        return sorted(map(sys.intern, traits(self.book.text.tokens(sentence), self.tie(sentence))))


def rival_book(shard: RivalShard) -> Counter[str]:
    """Write the rivals of one book's passages; returns what became of the sentences near them."""
    book = read_book(shard.folder, decided_hyphens(shard.hyphens))
    opened = OpenBook(book, sentence_traits(book.text, offensive=()), {})
    model, rarity = open_coherence(shard.coherence), rarity_of(*read_stems(shard.coherence))
    considered: list[dict[str, Any]] = []
    answers: list[dict[str, Any]] = []
    for window, blanks in zip(shard.windows, shard.blanks, strict=True):
        considered += _considered(window, blanks, opened, model, rarity, shard)
        for number, place in enumerate(blanks):
            sentence = window.first + place
            answers.append(
                {"id": window.id, "blank": number, "sentence": sentence, "characters": len(book.texts[sentence])}
                | {"traits": opened.traits(sentence)}
            )
    for name, rows, types in ((CONSIDERED, considered, _CONSIDERED), (ANSWERS, answers, _ANSWERS)):
        columns = {column: pa.array([row.get(column) for row in rows], kind) for column, kind in types.items()}
        write_parquet(shard.out / name, columns)
    return Counter(row["verdict"] for row in considered)


def _considered(
    window: Window, blanks: Sequence[int], opened: OpenBook, model: AdjacentSentences, rarity: Any, shard: RivalShard
) -> Iterator[dict[str, Any]]:
    """A row for every sentence near a passage, the rivals with their measures."""
    book = opened.book
    own = range(window.first, window.last + 1)
    ties = [opened.tie(i) for i in own]
    shows = passage_ties(ties, [ties[place] for place in blanks], [book.texts[i] for i in own])
    near = _near(window, book, shard.settings)
    verdicts: dict[int, str | None] = {}
    for i in near:
        whole, in_speech = bool(opened.of_sentences.whole[i]), bool(opened.of_sentences.in_speech[i])
        unfit = blank_reason(book.text.tokens(i), opened.tie(i), whole=whole, in_speech=in_speech, settings=shard.of_blanks)
        reason = unfit or unlike_passage(opened.tie(i), book.texts[i], shows)
        verdicts[i] = None if reason is None else str(reason)
    pool = [i for i in near if verdicts[i] is None]
    measures = _measures(window, blanks, pool, opened, model, rarity) if pool else np.zeros((len(MEASURES), 0))
    fits = measures[0] >= shard.settings.max_fit
    hard = np.zeros(len(pool))
    hard[~fits] = hardness(*measures[:, ~fits])
    row_of = {i: row for row, i in enumerate(pool)}
    for i in near:
        found: dict[str, Any] = {"id": window.id, "book_id": window.book_id, "sentence": i, "text": book.texts[i]}
        found |= {"characters": len(book.texts[i]), "verdict": verdicts[i]}
        if (row := row_of.get(i)) is not None:
            found |= dict(zip(MEASURES, measures[:, row].round(6).tolist(), strict=True))
            found["verdict"] = str(RivalReason.FITS) if fits[row] else RIVAL
            if not fits[row]:
                found |= {"hardness": round(float(hard[row]), 6), "traits": opened.traits(i)}
        yield found


def _near(window: Window, book: ReadBook, settings: RivalsSettings) -> list[int]:
    """The sentences of the chapter that are near a passage and not next to it."""
    chapter = book.chapter[window.first]
    before = range(window.first - settings.max_distance, window.first - settings.min_distance + 1)
    behind = range(window.last + settings.min_distance, window.last + settings.max_distance + 1)
    return [i for i in (*before, *behind) if 0 <= i < len(book.texts) and book.chapter[i] == chapter]


def _measures(
    window: Window, blanks: Sequence[int], pool: Sequence[int], opened: OpenBook, model: AdjacentSentences, rarity: Any
) -> np.ndarray:
    """The measures of each sentence of a pool, in the order of `MEASURES`; shape (measures, pool)."""
    own = range(window.first, window.last + 1)
    candidates = [*(window.first + place for place in blanks), *pool]
    tokens = opened.book.text.tokens
    behind, before = model.follows([tokens(i) for i in own], [tokens(i) for i in candidates])
    coheres = coherence(behind, before, np.array([blanks], np.int64))[0]
    blanked = frozenset(blanks)
    shown = [opened.tie(i) for place, i in enumerate(own) if place not in blanked]
    echoes = echo([opened.tie(i) for i in pool], shown, rarity)
    outside = np.array([max(window.first - i, i - window.last) for i in pool])
    topics = np.delete((behind + before) / 2, blanks, axis=0).mean(axis=0)
    topic = topics[len(blanks) :] - topics[: len(blanks)].mean()
    return np.array([fit(coheres, len(blanks)), topic, echoes, -np.log(outside)])


def write_rivals(
    writer: ArtifactWriter,
    room: Room,
    *,
    partition: Artifact,
    passages: Artifact,
    blanks: Artifact,
    coherence: Artifact,
    settings: RivalsSettings,
    of_blanks: BlanksSettings,
) -> None:
    """Write the sentences near every passage, and which of them are rivals of its answers.

    Files: `considered.parquet`, a row a passage and sentence near it, in the order of the passages: `id` of the passage, `book_id`,
    `sentence` (its index in the book), `text`, `characters`, `verdict` (``rival`` or why it is none); of those that stand for comparison
    `fit` (by how much it goes with a blank better than the answer does, at its best blank), `topic` (its coherence
    with all shown sentences, mean, less that of the answers), `echo` (`steps.rivals.echo`) and `nearness` (minus the logarithm of how many
    sentences it stands from the passage); of rivals `hardness` (`steps.rivals.hardness` of them all) and `traits`
    (`steps.propensity.traits`). `answers.parquet`, a row a blank: `id`, `blank` (its number from 0), `sentence` (index in the book),
    `characters`, `traits`.
    """
    of_book, blanked = windows_by_book(passages), read_blanks(blanks)
    books = [row for row in kept_books(partition) if any(window.id in blanked for window in of_book.get(row["book_id"], ()))]
    with book_parts(writer, len(books)) as folders:
        shards = []
        for row, out in zip(books, folders, strict=True):
            windows = tuple(window for window in of_book[row["book_id"]] if window.id in blanked)
            places = tuple(blanked[window.id] for window in windows)
            paths = coherence.folder, passages.path(HYPHENS)
            shards.append(RivalShard(book_folder(partition, row), windows, places, *paths, out, of_blanks, settings))
        verdicts = sum(room.map(rival_book, shards, unit="books"), Counter[str]())
        for name in (CONSIDERED, ANSWERS):
            writer.rows[name] = join_parquet(writer.path(name), [folder / name for folder in folders])
    rivals = verdicts.pop(RIVAL, 0)
    writer.funnel = funnel("sentences", kept=rivals, rejected=verdicts)
    room.say(f"{rivals:,} rivals of the answers of {len(blanked):,} passages, of {rivals + verdicts.total():,} sentences near them")
