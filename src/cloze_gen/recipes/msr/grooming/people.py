"""Grooming by people (MSR 2.3): the items of a study, its verdict file, and their use."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.adapters.spacy_tagger import SpacyTagger
from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.english.sentence_fitness import printed_fault
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.formats.printed_tokens import rendered_tokens
from cloze_gen.formats.questions import around_blank
from cloze_gen.judging.state import StudySettings, verdicts_of_people
from cloze_gen.judging.study import Study, StudySource, read_verdicts, study_agreement
from cloze_gen.judging.tasks.groom import NOT_JUDGED, RejectReason, groomed
from cloze_gen.judging.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.models.word_knowledge import WordKnowledge
from cloze_gen.parsing import quote
from cloze_gen.recipes.msr.forward import KEPT, SCORED, SCORED_ITEMS
from cloze_gen.recipes.msr.grooming.candidates import (
    DECISIONS,
    GROOMED_ITEMS,
    MEASURES,
    CandidateTable,
    Item,
    retained_words,
)
from cloze_gen.recipes.msr.grooming.measures import measures_of, set_window_tags
from cloze_gen.recipes.msr.tables import FIT
from cloze_gen.recipes.tables import read_source_sentences
from cloze_gen.records.judgement import StudyItem, Task
from cloze_gen.records.question import Blank
from cloze_gen.records.rejection import Reason
from cloze_gen.rng import derive_rng
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.runs import stage_artifact

_FIFTHS = 5


class JudgingReason(Reason):
    DISAGREED = ("judges_disagree", "the judges did not agree on four candidates")
    UNJUDGED = ("not_judged", "no judge saw the target word")
    NOT_PICKED = ("candidate_not_picked_by_judges", "the judges did not choose the candidate")


JUDGED_AS = "judges_say_"  # before a judges' reason
_VERDICTS = [FIT, JudgingReason.DISAGREED, *RejectReason]
_OTHER_RUN = (
    "The verdicts belong to another run, or the settings have changed since. `cloze-gen judge "
    "status STUDY` prints the study's run."
)


# ---- the study


def draw(run: Path, settings: StudySettings) -> list[StudyItem]:
    """The items of a grooming study, one focus word a sentence, in the order for judges."""
    focus, forward, grooming = (
        stage_artifact(run, name) for name in ("focus", "forward", "grooming")
    )
    if settings.show_machine and "people" in grooming.facts:
        raise UsageError(
            "--show-machine: this run was groomed by people, so their verdicts would appear as "
            "the machine's. Leave the option out, or first rebuild the run without their verdicts "
            "(cloze-gen run)."
        )
    screened = SCORED_ITEMS.read(forward.path(SCORED_ITEMS.name)).filter(pc.field("status") == KEPT)
    row_of = {row["id"]: row for row in screened.to_pylist()}
    sentences = read_source_sentences(focus)
    items: dict[str, Item] = {}
    shuffled = sorted(
        row_of, key=lambda item_id: derive_rng(settings.seed, "judging.pool", item_id).random()
    )
    for item_id in shuffled:
        sentence_id, _, position = item_id.rpartition(":")
        if sentence_id not in items:
            items[sentence_id] = Item(item_id, sentences[sentence_id], int(position))
    drawn = [
        item
        for item in items.values()
        if printed_fault(item.sentence.tokens, printed=item.printed, offensive=()) is None
    ]
    if settings.draw == "balanced":
        tags = GROOMED_ITEMS.read(grooming.path(GROOMED_ITEMS.name), ["id", "answer_tag"])
        tag_of = {row["id"]: row["answer_tag"] for row in tags.to_pylist()}
        drawn = _in_turn(drawn, row_of, tag_of)
    if settings.pool:
        drawn = drawn[: settings.pool]
    ids = pa.array([item.id for item in drawn], pa.string())
    candidates = retained_words(forward.path(SCORED.folder), ids)
    machine = _machine_verdicts(grooming, ids) if settings.show_machine else None
    return [_study_item(item, candidates[item.id], machine) for item in drawn]


def _in_turn(
    items: Iterable[Item], row_of: Mapping[str, Mapping[str, Any]], tag_of: Mapping[str, str]
) -> list[Item]:
    """Items of each word class and fifth of the answer's forward rank in turn.

    In a random pool most answers score low, which leaves the choice stage too few items to balance.
    """
    strata = defaultdict(list)
    for item in items:
        row = row_of[item.id]
        fifth = _FIFTHS * (row["forward_rank"] - 1) // (row["alternates"] + 1)
        strata[coarse_class(tag_of[item.id]), fifth].append(item)
    turns = itertools.zip_longest(*(strata[stratum] for stratum in sorted(strata)))
    return [item for turn in turns for item in turn if item is not None]


def _machine_verdicts(grooming: Artifact, ids: pa.Array) -> dict[tuple[str, str], str]:
    """(item, candidate) -> verdict; items of rejected sentences have none."""
    decisions = DECISIONS.read(grooming.path(DECISIONS.folder), ["id", "word", "verdict"])
    rows = decisions.filter(pc.field("id").isin(ids)).to_pylist()
    return {(row["id"], row["word"]): row["verdict"] for row in rows}


def _study_item(
    item: Item, candidates: list[str], machine: Mapping[tuple[str, str], str] | None
) -> StudyItem:
    """What judges see of a focus word; `machine`: the machine's verdicts, if they are shown."""
    sentence = item.sentence
    before, after = around_blank(Blank(item.id, rendered_tokens(sentence.tokens), item.rank))
    shown: dict[str, Any] = {
        "before": before,
        "answer": item.answer,
        "after": after,
        "candidates": candidates,
    }
    if machine is not None:
        shown["machine"] = {word: machine.get((item.id, word), NOT_JUDGED) for word in candidates}
    span = (sentence.book_id, sentence.start, sentence.end)
    return StudyItem(item.id, (span,), shown, {}, "run")


# ---- the verdict file


def verdicts(study: Study) -> str:
    rows = [
        {
            "id": item,
            **asdict(groomed(responses, candidates=study.store.item(item).shown["candidates"])),
        }
        for item, responses in verdicts_of_people(study.state()).items()
    ]
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


def read_groomed(path: str) -> VerdictFile:
    file = read_verdicts(path, task=Task.GROOM, given_as="grooming.verdicts")
    if not file.rows:
        raise FormatError(
            f"{path}: has no verdicts. Judge items first, or leave out grooming.verdicts."
        )
    for row in file.rows:
        picked = row.get("picked")
        has_words = isinstance(picked, list) and all(isinstance(word, str) for word in picked)
        if not has_words or row.get("verdict") not in _VERDICTS:
            raise FormatError(
                f"{path}: {quote(row['id'])} has no valid verdict: {quote(dict(row))}. Write "
                "the file with `cloze-gen judge apply`"
            )
    return file


def check_items(people: VerdictFile, known: Collection[str]) -> None:
    """UsageError if a judged focus word is not in this run."""
    ids = set(known)
    foreign = [row["id"] for row in people.rows if row["id"] not in ids]
    if foreign:
        raise UsageError(
            f"grooming.verdicts: {len(foreign):,} of {len(people.rows):,} judged focus words "
            f"are not in this run, the first is {quote(foreign[0])}. {_OTHER_RUN}"
        )


# ---- their use in place of the machine's verdicts


def judge_items(items: Iterable[Item], verdicts: Mapping[str, Mapping[str, Any]]) -> None:
    """Set the judges' verdicts on the sentences and answers."""
    for item in items:
        judged = verdicts.get(item.id)
        if judged is None:
            item.fault = JudgingReason.UNJUDGED
            continue
        foreign = sorted(set(judged["picked"]).difference(item.words))
        if foreign:
            raise UsageError(
                f"grooming.verdicts: the judges of {item.id} picked {quote(foreign[0])}, "
                f"which is not among its candidates. {_OTHER_RUN}"
            )
        verdict = judged["verdict"]
        item.fault = f"{JUDGED_AS}{verdict}" if verdict in list(RejectReason) else verdict


def judge_by_people(
    table: CandidateTable,
    verdicts: Mapping[str, Mapping[str, Any]],
    index: ForwardIndex,
    knowledge: WordKnowledge,
    tagger: SpacyTagger | None,
) -> None:
    """Apply the judges' picks. Measures and tags are recorded but decide nothing."""
    if tagger is not None:
        set_window_tags(table, tagger)
    is_picked = np.array(
        [word in verdicts[item.id]["picked"] for item in table.items for word in item.words], bool
    )
    measures = measures_of(table, table.open(), index, knowledge)
    # assumed shares for words that people picked
    measures |= {
        "fits_as_well": np.where(is_picked, 0.0, np.nan),
        "ungrammatical": np.where(is_picked, 0.0, np.nan),
        "plausible": np.where(is_picked, 1.0, np.nan),
    }
    table.measures[:] = np.column_stack([measures[name] for name in MEASURES])
    table.verdict[~is_picked] = JudgingReason.NOT_PICKED
