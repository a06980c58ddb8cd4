"""The forward score: how well a word and its predecessor predict the next token (MSR 2.2 steps 4 and 5).

"Score each option according to how well it and its immediate predecessor predict the next word ... the probability of 'and' following
'most handsome'": P(next token | predecessor, option). The best `keep` are retained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.settings import MOST_EACH, SettingsGroup


class ForwardSettings(SettingsGroup):
    """Settings of the forward filter."""

    keep: int = Field(30, ge=4, le=MOST_EACH, description="alternates retained, best forward score first; MSR 2.2 step 5")


@dataclass(frozen=True, slots=True)
class FilledSentence:
    """A sentence to be scored with each of several options in its blank.

    Attributes:
        ids: int64, the sentence's vocabulary ids, `<s>` first and `</s>` last.
        position: index of the blank in `ids`.
        options: int64, ids of the options, shape (n,).
    """

    ids: np.ndarray
    position: int
    options: np.ndarray


def forward_log10_probs(index: ForwardIndex, *, predecessors: np.ndarray, options: np.ndarray, next_words: np.ndarray) -> np.ndarray:
    """log10 P(next word | predecessor, option), row by row; int64 ids of shape (n,) in, float32 of shape (n,) out."""
    histories = np.column_stack([predecessors, options])
    return index.log10_probs(histories[:, -(index.order - 1) :], next_words)


def sentence_log10_probs(index: ForwardIndex, sentences: Sequence[FilledSentence]) -> list[np.ndarray]:
    """log10 P(sentence, `</s>` | `<s>`) of each sentence with each of its options in place.

    Only the n-grams that hold the option differ between options; the others are looked up once a sentence. All look-ups of all sentences
    are one search.

    Returns:
        one float64 array a sentence, shape (n,), in the order of its options.
    """
    touched, rest = zip(*(_windows(sentence, index.order) for sentence in sentences), strict=True) if sentences else ((), ())
    parts = [part.reshape(-1, index.order) for pair in zip(touched, rest, strict=True) for part in pair]
    if not parts:
        return []
    joined = np.concatenate(parts)
    scores = index.log10_probs(joined[:, :-1], joined[:, -1]).astype(np.float64)
    pieces = np.split(scores, np.cumsum([len(part) for part in parts])[:-1])
    return [
        moving.reshape(len(sentence.options), -1).sum(axis=1) + still.sum()
        for sentence, moving, still in zip(sentences, pieces[::2], pieces[1::2], strict=True)
    ]


def _windows(sentence: FilledSentence, order: int) -> tuple[np.ndarray, np.ndarray]:
    """The n-grams of a sentence: (options, touched, order) with the option in them, (others, order) without; -1 before `<s>`."""
    reach, position, length = order - 1, sentence.position, len(sentence.ids)
    padded = np.concatenate([np.full(reach, -1, np.int64), sentence.ids])
    grams = np.lib.stride_tricks.sliding_window_view(padded, order)[1:]  # one for each id after `<s>`
    first, last = position - 1, min(position + reach, length - 1)
    near = padded[first + 1 : last + reach + 1]
    filled = np.repeat(near[None, :], len(sentence.options), axis=0)
    filled[:, position + reach - first - 1] = sentence.options
    touched = np.lib.stride_tricks.sliding_window_view(filled, order, axis=1)
    return touched, np.concatenate([grams[:first], grams[last:]])


def best_forward(forward_log10: np.ndarray, history_log10: np.ndarray, *, keep: int) -> np.ndarray:
    """Positions of the `keep` best by forward score; ties by the history score, then by position. Scores of shape (n,), log10.

    >>> best_forward(np.array([-2.0, -1.0, -2.0]), np.array([-3.0, -9.0, -1.0]), keep=2)
    array([1, 2])
    """
    order = np.lexsort((np.arange(len(forward_log10)), -history_log10, -forward_log10))
    return order[:keep]
