"""Rivals of the answers: nearby sentences that seem to answer a blank but answer none; ours.

A rival meets the conditions of a blank and contains no new name or person. It is speech only if an
answer is speech, and it fits no blank much better than the blank's answer does (`coherence`).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import Field

from cloze_gen.corpus.arrays import SentenceTraits, sentence_traits
from cloze_gen.corpus.books import book_folder, kept_books
from cloze_gen.corpus.hyphens import HYPHENS
from cloze_gen.corpus.source_sentences import book_parts, decided_hyphens
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.cohesion import Person, SurfaceTies, surface_ties
from cloze_gen.english.content_words import stem as stem_of
from cloze_gen.models.sentence_cues import AdjacentSentences, rarity_of
from cloze_gen.recipes.scde.blanks import BlanksSettings, blank_reason
from cloze_gen.recipes.scde.coherence import coherence, open_coherence, read_stems
from cloze_gen.recipes.scde.passages import (
    ANSWERS,
    CONSIDERED,
    RIVAL,
    ReadBook,
    Window,
    read_blanks,
    read_book,
    windows_by_book,
)
from cloze_gen.recipes.scde.propensity import traits
from cloze_gen.records.rejection import Reason
from cloze_gen.settings import MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import join_parquet, write_parquet

_MIN_DISTANCE = 2  # least distance of a rival from the passage, in sentences


class RivalsSettings(SettingsGroup):
    max_distance: int = Field(
        80,
        ge=1,
        le=MOST_EACH,
        description="greatest distance in the chapter, in sentences",
    )
    max_fit: float = Field(
        0.5,
        ge=-2,
        le=2,
        description="a rival's coherence with a blank, less its answer's",
    )


class RivalReason(Reason):
    """Why a sentence is not a rival, in addition to `BlankReason`."""

    NEW_NAME = ("name_not_in_passage", "a name in it does not occur in the passage")
    NEW_PERSON = ("person_not_in_passage", "a pronoun's person in it does not occur in the passage")
    OTHER_KIND = (
        "speech_differs_from_answers",
        "it is speech and the answers are not, or the reverse",
    )
    IN_PRINT = ("already_in_passage", "the passage already contains the same words")
    FITS = (
        "may_fit_a_blank",
        "its coherence with a blank is too close to the answer's (rivals.max_fit)",
    )


@dataclass(frozen=True, slots=True)
class PassageTies:
    """Names and first words (lower case), persons, kinds of answers and texts of a passage."""

    names: frozenset[str]
    persons: frozenset[Person]
    speech: frozenset[bool]
    texts: frozenset[str]


def passage_ties(
    sentences: Sequence[SurfaceTies], answers: Sequence[SurfaceTies], texts: Sequence[str]
) -> PassageTies:
    names = frozenset(name for one in sentences for name in (*one.names, one.first_word))
    persons = frozenset(person for one in sentences for person in one.persons)
    return PassageTies(
        names, persons, frozenset(one.quotation_marks > 0 for one in answers), frozenset(texts)
    )


def mismatch_reason(ties: SurfaceTies, text: str, passage: PassageTies) -> RivalReason | None:
    """Why a sentence does not match the passage; None if it does."""
    against = {
        RivalReason.NEW_NAME: not ties.names <= passage.names,
        RivalReason.NEW_PERSON: not ties.persons <= passage.persons,
        RivalReason.OTHER_KIND: (ties.quotation_marks > 0) not in passage.speech,
        RivalReason.IN_PRINT: text in passage.texts,
    }
    return next((reason for reason, holds in against.items() if holds), None)


def fit(coherences: NDArray[np.float64], answers: int) -> NDArray[np.float64]:
    """Shape (candidates,): coherence minus that of the blank's answer; maximum over blanks.

    `coherences`: shape (blanks, answers + candidates), answers in the order of the blanks.

    >>> fit(np.array([[0.5, 0.1, 0.4], [0.2, 0.3, 0.1]]), 2).round(2).tolist()
    [-0.1]
    """
    own = np.diagonal(coherences)[:, None]
    return np.asarray((coherences[:, answers:] - own).max(axis=0, initial=-np.inf))


def echo(
    candidates: Sequence[SurfaceTies], shown: Sequence[SurfaceTies], rarity: Callable[[str], float]
) -> NDArray[np.float64]:
    """Share of content words that are shown, weighted by squared rarity; shape (candidates,).

    >>> from cloze_gen.english.cohesion import surface_ties
    >>> lamp, both = surface_ties("The lamp burnt .".split()), surface_ties("Lamps and boats .".split())
    >>> echo([both, lamp], [lamp], lambda stem: 1.0).round(2).tolist()
    [0.5, 1.0]
    """
    shown_stems = frozenset(stem for one in shown for stem in one.stems)
    unnamed = (one.stems - frozenset(map(stem_of, one.names)) for one in candidates)
    weights = [{stem: rarity(stem) ** 2 for stem in sorted(one)} for one in unnamed]
    totals = [
        (sum(weight for stem, weight in own.items() if stem in shown_stems), sum(own.values()))
        for own in weights
    ]
    return np.array([part / whole if whole else 0.0 for part, whole in totals], np.float64)


def hardness(*measures: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of the standardized measures; shape (candidates,).

    >>> hardness(np.array([1.0, 3.0]), np.array([0.0, 0.0])).tolist()
    [-0.5, 0.5]
    """
    scaled = [
        (one - one.mean()) / one.std() if len(one) and np.ptp(one) > 0 else np.zeros_like(one)
        for one in measures
    ]
    return np.asarray(np.mean(scaled, axis=0))


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
_ANSWERS = {
    "id": pa.string(),
    "blank": pa.int32(),
    "sentence": pa.int32(),
    "characters": pa.int32(),
    "traits": _STRINGS,
}


@dataclass(frozen=True, slots=True)
class RivalShard:
    """The windows of one book for a worker; `blanks` are places within each window."""

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
    book: ReadBook
    of_sentences: SentenceTraits
    ties: dict[int, SurfaceTies]

    def tie(self, sentence: int) -> SurfaceTies:
        if sentence not in self.ties:
            self.ties[sentence] = surface_ties(self.book.text.tokens(sentence))
        return self.ties[sentence]

    def traits(self, sentence: int) -> list[str]:
        return sorted(map(sys.intern, traits(self.book.text.tokens(sentence), self.tie(sentence))))


def rival_book(shard: RivalShard) -> Counter[str]:
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
                {
                    "id": window.id,
                    "blank": number,
                    "sentence": sentence,
                    "characters": len(book.texts[sentence]),
                }
                | {"traits": opened.traits(sentence)}
            )
    for name, rows, types in ((CONSIDERED, considered, _CONSIDERED), (ANSWERS, answers, _ANSWERS)):
        columns = {
            column: pa.array([row.get(column) for row in rows], kind)
            for column, kind in types.items()
        }
        write_parquet(shard.out / name, columns)
    return Counter(row["verdict"] for row in considered)


def _considered(
    window: Window,
    blanks: Sequence[int],
    opened: OpenBook,
    model: AdjacentSentences,
    rarity: Any,
    shard: RivalShard,
) -> Iterator[dict[str, Any]]:
    book = opened.book
    own = range(window.first, window.last + 1)
    ties = [opened.tie(i) for i in own]
    of_passage = passage_ties(ties, [ties[place] for place in blanks], [book.texts[i] for i in own])
    near = _near(window, book, shard.settings)
    verdicts: dict[int, str | None] = {}
    for i in near:
        unfit = blank_reason(
            book.text.tokens(i),
            opened.tie(i),
            in_speech=bool(opened.of_sentences.in_speech[i]),
            settings=shard.of_blanks,
        )
        reason = unfit or mismatch_reason(opened.tie(i), book.texts[i], of_passage)
        verdicts[i] = None if reason is None else str(reason)
    pool = [i for i in near if verdicts[i] is None]
    measures = (
        _measures(window, blanks, pool, opened, model, rarity)
        if pool
        else np.zeros((len(MEASURES), 0))
    )
    fits = measures[0] >= shard.settings.max_fit
    hard = np.zeros(len(pool))
    hard[~fits] = hardness(*measures[:, ~fits])
    row_of = {i: row for row, i in enumerate(pool)}
    for i in near:
        found: dict[str, Any] = {
            "id": window.id,
            "book_id": window.book_id,
            "sentence": i,
            "text": book.texts[i],
        }
        found |= {"characters": len(book.texts[i]), "verdict": verdicts[i]}
        if (row := row_of.get(i)) is not None:
            found |= dict(zip(MEASURES, measures[:, row].round(6).tolist(), strict=True))
            found["verdict"] = str(RivalReason.FITS) if fits[row] else RIVAL
            if not fits[row]:
                found |= {"hardness": round(float(hard[row]), 6), "traits": opened.traits(i)}
        yield found


def _near(window: Window, book: ReadBook, settings: RivalsSettings) -> list[int]:
    chapter = book.chapter[window.first]
    before = range(window.first - settings.max_distance, window.first - _MIN_DISTANCE + 1)
    after = range(window.last + _MIN_DISTANCE, window.last + settings.max_distance + 1)
    return [i for i in (*before, *after) if 0 <= i < len(book.texts) and book.chapter[i] == chapter]


def _measures(
    window: Window,
    blanks: Sequence[int],
    pool: Sequence[int],
    opened: OpenBook,
    model: AdjacentSentences,
    rarity: Any,
) -> np.ndarray:
    """float64, shape (measures, pool), in the order of `MEASURES`."""
    own = range(window.first, window.last + 1)
    candidates = [*(window.first + place for place in blanks), *pool]
    tokens = opened.book.text.tokens
    after, before = model.follows([tokens(i) for i in own], [tokens(i) for i in candidates])
    coheres = coherence(after, before, np.array([blanks], np.int64))[0]
    blanked = frozenset(blanks)
    shown = [opened.tie(i) for place, i in enumerate(own) if place not in blanked]
    echoes = echo([opened.tie(i) for i in pool], shown, rarity)
    outside = np.array([max(window.first - i, i - window.last) for i in pool])
    topics = np.delete((after + before) / 2, blanks, axis=0).mean(axis=0)
    topic = topics[len(blanks) :] - topics[: len(blanks)].mean()
    return np.array([fit(coheres, len(blanks)), topic, echoes, -np.log(outside)])


def write_rivals(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    partition: Artifact,
    passages: Artifact,
    blanks: Artifact,
    coherence: Artifact,
    settings: RivalsSettings,
    of_blanks: BlanksSettings,
) -> None:
    of_book, blanked = windows_by_book(passages), read_blanks(blanks)
    books = [
        row
        for row in kept_books(partition)
        if any(window.id in blanked for window in of_book.get(row["book_id"], ()))
    ]
    with book_parts(writer, len(books)) as folders:
        shards = []
        for row, out in zip(books, folders, strict=True):
            windows = tuple(window for window in of_book[row["book_id"]] if window.id in blanked)
            places = tuple(blanked[window.id] for window in windows)
            paths = coherence.folder, passages.path(HYPHENS)
            shards.append(
                RivalShard(
                    book_folder(partition, row), windows, places, *paths, out, of_blanks, settings
                )
            )
        verdicts = sum(ctx.map(rival_book, shards, unit="books"), Counter[str]())
        for name in (CONSIDERED, ANSWERS):
            writer.rows[name] = join_parquet(
                writer.path(name), [folder / name for folder in folders]
            )
    rivals = verdicts.pop(RIVAL, 0)
    writer.funnel = funnel("sentences", kept=rivals, rejected=verdicts)
    ctx.say(
        f"{rivals:,} rivals for {len(blanked):,} passages, from {rivals + verdicts.total():,} "
        "nearby sentences"
    )
