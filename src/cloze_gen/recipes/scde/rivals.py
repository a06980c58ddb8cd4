"""Rivals of the answers: nearby sentences that seem to answer a blank but answer none; ours.

A rival meets the conditions of a blank and contains no new name or person. Like one of the answers,
it is speech or it is not. It fits no blank much better than the blank's answer does (`coherence`).
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import Field

from cloze_gen.corpus.arrays import sentence_traits
from cloze_gen.corpus.hyphens import HYPHENS
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.cohesion import Person, SurfaceTies, surface_ties
from cloze_gen.english.content_words import stem as stem_of
from cloze_gen.models.sentence_cues import AdjacentSentences
from cloze_gen.recipes.scde.blanks import BlanksSettings, blank_reason, read_blanks
from cloze_gen.recipes.scde.coherence import coherence as coherence_of
from cloze_gen.recipes.scde.coherence import open_coherence, stem_rarity
from cloze_gen.recipes.scde.passages import (
    Novel,
    ReadNovel,
    Window,
    chapter_numbers,
    novels_of,
    read_novel,
    windows_by_book,
)
from cloze_gen.recipes.scde.propensity import traits
from cloze_gen.recipes.tables import value_counts
from cloze_gen.records.rejection import Reason, first_reason
from cloze_gen.settings import MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.schema import CODED, Column, Table, TableWriter

_MIN_DISTANCE = 2  # least distance of a rival from the passage, in sentences


class RivalsSettings(SettingsGroup):
    max_distance: int = Field(
        80,
        ge=_MIN_DISTANCE,
        le=MOST_EACH,
        description="greatest distance in the chapter, in sentences",
    )
    max_fit: float = Field(
        0.5,
        ge=-2,
        le=2,
        description="a rival's coherence with a blank exceeds the answer's by less",
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
        "its coherence with a blank exceeds the answer's by rivals.max_fit or more",
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
    return PassageTies(
        names=frozenset(name for ties in sentences for name in (*ties.names, ties.first_word)),
        persons=frozenset(person for ties in sentences for person in ties.persons),
        speech=frozenset(ties.quotation_marks > 0 for ties in answers),
        texts=frozenset(texts),
    )


def mismatch_reason(ties: SurfaceTies, text: str, passage: PassageTies) -> RivalReason | None:
    """Why a sentence does not match the passage; None if it does."""
    against = {
        RivalReason.NEW_NAME: not ties.names <= passage.names,
        RivalReason.NEW_PERSON: not ties.persons <= passage.persons,
        RivalReason.OTHER_KIND: (ties.quotation_marks > 0) not in passage.speech,
        RivalReason.IN_PRINT: text in passage.texts,
    }
    return first_reason(against)


def fit(coherences: NDArray[np.float64], answers: int) -> NDArray[np.float64]:
    """Shape (candidates,): coherence minus that of the blank's answer; maximum over blanks.

    `coherences`: shape (blanks, answers + candidates), answers in the order of the blanks.

    >>> fit(np.array([[0.5, 0.1, 0.4], [0.2, 0.3, 0.1]]), 2).round(2).tolist()
    [-0.1]
    """
    of_answers = np.diagonal(coherences)[:, None]
    return np.asarray((coherences[:, answers:] - of_answers).max(axis=0, initial=-np.inf))


def echo(
    candidates: Sequence[SurfaceTies], shown: Sequence[SurfaceTies], rarity: Callable[[str], float]
) -> NDArray[np.float64]:
    """Share of content words that are shown, weighted by squared rarity; shape (candidates,).

    >>> from cloze_gen.english.cohesion import surface_ties
    >>> lamp, both = surface_ties("The lamp burnt .".split()), surface_ties("Lamps and boats .".split())
    >>> echo([both, lamp], [lamp], lambda stem: 1.0).round(2).tolist()
    [0.5, 1.0]
    """
    shown_stems = frozenset(stem for ties in shown for stem in ties.stems)
    shares: list[float] = []
    for ties in candidates:
        unnamed = sorted(ties.stems - frozenset(map(stem_of, ties.names)))
        weight = {stem: rarity(stem) ** 2 for stem in unnamed}
        repeated = sum(weight[stem] for stem in unnamed if stem in shown_stems)
        shares.append(repeated / (sum(weight.values()) or 1.0))
    return np.array(shares, np.float64)


def hardness(measures: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of the standardized measures, shape (candidates,); `measures`: (measures, candidates).

    >>> hardness(np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [-0.5, 0.5]
    """
    if not measures.size:
        return np.zeros(measures.shape[1])
    centred = measures - measures.mean(axis=1, keepdims=True)
    spread = np.where(np.ptp(measures, axis=1) > 0, measures.std(axis=1), np.inf)
    return np.asarray((centred / spread[:, None]).mean(axis=0))


MEASURES = ("fit", "topic", "echo", "nearness")
ANSWER, RIVAL = "answer", "rival"  # verdicts, in addition to the reasons
CANDIDATES = Table(
    "candidates.parquet",
    "The answers of each passage and the sentences near it. Measures are null if an earlier check "
    "decided.",
    Column("id", pa.string(), "id of the passage"),
    Column("book_id", CODED, "book of the sentence"),
    Column("part", CODED, "part of the book"),
    Column("sentence", pa.int32(), "index of the sentence in the book"),
    Column("text", pa.string(), "the sentence as printed"),
    Column("characters", pa.int32(), "its length"),
    Column("verdict", CODED, "`answer`, `rival`, or the reason why it is none"),
    Column(
        "fit",
        pa.float64(),
        "coherence with its best blank, minus that of the blank's own answer",
    ),
    Column(
        "topic",
        pa.float64(),
        "mean coherence with the shown sentences of the passage, minus the mean of the answers",
    ),
    Column(
        "echo",
        pa.float64(),
        "share of its content words that the shown sentences have too, weighted by the square of "
        "their rarity; names left out",
    ),
    Column(
        "nearness",
        pa.float64(),
        "minus the natural logarithm of the distance to the passage, in sentences",
    ),
    Column(
        "hardness",
        pa.float64(),
        "mean of fit, topic, echo and nearness, each scaled to mean 0 and deviation 1 among the "
        "rivals of the passage; of rivals alone",
    ),
    Column(
        "traits",
        pa.list_(pa.string()),
        "visible features of the sentence; of answers and rivals",
    ),
)


@dataclass(frozen=True, slots=True)
class _Search:
    """What the search for rivals in one novel needs."""

    book: ReadNovel
    chapter: NDArray[np.int32]
    in_speech: NDArray[np.bool_]
    ties: Callable[[int], SurfaceTies]  # of a sentence
    model: AdjacentSentences
    rarity: Callable[[str], float]
    of_blanks: BlanksSettings
    settings: RivalsSettings

    def candidates(self, window: Window, answers: Sequence[int]) -> Iterator[dict[str, Any]]:
        """Rows of `CANDIDATES`; `answers` are sentences of the book."""
        for i in answers:
            yield self._row(window, i, ANSWER) | {"traits": self._traits(i)}
        verdicts = self._verdicts(window, answers)
        pool = [i for i, verdict in verdicts.items() if verdict is None]
        measured = self._verdicts_by_measures(window, answers, pool) if pool else {}
        for i, verdict in verdicts.items():
            yield self._row(window, i, str(verdict)) | measured.get(i, {})

    def _verdicts_by_measures(
        self, window: Window, answers: Sequence[int], pool: Sequence[int]
    ) -> dict[int, dict[str, Any]]:
        """Sentence -> its verdict, and the measures that it rests on."""
        measures = self._measures(window, answers, pool)
        fits_too_well = measures[0] >= self.settings.max_fit
        of_rivals = np.zeros(len(pool))
        of_rivals[~fits_too_well] = hardness(measures[:, ~fits_too_well]).round(6)
        measured: dict[int, dict[str, Any]] = {}
        for k, i in enumerate(pool):
            row = dict(zip(MEASURES, measures[:, k].round(6).tolist(), strict=True))
            if fits_too_well[k]:
                row["verdict"] = str(RivalReason.FITS)
            else:
                row |= {
                    "verdict": RIVAL,
                    "hardness": float(of_rivals[k]),
                    "traits": self._traits(i),
                }
            measured[i] = row
        return measured

    def _row(self, window: Window, sentence: int, verdict: str) -> dict[str, Any]:
        text = self.book.texts[sentence]
        return dict.fromkeys(CANDIDATES.names) | {
            "id": window.id,
            "book_id": window.book_id,
            "part": window.part,
            "sentence": sentence,
            "text": text,
            "characters": len(text),
            "verdict": verdict,
        }

    def _traits(self, sentence: int) -> list[str]:
        return sorted(traits(self.book.tokens(sentence), self.ties(sentence)))

    def _verdicts(self, window: Window, answers: Sequence[int]) -> dict[int, Reason | None]:
        """Why each nearby sentence of the chapter is no rival; None if only measures can tell."""
        most = self.settings.max_distance
        before = range(max(0, window.first - most), window.first - _MIN_DISTANCE + 1)
        after = range(
            window.last + _MIN_DISTANCE, min(window.last + most + 1, len(self.book.texts))
        )
        passage = passage_ties(
            [self.ties(i) for i in window.sentences],
            [self.ties(i) for i in answers],
            [self.book.texts[i] for i in window.sentences],
        )
        verdicts: dict[int, Reason | None] = {}
        for i in (*before, *after):
            if self.chapter[i] == self.chapter[window.first]:
                verdicts[i] = blank_reason(
                    self.book.tokens(i),
                    self.ties(i),
                    in_speech=bool(self.in_speech[i]),
                    settings=self.of_blanks,
                ) or mismatch_reason(self.ties(i), self.book.texts[i], passage)
        return verdicts

    def _measures(
        self, window: Window, answers: Sequence[int], pool: Sequence[int]
    ) -> NDArray[np.float64]:
        """Shape (measures, pool), in the order of `MEASURES`."""
        tokens = self.book.tokens
        blanks = [answer - window.first for answer in answers]
        after, before = self.model.follows(
            [tokens(i) for i in window.sentences], [tokens(i) for i in (*answers, *pool)]
        )
        coheres = coherence_of(after, before, np.array([blanks], np.int64))[0]
        topics = np.delete((after + before) / 2, blanks, axis=0).mean(axis=0)
        topic = topics[len(answers) :] - topics[: len(answers)].mean()
        shown = [self.ties(i) for i in window.sentences if i not in answers]
        echoes = echo([self.ties(i) for i in pool], shown, self.rarity)
        distance = np.array([max(window.first - i, i - window.last) for i in pool])
        return np.array([fit(coheres, len(answers)), topic, echoes, -np.log(distance)])


def search_novel(
    novel: Novel,
    *,
    passages: Artifact,
    blanks: Artifact,
    coherence: Artifact,
    settings: RivalsSettings,
    of_blanks: BlanksSettings,
) -> pa.Table:
    places_of = read_blanks(blanks)
    windows = [
        window for window in windows_by_book(passages).get(novel.id, ()) if window.id in places_of
    ]
    if not windows:
        return CANDIDATES.of_records([])
    book = read_novel(novel, passages.path(HYPHENS))
    search = _Search(
        book,
        chapter_numbers(book.text.kinds),
        sentence_traits(book.text, offensive=()).in_speech,
        functools.cache(lambda sentence: surface_ties(book.tokens(sentence))),
        open_coherence(coherence),
        stem_rarity(coherence),
        of_blanks,
        settings,
    )
    rows: list[dict[str, Any]] = []
    for window in windows:
        answers = [window.first + place for place in places_of[window.id]]
        rows += search.candidates(window, answers)
    return CANDIDATES.of_records(rows)


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
    """Write the answers, and the verdict on each sentence near a passage with its measures."""
    search = functools.partial(
        search_novel,
        passages=passages,
        blanks=blanks,
        coherence=coherence,
        settings=settings,
        of_blanks=of_blanks,
    )
    verdicts: Counter[str] = Counter()
    with TableWriter(writer, CANDIDATES) as candidates:
        for rows in ctx.map(search, novels_of(partition), unit="books"):
            verdicts += value_counts(rows["verdict"])
            candidates.append(rows)
    answers = verdicts.pop(ANSWER, 0)
    rivals = verdicts.pop(RIVAL, 0)
    writer.funnel = funnel("sentences", kept=rivals, rejected=verdicts)
    ctx.say(
        f"{rivals:,} rivals of {answers:,} answers, from {candidates.rows - answers:,} sentences"
    )
