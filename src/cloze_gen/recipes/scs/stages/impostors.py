"""Impostors of the SCS set as an artifact: one row an impostor, with its lemma, its cell of the inflection table and its frequency."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from cloze_gen.english.articles import breaks_article
from cloze_gen.english.stems import stem
from cloze_gen.recipes.scs.stages.inflections import read_inflections
from cloze_gen.recipes.scs.stages.vocabulary import read_content_vocabulary
from cloze_gen.recipes.scs.steps.focus import ContentFocusSettings
from cloze_gen.recipes.scs.steps.impostors import Form, ImpostorPools, ImpostorSettings, draw_impostors
from cloze_gen.recipes.scs.steps.inflections import Inflection
from cloze_gen.records.rejection import Rejection
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.offensive_words import offensive_words
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import FOCUS, REJECTED, read_source_sentences, rejection_columns
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
    limits: ContentFocusSettings,
    settings: ImpostorSettings,
    offensive: str,
    seed: int,
) -> None:
    """Draw the impostors of every focus word; the words refused before, by reason, stand in the facts."""
    table = read_counts(counts)
    freq_of = dict(zip(table.words, table.freq.tolist(), strict=True))
    lemma_freq = read_content_vocabulary(vocabulary)
    unwanted = offensive_words(offensive)
    cells = read_inflections(inflections)
    cell_of = {(cell.lemma, cell.tag): cell for cell in cells}
    allowed = [
        cell
        for cell in cells
        if limits.min_freq <= lemma_freq[cell.lemma, cell.word_class] <= limits.max_freq
        and cell.form in freq_of
        and cell.form not in unwanted
    ]
    pools = ImpostorPools(_form(cell, freq_of[cell.form]) for cell in allowed)
    items = read_parquet(focus.path(FOCUS)).to_pylist()
    sentences = read_source_sentences(focus)
    refusals: Counter[str] = Counter()
    rows: list[tuple[str, Form]] = []
    rejected: list[Rejection] = []
    for row in items:
        answer = _form(cell_of[row["lemma"], row["tag"]], row["freq"])
        refuses = _Refusals(sentences[row["sentence_id"]].tokens, row["position"], refusals)
        found = draw_impostors(row["id"], answer, pools=pools, refuses=refuses, settings=settings, seed=seed)
        if isinstance(found, Rejection):
            rejected.append(found)
        else:
            rows += [(row["id"], form) for form in found]
    count_of = dict(zip(table.words, table.count.tolist(), strict=True))
    writer.rows[IMPOSTORS] = write_parquet(writer.path(IMPOSTORS), {
        "id": pa.array([item for item, _ in rows], pa.string()).dictionary_encode(),
        "word": pa.array([form.word for _, form in rows], pa.string()).dictionary_encode(),
        "lemma": pa.array([form.lemma for _, form in rows], pa.string()).dictionary_encode(),
        "tag": pa.array([form.tag for _, form in rows], pa.string()).dictionary_encode(),
        "tag_count": pa.array([cell_of[form.lemma, form.tag].count for _, form in rows], pa.int64()),
        "source": pa.array([cell_of[form.lemma, form.tag].source for _, form in rows], pa.string()).dictionary_encode(),
        "lemma_freq": pa.array([lemma_freq[form.lemma, form.word_class] for _, form in rows], pa.float64()),
        "count": pa.array([int(count_of[form.word]) for _, form in rows], pa.int64()),
        "freq": pa.array([form.freq for _, form in rows], pa.float64()),
    })  # fmt: skip
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns(rejected))
    reasons = Counter(str(rejection.reason) for rejection in rejected)
    kept = len(items) - len(rejected)
    writer.funnel = funnel("focus words", kept=kept, rejected=reasons)
    writer.facts |= {"forms_within_limits": len(allowed), "candidates_funnel": funnel("drawn words", kept=len(rows), rejected=refusals)}
    writer.versions |= {"numpy": np.__version__, "pyarrow": pa.__version__}
    room.say(f"{kept:,} of {len(items):,} focus words have {settings.n_impostors} impostors; {len(allowed):,} forms within the limits")


def _form(cell: Inflection, freq: float) -> Form:
    return Form(cell.form, cell.lemma, cell.word_class, cell.tag, cell.trait, cell.cells, freq, cell.count)


class _Refusals:
    """What a sentence cannot take as an impostor, counted by reason.

    A word that does not agree with the article before the blank is refused (never is the article changed: it would name the answer).
    """

    def __init__(self, tokens: Sequence[str], position: int, counter: Counter[str]) -> None:
        self._before = tokens[printed_neighbours(tokens, position)[0]]
        self._answer = stem(tokens[position])
        self._stems = frozenset(stem(token) for token in tokens)
        self._counter = counter

    def __call__(self, word: str) -> bool:
        reason = self._reason(word)
        if reason:
            self._counter[reason] += 1
        return bool(reason)

    def _reason(self, word: str) -> str:
        if breaks_article(word, self._before):
            return "impostor_breaks_a_an"
        root = stem(word)
        if root == self._answer:
            return "impostor_is_form_of_answer"
        return "impostor_in_sentence" if root in self._stems else ""
