"""The pool: more questions than the set needs, and readers' verdicts on them.

Readers mark what is ambiguous, trivial or broken, and the set is chosen again from the rest
(MSR 2.3 has people groom the impostors before the choice).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cloze_gen.errors import UsageError
from cloze_gen.judging.study import read_verdicts
from cloze_gen.judging.study_agreement import ItemVerdicts, parse_verdict_row
from cloze_gen.judging.verdicts import VerdictFile
from cloze_gen.parsing import quote
from cloze_gen.recipes.questions.random_choice import FitItem, ScoredItem
from cloze_gen.records.judgement import Task
from cloze_gen.records.rejection import Reason, Rejection


class PoolReason(Reason):
    BROKEN = ("readers_say_broken", "readers found the sentence broken")
    AMBIGUOUS = (
        "readers_say_ambiguous",
        "readers chose another option, or found that one fits as well",
    )
    TRIVIAL = ("readers_say_trivial", "readers found all other options absurd at first sight")
    UNREAD = ("not_read", "no reader saw the question (choice.verdicts)")


def read_pool_verdicts(path: str | Path) -> VerdictFile:
    return read_verdicts(path, task=Task.READ, given_as="choice.verdicts")


def pool_items(
    items: Sequence[ScoredItem], pool: Mapping[str, Mapping[str, Any]]
) -> list[ScoredItem]:
    """The items of the pool, each with only the impostors that the pool has. `pool`: id -> record."""
    found = []
    for one in items:
        if one.item.id not in pool:
            continue
        record, own = pool[one.item.id], one.item
        shown = {word for word in record["options"] if word != record["answer"]}
        places = [i for i, word in enumerate(own.candidates) if word in shown]
        item = FitItem(
            own.id,
            own.sentence_id,
            own.answer,
            tuple(own.candidates[i] for i in places),
            own.word_class,
        )
        found.append(
            ScoredItem(
                item, one.scores[np.r_[0, 1 + np.array(places, np.int64)]], one.fits_as_well[places], one.plausible[places],
                one.topicality[np.r_[0, 1 + np.array(places, np.int64)]],
            )
        )  # fmt: skip
    return found


def read_out(
    pool: Mapping[str, Mapping[str, Any]],
    verdicts: VerdictFile,
    *,
    fingerprint: str,
    max_marked: float,
) -> dict[str, Rejection]:
    """The questions of the pool that the verdicts exclude, by id. UsageError: not of this pool."""
    if verdicts.of.get("pool") != fingerprint:
        raise UsageError(
            "choice.verdicts: the verdicts are about another pool "
            f"({quote(verdicts.of.get('pool', '-'))[:14]}, this run has {fingerprint[:12]}). The "
            "settings have changed since. `cloze-gen judge status STUDY` prints the study's run."
        )
    judged = {row["id"]: parse_verdict_row(row, Task.READ) for row in verdicts.rows}
    found = {}
    for item_id, record in pool.items():
        one = judged.get(item_id)
        reason = (
            PoolReason.UNREAD
            if one is None
            else _fault_of_most(one, record["answer_index"], max_marked=max_marked)
        )
        if reason is not None:
            readers = len(one.responses) if one else 0
            found[item_id] = Rejection(item_id, reason, f"{readers} readers" if one else "")
    return found


def _fault_of_most(one: ItemVerdicts, answer: int, *, max_marked: float) -> PoolReason | None:
    marks = [set(_marks(response, answer)) for response in one.responses.values()]
    if sum(map(bool, marks)) <= max_marked * len(marks):
        return None
    counted = Counter(mark for found in marks for mark in found)
    return max(sorted(counted, key=str), key=counted.__getitem__)


def _marks(response: Mapping[str, Any], answer: int) -> Iterator[PoolReason]:
    if response["broken"]:
        yield PoolReason.BROKEN
    elif response["answer"] != answer or response["fits_as_well"]:
        yield PoolReason.AMBIGUOUS
    if response["trivial"]:
        yield PoolReason.TRIVIAL
