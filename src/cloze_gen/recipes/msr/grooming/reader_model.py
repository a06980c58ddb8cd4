"""Logistic models of readers' marks on a candidate (MSR 2.3, guidelines 1, 2).

Limits on single measures would cut off impostors but never answers, and so reveal the answer.
`training/grooming/fit.py` fits the models and writes their weights to `reader_weights.json`.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cloze_gen.english.penn_tags import TAGS_OF_CLASS
from cloze_gen.english.word_lists import After, Before
from cloze_gen.english.word_lists import after as kind_after
from cloze_gen.english.word_lists import before as kind_before
from cloze_gen.recipes.msr.grooming.candidates import Item
from cloze_gen.recipes.msr.grooming.frames import Frame
from cloze_gen.recipes.msr.grooming.measures import OF_MODEL, Measures
from cloze_gen.word_tokens import is_word

WEIGHTS_FILE = Path(__file__).with_name("reader_weights.json")
Weights = Mapping[str, Mapping[str, float]]  # mark -> feature or "constant" -> weight

# Measures of the candidate, and their difference from the answer's (`_gained`). The scores that the
# choice balances (history, forward, sentence, frequency, length) are excluded. They add little (AUC
# 0.783 with them, 0.772 without), and a limit on them would cut off impostors on one side.
_OF_CANDIDATE = (
    "similarity", "topicality", "topicality_gained",
    "attested_before", "attested_after", "attested_history", "attested_around", "attested_following",
    "fit_before", "fit_before_gained", "fit_after", "fit_after_gained", "beside_before", "beside_before_gained", "beside_after",
    "beside_after_gained", "use_before", "use_before_gained", "use_after", "use_after_gained",
    "takes_frame",
)  # fmt: skip
# Of the place, the same for all candidates.
_OF_PLACE = ("answer_topicality", "tokens", "content_words", "place")
_OF_MODEL = tuple(f"{name}_gained" for name in OF_MODEL)
_TAGS = tuple(
    tag for name in ("noun", "verb", "adjective", "adverb") for tag in TAGS_OF_CLASS[name]
)
FEATURES = (
    *_OF_CANDIDATE,
    *_OF_PLACE,
    *(f"tag_{tag}" for tag in _TAGS),
    *(f"frame_{frame}" for frame in Frame),
    *(f"before_{kind.name.lower()}" for kind in Before),
    *(f"after_{kind.name.lower()}" for kind in After),
    *_OF_MODEL,
    "answer_model_word",
)
_COLUMN = {name: i for i, name in enumerate(FEATURES)}
_MOST = 12.0  # limit of logs and associations of unseen events


@dataclass(frozen=True, slots=True)
class Marks:
    """Expected shares of readers' marks; float64, shape (candidates,), 0 to 1."""

    fits_as_well: np.ndarray
    ungrammatical: np.ndarray
    plausible: np.ndarray


@functools.cache
def read_weights(*, with_language_model: bool) -> Weights:
    """The weights that ship with the package."""
    weights: dict[str, Weights] = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    return weights[weights_name(with_language_model=with_language_model)]


def weights_name(*, with_language_model: bool) -> str:
    """Key of a set of weights in the file."""
    return "with_language_model" if with_language_model else "without_language_model"


def place_features(item: Item, *, frequent: Container[str]) -> dict[str, float]:
    """Features of a blank's place; `frequent` has the case-folded words that are no topic words."""
    others = [token for i, token in enumerate(item.sentence.tokens) if i != item.position]
    content_words = sum(is_word(token) and token.casefold() not in frequent for token in others)
    features = {
        "tokens": float(np.log2(len(item.printed))),
        "content_words": float(np.log2(1 + content_words)),
        "place": item.rank / len(item.printed),
        f"tag_{item.tag}": 1.0,
        f"frame_{item.frame}": 1.0,
        f"before_{kind_before(item.before).name.lower()}": 1.0,
        f"after_{kind_after(item.after).name.lower()}": 1.0,
    }
    return {name: value for name, value in features.items() if name in _COLUMN}


def features_of(measures: Measures, places: Sequence[Mapping[str, float]]) -> np.ndarray:
    """Features of candidates, float64, shape (candidates, features), in the order of `FEATURES`.

    `places`: features of each item's place. Unknown measures become 0.
    """
    has_model = OF_MODEL[0] in measures.candidates
    of_place = np.zeros((len(places), len(FEATURES)))
    for row, place in zip(of_place, places, strict=True):
        for name, value in place.items():
            row[_COLUMN[name]] = value
    of_place[:, _COLUMN["answer_topicality"]] = measures.answers["topicality"]
    if has_model:
        of_place[:, _COLUMN["answer_model_word"]] = measures.answers["model_word"]
    table = of_place[measures.item]
    for name in (*_OF_CANDIDATE, *(_OF_MODEL if has_model else ())):
        measure = name.removesuffix("_gained")
        values = measures.candidates[measure]
        if name.endswith("_gained"):
            values = values - measures.answers[measure][measures.item]
        table[:, _COLUMN[name]] = values
    return np.clip(np.nan_to_num(table, nan=0.0, posinf=_MOST, neginf=-_MOST), -_MOST, _MOST)


def predict_marks(features: np.ndarray, weights: Weights) -> Marks:
    return Marks(
        _probability(features, weights["fits_as_well"]),
        _probability(features, weights["ungrammatical"]),
        _probability(features, weights["plausible"]),
    )


def _probability(features: np.ndarray, weights: Mapping[str, float]) -> np.ndarray:
    column = np.array([weights.get(name, 0.0) for name in FEATURES])
    return np.asarray(1.0 / (1.0 + np.exp(-(features @ column + weights["constant"]))))
