"""What readers would say of a candidate in the answer's place: models fitted on thousands of their marks (MSR 2.3, guidelines 1 and 2).

The paper's judges pick four impostors out of thirty. Until a human grooms, three logistic models stand in for them: would a reader say
that the candidate *fits as well* as the answer, that it *breaks the grammar*, that it is *plausible* though worse? They replace a row of
hard bounds, each on one measure: a bound cuts the impostors off on one side of a score and never the answer, and a trained adversary reads
the edge; and a candidate just above one bound, and far below all others, was lost for nothing. `training/grooming/` drew the marks and
fitted the weights; `docs/grooming.md` has what they are worth on books that they never saw.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cloze_gen.english.closed_classes import After, Before
from cloze_gen.english.penn_tags import TAGS_OF_CLASS
from cloze_gen.recipes.msr.steps.reader_weights import WEIGHTS
from cloze_gen.recipes.msr.steps.word_place import Frame

# The candidate's own measures, and by how much they are above the answer's (`_gained`). None is a score that the choice levels (history,
# forward, sentence, frequency, length): they say little more (AUC 0.783 with them, 0.772 without), and a bound on what they tell would cut
# impostors off on one side of them, which an adversary reads.
_OWN = (
    "similarity", "topicality", "topicality_gained",
    "attested_before", "attested_after", "attested_history", "attested_around", "attested_following",
    "fit_before", "fit_before_gained", "fit_after", "fit_after_gained", "beside_before", "beside_before_gained", "beside_after",
    "beside_after_gained", "use_before", "use_before_gained", "use_after", "use_after_gained",
    "takes_frame",
)  # fmt: skip
# What is said of the place, the same for all candidates.
_PLACE = ("answer_topicality", "tokens", "content_words", "place")
_TAGS = tuple(tag for name in ("noun", "verb", "adjective", "adverb") for tag in TAGS_OF_CLASS[name])
FEATURES = (
    *_OWN,
    *_PLACE,
    *(f"tag_{tag}" for tag in _TAGS),
    *(f"frame_{frame}" for frame in Frame),
    *(f"before_{kind.name.lower()}" for kind in Before),
    *(f"after_{kind.name.lower()}" for kind in After),
)
_COLUMN = {name: i for i, name in enumerate(FEATURES)}
_MOST = 12.0  # no log or likeness says more than this: what is unheard of is unheard of


@dataclass(frozen=True, slots=True)
class Place:
    """What is known of the blank's place, for all its candidates alike.

    Attributes:
        tag: the answer's Penn tag, empty where no tagger was asked; `frame` what the place asks for, None for nothing.
        before, after: kinds of the printed neighbours.
        tokens: printed; `content_words`: those beside the blank that are rarer than `frequent_freq`; `place` of the blank, 0 to 1.
    """

    tag: str
    frame: Frame | None
    before: Before
    after: After
    tokens: int
    content_words: int
    place: float


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the models expect of readers, for each of some candidates; float64, shape (candidates,), 0 to 1.

    Attributes:
        fits_as_well: the share of readers' marks that would say so; likewise `ungrammatical` and `plausible` (or fitting as well).
    """

    fits_as_well: np.ndarray
    ungrammatical: np.ndarray
    plausible: np.ndarray


def features_of(measures: Mapping[str, np.ndarray], place: Place) -> np.ndarray:
    """The features of some candidates for one blank.

    Args:
        measures: name without `_gained` -> float64, shape (1 + candidates,), the answer first. `answer_topicality` is taken from it.
    Returns:
        float64, shape (candidates, features), in the order of `FEATURES`; what is not known is 0.
    """
    n = len(next(iter(measures.values()))) - 1
    table = np.zeros((n, len(FEATURES)))
    for name in _OWN:
        own = measures[name.removesuffix("_gained")]
        table[:, _COLUMN[name]] = own[1:] - own[0] if name.endswith("_gained") else own[1:]
    said = {
        "answer_topicality": float(measures["topicality"][0]),
        "tokens": np.log2(place.tokens),
        "content_words": np.log2(1 + place.content_words),
        "place": place.place,
    }
    marks = (f"tag_{place.tag}", f"frame_{place.frame}", f"before_{place.before.name.lower()}", f"after_{place.after.name.lower()}")
    said |= {name: 1.0 for name in marks if name in _COLUMN}
    for name, value in said.items():
        table[:, _COLUMN[name]] = value
    return np.clip(np.nan_to_num(table, nan=0.0, posinf=_MOST, neginf=-_MOST), -_MOST, _MOST)


def opinion(features: np.ndarray, weights: Mapping[str, Mapping[str, float]] = WEIGHTS) -> Opinion:
    """What readers would say.

    Args:
        features: shape (candidates, features), as `features_of`.
        weights: of each model the weight of each feature that has any, and of the `constant`.
    """
    return Opinion(**{name: _probability(features, weights[name]) for name in ("fits_as_well", "ungrammatical", "plausible")})


def _probability(features: np.ndarray, weights: Mapping[str, float]) -> np.ndarray:
    column = np.zeros(len(FEATURES))
    for name, weight in weights.items():
        if name != "constant":
            column[_COLUMN[name]] = weight
    return np.asarray(1.0 / (1.0 + np.exp(-(features @ column + weights["constant"]))))
