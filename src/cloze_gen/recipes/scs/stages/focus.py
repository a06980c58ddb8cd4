"""Focus words: those of a kept sentence, in an order drawn by the sentence's own generator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from cloze_gen.recipes.scs.stages.inflections import read_inflections
from cloze_gen.recipes.scs.stages.places import read_places
from cloze_gen.recipes.scs.stages.sentences import read_tagged_sentences
from cloze_gen.recipes.scs.stages.vocabulary import read_vocabulary
from cloze_gen.recipes.scs.steps.focus import FocusPick, FocusSettings, choose_focus
from cloze_gen.recipes.scs.steps.inflections import Inflection
from cloze_gen.recipes.scs.steps.places import PlacesSettings
from cloze_gen.records.rejection import Rejection
from cloze_gen.records.sentence import sentence_of
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.tags import lemma_pair
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import FOCUS, REJECTED, SOURCE_SENTENCES, rejection_columns, sentence_columns
from cloze_gen.stats.counts import CountTable
from cloze_gen.stats.lemma_counts import Pair
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import write_parquet


def write_focus(
    writer: ArtifactWriter,
    room: Room,
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
    """Write the focus words of every sentence, in the order in which they are tried.

    `focus.parquet` has a row a focus word (`_columns`), `sentences.parquet` (`sentence_columns`) the sentences that hold one,
    `rejected.parquet` (`id`, `reason`, `detail`) the others. How many pairs of the
    vocabulary each limit of frequency takes stands in the facts.
    """
    words = read_vocabulary(vocabulary)
    cells = {(cell.lemma, cell.tag): cell for cell in read_inflections(inflections)}
    forms = {key: cell.form for key, cell in cells.items()}
    traits = {key: cell.trait for key, cell in cells.items()}
    known = read_places(places, pairs=list(words), settings=places_settings)
    tagged = read_tagged_sentences(sentences)
    found: list[FocusPick] = []
    rejected: list[Rejection] = []
    for sentence, tags in tagged:
        pairs = [lemma_pair(token, tag) for token, tag in zip(sentence.tokens, tags, strict=True)]
        verdict = choose_focus(
            sentence.id,
            sentence.tokens,
            tags=tags,
            pairs=pairs,
            vocabulary=words,
            forms=forms,
            traits=traits,
            takes=lambda pair, place: known.takes(pair, place) and known.is_open(place),
            settings=settings,
            seed=seed,
        )
        if isinstance(verdict, Rejection):
            rejected.append(verdict)
        else:
            found += verdict
    writer.rows[FOCUS] = write_parquet(writer.path(FOCUS), _columns(found, cells, read_counts(counts)))
    chosen = {sentence_of(pick.id) for pick in found}
    columns = sentence_columns([sentence for sentence, _ in tagged if sentence.id in chosen])
    writer.rows[SOURCE_SENTENCES] = write_parquet(writer.path(SOURCE_SENTENCES), columns)
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns(rejected))
    reasons = Counter(str(rejection.reason) for rejection in rejected)
    writer.funnel = funnel("sentences", kept=len(chosen), rejected=reasons)
    classes = Counter(pick.word_class for pick in found)
    writer.facts |= {"classes": dict(sorted(classes.items())), "candidates_funnel": _limits_funnel(words, settings)}
    mix = ", ".join(f"{count:,} {name}" for name, count in classes.most_common())
    room.say(f"{len(found):,} focus words of {len(chosen):,} sentences ({mix})")


def _limits_funnel(words: Mapping[Pair, float], settings: FocusSettings) -> dict[str, Any]:
    """How many pairs of the vocabulary each limit of frequency takes."""
    faults = Counter(str(fault) for fault in map(settings.fault, words.values()) if fault is not None)
    return funnel("(lemma, class) pairs", kept=len(words) - faults.total(), rejected=faults)


def _columns(found: list[FocusPick], cells: Mapping[tuple[str, str], Inflection], table: CountTable) -> dict[str, pa.Array]:
    """`id`, `sentence_id`, `position`, `word`, `lemma`, `class`, `tag` and `eligible` of the pick (`FocusPick`), `lemma_freq` of its pair,
    `trait` and `cells` of its inflection, the `place` that it takes, and `count` and `freq` of the form, whatever its tag.
    """
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
