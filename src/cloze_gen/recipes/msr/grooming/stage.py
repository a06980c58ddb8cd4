"""Grooming as an artifact: verdicts of the machine, and of people if there are any (MSR 2.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cloze_gen.adapters.local_models import worker_causal_model
from cloze_gen.adapters.spacy_tagger import travelling_name
from cloze_gen.adapters.tagging import Tagger
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.tagging import worker_tagger
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.judging.study import read_verdicts
from cloze_gen.judging.tasks.groom import RejectReason
from cloze_gen.judging.verdicts import VerdictFile
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.models.word_knowledge import WordKnowledge
from cloze_gen.parsing import quote
from cloze_gen.recipes.msr.grooming.candidate_checks import (
    GroomedItem,
    GroomShard,
    judge_answers,
    judge_articles,
    judge_by_language_model,
    judge_by_readers,
    judge_sentences,
    judge_tags,
    judge_words,
    measures_of,
    read_items,
    window_tags,
)
from cloze_gen.recipes.msr.grooming.predicates import FREQUENT_FREQ, TAG_WINDOW, GroomingSettings
from cloze_gen.recipes.msr.tables import (
    DECISION_COLUMNS,
    DECISIONS,
    FIT,
    GROOMED,
    GROOMED_COLUMNS,
    MEASURES,
    Part,
    cached_index,
    cached_space,
    columns_of,
    focus_parts,
    note_parts,
)
from cloze_gen.records.judgement import Task
from cloze_gen.records.rejection import Reason
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import FOCUS, read_parquet, write_parquet


class JudgingReason(Reason):
    DISAGREED = ("judges_disagree", "the judges did not agree on four candidates")
    UNJUDGED = ("not_judged", "no judge saw the target word (grooming.unjudged_policy)")
    NOT_PICKED = ("candidate_not_picked_by_judges", "the judges did not choose the candidate")


DISAGREED, UNJUDGED, NOT_PICKED = map(str, JudgingReason)
JUDGED_AS = "judges_say_"  # before a judges' reason
_VERDICTS = {*map(str, RejectReason), DISAGREED, FIT}
# assumed shares for words that people picked
_SURE = {"fits_as_well": 0.0, "ungrammatical": 0.0, "plausible": 1.0}


def read_groomed(path: str) -> VerdictFile:
    file = read_verdicts(path, task=Task.GROOM, given_as="grooming.verdicts")
    for row in file.rows:
        verdict, picked = row.get("verdict"), row.get("picked")
        words = isinstance(picked, list) and all(isinstance(one, str) for one in picked)
        if not isinstance(verdict, str) or verdict not in _VERDICTS or not words:
            raise FormatError(
                f"{path}: {quote(row['id'])} has no valid verdict: {quote(dict(row))}. Write "
                "the file with `cloze-gen judge apply`"
            )
    return file


def judged_by_part(
    people: VerdictFile | None, focus: Artifact, parts: Sequence[Part]
) -> list[Mapping[str, Mapping[str, Any]] | None]:
    if people is None or not people.rows:
        return [None] * len(parts)
    ids = read_parquet(focus.path(FOCUS), columns=["id"])["id"].to_pylist()
    rows = {row["id"]: row for row in people.rows}
    return [
        {item: rows[item] for item in ids[part.first : part.last] if item in rows} for part in parts
    ]


def judged_by_people_notes(
    items: Sequence[GroomedItem], rows: Mapping[str, Mapping[str, Any]]
) -> list[GroomedItem]:
    to_judge = [item for item in items if item.id in rows]
    for item in to_judge:
        foreign = [word for word in rows[item.id]["picked"] if word not in item.candidates]
        if foreign:
            raise UsageError(
                f"grooming.verdicts: the judges of {item.id} picked {quote(foreign[0])}, "
                "which is not among its candidates. The "
                "verdicts belong to another run, or the settings have changed since. "
                "`cloze-gen judge status STUDY` prints the study's run."
            )
    return to_judge


def note_people(
    writer: ArtifactWriter,
    ctx: StageContext,
    people: VerdictFile,
    known: Collection[str],
    *,
    unjudged: str,
) -> None:
    foreign = [row["id"] for row in people.rows if row["id"] not in known]
    if foreign:
        raise UsageError(
            f"grooming.verdicts: {len(foreign):,} of {len(people.rows):,} judged focus words "
            f"are not in this run, the first is {quote(foreign[0])}. The verdicts belong to another "
            "run, or the settings have changed since. `cloze-gen judge status STUDY` prints the "
            "study's run."
        )
    others = len(known) - len(people.rows)
    by_machine = unjudged == "machine" and others > 0
    judges = (
        f"{people.summary} of {len(people.rows):,} focus words and machine of {others:,}"
        if by_machine
        else people.summary
    )
    writer.facts |= {"people": judges, "judged": len(people.rows)}
    ctx.say(f"{len(people.rows):,} focus words were judged by people: {people.summary}")


def judge_by_people(
    items: Sequence[GroomedItem],
    rows: Mapping[str, Mapping[str, Any]],
    index: ForwardIndex,
    space: WordKnowledge,
    tagger: Tagger | None,
    *,
    reach: int,
) -> None:
    """Apply the judges' verdicts. Measures and tags are recorded but decide nothing."""
    if tagger is not None:
        to_judge = [(item, word) for item in items for word in (item.answer, *item.candidates)]
        found = iter(window_tags(to_judge, tagger, reach=reach))
        for item in items:
            item.answer_tag, item.tags = next(found), [next(found) for _ in item.candidates]
    measures = measures_of([(item, item.candidates) for item in items], index, space)
    end = 0
    for item in items:
        first, end = end, end + 1 + len(item.candidates)
        row = rows[item.id]
        picked = set(row["picked"])
        item.fault = (
            row["verdict"] if row["verdict"] in {FIT, DISAGREED} else f"{JUDGED_AS}{row['verdict']}"
        )
        item.tags = item.tags or [""] * len(item.candidates)
        item.verdicts = (
            [FIT if word in picked else NOT_PICKED for word in item.candidates]
            if item.fault == FIT
            else []
        )
        item.answer_topicality = float(measures["topicality"][first])
        item.measured = np.full((len(item.candidates), len(MEASURES)), np.nan)
        for column, name in enumerate(MEASURES):
            taken = [word in picked for word in item.candidates]
            item.measured[:, column] = (
                np.where(taken, _SURE[name], np.nan)
                if name in _SURE
                else measures[name][first + 1 : end]
            )


def groom_part(shard: GroomShard) -> tuple[int, list[dict[str, Any]]]:
    items = read_items(shard)
    judged = shard.people or {}
    if to_judge := judged_by_people_notes(items, judged):
        index, space = (
            cached_index(shard.index, shard.part.model),
            cached_space(shard.contexts, shard.part.model),
        )
        judge_by_people(to_judge, judged, index, space, _tagger(shard), reach=TAG_WINDOW)
    others = [item for item in items if item.id not in judged]
    if shard.people is not None and shard.settings.unjudged_policy == "left_out":
        for item in others:
            item.fault = UNJUDGED
    elif shard.settings.checks == "articles":
        for item in others:
            judge_articles(item)
    else:
        _judge_all(others, shard)
    fit = [item for item in items if item.verdicts]
    count = write_parquet(shard.part.out / shard.part.name, _decision_columns(fit))
    return count, [_item_row(item) for item in items]


def _judge_all(items: list[GroomedItem], shard: GroomShard) -> None:
    tagger = _tagger(shard)
    judge_sentences(items, shard)
    if tagger is not None:
        judge_answers([item for item in items if item.fault == FIT], shard, tagger)
    fit = [item for item in items if item.fault == FIT]
    for item in fit:
        judge_words(item, shard)
    index, space = (
        cached_index(shard.index, shard.part.model),
        cached_space(shard.contexts, shard.part.model),
    )
    judge_by_readers(fit, shard, index, space)
    if tagger is not None:
        judge_tags(fit, shard, tagger)
    if shard.settings.language_model:
        model = worker_causal_model(shard.settings.language_model)
        judge_by_language_model(fit, shard, index, space, model)


def _tagger(shard: GroomShard) -> Tagger | None:
    return (
        worker_tagger(shard.settings.tagger, shard.tagger_identity)
        if shard.tagger_identity
        else None
    )


def _decision_columns(items: list[GroomedItem]) -> dict[str, Any]:
    columns = (
        pa.array([item.id for item in items for _ in item.candidates], pa.string()),
        pa.array([word for item in items for word in item.candidates], pa.string()),
        pa.array([verdict for item in items for verdict in item.verdicts], pa.string()),
        *np.concatenate(
            [item.measured for item in items] or [np.zeros((0, len(MEASURES)))]
        ).T.astype(np.float32),
        pa.array([tag for item in items for tag in item.tags], pa.string()),
    )
    return dict(zip(DECISION_COLUMNS, columns, strict=True))


def _item_row(item: GroomedItem) -> dict[str, Any]:
    fit_candidates = item.verdicts.count(FIT) if item.fault == FIT else 0
    topicality = round(item.answer_topicality, 4)
    row = (
        item.id,
        str(item.fault),
        item.answer_tag,
        topicality,
        str(item.frame or ""),
        fit_candidates,
    )
    return dict(zip(GROOMED_COLUMNS, row, strict=True))


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
    classes: tuple[str, ...],
    offensive: frozenset[str],
    tagger_identity: str,
    people: VerdictFile | None = None,
) -> None:
    table = read_counts(counts)
    frequent = frozenset(
        table.words[i].casefold() for i in np.flatnonzero(table.freq >= FREQUENT_FREQ)
    )
    folders = (focus.folder, index.folder, contexts.folder, forward.folder)
    folder = settings.language_model.removeprefix("hf:")
    given = {"language_model": f"hf:{Path(folder).absolute()}"} if folder else {}
    given["tagger"] = travelling_name(settings.tagger)
    travelling = settings.model_copy(update=given)
    parts = focus_parts(focus, index, writer.folder / DECISIONS)
    rows_by_part = judged_by_part(people, focus, parts)
    shards = [
        GroomShard(part, *folders, travelling, classes, offensive, frequent, tagger_identity, own)
        for part, own in zip(parts, rows_by_part, strict=True)
    ]
    results = list(ctx.map(groom_part, shards, unit="parts"))
    note_parts(writer, DECISIONS, [count for count, _ in results])
    rows = [row for _, part in results for row in part]
    writer.rows[GROOMED] = write_parquet(writer.path(GROOMED), columns_of(rows, GROOMED_COLUMNS))
    verdicts = Counter(row["verdict"] for row in rows)
    kept = verdicts.pop(FIT, 0)
    writer.funnel = funnel("focus words", kept=kept, rejected=verdicts)
    candidates: Counter[str] = Counter()
    for part in parts:
        candidates.update(
            read_parquet(part.out / part.name, columns=["verdict"])["verdict"].to_pylist()
        )
    fit = candidates.pop(FIT, 0)
    writer.facts |= {
        "tagger": settings.tagger,
        **({"language_model": Path(folder).name} if folder else {}),
        "candidates_funnel": funnel("candidates", kept=fit, rejected=candidates),
    }
    if people:
        note_people(
            writer, ctx, people, {row["id"] for row in rows}, unjudged=settings.unjudged_policy
        )
    ctx.say(f"{kept:,} of {len(rows):,} focus words pass; {fit:,} fit candidates")
