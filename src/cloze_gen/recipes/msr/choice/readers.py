"""Readers' verdicts on a larger set of the same run: the choice takes what they leave.

MSR 2.3 has people groom the impostors before the choice. Here they read finished questions of a run
with more questions, and the set is chosen again from those that they do not mark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.judging.study import read_verdicts
from cloze_gen.judging.study_agreement import ItemVerdicts, parse_verdict_row
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
    """The shown options of a question, with the answer's index, and the verdicts on it."""

    options: tuple[str, ...]
    answer: int
    verdicts: ItemVerdicts


def read_reader_verdicts(path: str | Path) -> VerdictFile:
    """The verdicts of a study of the task `read`; FormatError if there are none."""
    file = read_verdicts(path, task=Task.READ, given_as="choice.verdicts")
    if not read_questions(file):
        raise FormatError(
            f"{path}: has no verdicts. Let people judge, or leave out choice.verdicts."
        )
    return file


def read_questions(file: VerdictFile) -> dict[str, ReadQuestion]:
    """Id -> what was shown and said of it; questions of other sets are left out."""
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
        verdicts = parse_verdict_row(row, Task.READ)
        questions[row["id"]] = ReadQuestion(tuple(options), answer, verdicts)
    return questions


def left_by_readers(
    pool: CandidatePool, questions: Mapping[str, ReadQuestion], *, max_marked: float
) -> tuple[CandidatePool, list[Rejection]]:
    """The items that readers leave, with only the options that they saw, and the others.

    Raises:
        UsageError: the questions are of another run.
    """
    rows_of = dict(zip(pool.id.tolist(), pool.rows(), strict=True))
    for item_id, question in questions.items():
        answer, *candidates = pool.word[rows_of[item_id]].tolist() if item_id in rows_of else [""]
        impostors = set(question.options) - {answer}
        if question.options[question.answer] != answer or not impostors <= set(candidates):
            raise UsageError(
                f"choice.verdicts: this run cannot ask {quote(item_id)} with the options "
                f"{quote(', '.join(question.options))}. The verdicts belong to another run, or the "
                "settings have changed since. Use the books, the seed and the settings of the run "
                "that was read, except choice.n_questions."
            )
    rejected = []
    was_shown = np.zeros(len(pool.word), bool)
    for item_id, rows in rows_of.items():
        if item_id not in questions:
            rejected.append(Rejection(item_id, ReaderReason.UNREAD))
            continue
        question = questions[item_id]
        fault = _fault(question, max_marked=max_marked)
        if fault:
            n_readers = len(question.verdicts.responses)
            rejected.append(Rejection(item_id, fault, f"{n_readers} readers"))
        else:
            was_shown[rows] = [word in question.options for word in pool.word[rows]]
    shown = pool.only_rows(was_shown)
    return shown.only(np.isin(np.arange(len(pool)), shown.item)), rejected


def _fault(question: ReadQuestion, *, max_marked: float) -> ReaderReason | None:
    """The most frequent mark, if too many readers marked the question."""
    responses = question.verdicts.responses.values()
    marks = Counter(filter(None, (_mark(response, question.answer) for response in responses)))
    is_left = marks.total() <= max_marked * len(responses)
    return None if is_left else marks.most_common(1)[0][0]


def _mark(response: Mapping[str, Any], answer: int) -> ReaderReason | None:
    if response["broken"]:
        return ReaderReason.BROKEN
    if response["answer"] != answer or response["fits_as_well"]:
        return ReaderReason.AMBIGUOUS
    return ReaderReason.TRIVIAL if response["trivial"] else None
