"""Readers of a user model's scores: JSON Lines, lm-evaluation-harness logs, MSR score lines."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.errors import FormatError
from cloze_gen.evaluation.metrics import score_matrix
from cloze_gen.evaluation.passages import PassageExample, TargetScores
from cloze_gen.parsing import ParseError, as_number, parse_json, quote
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.records.question import Question


def _finite_score(value: Any, where: str) -> float:
    """
    >>> _finite_score("-1.5", "here"), _finite_score(2, "here")
    (-1.5, 2.0)
    """
    try:
        # float() reads 1_5 as 15; a score has no underscores.
        score = (
            math.nan
            if isinstance(value, bool) or (isinstance(value, str) and "_" in value)
            else float(value)
        )
    except (TypeError, ValueError, OverflowError):
        score = math.nan
    if not math.isfinite(score):
        raise FormatError(f"{where}: {quote(value)} is not a finite number")
    return score


# ---- Logs of lm-evaluation-harness

_ANSWER = '["-1.5", "False"]'
# nats; half precision in different batches differs by less, different models or items by more
_TOLERANCE = 0.5
_GREEDY = {"True": True, "False": False, True: True, False: False}


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


def parse_sample_log(text: str, *, name: str = "scores") -> list[Sample]:
    """The documents of a log, without repetitions, in the order of their first lines.

    ``--log_samples`` writes one line per document (lm-evaluation-harness 0.4.13,
    `lm_eval/evaluator.py`, `loggers/evaluation_tracker.py`). `doc` is the task's record; `resps`
    has one answer per request, ``["-1.5", "False"]``: ln P of the continuation, whether greedy.

    Raises:
        FormatError: a line has another form, no finite likelihoods, or contradicts another line.

    >>> line = '{"doc": {"id": "b:1"}, "resps": [[["-1.5", "False"]], [["-2", "True"]]]}'
    >>> [sample] = parse_sample_log(f"{line}\\n{line}\\n")
    >>> sample.id, sample.ln_probs, sample.greedy
    ('b:1', (-1.5, -2.0), (False, True))
    """
    found: dict[str, Sample] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        sample = _sample(line, f"{name}, line {number}")
        first = found.setdefault(sample.id, sample)
        if not _agree(first.ln_probs, sample.ln_probs):
            other = first.where.removeprefix(f"{name}, ")
            raise FormatError(
                f"{sample.where}: {sample.id[:80]} has different answers on {other}; give the log "
                "of one task and one model"
            )
    return list(found.values())


def _agree(first: Sequence[float], other: Sequence[float]) -> bool:
    return len(first) == len(other) and all(
        abs(one - two) <= _TOLERANCE for one, two in zip(first, other, strict=True)
    )


def _sample(line: str, where: str) -> Sample:
    try:
        record = parse_json(line)
    except ParseError as error:
        raise FormatError(
            f"{where}: not JSON ({error}); expected a log line of lm-evaluation-harness"
        ) from None
    if (
        not isinstance(record, dict)
        or not isinstance(record.get("doc"), dict)
        or not isinstance(record.get("resps"), list)
    ):
        raise FormatError(
            f"{where}: expected a log line of lm-evaluation-harness with `doc` and `resps`, "
            f"found {quote(line)}"
        )
    doc, resps = record["doc"], record["resps"]
    item_id = doc.get("question_id", doc.get("id"))  # the former in blind controls
    if not isinstance(item_id, str | int) or isinstance(item_id, bool):
        raise FormatError(
            f"{where}: `doc` has no `id`; use a task with the ids of the items, such as those in "
            "harness/"
        )
    if not resps:
        raise FormatError(f"{where}: `resps` of {quote(item_id)} is empty; run the task again")
    answers = [_answer(one, f"{where}: `resps` of {quote(item_id)}") for one in resps]
    return Sample(
        str(item_id),
        doc,
        tuple(ln_prob for ln_prob, _ in answers),
        tuple(greedy for _, greedy in answers),
        where,
    )


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
    return _finite_score(one[0], where), _GREEDY[one[1]]


# ---- Questions and blanked passages

ANSWER = '{"id": ..., "scores": [[...], ...]}'
_QUESTION_ANSWER = '{"id": ..., "scores": [...]}'


def parse_user_scores(
    text: str, questions: Sequence[Question], *, name: str = "scores"
) -> NDArray[np.float64]:
    """Scores of questions in any supported format: float64, shape (n, k), padded with NaN."""
    lines = [line for line in _lines(text) if line.strip()]
    if not lines:
        raise FormatError(
            f"{name}: the file is empty; expected a JSON object for each question or a "
            "'sentence TAB score' line for each option"
        )
    if not lines[0].lstrip().startswith("{"):
        return score_matrix(_from_lm_output(lines, questions, name))
    by_id = {question.id: question for question in questions}
    found: dict[str, Sequence[float]] = {}
    if is_sample_log(text):
        for sample in parse_sample_log(text, name=name):
            if sample.id in by_id:
                question = by_id[sample.id]
                sample.check_options(question.options, question.answer_index)
                found[sample.id] = sample.ln_probs
    else:
        for where, item_id, scores in _json_scores(text, by_id, _QUESTION_ANSWER, name):
            found[item_id] = _row(scores, len(by_id[item_id].options), f"{where}: {item_id[:80]}")
    _check_complete(list(by_id), found, name, "question")
    return score_matrix(found[question.id] for question in questions)


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
    blank_ids = {
        passage.id: [f"{passage.id}:{blank}" for blank in range(1, len(passage.blanks) + 1)]
        for passage in passages
    }
    found: dict[str, Sequence[float]] = {}
    if is_sample_log(text):
        samples = {sample.id: sample for sample in parse_sample_log(text, name=name)}
        for passage in passages:
            for blank, answer in zip(blank_ids[passage.id], passage.answers, strict=True):
                if blank in samples:
                    samples[blank].check_options(passage.candidates, answer)
                    found[blank] = samples[blank].ln_probs
    else:
        for where, item_id, rows in _json_scores(text, by_id, ANSWER, name):
            passage = by_id[item_id]
            if len(rows) != len(passage.blanks):
                raise FormatError(
                    f"{where}: {item_id[:80]} needs {len(passage.blanks)} rows of scores, one for "
                    f"each blank, found {len(rows)}"
                )
            for blank, row in zip(blank_ids[item_id], rows, strict=True):
                found[blank] = _row(row, len(passage.candidates), f"{where}: blank {blank[:80]}")
    _check_complete(
        [blank for blanks in blank_ids.values() for blank in blanks], found, name, "blank"
    )
    return [
        np.array([found[blank] for blank in blank_ids[passage.id]], np.float64)
        for passage in passages
    ]


def _lines(text: str) -> list[str]:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")


def _json_scores(
    text: str, known: Container[str], expected: str, name: str
) -> Iterator[tuple[str, str, list[Any]]]:
    """Place, id and scores of each line; the file may have scores of a larger set."""
    seen = set()
    for number, line in enumerate(_lines(text), 1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        try:
            record = parse_json(line)
        except ParseError as error:
            raise FormatError(f"{where}: not JSON ({error}); expected {expected}") from None
        item_id = record.get("id") if isinstance(record, dict) else None
        if (
            not isinstance(item_id, str | int)
            or isinstance(item_id, bool)
            or not isinstance(record.get("scores"), list)
        ):
            raise FormatError(f"{where}: expected {expected}, found {quote(line)}")
        item_id = str(item_id)
        if item_id in seen:
            raise FormatError(
                f"{where}: {item_id[:80]} has scores on an earlier line; keep one of them"
            )
        if item_id in known:
            seen.add(item_id)
            yield where, item_id, record["scores"]


def _row(scores: Any, n: int, where: str) -> list[float]:
    if not isinstance(scores, list) or len(scores) != n:
        count = f"{len(scores)}" if isinstance(scores, list) else quote(scores)
        raise FormatError(f"{where}: needs {n} scores, one for each option, found {count}")
    numbers = [as_number(score) for score in scores]
    for score, number in zip(scores, numbers, strict=True):
        if not math.isfinite(number):
            raise FormatError(f"{where}: {quote(score)} is not a finite number")
    return numbers


def _check_complete(ids: Sequence[str], found: Container[str], name: str, noun: str) -> None:
    missing = [one for one in ids if one not in found]
    if missing:
        raise FormatError(
            f"{name}: {len(missing):,} of {len(ids):,} {noun}s have no scores (first: "
            f"{missing[0][:80]}). Give scores of all {noun}s of this set; join the logs of all "
            "measured splits, each of which has one."
        )


def _from_lm_output(
    lines: Sequence[str], questions: Sequence[Question], name: str
) -> list[list[float]]:
    expected_count = sum(len(question.options) for question in questions)
    if len(lines) != expected_count:
        raise FormatError(
            f"{name}: {len(lines)} lines for {expected_count} options; expected one line for "
            "each option, in the order of the lm questions"
        )
    rows: list[list[float]] = []
    number = 0
    for question in questions:
        row = []
        for option in question.options:
            number += 1
            sentence, tab, score = lines[number - 1].rpartition("\t")
            where = f"{name}, line {number}"
            if not tab or _inner_tokens(sentence.split()) != _inner_tokens(
                question.blank.filled(option)
            ):
                found = quote(lines[number - 1])
                raise FormatError(
                    f"{where}: expected the sentence of {question.id} with {option!r}, a tab "
                    f"and a score, found {found}"
                )
            row.append(_finite_score(score, where))
        rows.append(row)
    return rows


def _inner_tokens(tokens: Sequence[str]) -> list[str]:
    """Tokens without `<s>`, `</s>` and the final full stop, which the lm format omits."""
    inner = [token for token in tokens if token not in ("<s>", "</s>")]
    return inner[:-1] if inner and inner[-1] == "." else inner


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
    samples = {sample.id: sample for sample in parse_sample_log(text, name=name)}
    _check_complete(list(dict.fromkeys(one.id for one in passages)), samples, name, "passage")
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
