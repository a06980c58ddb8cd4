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
from cloze_gen.recipes.scs.screen_weights import FITS_AS_WELL, UNGRAMMATICAL
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
        0.2,
        gt=0,
        le=1,
        description=(
            "exclusive: highest expected share of readers who find that an impostor fits as well "
            "as the answer; 1: no screen; not in the paper"
        ),
    )
    max_ungrammatical: float = Field(
        0.1,
        gt=0,
        le=1,
        description=(
            "exclusive: highest expected share of impostors that readers find ungrammatical; 1: "
            "no test; not in the paper"
        ),
    )

    @property
    def is_on(self) -> bool:
        return self.max_ambiguity < 1 or self.max_ungrammatical < 1


class ScreenReason(Reason):
    AMBIGUOUS = (
        "screen_ambiguous",
        "readers would probably find that an impostor fits as well (screen.max_ambiguity)",
    )
    UNGRAMMATICAL = (
        "screen_ungrammatical",
        "readers would probably find impostors ungrammatical (screen.max_ungrammatical)",
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


@dataclass(frozen=True, slots=True)
class Opinion:
    """Expected shares: of readers who find a second answer, of impostors found ungrammatical."""

    ambiguity: float
    ungrammatical: float

    @classmethod
    def of(cls, features: np.ndarray) -> Opinion:
        fits, wrong = (_probability(features, own) for own in (FITS_AS_WELL, UNGRAMMATICAL))
        return cls(float(1.0 - np.prod(1.0 - fits)), float(wrong.mean()))

    def fault(self, settings: ScreenSettings) -> ScreenReason | None:
        """Which limit of the screen the question exceeds.

        >>> limits = ScreenSettings(max_ambiguity=0.2, max_ungrammatical=1)
        >>> Opinion(0.1, 0.9).fault(limits), Opinion(0.2, 0.0).fault(limits)
        (None, <ScreenReason.AMBIGUOUS: 'screen_ambiguous'>)
        """
        if self.ambiguity >= settings.max_ambiguity < 1:
            return ScreenReason.AMBIGUOUS
        if self.ungrammatical >= settings.max_ungrammatical < 1:
            return ScreenReason.UNGRAMMATICAL
        return None


def _probability(features: np.ndarray, weights: Mapping[str, float]) -> np.ndarray:
    column = np.array([weights.get(name, 0.0) for name in FEATURES])
    return np.asarray(1.0 / (1.0 + np.exp(-(features @ column + weights["constant"]))))


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


def screen_part(items: Sequence[Drawn]) -> list[Opinion]:
    space = _builtin_words()
    return [
        Opinion.of(
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
    opinions = [one for part in ctx.map(screen_part, parts, unit="parts") for one in part]
    ids = [row["id"] for row in rows]
    rejected = [
        Rejection(item, fault)
        for item, opinion in zip(ids, opinions, strict=True)
        if (fault := opinion.fault(settings)) is not None
    ]
    dropped = {rejection.id for rejection in rejected}
    writer.rows[SCREENED] = write_parquet(
        writer.path(SCREENED),
        {
            "id": pa.array(ids, pa.string()),
            "ambiguity": pa.array([one.ambiguity for one in opinions], pa.float32()),
            "ungrammatical": pa.array([one.ungrammatical for one in opinions], pa.float32()),
            "kept": pa.array([item not in dropped for item in ids], pa.bool_()),
        },
    )
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns(rejected))
    reasons = Counter(str(rejection.reason) for rejection in rejected)
    writer.funnel = funnel("questions", kept=len(ids) - len(rejected), rejected=reasons)
    writer.versions |= {"numpy": np.__version__, "pyarrow": pa.__version__}
    ctx.say(f"{len(ids) - len(rejected):,} of {len(ids):,} questions pass the screen")
