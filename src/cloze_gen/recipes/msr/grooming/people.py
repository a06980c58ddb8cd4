"""Verdicts of people in the place of the machine's (MSR 2.3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from cloze_gen.adapters.spacy_tagger import SpacyTagger
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.judging.study import read_verdicts
from cloze_gen.judging.tasks.groom import RejectReason
from cloze_gen.judging.verdicts import VerdictFile
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.models.word_knowledge import WordKnowledge
from cloze_gen.parsing import quote
from cloze_gen.recipes.msr.grooming.candidates import MEASURES, CandidateTable, Item
from cloze_gen.recipes.msr.grooming.measures import measures_of, set_window_tags
from cloze_gen.recipes.msr.tables import FIT
from cloze_gen.records.judgement import Task
from cloze_gen.records.rejection import Reason


class JudgingReason(Reason):
    DISAGREED = ("judges_disagree", "the judges did not agree on four candidates")
    UNJUDGED = ("not_judged", "no judge saw the target word")
    NOT_PICKED = ("candidate_not_picked_by_judges", "the judges did not choose the candidate")


JUDGED_AS = "judges_say_"  # before a judges' reason
_OTHER_RUN = (
    "The verdicts belong to another run, or the settings have changed since. `cloze-gen judge "
    "status STUDY` prints the study's run."
)
_VERDICTS = {*map(str, RejectReason), str(JudgingReason.DISAGREED), FIT}


def read_groomed(path: str) -> VerdictFile:
    file = read_verdicts(path, task=Task.GROOM, given_as="grooming.verdicts")
    if not file.rows:
        raise FormatError(
            f"{path}: has no verdicts. Judge items first, or leave out grooming.verdicts."
        )
    for row in file.rows:
        picked = row.get("picked")
        has_words = isinstance(picked, list) and all(isinstance(word, str) for word in picked)
        verdict = row.get("verdict")
        if not has_words or not isinstance(verdict, str) or verdict not in _VERDICTS:
            raise FormatError(
                f"{path}: {quote(row['id'])} has no valid verdict: {quote(dict(row))}. Write "
                "the file with `cloze-gen judge apply`"
            )
    return file


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
        is_known = verdict in {FIT, JudgingReason.DISAGREED}
        item.fault = verdict if is_known else f"{JUDGED_AS}{verdict}"


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


def check_items(people: VerdictFile, known: Collection[str]) -> None:
    """UsageError if a judged focus word is not in this run."""
    ids = set(known)
    foreign = [row["id"] for row in people.rows if row["id"] not in ids]
    if foreign:
        raise UsageError(
            f"grooming.verdicts: {len(foreign):,} of {len(people.rows):,} judged focus words "
            f"are not in this run, the first is {quote(foreign[0])}. {_OTHER_RUN}"
        )
