"""The screen: how many readers would probably find a second answer. The paper has no such step.

It treats the five options alike and never compares an option with the words of the sentence. A
screen that compared impostors with the answer, or options with the sentence, let a classifier of
the options alone find 37 % of the answers.
`training/screen/fit.py` fits the weights to readers' marks.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from cloze_gen.english.word_lists import After, Before
from cloze_gen.english.word_lists import after as kind_after
from cloze_gen.english.word_lists import before as kind_before
from cloze_gen.formats.printed_tokens import rendered_positions
from cloze_gen.models.contexts import read_builtin_words
from cloze_gen.recipes.common import expected_share
from cloze_gen.recipes.scs.screen_weights import WEIGHTS

FEATURES = (
    "similarity",
    *("noun", "verb", "adjective", "adverb"),
    "attributive",
    "tokens",
    "place",
    *(f"before_{kind.name.lower()}" for kind in Before),
    *(f"after_{kind.name.lower()}" for kind in After),
)


_builtin_words = functools.cache(read_builtin_words)


def features_of(
    tokens: Sequence[str], position: int, similarity: np.ndarray, *, word_class: str
) -> np.ndarray:
    """Features of pairs of words for one blank; float64, shape (pairs, features).

    `similarity`: cosines of the two words, shape (pairs,).
    """
    shown = rendered_positions(tokens)
    printed, at = [tokens[i] for i in shown], shown.index(position)
    before, after = kind_before(printed[at - 1]), kind_after(printed[at + 1])
    place = {
        word_class: 1.0,
        "attributive": float(word_class == "adjective" and after is After.OPEN),
        "tokens": float(np.log2(len(printed))),
        "place": at / len(printed),
        f"before_{before.name.lower()}": 1.0,
        f"after_{after.name.lower()}": 1.0,
    }
    columns = [
        similarity if name == "similarity" else np.full(len(similarity), place.get(name, 0.0))
        for name in FEATURES
    ]
    return np.column_stack(columns).astype(np.float64)


def expected_ambiguity(
    tokens: Sequence[str],
    position: int,
    options: Sequence[str],
    *,
    word_class: str,
) -> float:
    """Expected share of readers who find a second answer, if each option is equally the answer."""
    later = [options[i + 1 :] for i in range(len(options) - 1)]
    similarity = _builtin_words().similarity(later, options[:-1])
    features = features_of(tokens, position, similarity, word_class=word_class)
    fits = expected_share(features, FEATURES, WEIGHTS)
    # An answer is in four of the ten pairs of five options.
    return float(1.0 - np.exp(4 * np.log1p(-fits).mean()))
