"""Rivals of the answers: nearby sentences that seem to answer a blank but answer none; ours.

A rival meets the conditions of a blank and contains no new name or person. Like one of the answers,
it is speech or it is not. It fits no blank much better than the blank's answer does (`coherence`).
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import Field

from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.cohesion import SurfaceTies
from cloze_gen.english.content_words import stem as stem_of
from cloze_gen.recipes.scde.blanks import (
    BlanksSettings,
    NovelSentences,
    read_blanks,
    read_novel_sentences,
)
from cloze_gen.recipes.scde.coherence import neighbour_coherence, open_coherence, stem_rarity
from cloze_gen.recipes.scde.passages import Novel, Window, novels_of, windows_by_book
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
    REPEATED = (
        "already_in_passage",
        "the passage, or a rival nearer to it, contains the same words",
    )
    FITS = (
        "may_fit_a_blank",
        "its coherence with a blank exceeds the answer's by rivals.max_fit or more",
    )


def mismatch_reasons(
    candidates: Sequence[SurfaceTies],
    sentences: Sequence[SurfaceTies],
    answers: Sequence[SurfaceTies],
) -> list[RivalReason | None]:
    """Why each candidate does not match a passage of these sentences; None if it does.

    >>> from cloze_gen.english.cohesion import surface_ties
    >>> passage = [surface_ties(line.split()) for line in ("Pip saw Joe .", "Then he left .")]
    >>> lines = ["He saw Pip .", "He met Biddy .", "We saw Joe ."]
    >>> reasons = mismatch_reasons([surface_ties(line.split()) for line in lines], passage, passage[:1])
    >>> [reason and str(reason) for reason in reasons]
    [None, 'name_not_in_passage', 'person_not_in_passage']
    """
    names = {name for ties in sentences for name in (*ties.names, ties.first_word)}
    persons = {person for ties in sentences for person in ties.persons}
    kinds = {ties.quotation_marks > 0 for ties in answers}
    reasons = []
    for ties in candidates:
        against = {
            RivalReason.NEW_NAME: not ties.names <= names,
            RivalReason.NEW_PERSON: not ties.persons <= persons,
            RivalReason.OTHER_KIND: (ties.quotation_marks > 0) not in kinds,
        }
        reasons.append(first_reason(against))
    return reasons


def fit(coherences: NDArray[np.float64], answers: int) -> NDArray[np.float64]:
    """Shape (candidates,): coherence minus that of the blank's answer; maximum over blanks.

    `coherences`: shape (blanks, answers + candidates), answers in the order of the blanks.

    >>> fit(np.array([[0.5, 0.1, 0.4], [0.2, 0.3, 0.1]]), 2).round(2).tolist()
    [-0.1]
    """
    of_answers = np.diagonal(coherences)[:, None]
    return np.asarray((coherences[:, answers:] - of_answers).max(axis=0))


def echo(
    candidates: Sequence[SurfaceTies], shown: Sequence[SurfaceTies], rarity: Callable[[str], float]
) -> NDArray[np.float64]:
    """Share of content words that are shown, weighted by squared rarity; shape (candidates,).

    >>> from cloze_gen.english.cohesion import surface_ties
    >>> lamp, both = surface_ties("The lamp burnt .".split()), surface_ties("Lamps and boats .".split())
    >>> echo([both, lamp], [lamp], lambda stem: 1.0).round(2).tolist()
    [0.5, 1.0]
    """
    shown_stems = {stem for ties in shown for stem in ties.stems}
    shares: list[float] = []
    for ties in candidates:
        unnamed = ties.stems.difference(map(stem_of, ties.names))
        weight = {stem: rarity(stem) ** 2 for stem in unnamed}
        repeated = math.fsum(weight[stem] for stem in unnamed & shown_stems)
        shares.append(repeated / (math.fsum(weight.values()) or 1.0))
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
    """The search for the rivals of a passage; sentences are indices in the book."""

    sentences: NovelSentences
    window: Window
    answers: Sequence[int]
    coherence: Artifact
    settings: RivalsSettings

    def candidates(self) -> list[dict[str, Any]]:
        """Rows of `CANDIDATES`: the answers, then the sentences nearby."""
        rows = [self._row(i, ANSWER) | {"traits": self._traits(i)} for i in self.answers]
        reasons = self._reasons()
        nearby = [self._row(i, reason) for i, reason in reasons.items() if reason is not None]
        pool = sorted(i for i, reason in reasons.items() if reason is None)
        measures = self._measures(pool)
        is_rival = measures[0] < self.settings.max_fit
        of_rivals = np.zeros(len(pool))
        of_rivals[is_rival] = hardness(measures[:, is_rival])
        for k, i in enumerate(pool):
            row = self._row(i, RIVAL if is_rival[k] else RivalReason.FITS)
            row.update(zip(MEASURES, measures[:, k].round(6).tolist(), strict=True))
            if is_rival[k]:
                row |= {"hardness": float(of_rivals[k].round(6)), "traits": self._traits(i)}
            nearby.append(row)
        return rows + sorted(nearby, key=itemgetter("sentence"))

    def _row(self, sentence: int, verdict: str) -> dict[str, Any]:
        text = self.sentences.texts[sentence]
        return dict.fromkeys(CANDIDATES.names) | {
            "id": self.window.id,
            "book_id": self.window.book_id,
            "part": self.window.part,
            "sentence": sentence,
            "text": text,
            "characters": len(text),
            "verdict": str(verdict),
        }

    def _traits(self, sentence: int) -> list[str]:
        return sorted(traits(self.sentences.tokens(sentence), self.sentences.ties(sentence)))

    def _distance(self, sentence: int) -> int:
        return max(self.window.first - sentence, sentence - self.window.last)

    def _reasons(self) -> dict[int, Reason | None]:
        """Why each nearby sentence of the chapter is no rival; None if only measures can tell."""
        chapter = self.sentences.chapter
        most = self.settings.max_distance
        begin = max(0, self.window.first - most)
        end = min(self.window.last + most + 1, len(chapter))
        nearby = [
            i
            for i in range(begin, end)
            if chapter[i] == chapter[self.window.first] and self._distance(i) >= _MIN_DISTANCE
        ]
        nearby.sort(key=self._distance)  # of equal texts the nearest is kept
        ties = self.sentences.ties
        mismatches = mismatch_reasons(
            [ties(i) for i in nearby],
            [ties(i) for i in self.window.sentences],
            [ties(i) for i in self.answers],
        )
        texts = {self.sentences.texts[i] for i in self.window.sentences}
        reasons: dict[int, Reason | None] = {}
        for i, mismatch in zip(nearby, mismatches, strict=True):
            text = self.sentences.texts[i]
            reasons[i] = self.sentences.reason(i) or mismatch
            if reasons[i] is None and text in texts:
                reasons[i] = RivalReason.REPEATED
            if reasons[i] is None:
                texts.add(text)
        return reasons

    def _measures(self, pool: Sequence[int]) -> NDArray[np.float64]:
        """Shape (measures, pool), in the order of `MEASURES`."""
        tokens = self.sentences.tokens
        ties = self.sentences.ties
        count = len(self.answers)
        blanks = [answer - self.window.first for answer in self.answers]
        after, before = open_coherence(self.coherence).follows(
            [tokens(i) for i in self.window.sentences],
            [tokens(i) for i in (*self.answers, *pool)],
        )
        coheres = neighbour_coherence(after, before, np.array([blanks], np.int64))[0]
        topics = np.delete((after + before) / 2, blanks, axis=0).mean(axis=0)
        topic = topics[count:] - topics[:count].mean()
        shown = [ties(i) for i in self.window.sentences if i not in self.answers]
        echoes = echo([ties(i) for i in pool], shown, stem_rarity(self.coherence))
        distance = np.array([self._distance(i) for i in pool])
        return np.array([fit(coheres, count), topic, echoes, -np.log(distance)])


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
    sentences = read_novel_sentences(novel, passages, of_blanks)
    rows: list[dict[str, Any]] = []
    for window in windows_by_book(passages).get(novel.id, ()):
        if window.id in places_of:
            answers = [window.first + place for place in places_of[window.id]]
            rows += _Search(sentences, window, answers, coherence, settings).candidates()
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
