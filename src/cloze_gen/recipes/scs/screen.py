"""The screen: questions in which readers would probably find a second answer are dropped.

The paper has no such step. It only drops questions: impostors are drawn before it, without
statistics of word pairs. The measures are of the built-in words, so they are the same for all
books. `training/screen/fit.py` fits the weights to readers' marks.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pydantic import Field

from cloze_gen.corpus.normalization import rendered_positions
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.word_lists import After, Before
from cloze_gen.english.word_lists import after as kind_after
from cloze_gen.english.word_lists import before as kind_before
from cloze_gen.models.contexts import read_builtin_words
from cloze_gen.models.word_knowledge import WordKnowledge
from cloze_gen.recipes.scs.impostors import IMPOSTORS
from cloze_gen.recipes.scs.screen_weights import WEIGHTS
from cloze_gen.records.rejection import Reason, Rejection
from cloze_gen.records.sentence import sentence_of
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import (
    FOCUS,
    REJECTED,
    read_parquet,
    read_source_sentences,
    rejection_columns,
    write_parquet,
)

_ITEMS_A_PART = 2048


class ScreenSettings(SettingsGroup):
    max_ambiguity: float = Field(
        0.1,
        gt=0,
        le=1,
        description=(
            "exclusive: highest expected share of readers who find that an impostor fits as well "
            "as the answer; 1: no screen; not in the paper"
        ),
    )

    @property
    def is_on(self) -> bool:
        return self.max_ambiguity < 1


class ScreenReason(Reason):
    AMBIGUOUS = (
        "screen_ambiguous",
        "readers would probably find that an impostor fits as well (screen.max_ambiguity)",
    )


_MEASURES = (
    "similarity",
    "topicality",
    "fit_before",
    "fit_after",
    "beside_before",
    "beside_after",
)
_GAINED = _MEASURES[1:]
_CLASSES = ("noun", "verb", "adjective", "adverb")
FEATURES = (
    *_MEASURES,
    *(f"{name}_gained" for name in _GAINED),
    *_CLASSES,
    "attributive",
    "answer_topicality",
    "tokens",
    "place",
    *(f"before_{kind.name.lower()}" for kind in Before),
    *(f"after_{kind.name.lower()}" for kind in After),
)


def features_of(
    tokens: Sequence[str],
    position: int,
    words: Sequence[str],
    *,
    word_class: str,
    space: WordKnowledge,
) -> np.ndarray:
    """Features of the impostors; float64, shape (words - 1, features).

    `words` is the answer, then the impostors.
    """
    shown = rendered_positions(tokens)
    printed, at = [tokens[i] for i in shown], shown.index(position)
    others = [*printed[:at], *printed[at + 1 :]]
    near = printed[max(0, at - space.window) : at], printed[at + 1 : at + 1 + space.window]
    measured = {
        "similarity": space.similarity(words, words[0]),
        "topicality": space.topicality(words, others),
        "fit_before": space.neighbour_fit(words, near[0], []),
        "fit_after": space.neighbour_fit(words, [], near[1]),
        "beside_before": space.neighbour_frequency(words, printed[at - 1], side="before"),
        "beside_after": space.neighbour_frequency(words, printed[at + 1], side="after"),
    }
    before, after = kind_before(printed[at - 1]), kind_after(printed[at + 1])
    place = {
        word_class: 1.0,
        "attributive": float(word_class == "adjective" and after is After.OPEN),
        "answer_topicality": float(measured["topicality"][0]),
        "tokens": float(np.log2(len(printed))),
        "place": at / len(printed),
        f"before_{before.name.lower()}": 1.0,
        f"after_{after.name.lower()}": 1.0,
    }
    columns = [
        measured[name.removesuffix("_gained")][1:]
        - (measured[name.removesuffix("_gained")][0] if name.endswith("_gained") else 0.0)
        if name.removesuffix("_gained") in measured
        else np.full(len(words) - 1, place.get(name, 0.0))
        for name in FEATURES
    ]
    return np.nan_to_num(np.column_stack(columns), nan=0.0).astype(np.float64)


def ambiguity(features: np.ndarray, weights: Mapping[str, float] = WEIGHTS) -> float:
    """Expected share of readers who find a second answer, as if impostors were independent.

    >>> even = np.zeros((4, len(FEATURES)))  # each of four fits as well for half of the readers
    >>> ambiguity(even, {"constant": 0.0})
    0.9375
    """
    column = np.array([weights.get(name, 0.0) for name in FEATURES])
    fits = 1.0 / (1.0 + np.exp(-(features @ column + weights["constant"])))
    return float(1.0 - np.prod(1.0 - fits))


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drawn question: the answer and the impostors in `words`."""

    tokens: Sequence[str]
    position: int
    words: tuple[str, ...]
    word_class: str


@functools.cache
def _builtin_words() -> WordKnowledge:
    return read_builtin_words()


def screen_part(items: Sequence[Drawn]) -> list[float]:
    space = _builtin_words()
    return [
        ambiguity(
            features_of(
                item.tokens, item.position, item.words, word_class=item.word_class, space=space
            )
        )
        for item in items
    ]


SCREENED = "screen.parquet"


def write_screen(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    focus: Artifact,
    impostors: Artifact,
    settings: ScreenSettings,
) -> None:
    words: dict[str, list[str]] = {}
    for row in read_parquet(impostors.path(IMPOSTORS), columns=["id", "word"]).to_pylist():
        words.setdefault(row["id"], []).append(row["word"])
    rows = [row for row in read_parquet(focus.path(FOCUS)).to_pylist() if row["id"] in words]
    sentences = read_source_sentences(focus)
    drawn = [
        Drawn(
            sentences[sentence_of(row["id"])].tokens,
            row["position"],
            (row["word"], *words[row["id"]]),
            row["class"],
        )
        for row in rows
    ]
    parts = [drawn[i : i + _ITEMS_A_PART] for i in range(0, len(drawn), _ITEMS_A_PART)]
    expected = [one for part in ctx.map(screen_part, parts, unit="parts") for one in part]
    ids = [row["id"] for row in rows]
    kept = [one < settings.max_ambiguity for one in expected]
    rejected = [
        Rejection(item, ScreenReason.AMBIGUOUS)
        for item, passes in zip(ids, kept, strict=True)
        if not passes
    ]
    writer.rows[SCREENED] = write_parquet(
        writer.path(SCREENED),
        {
            "id": pa.array(ids, pa.string()),
            "ambiguity": pa.array(expected, pa.float32()),
            "kept": pa.array(kept, pa.bool_()),
        },
    )
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns(rejected))
    reasons = Counter(str(rejection.reason) for rejection in rejected)
    writer.funnel = funnel("questions", kept=sum(kept), rejected=reasons)
    writer.versions |= {"numpy": np.__version__, "pyarrow": pa.__version__}
    ctx.say(f"{sum(kept):,} of {len(ids):,} questions pass the screen")
