"""Readers of a user model's scores: JSON Lines and logs of lm-evaluation-harness."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.errors import FormatError
from cloze_gen.evaluation.metrics import score_matrix
from cloze_gen.evaluation.passages import PassageExample, TargetScores
from cloze_gen.json_lines import ItemId, read_records
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
    return _finite(_ln_prob(one[0]), one[0], where), _GREEDY[one[1]]


def _ln_prob(value: Any) -> float:
    """A number, or its text; float() reads 1_5 as 15, but a log has no underscores."""
    if not isinstance(value, str):
        return as_number(value)
    try:
        return math.nan if "_" in value else float(value)
    except ValueError:
        return math.nan


def _finite(number: float, value: Any, where: str) -> float:
    if not math.isfinite(number):
        raise FormatError(f"{where}: {quote(value)} is not a finite number")
    return number


# ---- Questions and blanked passages

QUESTION_ANSWER = '{"id": ..., "scores": [...]}'
BLANKS_ANSWER = '{"id": ..., "scores": [[...], ...]}'

# Item -> its options and the index of the answer.
Options = Mapping[str, tuple[Sequence[str], int]]


@dataclass(frozen=True, slots=True)
class _ScoresLine:
    id: ItemId
    scores: list[Any]


def parse_user_scores(
    text: str, questions: Sequence[Question], *, name: str = "scores"
) -> NDArray[np.float64]:
    """Scores of questions: float64, shape (n, k), padded with NaN; other ids are skipped."""
    options = {question.id: (question.options, question.answer_index) for question in questions}
    if is_sample_log(text):
        rows = _rows_of_log(text, options, name)
    else:
        rows = {}
        for where, item_id, scores in _json_scores(text, options, QUESTION_ANSWER, name):
            rows[item_id] = _row(scores, len(options[item_id][0]), where)
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
        for where, item_id, scores in _json_scores(text, by_id, BLANKS_ANSWER, name):
            passage = by_id[item_id]
            if len(scores) != len(passage.blanks):
                raise FormatError(
                    f"{where} needs {len(passage.blanks)} rows of scores, one for each blank, "
                    f"found {len(scores)}"
                )
            for blank, row in enumerate(scores, 1):
                rows[f"{item_id}:{blank}"] = _row(
                    row, len(passage.candidates), f"{where}, blank {blank},"
                )
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


def _json_scores(
    text: str, known: Collection[str], form: str, name: str
) -> Iterator[tuple[str, str, list[Any]]]:
    """Place with id, id and scores of each line with a known id."""
    seen: set[str] = set()
    for where, line in read_records(_lines(text), _ScoresLine, name=name, key=(), form=form):
        item_id = str(line.id)
        place = f"{where}: {item_id[:80]}"
        if item_id in seen:
            raise FormatError(f"{place} has scores on an earlier line; keep one of them")
        if item_id in known:
            seen.add(item_id)
            yield place, item_id, line.scores


def _row(scores: Any, n: int, where: str) -> list[float]:
    if not isinstance(scores, list) or len(scores) != n:
        count = f"{len(scores)}" if isinstance(scores, list) else quote(scores)
        raise FormatError(f"{where} needs {n} scores, one for each option, found {count}")
    return [_finite(as_number(score), score, where) for score in scores]


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
