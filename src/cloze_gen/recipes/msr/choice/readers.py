"""Readers' verdicts on a larger set of the same run: the choice takes what they leave.

MSR 2.3 has people groom the impostors before the choice. Here they read finished questions of a run
with more questions, and the set is chosen again from those that they do not mark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.judging.study import read_verdicts
from cloze_gen.judging.study_agreement import parse_verdict_row
from cloze_gen.judging.verdicts import VerdictFile
from cloze_gen.parsing import quote
from cloze_gen.recipes.msr.choice.pool import CandidatePool
from cloze_gen.records.judgement import Task
from cloze_gen.records.rejection import Reason, Rejection

_OTHER_SET = "/"  # in the id of a question of another set, which no id of a run has


class ReaderReason(Reason):
    BROKEN = ("readers_say_broken", "readers found the sentence broken")
    AMBIGUOUS = (
        "readers_say_ambiguous",
        "readers chose another option, or found that one fits as well",
    )
    TRIVIAL = ("readers_say_trivial", "readers found all other options absurd at first sight")
    UNREAD = ("not_read", "no reader saw the question (choice.verdicts)")


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """The shown options of a question, with the answer's index, and the readers' responses."""

    options: tuple[str, ...]
    answer: int
    responses: Sequence[Mapping[str, Any]]


def read_reader_verdicts(path: str | Path) -> VerdictFile:
    """The verdicts of a study of the task `read`; FormatError if there are none."""
    file = read_verdicts(path, task=Task.READ, given_as="choice.verdicts")
    if not read_questions(file):
        raise FormatError(
            f"{path}: has no verdicts. Let people judge, or leave out choice.verdicts."
        )
    return file


def read_questions(file: VerdictFile) -> dict[str, ReadQuestion]:
    """Id -> what readers saw and marked; questions of other sets are left out."""
    questions = {}
    for row in file.rows:
        if _OTHER_SET in row["id"]:
            continue
        options: Any = row.get("options")
        answer: Any = row.get("answer")
        is_listed = isinstance(options, list) and all(isinstance(word, str) for word in options)
        if not is_listed or type(answer) is not int or not 0 <= answer < len(options):
            raise FormatError(
                f"choice.verdicts: {quote(row['id'])} has no valid `options` and `answer`. Write the "
                "file with `cloze-gen judge apply`."
            )
        responses = parse_verdict_row(row, Task.READ).responses.values()
        questions[row["id"]] = ReadQuestion(tuple(options), answer, list(responses))
    return questions


def left_by_readers(
    pool: CandidatePool, questions: Mapping[str, ReadQuestion], *, max_marked: float
) -> tuple[CandidatePool, list[Rejection]]:
    """The items that readers leave, with only the options that they saw, and the others.

    Raises:
        UsageError: the questions are of another run, or no item is left.
    """
    rows_of = dict(zip(pool.id.tolist(), pool.rows(), strict=True))
    for item_id, shown in questions.items():
        words = pool.word[rows_of.get(item_id, slice(0))].tolist()  # the answer first
        answer = shown.options[shown.answer]
        if words[:1] != [answer] or not set(shown.options) <= set(words):
            raise UsageError(
                f"choice.verdicts: this run cannot ask {quote(item_id)} with the options "
                f"{quote(', '.join(shown.options))}. The verdicts belong to another run, or the "
                "settings have changed since. Use the books, the seed and the settings of the run "
                "that was read, except choice.n_questions."
            )
    rejected = []
    was_shown = np.zeros(len(pool.word), bool)
    for item_id, rows in rows_of.items():
        question = questions.get(item_id)
        if question is None:
            rejected.append(Rejection(item_id, ReaderReason.UNREAD))
        elif fault := _fault(question, max_marked=max_marked):
            rejected.append(Rejection(item_id, fault, f"{len(question.responses)} readers"))
        else:
            was_shown[rows] = np.isin(pool.word[rows], question.options)
    if not was_shown.any():
        raise UsageError(
            f"choice.verdicts: the readers marked all {len(questions):,} questions, so none is left "
            f"to choose. Raise choice.max_marked (now {max_marked:g}), or let people read other "
            "questions, of a larger run."
        )
    return pool.only(was_shown), rejected


def _fault(question: ReadQuestion, *, max_marked: float) -> ReaderReason | None:
    """The most frequent mark, if too many readers marked the question."""
    marks = Counter(_mark(response, question.answer) for response in question.responses)
    del marks[None]
    is_left = marks.total() <= max_marked * len(question.responses)
    return None if is_left else marks.most_common(1)[0][0]


def _mark(response: Mapping[str, Any], answer: int) -> ReaderReason | None:
    if response["broken"]:
        return ReaderReason.BROKEN
    if response["answer"] != answer or response["fits_as_well"]:
        return ReaderReason.AMBIGUOUS
    return ReaderReason.TRIVIAL if response["trivial"] else None
