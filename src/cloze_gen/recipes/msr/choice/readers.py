"""Readers' verdicts on a larger set of the same run: the choice takes what they leave.

MSR 2.3 has people groom the impostors before the choice. Here they read finished questions of a run
with more questions, and the set is chosen again from those that they do not mark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
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
    rejected = []
    kept = []
    words = {}
    for item, item_id in enumerate(pool.id.tolist()):
        question = questions.get(item_id)
        if question is None:
            rejected.append(Rejection(item_id, ReaderReason.UNREAD))
            continue
        _check_shown(pool, item, question)
        fault = _fault_of_most(question, max_marked=max_marked)
        if fault is None:
            kept.append(item)
            words[item_id] = frozenset(question.options)
        else:
            detail = f"{len(question.verdicts.responses)} readers"
            rejected.append(Rejection(item_id, fault, detail))
    foreign = sorted(questions.keys() - set(pool.id.tolist()))
    if foreign:
        raise UsageError(
            f"choice.verdicts: {len(foreign):,} of {len(questions):,} questions are no groomed focus "
            f"words of this run, the first is {quote(foreign[0])}. {_ADVICE}"
        )
    return pool.take(np.array(kept, np.int64)).only(words), rejected


_ADVICE = (
    "The verdicts belong to another run, or the settings have changed since. Use the books, the seed "
    "and the settings of the run that was read, except choice.n_questions."
)


def _check_shown(pool: CandidatePool, item: int, question: ReadQuestion) -> None:
    known = {pool.answer[item], *pool.word[pool.candidates(item)].tolist()}
    strange = [word for word in question.options if word not in known]
    if strange or question.options[question.answer] != pool.answer[item]:
        shown = strange[0] if strange else question.options[question.answer]
        raise UsageError(
            f"choice.verdicts: {pool.id[item]} showed {quote(shown)}, which this run does not offer "
            f"there. {_ADVICE}"
        )


def _fault_of_most(question: ReadQuestion, *, max_marked: float) -> ReaderReason | None:
    responses = question.verdicts.responses.values()
    marks = [set(_marks(response, question.answer)) for response in responses]
    if sum(map(bool, marks)) <= max_marked * len(marks):
        return None
    counted = Counter(mark for given in marks for mark in given)
    return max(sorted(counted, key=str), key=counted.__getitem__)


def _marks(response: Mapping[str, Any], answer: int) -> Iterator[ReaderReason]:
    if response["broken"]:
        yield ReaderReason.BROKEN
    elif response["answer"] != answer or response["fits_as_well"]:
        yield ReaderReason.AMBIGUOUS
    if response["trivial"]:
        yield ReaderReason.TRIVIAL
