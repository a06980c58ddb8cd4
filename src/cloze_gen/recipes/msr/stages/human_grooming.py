"""Grooming by people: what the judges of a study said of some items takes the place of what a machine would say (MSR 2.3)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.formats.verdicts import VerdictFile
from cloze_gen.judging.groom import RejectReason
from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.notation import shown
from cloze_gen.recipes.msr.stages.groomed_items import GroomedItem
from cloze_gen.recipes.msr.stages.measures import measures_of, window_tags
from cloze_gen.recipes.msr.stages.parts import Part
from cloze_gen.recipes.msr.stages.tables import FIT, MEASURES
from cloze_gen.records.judgement import Task
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import FOCUS
from cloze_gen.stats.word_knowledge import WordKnowledge
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import read_parquet
from cloze_gen.studies.verdict_file import read_verdicts
from cloze_gen.text.tagging import Tagger

DISAGREED = "judges_disagree"
UNJUDGED = "judged_by_nobody"
NOT_PICKED = "candidate_not_picked_by_judges"
_VERDICTS = {*map(str, RejectReason), DISAGREED, FIT}
_SURE = {"fits_as_well": 0.0, "ungrammatical": 0.0, "plausible": 1.0}  # of what people picked


def read_groomed(path: str) -> VerdictFile:
    """What a study's judges said of focus words.

    Raises:
        UsageError: the file cannot be read.
        FormatError: it holds no such verdicts.
    """
    file = read_verdicts(path, task=Task.GROOM, given_as="grooming.verdicts")
    for row in file.rows:
        verdict, picked = row.get("verdict"), row.get("picked")
        words = isinstance(picked, list) and all(isinstance(one, str) for one in picked)
        if not isinstance(verdict, str) or verdict not in _VERDICTS or not words:
            raise FormatError(f"{path}: {shown(row['id'])} has no verdict of judges, found {shown(dict(row))}")
    return file


def judged_by_part(people: VerdictFile | None, focus: Artifact, parts: Sequence[Part]) -> list[Mapping[str, Mapping[str, Any]] | None]:
    """Focus word -> its verdict, of each part; None throughout where no people judged any."""
    if people is None or not people.rows:
        return [None] * len(parts)
    ids = read_parquet(focus.path(FOCUS), columns=["id"])["id"].to_pylist()
    rows = {row["id"]: row for row in people.rows}
    return [{item: rows[item] for item in ids[part.first : part.last] if item in rows} for part in parts]


def asked_of_people(items: Sequence[GroomedItem], rows: Mapping[str, Mapping[str, Any]]) -> list[GroomedItem]:
    """The items that people judged.

    Raises:
        UsageError: they picked what is no retained candidate: the verdicts are of another run.
    """
    asked = [item for item in items if item.id in rows]
    for item in asked:
        foreign = [word for word in rows[item.id]["picked"] if word not in item.candidates]
        if foreign:
            raise UsageError(
                f"grooming.verdicts: the judges of {item.id} picked {shown(foreign[0])}, which is none of its candidates. The verdicts are "
                "of another run, or its settings have changed since: `cloze-gen judge status STUDY` tells of which."
            )
    return asked


def note_people(writer: ArtifactWriter, room: Room, people: VerdictFile, known: Collection[str], *, unjudged: str) -> None:
    """Write into the artifact's facts who judged how many of its focus words; `people` as card and report say it.

    Args:
        known: all focus words.
        unjudged: what became of those that nobody judged; where a machine groomed them, that is told too.
    Raises:
        UsageError: they judged what is no focus word here.
    """
    foreign = [row["id"] for row in people.rows if row["id"] not in known]
    if foreign:
        raise UsageError(
            f"grooming.verdicts: {len(foreign):,} of the {len(people.rows):,} focus words that were judged are none of this run's retained "
            f"ones, the first {shown(foreign[0])}. The verdicts are of another run, or its settings have changed since."
        )
    others = len(known) - len(people.rows)
    by_machine = unjudged == "machine" and others > 0
    told = f"{people.told} of {len(people.rows):,} focus words and machine of {others:,}" if by_machine else people.told
    writer.facts |= {"people": told, "judged": len(people.rows)}
    room.say(f"{len(people.rows):,} focus words were judged by people: {people.told}")


def judge_by_people(
    items: Sequence[GroomedItem],
    rows: Mapping[str, Mapping[str, Any]],
    index: ForwardIndex,
    space: WordKnowledge,
    tagger: Tagger | None,
    *,
    reach: int,
) -> None:
    """Put what the judges said in place; measures and tags are told beside it and decide nothing."""
    if tagger is not None:
        asked = [(item, word) for item in items for word in (item.answer, *item.candidates)]
        found = iter(window_tags(asked, tagger, reach=reach))
        for item in items:
            item.answer_tag, item.tags = next(found), [next(found) for _ in item.candidates]
    measures_by_item = measures_of([(item, item.candidates) for item in items], index, space)
    for item, measures in zip(items, measures_by_item, strict=True):
        row = rows[item.id]
        picked = set(row["picked"])
        item.fault = row["verdict"] if row["verdict"] in {FIT, DISAGREED} else f"judges_say_{row['verdict']}"
        item.tags = item.tags or [""] * len(item.candidates)
        item.verdicts = [FIT if word in picked else NOT_PICKED for word in item.candidates] if item.fault == FIT else []
        item.answer_topicality = float(measures["topicality"][0])
        item.measured = np.full((len(item.candidates), len(MEASURES)), np.nan)
        for column, name in enumerate(MEASURES):
            taken = [word in picked for word in item.candidates]
            item.measured[:, column] = np.where(taken, _SURE[name], np.nan) if name in _SURE else measures[name][1:]
