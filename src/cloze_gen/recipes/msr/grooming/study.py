"""Grooming by people (MSR 2.3): the items of a study, and its verdict file."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.corpus.normalization import rendered_tokens
from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.english.sentence_fitness import sentence_fault
from cloze_gen.errors import UsageError
from cloze_gen.formats.questions import around_blank
from cloze_gen.judging.state import StudySettings, verdicts_of_people
from cloze_gen.judging.study import Study, StudySource, study_agreement
from cloze_gen.judging.tasks.groom import NOT_JUDGED, groomed
from cloze_gen.judging.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.recipes.msr.forward import KEPT, SCORED, SCORED_ITEMS
from cloze_gen.recipes.msr.grooming.candidates import DECISIONS, GROOMED_ITEMS, Item
from cloze_gen.records.judgement import StudyItem, Task
from cloze_gen.records.question import Blank
from cloze_gen.records.sentence import sentence_of
from cloze_gen.rng import derive_rng
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import FOCUS, read_parquet, read_source_sentences

_FIFTHS = 5


def pool_items(
    *,
    focus: Artifact,
    forward: Artifact,
    grooming: Artifact,
    settings: StudySettings,
) -> list[StudyItem]:
    """The items of a grooming study, one focus word a sentence, in the order for judges.

    `balanced` alternates between word classes and fifths of the answer's forward rank. In a random
    pool most answers score low, which leaves the choice stage too few items to balance.
    """
    if settings.show_machine and "people" in grooming.facts:
        raise UsageError(
            "--show-machine: this run was groomed by people, so their verdicts would appear as "
            "the machine's. Leave the option out, or first rebuild the run without their verdicts "
            "(cloze-gen run)."
        )
    sentences = read_source_sentences(focus)
    positions = _column(focus, FOCUS, "position")
    screened = SCORED_ITEMS.read(forward.path(SCORED_ITEMS.name)).filter(pc.field("status") == KEPT)
    row_of = {row["id"]: row for row in screened.to_pylist()}
    items = [
        Item(item_id, sentences[sentence_of(item_id)], positions[item_id])
        for item_id in _one_a_sentence(row_of, settings.seed)
    ]
    items = [item for item in items if _is_whole(item)]
    if settings.draw == "balanced":
        tags = _column(grooming, GROOMED_ITEMS.name, "answer_tag")
        strata: dict[tuple[str, int], list[Item]] = {}
        for item in items:
            tag = tags.get(item.id)
            row = row_of[item.id]
            fifth = _FIFTHS * (row["forward_rank"] - 1) // (row["alternates"] + 1)
            stratum = (coarse_class(tag) if tag else "untagged", min(_FIFTHS - 1, fifth))
            strata.setdefault(stratum, []).append(item)
        turns = itertools.zip_longest(*(strata[stratum] for stratum in sorted(strata)))
        items = [item for turn in turns for item in turn if item is not None]
    if settings.pool:
        items = items[: settings.pool]
    ids = pa.array([item.id for item in items], pa.string())
    candidates = _candidates(forward, ids)
    machine = _machine(grooming, ids) if settings.show_machine else None
    return [
        _study_item(
            item, candidates[item.id], None if machine is None else machine.get(item.id, {})
        )
        for item in items
    ]


def _study_item(item: Item, candidates: Sequence[str], machine: dict[str, str] | None) -> StudyItem:
    """What judges see of a focus word. `machine`: the machine's verdicts, if they are shown."""
    sentence = item.sentence
    before, after = around_blank(Blank(item.id, rendered_tokens(sentence.tokens), item.rank))
    shown: dict[str, Any] = {
        "before": before,
        "answer": item.answer,
        "after": after,
        "candidates": candidates,
    }
    if machine is not None:
        shown["machine"] = {word: machine.get(word, NOT_JUDGED) for word in candidates}
    span = (sentence.book_id, sentence.start, sentence.end)
    return StudyItem(item.id, (span,), shown, {}, "run")


def _is_whole(item: Item) -> bool:
    return sentence_fault(item.sentence.tokens, printed=item.printed, offensive=()) is None


def _one_a_sentence(ids: Iterable[str], seed: int) -> list[str]:
    drawn = sorted(ids, key=lambda item: (derive_rng(seed, "judging.pool", item).random(), item))
    first: dict[str, str] = {}
    for item in drawn:
        first.setdefault(sentence_of(item), item)
    return list(first.values())


def _candidates(forward: Artifact, ids: pa.Array) -> dict[str, list[str]]:
    """The retained candidates of each item, the best first."""
    is_shown = pc.field("kept") & pc.field("id").isin(ids)
    scored = SCORED.read(forward.path(SCORED.folder), ["id", "word", "forward_rank", "kept"])
    candidates: dict[str, list[str]] = {}
    for row in scored.filter(is_shown).sort_by("forward_rank").to_pylist():
        candidates.setdefault(row["id"], []).append(row["word"])
    return candidates


def _machine(grooming: Artifact, ids: pa.Array) -> dict[str, dict[str, str]]:
    """Item -> candidate -> the machine's verdict; items of rejected sentences are missing."""
    decisions = DECISIONS.read(grooming.path(DECISIONS.folder), ["id", "word", "verdict"])
    verdicts: dict[str, dict[str, str]] = {}
    for row in decisions.filter(pc.field("id").isin(ids)).to_pylist():
        verdicts.setdefault(row["id"], {})[row["word"]] = row["verdict"]
    return verdicts


def _column(artifact: Artifact, file: str, column: str) -> dict[str, Any]:
    """Item id -> value."""
    table = read_parquet(artifact.path(file), columns=["id", column])
    return dict(zip(table["id"].to_pylist(), table[column].to_pylist(), strict=True))


def draw(run: Path, settings: StudySettings) -> list[StudyItem]:
    names = ("focus", "forward", "grooming")
    stages = {name: stage_artifact(run, name) for name in names}
    return pool_items(**stages, settings=settings)


def verdicts(study: Study) -> str:
    rows: list[dict[str, Any]] = []
    for item, responses in verdicts_of_people(study.state()).items():
        result = groomed(responses, candidates=study.store.item(item).shown["candidates"])
        rows.append(
            {
                "id": item,
                "verdict": result.verdict,
                "picked": list(result.picked),
                "votes": dict(result.votes),
                "judges": result.judges,
            }
        )
    figures = study_agreement(study, is_right=str.__eq__)
    of = {name: fingerprint for name, fingerprint in study.facts.of.items() if name == GROOMING.of}
    return verdicts_jsonl(VerdictFile(Task.GROOM, of, figures.judges, figures.alpha, rows))


GROOMING = StudySource(
    task=Task.GROOM,
    of="forward",
    draw=draw,
    verdicts=verdicts,
    rerun_stage="grooming",
    setting="grooming.verdicts",
)
