"""Logistic models of readers' marks on a candidate (MSR 2.3, guidelines 1, 2).

Limits on single measures would cut off impostors but never answers, and so reveal the answer.
`training/grooming/fit.py` fits the models and writes their weights to `reader_weights.json`.
"""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from pathlib import Path

import numpy as np

from cloze_gen.english.penn_tags import TAGS_OF_CLASS
from cloze_gen.english.word_lists import After, Before
from cloze_gen.english.word_lists import after as kind_after
from cloze_gen.english.word_lists import before as kind_before
from cloze_gen.recipes.common import expected_share
from cloze_gen.recipes.msr.grooming.candidates import Item
from cloze_gen.recipes.msr.grooming.frames import Frame
from cloze_gen.word_tokens import is_word

WEIGHTS_FILE = Path(__file__).with_name("reader_weights.json")
Weights = Mapping[str, Mapping[str, float]]  # mark -> feature or "constant" -> weight

# The scores that the choice balances (history, forward, sentence, frequency, length) are no
# features. They add little (AUC 0.783 with them, 0.772 without), and a limit on them would cut off
# impostors on one side.
_OF_CANDIDATE = (
    "similarity", "topicality", "topicality_gained", "answer_topicality",
    "attested_before", "attested_after", "attested_history", "attested_around", "attested_following",
    "fit_before", "fit_before_gained", "fit_after", "fit_after_gained", "beside_before", "beside_before_gained", "beside_after",
    "beside_after_gained", "use_before", "use_before_gained", "use_after", "use_after_gained",
    "takes_frame",
    # with a language model
    "model_word_gained", "model_after_gained", "answer_model_word",
)  # fmt: skip
_TAGS = [tag for name in ("noun", "verb", "adjective", "adverb") for tag in TAGS_OF_CLASS[name]]
# the same for all candidates of a blank
_OF_PLACE = (
    *("tokens", "content_words", "place"),
    *(f"tag_{tag}" for tag in _TAGS),
    *(f"frame_{frame}" for frame in Frame),
    *(f"before_{kind.name.lower()}" for kind in Before),
    *(f"after_{kind.name.lower()}" for kind in After),
)
FEATURES = (*_OF_CANDIDATE, *_OF_PLACE)
_MOST = 12.0  # limit of logs and associations of unseen events


def read_weights(*, with_language_model: bool) -> Weights:
    """The weights that ship with the package."""
    weights: dict[str, Weights] = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    return weights["with_language_model" if with_language_model else "without_language_model"]


def place_features(item: Item, *, frequent: Container[str]) -> dict[str, float]:
    """Features of a blank's place; `frequent` has the case-folded words that are no topic words."""
    content_words = sum(
        is_word(token) and token.casefold() not in frequent for token in item.others
    )
    return {
        "tokens": float(np.log2(len(item.printed))),
        "content_words": float(np.log2(1 + content_words)),
        "place": item.rank / len(item.printed),
        f"tag_{item.tag}": 1.0,
        f"frame_{item.frame}": 1.0,
        f"before_{kind_before(item.before).name.lower()}": 1.0,
        f"after_{kind_after(item.after).name.lower()}": 1.0,
    }


def features_of(
    measures: Mapping[str, np.ndarray], places: Sequence[Mapping[str, float]], item: np.ndarray
) -> np.ndarray:
    """Features of candidates, float64, shape (candidates, features), in the order of `FEATURES`.

    `places`: features of each item's place; `item`: the item of each candidate. Unknown ones become 0.
    """
    of_candidate = [measures.get(name, np.zeros(len(item))) for name in _OF_CANDIDATE]
    of_place = [np.array([place.get(name, 0.0) for place in places])[item] for name in _OF_PLACE]
    table = np.column_stack([*of_candidate, *of_place])
    return np.clip(np.nan_to_num(table, nan=0.0, posinf=_MOST, neginf=-_MOST), -_MOST, _MOST)


def predict_marks(features: np.ndarray, weights: Weights) -> dict[str, np.ndarray]:
    """Mark -> the expected share of readers who give it to each candidate; shape (candidates,)."""
    return {mark: expected_share(features, FEATURES, of_mark) for mark, of_mark in weights.items()}
