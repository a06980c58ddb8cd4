"""Readers of a user model's scores: JSON Lines and logs of lm-evaluation-harness."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, Strict

from cloze_gen.errors import FormatError
from cloze_gen.evaluation.metrics import score_matrix
from cloze_gen.evaluation.passages import PassageExample, TargetScores
from cloze_gen.json_lines import ItemId, must_be, read_records
from cloze_gen.parsing import ParseError, as_number, parse_json, quote
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.records.question import Question

# ---- Logs of lm-evaluation-harness

_LOG_LINE = "a log line of lm-evaluation-harness with `doc` and `resps`"
_ANSWER = '["-1.5", "False"]'
# nats; half precision in different batches differs by less, different models or items by more
_TOLERANCE = 0.5
_GREEDY = {"True": True, "False": False, True: True, False: False}


@dataclass(frozen=True, slots=True)
class _LogLine:
    doc: dict[str, Any]
    resps: list[Any]


@dataclass(frozen=True, slots=True)
class Sample:
    """One document: ln P of each option, in record order, and whether it is the greedy choice."""

    id: str
    doc: Mapping[str, Any]
    ln_probs: tuple[float, ...]
    greedy: tuple[bool, ...]
    where: str

    def check_options(self, options: Sequence[str], gold: int) -> None:
        """Raise FormatError unless the choices are letters or begin with these options."""
        if len(self.ln_probs) != len(options):
            raise FormatError(
                f"{self.where}: {self.id[:80]} has {len(options)} options, but the log has "
                f"{len(self.ln_probs)} answers; give the log of this set"
            )
        choices = self.doc.get("choices", list(options))
        lettered = choices == list(ascii_uppercase[: len(options)])
        same = (
            isinstance(choices, list)
            and len(choices) == len(options)
            and all(
                isinstance(choice, str) and choice.startswith(option)
                for choice, option in zip(choices, options, strict=True)
            )
        )
        if self.doc.get("gold", gold) != gold or not (lettered or same):
            raise FormatError(
                f"{self.where}: the options of {self.id[:80]} differ from those of the set; give a "
                "log of this set and version"
            )


def is_sample_log(text: str) -> bool:
    """Whether the first non-empty line is from an lm-evaluation-harness log.

    >>> lines = ('{"doc": {"id": "b:1"}, "resps": []}', '{"id": "b:1", "scores": []}', "")
    >>> [is_sample_log(line) for line in lines]
    [True, False, False]
    """
    try:
        record = parse_json(
            next((line for line in text.removeprefix("\ufeff").split("\n") if line.strip()), "")
        )
    except ParseError:
        return False
    return isinstance(record, dict) and "doc" in record and "resps" in record


def parse_sample_log(text: str, *, name: str = "scores") -> dict[str, Sample]:
    """The documents of a log by their ids.

    ``--log_samples`` writes one line per document (lm-evaluation-harness 0.4.13,
    `lm_eval/evaluator.py`, `loggers/evaluation_tracker.py`). `doc` is the task's record; `resps`
    has one answer per request, ``["-1.5", "False"]``: ln P of the continuation, whether greedy. A
    document may have several lines.

    Raises:
        FormatError: a line has another form, no finite likelihoods, or contradicts another line.

    >>> line = '{"doc": {"id": "b:1"}, "resps": [[["-1.5", "False"]], [["-2", "True"]]]}'
    >>> sample = parse_sample_log(f"{line}\\n{line}\\n")["b:1"]
    >>> sample.ln_probs, sample.greedy
    ((-1.5, -2.0), (False, True))
    """
    found: dict[str, Sample] = {}
    lines = _lines(text)
    for where, line in read_records(lines, _LogLine, name=name, key=(), form=_LOG_LINE):
        sample = _sample(line, where)
        first = found.setdefault(sample.id, sample)
        if not _agree(first.ln_probs, sample.ln_probs):
            other = first.where.removeprefix(f"{name}, ")
            raise FormatError(
                f"{where}: {sample.id[:80]} has different answers on {other}; give the log "
                "of one task and one model"
            )
    return found


def _lines(text: str) -> list[str]:
    return text.removeprefix("\ufeff").split("\n")  # not splitlines: U+2028 may be in a string


def _agree(first: Sequence[float], other: Sequence[float]) -> bool:
    return len(first) == len(other) and all(
        abs(one - two) <= _TOLERANCE for one, two in zip(first, other, strict=True)
    )


def _sample(line: _LogLine, where: str) -> Sample:
    item_id = line.doc.get("question_id", line.doc.get("id"))  # the former in blind controls
    if not isinstance(item_id, str | int) or isinstance(item_id, bool):
        raise FormatError(
            f"{where}: `doc` has no `id`; use a task with the ids of the items, such as those in "
            "harness/"
        )
    if not line.resps:
        raise FormatError(f"{where}: `resps` of {quote(item_id)} is empty; run the task again")
    answers = [_answer(one, f"{where}: `resps` of {quote(item_id)}") for one in line.resps]
    ln_probs, greedy = zip(*answers, strict=True)
    return Sample(str(item_id), line.doc, ln_probs, greedy, where)


def _answer(answers: Any, where: str) -> tuple[float, bool]:
    """One answer; with `repeats` all must be equal."""
    if not isinstance(answers, list) or not answers or any(one != answers[0] for one in answers):
        raise FormatError(f"{where}: expected one answer to each request, found {quote(answers)}")
    one = answers[0]
    if isinstance(one, str):
        raise FormatError(
            f"{where}: {quote(one)} is generated text, not a score. Give the log of a "
            "likelihood task"
        )
    if (
        not isinstance(one, list)
        or len(one) != 2
        or not isinstance(one[1], str | bool)
        or one[1] not in _GREEDY
    ):
        raise FormatError(f"{where}: expected {_ANSWER}, found {quote(one)}")
    return _ln_prob(one[0], where), _GREEDY[one[1]]


def _ln_prob(value: Any, where: str) -> float:
    """A number, or its text; float() reads 1_5 as 15, but a log has no underscores."""
    number = as_number(value)
    if isinstance(value, str) and "_" not in value:
        with contextlib.suppress(ValueError):
            number = float(value)
    if not math.isfinite(number):
        raise FormatError(f"{where}: {quote(value)} is not a finite number")
    return number


# ---- Questions and blanked passages

QUESTION_ANSWER = '{"id": ..., "scores": [...]}'
BLANKS_ANSWER = '{"id": ..., "scores": [[...], ...]}'

# Item -> its options and the index of the answer.
Options = Mapping[str, tuple[Sequence[str], int]]


_Finite = Annotated[float, Strict(), Field(allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class _QuestionScores:
    id: ItemId
    scores: Annotated[list[_Finite], must_be("a list of finite numbers, found $found")]


@dataclass(frozen=True, slots=True)
class _BlankScores:
    id: ItemId
    scores: Annotated[
        list[list[_Finite]], must_be("a list of finite numbers for each blank, found $found")
    ]


def parse_user_scores(
    text: str, questions: Sequence[Question], *, name: str = "scores"
) -> NDArray[np.float64]:
    """Scores of questions: float64, shape (n, k), padded with NaN; other ids are skipped,
    but every line must be valid.
    """
    options = {question.id: (question.options, question.answer_index) for question in questions}
    if is_sample_log(text):
        rows = _rows_of_log(text, options, name)
    else:
        rows = {}
        records = read_records(_lines(text), _QuestionScores, name=name, form=QUESTION_ANSWER)
        for where, line in records:
            if line.id in options:
                _check_count(line.scores, len(options[line.id][0]), where)
                rows[line.id] = line.scores
    _check_complete(options, rows, name, "question")
    return score_matrix(rows[item_id] for item_id in options)


def parse_blank_scores(
    text: str, passages: Sequence[BlankedPassage], *, name: str = "scores"
) -> list[NDArray[np.float64]]:
    """Scores of each passage, shape (blanks, candidates), in the order of `passages`.

    JSON Lines have one line per passage: `id` and `scores`, with one row per blank, in order. A log
    of lm-evaluation-harness has one line per blank, with id ``PASSAGE:BLANK``.

    >>> passage = BlankedPassage("7", ("A.", "B."), (0,), ("A.", "C."), (0,))
    >>> parse_blank_scores('{"id": 7, "scores": [[0.5, -1]]}', [passage])[0].tolist()
    [[0.5, -1.0]]
    """
    by_id = {passage.id: passage for passage in passages}
    options = {
        f"{passage.id}:{blank}": (passage.candidates, answer)
        for passage in passages
        for blank, answer in enumerate(passage.answers, 1)
    }
    if is_sample_log(text):
        rows = _rows_of_log(text, options, name)
    else:
        rows = {}
        for where, line in read_records(_lines(text), _BlankScores, name=name, form=BLANKS_ANSWER):
            if line.id not in by_id:
                continue
            passage = by_id[line.id]
            _check_count(line.scores, len(passage.blanks), where, each="blank")
            for blank, row in enumerate(line.scores, 1):
                _check_count(row, len(passage.candidates), f"{where}, blank {blank}")
                rows[f"{line.id}:{blank}"] = row
    _check_complete(options, rows, name, "blank")
    return [
        np.array(
            [rows[f"{passage.id}:{blank}"] for blank in range(1, len(passage.blanks) + 1)],
            np.float64,
        )
        for passage in passages
    ]


def _rows_of_log(text: str, options: Options, name: str) -> dict[str, Sequence[float]]:
    rows: dict[str, Sequence[float]] = {}
    for item_id, sample in parse_sample_log(text, name=name).items():
        if item_id in options:
            sample.check_options(*options[item_id])
            rows[item_id] = sample.ln_probs
    return rows


def _check_count(scores: Sequence[Any], n: int, where: str, *, each: str = "option") -> None:
    if len(scores) != n:
        raise FormatError(
            f"{where}: `scores` needs {n} values, one for each {each}, found {len(scores)}"
        )


def _check_complete(ids: Collection[str], found: Collection[str], name: str, noun: str) -> None:
    missing = [one for one in ids if one not in found]
    if missing:
        raise FormatError(
            f"{name}: {len(missing):,} of {len(ids):,} {noun}s have no scores (first: "
            f"{missing[0][:80]}). Give scores of all {noun}s of this set; join the logs of all "
            "measured splits, each of which has one."
        )


# ---- Passages


def target_scores_of_log(
    text: str, passages: Sequence[PassageExample], *, name: str = "scores"
) -> TargetScores:
    """log10 P of the targets, and whether they are greedy (`acc` of the harness).

    >>> example = PassageExample("b:1", "passages", (("it", "was"),), "ann")
    >>> found = target_scores_of_log(
    ...     '{"doc": {"id": "b:1", "target": "Ann"}, "resps": [[["-2.302585092994046", "True"]]]}',
    ...     [example])
    >>> found.log10_prob.tolist(), found.right.tolist()
    ([-1.0], [True])
    """
    samples = parse_sample_log(text, name=name)
    _check_complete({one.id: None for one in passages}, samples, name, "passage")
    ln_probs, right = np.empty(len(passages)), np.empty(len(passages), np.bool_)
    for row, passage in enumerate(passages):
        sample = samples[passage.id]
        targets = {
            text.strip().casefold()
            for text in (
                passage.target,
                *(prompt_target for _, prompt_target in passage.prompts.values()),
            )
        }
        target = sample.doc.get("target", passage.target)
        if len(sample.ln_probs) != 1:
            raise FormatError(
                f"{sample.where}: expected one answer for {passage.id[:80]}, found "
                f"{len(sample.ln_probs)}"
            )
        if not isinstance(target, str) or target.casefold() not in targets:
            raise FormatError(
                f"{sample.where}: the target of {passage.id[:80]} differs from that of the set; "
                "give a log of this set and version"
            )
        if sample.ln_probs[0] > 0:
            raise FormatError(
                f"{sample.where}: log probability {sample.ln_probs[0]} is above 0; it must be at "
                "most 0"
            )
        ln_probs[row], right[row] = sample.ln_probs[0], sample.greedy[0]
    return TargetScores(
        ln_probs / math.log(10),
        np.full(len(passages), np.nan),
        np.ones(len(passages), np.bool_),
        right,
    )
