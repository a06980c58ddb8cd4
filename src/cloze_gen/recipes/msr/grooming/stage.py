"""Grooming as an artifact: a verdict on each retained candidate and each sentence (MSR 2.3)."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from cloze_gen.adapters.local_models import CausalModel, worker_causal_model
from cloze_gen.adapters.spacy_tagger import SpacyTagger, load_tagger
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.articles import breaks_article
from cloze_gen.english.content_words import stem
from cloze_gen.english.sentence_fitness import SentenceFault, lacks_main_clause, printed_fault
from cloze_gen.judging.verdicts import VerdictFile
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.models.word_knowledge import WordKnowledge
from cloze_gen.recipes.msr.grooming.candidates import (
    DECISIONS,
    GROOMED_ITEMS,
    MEASURES,
    CandidateTable,
    Item,
    item_rows,
    read_items,
)
from cloze_gen.recipes.msr.grooming.frames import required_frame
from cloze_gen.recipes.msr.grooming.measures import measures_of, set_window_tags
from cloze_gen.recipes.msr.grooming.people import check_items, judge_by_people, judge_items
from cloze_gen.recipes.msr.grooming.reader_model import (
    features_of,
    place_features,
    predict_marks,
    read_weights,
)
from cloze_gen.recipes.msr.grooming.rules import (
    CandidateFault,
    GroomingSettings,
    answer_fault,
    candidate_fault,
)
from cloze_gen.recipes.msr.tables import (
    FIT,
    N_IMPOSTORS,
    Part,
    map_parts,
    model_index,
    model_knowledge,
    write_items,
    write_part,
)
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel

# Words with at least this frequency count as grammatical context, rarer words as topic.
_FREQUENT_FREQ = 1e-3


def frequent_words(counts: Artifact) -> frozenset[str]:
    """Case-folded words that are grammatical context rather than topic."""
    table = read_counts(counts)
    rows = np.flatnonzero(table.freq >= _FREQUENT_FREQ)
    return frozenset(table.words[row].casefold() for row in rows)


# ---- checks


def judge_sentences(items: Iterable[Item], offensive: Collection[str]) -> None:
    for item in items:
        tokens = item.sentence.tokens
        item.fault = printed_fault(tokens, printed=item.printed, offensive=offensive) or FIT


def judge_answers(
    items: Iterable[Item], tagger: SpacyTagger, classes: Collection[str] = ()
) -> None:
    """Tag the sentences without a fault, and judge and describe the places of their answers."""
    fit = [item for item in items if item.fault == FIT]
    tokens_of = {item.sentence.id: item.sentence.tokens for item in fit}
    tags_of = dict(zip(tokens_of, tagger.tag(tokens_of.values()), strict=True))
    for item in fit:
        tokens = item.sentence.tokens
        tags = tags_of[item.sentence.id]
        if lacks_main_clause(tokens, tags):
            item.fault = SentenceFault.NO_MAIN_CLAUSE
            continue
        # as a reader sees the sentence, without quotes and dashes
        shown_tags = [tags[i] for i in item.printed]
        item.tag = shown_tags[item.rank]
        item.frame = required_frame(item.shown, shown_tags, item.rank)
        item.fault = answer_fault(item.shown, shown_tags, item.rank, classes=classes) or FIT


def judge_articles(table: CandidateTable) -> None:
    table.verdict[:] = [
        CandidateFault.ARTICLE if breaks_article(word, item.before) else FIT
        for item in table.items
        for word in item.words
    ]


def judge_words(table: CandidateTable, offensive: Collection[str]) -> None:
    """Judge the candidates by their letters and by the dictionary."""
    verdicts = []
    for item in table.items:
        stems = frozenset(map(stem, item.sentence.tokens))
        for word in item.words:
            fault = candidate_fault(
                word,
                answer=item.answer,
                tag=item.tag,
                predecessor=item.before,
                sentence_stems=stems,
                offensive=offensive,
            )
            verdicts.append(fault or FIT)
    table.verdict[:] = verdicts


def judge_by_expected_marks(
    table: CandidateTable,
    index: ForwardIndex,
    knowledge: WordKnowledge,
    *,
    settings: GroomingSettings,
    frequent: Collection[str],
    language_model: CausalModel | None = None,
) -> None:
    """Judge the open candidates by the marks that models of readers expect.

    Of two faults, that of fitting as well as the answer is written.
    """
    # An item with fewer cannot become a question; a language model is too slow for it.
    rows = table.open(least=N_IMPOSTORS if language_model else 0)
    measures = measures_of(table, rows, index, knowledge, language_model)
    places = [place_features(item, frequent=frequent) for item in table.items]
    weights = read_weights(with_language_model=language_model is not None)
    marks = predict_marks(features_of(measures, places, table.item[rows]), weights)
    measures |= marks
    table.measures[rows] = np.column_stack([measures[name] for name in MEASURES])
    is_ungrammatical = marks["ungrammatical"] >= settings.max_ungrammatical
    table.verdict[rows[is_ungrammatical]] = CandidateFault.UNGRAMMATICAL
    fits_as_well = marks["fits_as_well"] >= settings.max_ambiguity
    table.verdict[rows[fits_as_well]] = CandidateFault.FITS_AS_WELL


def judge_tags(table: CandidateTable, tagger: SpacyTagger) -> None:
    """Reject open candidates that do not take the answer's tag in its place."""
    rows = table.open()
    set_window_tags(table, tagger)
    answer_tags = np.array([item.window_tag for item in table.items], object)
    differs = table.tag[rows] != answer_tags[table.item[rows]]
    table.verdict[rows[differs]] = CandidateFault.TAG


# ---- the stage


def groom_part(
    part: Part,
    *,
    focus: Artifact,
    index: Artifact,
    contexts: Artifact,
    forward: Artifact,
    settings: GroomingSettings,
    offensive: Collection[str],
    frequent: Collection[str],
    use_tagger: bool,
    language_model: str | None,
    people: Mapping[str, Mapping[str, Any]] | None,
) -> tuple[pa.Table, pa.Table]:
    """Rows of `DECISIONS` and of `GROOMED_ITEMS` of one part.

    `people`: verdicts by item, if people groomed.
    """
    items = read_items(focus, forward, part)
    model = model_index(index, part.model)
    knowledge = model_knowledge(contexts, part.model)
    tagger = load_tagger() if use_tagger else None
    if people is not None:
        judge_items(items, people)
        table = CandidateTable(items)
        judge_by_people(table, people, model, knowledge, tagger)
    elif settings.checks == "articles":
        table = CandidateTable(items)
        judge_articles(table)
    else:
        judge_sentences(items, offensive)
        if tagger is not None:
            judge_answers(items, tagger, settings.classes)
        table = CandidateTable(items)
        judge_words(table, offensive)
        judge = functools.partial(
            judge_by_expected_marks, table, model, knowledge, settings=settings, frequent=frequent
        )
        judge()
        if tagger is not None:
            judge_tags(table, tagger)
        if language_model is not None:
            judge(language_model=worker_causal_model(language_model))
    return table.decisions(), item_rows(items)


def write_grooming(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    focus: Artifact,
    index: Artifact,
    contexts: Artifact,
    forward: Artifact,
    counts: Artifact,
    settings: GroomingSettings,
    offensive: Collection[str] = (),
    people: VerdictFile | None = None,
    tagger_identity: str = "",
    language_model: str | None = None,
) -> None:
    """Groom by machine, or apply the verdicts of `people`.

    Args:
        offensive: case-folded words that no sentence and no option may have.
        tagger_identity: of `spacy_tagger.tagger_identity`; empty: no tagger.
        language_model: ``hf:FOLDER``.
    """
    results = map_parts(
        ctx,
        groom_part,
        focus=focus,
        index=index,
        contexts=contexts,
        forward=forward,
        settings=settings,
        offensive=offensive,
        frequent=frequent_words(counts),
        use_tagger=bool(tagger_identity),
        language_model=language_model,
        people={row["id"]: row for row in people.rows} if people else None,
    )
    groomed = []
    verdicts = Counter[str]()
    for part, (decisions, rows) in results:
        write_part(writer, DECISIONS, part, decisions)
        verdicts.update(decisions["verdict"].to_pylist())
        groomed.append(rows)
    items = write_items(writer, GROOMED_ITEMS, groomed, verdict="verdict", passed=FIT)
    fit = verdicts.pop(FIT, 0)
    writer.facts["candidates_funnel"] = funnel("candidates", kept=fit, rejected=verdicts)
    if people:
        check_items(people, items["id"].to_pylist())
        writer.facts["people"] = people.summary
        ctx.say(f"{len(people.rows):,} focus words were judged by people: {people.summary}")
    ctx.say(f"{writer.funnel['kept']:,} of {len(items):,} focus words pass; {fit:,} fit candidates")
