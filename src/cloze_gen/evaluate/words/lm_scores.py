"""Scores a language model gives to options: the whole sentence, the word after its history, and the word after the option.

Source: Zweig & Burges 2011, 4.2 (whole sentence) and 2.2 (bias tests: the lowest score wins; the successor's score alone). The paper's
models are Good-Turing smoothed by the CMU toolkit; ours are KenLM's modified Kneser-Ney. Good-Turing discounts an n-gram by its count
and backs off to the lower order's *frequencies*; Kneser-Ney discounts by a constant (three of them, for counts 1, 2, 3+), always
interpolates, and its lower orders count how many *different* words precede. It is the stronger of the two (Chen & Goodman 1999).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluate.metrics import score_matrix
from cloze_gen.records.question import Question

if TYPE_CHECKING:
    from cloze_gen.lm.protocol import LanguageModel


def sentence_scores(model: LanguageModel, questions: Sequence[Question]) -> NDArray[np.float64]:
    """log10 P(<s> sentence </s>) with each option in the gap: float64, shape (n, k)."""
    return score_matrix([model.score_sentence(question.blank.filled(option)) for option in question.options] for question in questions)


def history_scores(model: LanguageModel, questions: Sequence[Question], *, history_tokens: int = 2) -> NDArray[np.float64]:
    """log10 P(option | the `history_tokens` tokens before it): float64, shape (n, k). MSR 2.2 step 2 has two."""
    return score_matrix(
        [model.log10_prob(_history(question, history_tokens), option) for option in question.options] for question in questions
    )


def forward_scores(model: LanguageModel, questions: Sequence[Question]) -> NDArray[np.float64]:
    """log10 P(next | predecessor, option): float64, shape (n, k). MSR 2.2 step 4: "it and its immediate predecessor predict the next word".

    An option at the very end of its sentence predicts ``</s>``.
    """
    rows = []
    for question in questions:
        following = question.tokens[question.position + 1] if question.position + 1 < len(question.tokens) else "</s>"
        rows.append([model.log10_prob((*_history(question, 1), option), following) for option in question.options])
    return score_matrix(rows)


def _history(question: Question, count: int) -> tuple[str, ...]:
    """The last `count` tokens before the gap; ``<s>`` stands before the first."""
    return ("<s>", *question.tokens[: question.position])[-count:]
