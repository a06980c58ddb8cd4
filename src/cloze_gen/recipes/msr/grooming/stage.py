"""Grooming as an artifact: a verdict on each retained candidate and each sentence (MSR 2.3)."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cloze_gen.adapters.local_models import CausalModel, worker_causal_model
from cloze_gen.adapters.spacy_tagger import SpacyTagger, load_tagger
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.articles import breaks_article
from cloze_gen.english.content_words import stem
from cloze_gen.english.sentence_fitness import SentenceFault, lacks_main_clause, sentence_fault
from cloze_gen.judging.verdicts import VerdictFile
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.models.word_knowledge import WordKnowledge
from cloze_gen.recipes.msr.forward import SCORED
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
    Part,
    focus_parts,
    model_index,
    model_knowledge,
    note_parts,
)
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import write_parquet

# Words with at least this frequency count as grammatical context, rarer words as topic.
_FREQUENT_FREQ = 1e-3
_IMPOSTORS = 4  # of a question


def frequent_words(counts: Artifact) -> frozenset[str]:
    """Case-folded words that are grammatical context rather than topic."""
    table = read_counts(counts)
    rows = np.flatnonzero(table.freq >= _FREQUENT_FREQ)
    return frozenset(table.words[row].casefold() for row in rows)


# ---- checks


def judge_sentences(items: Iterable[Item], offensive: Collection[str]) -> None:
    for item in items:
        tokens = item.sentence.tokens
        item.fault = sentence_fault(tokens, printed=item.printed, offensive=offensive) or FIT


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
        printed = [tokens[i] for i in item.printed]
        printed_tags = [tags[i] for i in item.printed]
        item.tag = printed_tags[item.rank]
        item.frame = required_frame(printed, printed_tags, item.rank)
        item.fault = answer_fault(printed, printed_tags, item.rank, classes=classes) or FIT


def judge_articles(table: CandidateTable) -> None:
    for row, item in enumerate(table.item.tolist()):
        if breaks_article(table.word[row], table.items[item].before):
            table.verdict[row] = CandidateFault.ARTICLE


def judge_words(table: CandidateTable, offensive: Collection[str]) -> None:
    """Judge each open candidate by its letters and by the dictionary."""
    stems = [frozenset(map(stem, item.sentence.tokens)) for item in table.items]
    for row in table.open().tolist():
        number = table.item[row]
        item = table.items[number]
        fault = candidate_fault(
            table.word[row],
            answer=item.answer,
            tag=item.tag,
            predecessor=item.before,
            sentence_stems=stems[number],
            offensive=offensive,
        )
        table.verdict[row] = fault or FIT


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
    # An item with fewer than four cannot become a question; a language model is too slow for it.
    rows = table.open(least=_IMPOSTORS if language_model else 0)
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
    focus: Path,
    index: Path,
    contexts: Path,
    scored: Path,
    out: Path,
    settings: GroomingSettings,
    offensive: Collection[str],
    frequent: Collection[str],
    use_tagger: bool,
    language_model: str,
    people: Mapping[str, Mapping[str, Any]] | None,
) -> tuple[pa.Table, Counter[str]]:
    """Groom a part and write its decisions. Returns its rows of `GROOMED_ITEMS`, and counts of verdicts.

    `people`: verdicts by item, if people groomed.
    """
    items = read_items(focus, scored, part)
    tagger = load_tagger() if use_tagger else None
    if people is not None:
        judge_items(items, people)
    elif settings.checks == "all":
        judge_sentences(items, offensive)
        if tagger is not None:
            judge_answers(items, tagger, settings.classes)
    table = CandidateTable(items)
    if people is None and settings.checks == "articles":
        judge_articles(table)
    elif table.items:
        model = model_index(index, part.model)
        knowledge = model_knowledge(contexts, part.model)
        if people is not None:
            judge_by_people(table, people, model, knowledge, tagger)
        else:
            judge_words(table, offensive)
            judge = functools.partial(
                judge_by_expected_marks,
                table,
                model,
                knowledge,
                settings=settings,
                frequent=frequent,
            )
            judge()
            if tagger is not None:
                judge_tags(table, tagger)
            if language_model:
                judge(language_model=worker_causal_model(language_model))
    decisions = table.decisions()
    write_parquet(out / part.file, decisions)
    return item_rows(items), Counter(decisions["verdict"].to_pylist())


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
    folder = (language_model or "").removeprefix("hf:")
    groom = functools.partial(
        groom_part,
        focus=focus.folder,
        index=index.folder,
        contexts=contexts.folder,
        scored=forward.path(SCORED.folder),
        out=writer.path(DECISIONS.name).parent,
        settings=settings,
        offensive=frozenset(offensive),
        frequent=frequent_words(counts),
        use_tagger=bool(tagger_identity),
        language_model=str(Path(folder).absolute()) if folder else "",
        people={row["id"]: row for row in people.rows} if people else None,
    )
    parts = focus_parts(focus, index)
    results = list(ctx.map(groom, parts, unit="parts"))
    note_parts(writer, DECISIONS.folder, parts, [verdicts.total() for _, verdicts in results])
    items = pa.concat_tables([of_part for of_part, _ in results])
    writer.rows[GROOMED_ITEMS.name] = write_parquet(writer.path(GROOMED_ITEMS.name), items)
    verdicts = Counter(items["verdict"].to_pylist())
    kept = verdicts.pop(FIT, 0)
    writer.funnel = funnel("focus words", kept=kept, rejected=verdicts)
    of_candidates = sum((of_part for _, of_part in results), Counter[str]())
    fit = of_candidates.pop(FIT, 0)
    writer.facts["candidates_funnel"] = funnel("candidates", kept=fit, rejected=of_candidates)
    if people:
        check_items(people, items["id"].to_pylist())
        writer.facts["people"] = people.summary
        ctx.say(f"{len(people.rows):,} focus words were judged by people: {people.summary}")
    ctx.say(f"{kept:,} of {len(items):,} focus words pass; {fit:,} fit candidates")
