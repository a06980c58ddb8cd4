"""Impostors: one row an impostor, with its lemma, its cell of the inflection table and its frequency."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa

from cloze_gen.english.places import parse_place
from cloze_gen.english.stems import stem
from cloze_gen.recipes.scs.stages.inflections import read_inflections
from cloze_gen.recipes.scs.stages.places import read_places
from cloze_gen.recipes.scs.stages.vocabulary import read_vocabulary
from cloze_gen.recipes.scs.steps.focus import FocusSettings
from cloze_gen.recipes.scs.steps.impostors import (
    Blank,
    Form,
    ImpostorPools,
    ImpostorReason,
    ImpostorsSettings,
    draw_impostors,
)
from cloze_gen.recipes.scs.steps.inflections import Inflection
from cloze_gen.recipes.scs.steps.places import PlacesSettings
from cloze_gen.recipes.scs.steps.refusals import refusal
from cloze_gen.records.rejection import Rejection
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.offensive_words import offensive_words
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import FOCUS, REJECTED, read_source_sentences, rejection_columns
from cloze_gen.stats.lemma_counts import Pair
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_parquet, write_parquet
from cloze_gen.text.rendering import printed_neighbours

IMPOSTORS = "impostors.parquet"


def write_impostors(
    writer: ArtifactWriter,
    room: Room,
    *,
    focus: Artifact,
    inflections: Artifact,
    vocabulary: Artifact,
    counts: Artifact,
    places: Artifact,
    limits: FocusSettings,
    settings: ImpostorsSettings,
    places_settings: PlacesSettings,
    offensive: str,
    seed: int,
) -> None:
    """Draw the impostors of the first focus word of every sentence that has them.

    `impostors.parquet` has a row an impostor: the item's `id`, the `word` with its `lemma`, `tag` and the `source` of its form, and counts
    of the training books: `tag_count` (of the form with this tag), `lemma_freq`, `count` and `freq` (of the form). `rejected.parquet`
    (`id`, `reason`, `detail`) has the focus words without impostors. How many words the sentences refused, by reason, stands in the facts.
    """
    table = read_counts(counts)
    freq_of = dict(zip(table.words, table.freq.tolist(), strict=True))
    lemma_freq = read_vocabulary(vocabulary)
    cells = {(cell.lemma, cell.tag): cell for cell in read_inflections(inflections)}
    allowed = (cell for cell in cells.values() if limits.allow(lemma_freq[cell.lemma, cell.word_class]))
    unwanted = offensive_words(offensive)
    forms = [_form(cell, freq_of[cell.form]) for cell in allowed if cell.form in freq_of and cell.form not in unwanted]
    known = read_places(places, pairs=list(lemma_freq), settings=places_settings)
    pools = ImpostorPools(forms, takes=known.takes, share=known.share, likeness=known.likeness, settings=settings)
    sentences = read_source_sentences(focus)
    refusals: Counter[str] = Counter()
    drawn: list[tuple[str, Form]] = []
    rejected: list[Rejection] = []
    rows = read_parquet(focus.path(FOCUS)).to_pylist()
    for sentence_id, of_sentence in groupby(rows, key=lambda row: str(row["sentence_id"])):
        blanks = [_blank(row, cells, sentences[sentence_id].tokens, refusals) for row in of_sentence]
        found = draw_impostors(blanks, pools=pools, settings=settings, seed=seed)
        if isinstance(found, list):
            rejected += found
        else:
            drawn += [(found[0], form) for form in found[1]]
            rejected += [Rejection(blank.id, ImpostorReason.NOT_TRIED) for blank in blanks if blank.id != found[0]]
    count_of = dict(zip(table.words, table.count.tolist(), strict=True))
    writer.rows[IMPOSTORS] = write_parquet(writer.path(IMPOSTORS), _columns(drawn, cells, lemma_freq, count_of))
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns(rejected))
    reasons = Counter(str(rejection.reason) for rejection in rejected)
    writer.funnel = funnel("focus words", kept=len(rows) - len(rejected), rejected=reasons)
    writer.facts |= {"forms_within_limits": len(forms), "candidates_funnel": funnel("drawn words", kept=len(drawn), rejected=refusals)}
    writer.versions |= {"numpy": np.__version__, "pyarrow": pa.__version__}
    n_sentences = len({row["sentence_id"] for row in rows})
    room.say(f"{len(rows) - len(rejected):,} of {n_sentences:,} sentences have impostors; {len(forms):,} forms within the limits")


def _blank(row: Mapping[str, Any], cells: Mapping[tuple[str, str], Inflection], tokens: Sequence[str], refusals: Counter[str]) -> Blank:
    """A focus word that is tried; what its sentence refuses is counted by reason."""
    answer = _form(cells[row["lemma"], row["tag"]], row["freq"])
    return Blank(row["id"], answer, parse_place(row["place"]), _refuses(tokens, row["position"], refusals))


def _form(cell: Inflection, freq: float) -> Form:
    return Form(cell.form, cell.lemma, cell.word_class, cell.tag, cell.trait, cell.cells, freq, cell.count)


def _refuses(tokens: Sequence[str], position: int, refusals: Counter[str]) -> Callable[[str], bool]:
    """`refusal` for one blank, counted by reason."""
    answer, predecessor = tokens[position], tokens[printed_neighbours(tokens, position)[0]]
    stems = frozenset(stem(token) for token in tokens)

    def refuses(word: str) -> bool:
        reason = refusal(word, answer=answer, predecessor=predecessor, sentence_stems=stems)
        if reason is not None:
            refusals[str(reason)] += 1
        return reason is not None

    return refuses


def _columns(
    drawn: Sequence[tuple[str, Form]],
    cells: Mapping[tuple[str, str], Inflection],
    lemma_freq: Mapping[Pair, float],
    count_of: Mapping[str, int],
) -> dict[str, pa.Array]:
    own = [cells[form.lemma, form.tag] for _, form in drawn]
    return {
        "id": pa.array([item for item, _ in drawn], pa.string()).dictionary_encode(),
        "word": pa.array([form.word for _, form in drawn], pa.string()).dictionary_encode(),
        "lemma": pa.array([form.lemma for _, form in drawn], pa.string()).dictionary_encode(),
        "tag": pa.array([form.tag for _, form in drawn], pa.string()).dictionary_encode(),
        "tag_count": pa.array([cell.count for cell in own], pa.int64()),
        "source": pa.array([cell.source for cell in own], pa.string()).dictionary_encode(),
        "lemma_freq": pa.array([lemma_freq[form.lemma, form.word_class] for _, form in drawn], pa.float64()),
        "count": pa.array([count_of[form.word] for _, form in drawn], pa.int64()),
        "freq": pa.array([form.freq for _, form in drawn], pa.float64()),
    }
