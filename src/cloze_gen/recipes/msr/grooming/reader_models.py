"""Logistic models of readers' marks on a candidate (MSR 2.3, guidelines 1, 2).

Limits on single measures would cut off impostors but never answers, and so reveal the answer.
`training/grooming/` fits the models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cloze_gen.english.penn_tags import TAGS_OF_CLASS
from cloze_gen.english.word_lists import After, Before
from cloze_gen.recipes.msr.grooming.reader_weights import WEIGHTS
from cloze_gen.recipes.msr.grooming.subcategorization import Frame

# ---- reader models

# Measures of the candidate, and their difference from the answer's (`_gained`). The scores that the
# choice balances (history, forward, sentence, frequency, length) are excluded. They add little (AUC
# 0.783 with them, 0.772 without), and a limit on them would cut off impostors on one side.
_OWN = (
    "similarity", "topicality", "topicality_gained",
    "attested_before", "attested_after", "attested_history", "attested_around", "attested_following",
    "fit_before", "fit_before_gained", "fit_after", "fit_after_gained", "beside_before", "beside_before_gained", "beside_after",
    "beside_after_gained", "use_before", "use_before_gained", "use_after", "use_after_gained",
    "takes_frame",
)  # fmt: skip
# Features of the place, the same for all candidates.
_PLACE = ("answer_topicality", "tokens", "content_words", "place")
# Of a causal language model, in log10, if there is one: of the word after what stands before it, and
# of the next words after both.
OF_MODEL = ("model_word", "model_after")
_OF_MODEL = ("model_word_gained", "model_after_gained", "answer_model_word")
_TAGS = tuple(
    tag for name in ("noun", "verb", "adjective", "adverb") for tag in TAGS_OF_CLASS[name]
)
FEATURES = (
    *_OWN,
    *_PLACE,
    *(f"tag_{tag}" for tag in _TAGS),
    *(f"frame_{frame}" for frame in Frame),
    *(f"before_{kind.name.lower()}" for kind in Before),
    *(f"after_{kind.name.lower()}" for kind in After),
    *_OF_MODEL,
)
_COLUMN = {name: i for i, name in enumerate(FEATURES)}
_MOST = 12.0  # limit of logs and associations of unseen events


@dataclass(frozen=True, slots=True)
class Place:
    """Properties of the blank; `tag` is empty without a tagger, `place` is 0 to 1 within the sentence."""

    tag: str
    frame: Frame | None
    before: Before
    after: After
    tokens: int
    content_words: int
    place: float


@dataclass(frozen=True, slots=True)
class Opinion:
    """Expected shares of readers' marks; float64, shape (candidates,), 0 to 1."""

    fits_as_well: np.ndarray
    ungrammatical: np.ndarray
    plausible: np.ndarray


def features_of(
    measures: Mapping[str, np.ndarray], places: Sequence[Place], sizes: np.ndarray
) -> np.ndarray:
    """Features of candidates, float64, shape (candidates, features), in the order of `FEATURES`.

    `measures` have shape (words,), blank after blank, the answer first; unknown ones become 0.
    `sizes`: words of each blank.
    """
    answers = np.cumsum(sizes) - sizes
    blank = np.repeat(np.arange(len(places)), sizes - 1)
    has_model = OF_MODEL[0] in measures
    of_place = np.zeros((len(places), len(FEATURES)))
    of_place[:, _COLUMN["answer_topicality"]] = measures["topicality"][answers]
    if has_model:
        of_place[:, _COLUMN["answer_model_word"]] = measures["model_word"][answers]
    for row, place in zip(of_place, places, strict=True):
        row[_COLUMN["tokens"]] = np.log2(place.tokens)
        row[_COLUMN["content_words"]] = np.log2(1 + place.content_words)
        row[_COLUMN["place"]] = place.place
        marks = (
            f"tag_{place.tag}",
            f"frame_{place.frame}",
            f"before_{place.before.name.lower()}",
            f"after_{place.after.name.lower()}",
        )
        row[[_COLUMN[name] for name in marks if name in _COLUMN]] = 1.0
    table = of_place[blank]
    for name in (*_OWN, *(_OF_MODEL[:2] if has_model else ())):
        values = measures[name.removesuffix("_gained")]
        own = np.delete(values, answers)
        gained = name.endswith("_gained")
        table[:, _COLUMN[name]] = own - values[answers][blank] if gained else own
    return np.clip(np.nan_to_num(table, nan=0.0, posinf=_MOST, neginf=-_MOST), -_MOST, _MOST)


def opinion(features: np.ndarray, weights: Mapping[str, Mapping[str, float]] = WEIGHTS) -> Opinion:
    return Opinion(
        **{
            name: _probability(features, weights[name])
            for name in ("fits_as_well", "ungrammatical", "plausible")
        }
    )


def _probability(features: np.ndarray, weights: Mapping[str, float]) -> np.ndarray:
    column = np.zeros(len(FEATURES))
    for name, weight in weights.items():
        if name != "constant":
            column[_COLUMN[name]] = weight
    return np.asarray(1.0 / (1.0 + np.exp(-(features @ column + weights["constant"]))))
