"""The focus word of a sentence: a random content word within limits (Argouarc'h 2018, 3.2).

We read "a frequency between 10^-3 and 2.10^-7 in the MR corpus" as inclusive limits on the (lemma,
class) pair in the training corpus.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic import Field

from cloze_gen.corpus.counts import CountTable, Pair
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.tagging import lemma_pair
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.penn_tags import FINITE, is_bare_noun
from cloze_gen.english.sentence_fitness import reports_speech
from cloze_gen.formats.printed_tokens import rendered_positions
from cloze_gen.recipes.scs.inflections import Inflection, read_inflections
from cloze_gen.recipes.scs.place_table import PlacesSettings, PlaceTable, read_places
from cloze_gen.recipes.scs.places import Place, places_of
from cloze_gen.recipes.scs.sentences import read_tagged_sentences
from cloze_gen.recipes.scs.vocabulary import read_vocabulary
from cloze_gen.records.rejection import Reason, Rejection
from cloze_gen.records.sentence import sentence_of
from cloze_gen.rng import derive_rng
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel, open_artifact
from cloze_gen.store.tables import (
    FOCUS,
    REJECTED,
    SOURCE_SENTENCES,
    rejection_columns,
    sentence_columns,
    write_parquet,
)


class LimitReason(Reason):
    ABOVE = ("pair_above_max_freq", "the word is more frequent than focus.max_freq")
    BELOW = ("pair_below_min_freq", "the word is rarer than focus.min_freq")


class FocusSettings(SettingsGroup):
    """The limits also apply to impostors."""

    min_freq: float = Field(
        2e-7,
        ge=0,
        le=1,
        description="least frequency of the pair, inclusive; 3.2",
    )
    max_freq: float = Field(
        1e-3, gt=0, le=1, description="greatest frequency of the pair, inclusive; 3.2"
    )
    max_tries: int = Field(
        8,
        ge=1,
        le=1000,
        description="words of a sentence to try; the paper draws one",
    )

    def allow(self, freq: float) -> bool:
        """Whether a word of this frequency may be an option.

        >>> [FocusSettings().allow(freq) for freq in (1e-7, 2e-7, 1e-3, 2e-3)]
        [False, True, True, False]
        """
        return self.fault(freq) is None

    def fault(self, freq: float) -> LimitReason | None:
        if freq > self.max_freq:
            return LimitReason.ABOVE
        return LimitReason.BELOW if freq < self.min_freq else None


class FocusReason(Reason):
    NONE_ELIGIBLE = (
        "no_content_word_within_limits",
        "no content word of the sentence is within the frequency limits",
    )


@dataclass(frozen=True, slots=True)
class FocusPick:
    id: str
    position: int
    word: str
    lemma: str
    word_class: str
    tag: str
    freq: float
    eligible: int
    place: Place


def choose_focus(
    sentence_id: str,
    tokens: Sequence[str],
    *,
    tags: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    vocabulary: Mapping[tuple[str, str], float],
    forms: Mapping[tuple[str, str], str],
    traits: Mapping[tuple[str, str], str],
    takes: Callable[[Pair, Place], bool],
    settings: FocusSettings,
    seed: int,
) -> list[FocusPick] | Rejection:
    """Up to `max_tries` eligible words in random order.

    An eligible word is printed, not first, in lower case, without clitic, and once in the sentence.
    It is within the frequency limits, is the form in use of its lemma, and fits its own place
    (`places`). Two kinds are excluded: count nouns without a determiner, because mass nouns would be
    their impostors, and finite verbs next to a quotation, because few verbs report speech.

    Args:
        forms, traits: (lemma, tag) -> the form in use, and its trait in the inflection table.
        takes: (pair, place) -> whether the word and enough others fit the place.
    """
    times = Counter(token.casefold() for token in tokens)
    printed = rendered_positions(tokens)
    # printed tokens only: in `the " bed "`, bed has a determiner
    seen, seen_tags = ([tokens[i] for i in printed], [tags[i] for i in printed])
    places = places_of(tokens, tags)
    eligible = [
        (position, own_place)
        for place, position in enumerate(printed)
        if 0 < place < len(printed) - 1
        and settings.allow(vocabulary.get(pairs[position], -1.0))
        and forms.get((pairs[position][0], tags[position])) == tokens[position]
        and times[tokens[position]] == 1
        and not (
            traits[pairs[position][0], tags[position]] == "count"
            and is_bare_noun(seen, seen_tags, place)
        )
        and not (tags[position] in FINITE and reports_speech(tokens, position))
        and (own_place := places[position]) is not None
        and takes(pairs[position], own_place)
    ]
    if not eligible:
        return Rejection(sentence_id, FocusReason.NONE_ELIGIBLE)
    order = (
        derive_rng(seed, "scs.focus", sentence_id)
        .permutation(len(eligible))[: settings.max_tries]
        .tolist()
    )
    return [
        FocusPick(
            id=f"{sentence_id}:{position}",
            position=position,
            word=tokens[position],
            lemma=pairs[position][0],
            word_class=pairs[position][1],
            tag=tags[position],
            freq=vocabulary[pairs[position]],
            eligible=len(eligible),
            place=own_place,
        )
        for position, own_place in (eligible[i] for i in order)
    ]


_SENTENCES_A_PART = 2000


@dataclass(frozen=True, slots=True)
class _Inputs:
    """Folders of artifacts, and settings."""

    vocabulary: Path
    inflections: Path
    places: Path
    settings: FocusSettings
    places_settings: PlacesSettings


@dataclass(frozen=True, slots=True)
class _Words:
    vocabulary: Mapping[Pair, float]
    cells: Mapping[tuple[str, str], Inflection]
    forms: Mapping[tuple[str, str], str]
    traits: Mapping[tuple[str, str], str]
    places: PlaceTable

    def takes(self, pair: Pair, place: Place) -> bool:
        return self.places.takes(pair, place) and self.places.is_open(place)


@functools.lru_cache(maxsize=1)
def _words(inputs: _Inputs) -> _Words:
    """Read once a process."""
    words = read_vocabulary(open_artifact(inputs.vocabulary))
    inflections = read_inflections(open_artifact(inputs.inflections))
    cells = {(cell.lemma, cell.tag): cell for cell in inflections}
    known = read_places(
        open_artifact(inputs.places), pairs=list(words), settings=inputs.places_settings
    )
    forms = {key: cell.form for key, cell in cells.items()}
    traits = {key: cell.trait for key, cell in cells.items()}
    return _Words(words, cells, forms, traits, known)


@dataclass(frozen=True, slots=True)
class _Part:
    """Sentences: id, tokens and tags."""

    inputs: _Inputs
    sentences: Sequence[tuple[str, Sequence[str], Sequence[str]]]
    seed: int


def choose_part(part: _Part) -> list[list[FocusPick] | Rejection]:
    words = _words(part.inputs)
    return [
        choose_focus(
            sentence_id,
            tokens,
            tags=tags,
            pairs=[lemma_pair(token, tag) for token, tag in zip(tokens, tags, strict=True)],
            vocabulary=words.vocabulary,
            forms=words.forms,
            traits=words.traits,
            takes=words.takes,
            settings=part.inputs.settings,
            seed=part.seed,
        )
        for sentence_id, tokens, tags in part.sentences
    ]


def write_focus(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    sentences: Artifact,
    vocabulary: Artifact,
    inflections: Artifact,
    counts: Artifact,
    places: Artifact,
    settings: FocusSettings,
    places_settings: PlacesSettings,
    seed: int,
) -> None:
    """Write the focus words of every sentence, in the order in which they are tried."""
    inputs = _Inputs(
        vocabulary.folder, inflections.folder, places.folder, settings, places_settings
    )
    tagged = read_tagged_sentences(sentences)
    listed = [(sentence.id, sentence.tokens, tags) for sentence, tags in tagged]
    parts = [
        _Part(inputs, listed[first : first + _SENTENCES_A_PART], seed)
        for first in range(0, len(listed), _SENTENCES_A_PART)
    ]
    found: list[FocusPick] = []
    rejected: list[Rejection] = []
    for verdict in chain.from_iterable(ctx.map(choose_part, parts, unit="parts")):
        if isinstance(verdict, Rejection):
            rejected.append(verdict)
        else:
            found += verdict
    words = read_vocabulary(vocabulary)
    cells = {(cell.lemma, cell.tag): cell for cell in read_inflections(inflections)}
    writer.rows[FOCUS] = write_parquet(
        writer.path(FOCUS), _columns(found, cells, read_counts(counts))
    )
    chosen = {sentence_of(pick.id) for pick in found}
    columns = sentence_columns([sentence for sentence, _ in tagged if sentence.id in chosen])
    writer.rows[SOURCE_SENTENCES] = write_parquet(writer.path(SOURCE_SENTENCES), columns)
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns(rejected))
    reasons = Counter(str(rejection.reason) for rejection in rejected)
    writer.funnel = funnel("sentences", kept=len(chosen), rejected=reasons)
    classes = Counter(pick.word_class for pick in found)
    writer.facts |= {
        "classes": dict(sorted(classes.items())),
        "candidates_funnel": _limits_funnel(words, settings),
    }
    mix = ", ".join(f"{count:,} {name}" for name, count in classes.most_common())
    ctx.say(f"{len(found):,} focus words of {len(chosen):,} sentences ({mix})")


def _limits_funnel(words: Mapping[Pair, float], settings: FocusSettings) -> dict[str, Any]:
    faults = Counter(
        str(fault) for fault in map(settings.fault, words.values()) if fault is not None
    )
    return funnel("(lemma, class) pairs", kept=len(words) - faults.total(), rejected=faults)


def _columns(
    found: list[FocusPick], cells: Mapping[tuple[str, str], Inflection], table: CountTable
) -> dict[str, pa.Array]:
    """`lemma_freq` counts the pair; `count` and `freq` count the form with any tag."""
    rows = table.index()
    own = [cells[pick.lemma, pick.tag] for pick in found]
    return {
        "id": pa.array([pick.id for pick in found], pa.string()),
        "sentence_id": pa.array([sentence_of(pick.id) for pick in found], pa.string()),
        "position": pa.array([pick.position for pick in found], pa.int16()),
        "word": pa.array([pick.word for pick in found], pa.string()),
        "lemma": pa.array([pick.lemma for pick in found], pa.string()),
        "class": pa.array([pick.word_class for pick in found], pa.string()),
        "tag": pa.array([pick.tag for pick in found], pa.string()),
        "trait": pa.array([cell.trait for cell in own], pa.string()),
        "cells": pa.array([cell.cells for cell in own], pa.string()),
        "place": pa.array([str(pick.place) for pick in found], pa.string()),
        "lemma_freq": pa.array([pick.freq for pick in found], pa.float64()),
        "eligible": pa.array([pick.eligible for pick in found], pa.int16()),
        "count": pa.array([int(table.count[rows[pick.word]]) for pick in found], pa.int64()),
        "freq": pa.array([float(table.freq[rows[pick.word]]) for pick in found], pa.float64()),
    }
