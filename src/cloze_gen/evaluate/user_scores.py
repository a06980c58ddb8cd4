"""Option scores of the user's own model: JSON Lines, a log of lm-evaluation-harness, or the challenge's ``sentence TAB score`` lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cloze_gen.errors import FormatError
from cloze_gen.evaluate.metrics import score_matrix
from cloze_gen.evaluate.sample_log import is_sample_log, parse_sample_log
from cloze_gen.evaluate.score_value import finite_score
from cloze_gen.notation import NotationError, parse_json, shown
from cloze_gen.records.question import Question


def parse_user_scores(text: str, questions: Sequence[Question], *, name: str = "scores") -> NDArray[np.float64]:
    """Scores of any form, told apart by the first line: ``{"id": ..., "scores": [...]}``, a log of lm-evaluation-harness (`sample_log`),
    whose natural logarithms are scores as they are, or ``<s> ... </s> TAB score``.

    Returns:
        float64, shape (n, k), in the order of `questions` and of their options; NaN beyond an item's options.
    Raises:
        FormatError: a question lacks its scores or has them twice, a score is no finite number, or a sentence is not the one expected.
    """
    lines = [line for line in text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n") if line.strip()]
    if not lines:
        raise FormatError(f"{name}: empty; expected one JSON object a question or one 'sentence TAB score' line an option")
    if is_sample_log(text):
        return score_matrix(_from_log(text, questions, name))
    return score_matrix(
        _from_json(lines, questions, name) if lines[0].lstrip().startswith("{") else _from_lm_output(lines, questions, name)
    )


def _from_json(lines: Sequence[str], questions: Sequence[Question], name: str) -> list[list[float]]:
    by_id: dict[str, list[float]] = {}
    option_counts = {question.id: len(question.options) for question in questions}
    for number, line in enumerate(lines, 1):
        where = f"{name}, line {number}"
        try:
            record = parse_json(line)
        except NotationError as error:
            raise FormatError(f'{where}: not JSON ({error}); expected {{"id": ..., "scores": [...]}}') from None
        if not isinstance(record, dict) or not isinstance(record.get("id"), str) or not isinstance(record.get("scores"), list):
            raise FormatError(f'{where}: expected {{"id": ..., "scores": [...]}}, found {shown(line)}')
        item_id, values = record["id"], record["scores"]
        if item_id in by_id:
            raise FormatError(f"{where}: the id {item_id[:80]} has scores on an earlier line")
        if item_id not in option_counts:
            continue  # scores of a larger set serve a part of it
        if len(values) != option_counts[item_id]:
            raise FormatError(f"{where}: {len(values)} scores for the {option_counts[item_id]} options of {item_id}")
        if any(isinstance(value, str) for value in values):
            raise FormatError(f"{where}: the scores of {shown(item_id)} must be numbers, without quotation marks")
        by_id[item_id] = [finite_score(value, where) for value in values]
    return _in_order(by_id, questions, name)


def _from_log(text: str, questions: Sequence[Question], name: str) -> list[list[float]]:
    by_id = {question.id: question for question in questions}
    found: dict[str, list[float]] = {}
    for sample in parse_sample_log(text, name=name):
        question = by_id.get(sample.id)
        if question is not None:
            sample.check_options(question.options, question.answer_index)
            found[question.id] = list(sample.ln_probs)
    return _in_order(found, questions, name)


def _in_order(by_id: Mapping[str, list[float]], questions: Sequence[Question], name: str) -> list[list[float]]:
    missing = [question.id for question in questions if question.id not in by_id]
    if missing:
        raise FormatError(f"{name}: no scores for {len(missing)} of {len(questions)} questions, the first is {missing[0]}")
    return [by_id[question.id] for question in questions]


def _from_lm_output(lines: Sequence[str], questions: Sequence[Question], name: str) -> list[list[float]]:
    expected_count = sum(len(question.options) for question in questions)
    if len(lines) != expected_count:
        raise FormatError(f"{name}: {len(lines)} lines for {expected_count} options; expected a line an option, in the lm questions' order")
    rows: list[list[float]] = []
    number = 0
    for question in questions:
        row = []
        for option in question.options:
            number += 1
            sentence, tab, score = lines[number - 1].rpartition("\t")
            where = f"{name}, line {number}"
            if not tab or _inner_tokens(sentence.split()) != _inner_tokens(question.blank.filled(option)):
                found = shown(lines[number - 1])
                raise FormatError(f"{where}: expected the sentence of {question.id} with {option!r}, a tab and its score, found {found}")
            row.append(finite_score(score, where))
        rows.append(row)
    return rows


def _inner_tokens(tokens: Sequence[str]) -> list[str]:
    """Tokens without the sentence's marks and its final full stop, which the lm format leaves out."""
    inner = [token for token in tokens if token not in ("<s>", "</s>")]
    return inner[:-1] if inner and inner[-1] == "." else inner
