"""The forward score: how well a word and its predecessor predict the next token (MSR 2.2 steps 4 and 5).

"Score each option according to how well it and its immediate predecessor predict the next word ... the probability of 'and' following
'most handsome'": P(next token | predecessor, option). The best `keep` are retained.
"""

from __future__ import annotations

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from cloze_gen.lm.forward_index import ForwardIndex


class ForwardSettings(BaseModel):
    """Settings of the forward filter."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    keep: int = Field(30, ge=4, description="alternates retained, best forward score first; MSR 2.2 step 5")


def forward_log10_probs(index: ForwardIndex, *, predecessor: int, options: np.ndarray, next_word: int) -> np.ndarray:
    """log10 P(next | predecessor, option) of each option; ids in, float32 of shape (n,) out."""
    histories = np.column_stack([np.full(len(options), predecessor, np.int64), options])
    return index.log10_probs(histories[:, -(index.order - 1) :], np.full(len(options), next_word, np.int64))


def sentence_log10_probs(index: ForwardIndex, *, ids: np.ndarray, position: int, options: np.ndarray) -> np.ndarray:
    """log10 probability of the whole sentence with each option in place.

    Only the windows that hold the option differ between options; the others are added once.

    Args:
        ids: the sentence's ids, `<s>` first and `</s>` last.
        position: index of the blank in `ids`.
        options: ids of the options, shape (n,).
    Returns:
        float64, shape (n,).
    """
    reach = index.order - 1
    padded = np.concatenate([np.full(reach, -1, np.int64), ids])
    at = np.arange(1, len(ids))
    filled = np.repeat(padded[None, :], len(options), axis=0)
    filled[:, position + reach] = options
    touched = at[(at >= position) & (at <= position + reach)]
    total = np.zeros(len(options))
    for i in touched:
        total += index.log10_probs(filled[:, i : i + reach], filled[:, i + reach])
    rest = at[(at < position) | (at > position + reach)]
    if len(rest):
        histories = np.stack([padded[i : i + reach] for i in rest])
        total += index.log10_probs(histories, padded[rest + reach]).sum(dtype=np.float64)
    return total


def best_forward(forward_log10: np.ndarray, history_log10: np.ndarray, *, keep: int) -> np.ndarray:
    """Positions of the `keep` best by forward score; ties by the history score, then by position.

    >>> best_forward(np.array([-2.0, -1.0, -2.0]), np.array([-3.0, -9.0, -1.0]), keep=2)
    array([1, 2])
    """
    order = np.lexsort((np.arange(len(forward_log10)), -history_log10, -forward_log10))
    return order[:keep]
