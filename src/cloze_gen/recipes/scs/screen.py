"""The screen: questions in which readers would probably find a second answer are dropped.

The paper has no such step. It only drops questions: impostors are drawn before it. It looks at the
five options and the kind of place alike, whichever option is the answer, and never at an option's
relation to the sentence. A screen that compared impostors with the answer, or options with the
sentence, let a classifier of the options alone find 37 % of the answers.
`training/screen/fit.py` fits the weights to readers' marks.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.word_lists import After, Before
from cloze_gen.english.word_lists import after as kind_after
from cloze_gen.english.word_lists import before as kind_before
from cloze_gen.formats.printed_tokens import rendered_positions
from cloze_gen.models.contexts import read_builtin_words
from cloze_gen.models.word_knowledge import WordKnowledge
from cloze_gen.recipes.scs.impostors import IMPOSTORS
from cloze_gen.recipes.scs.screen_weights import WEIGHTS
from cloze_gen.recipes.tables import read_source_sentences
from cloze_gen.records.rejection import Reason, Rejection
from cloze_gen.records.sentence import sentence_of
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import (
    FOCUS,
    REJECTED,
    read_parquet,
    rejection_columns,
    write_parquet,
)

_ITEMS_A_PART = 2048


class ScreenSettings(SettingsGroup):
    max_ambiguity: float = Field(
        0.14,
        gt=0,
        le=1,
        description="share of readers whom an impostor suits; 1: off",
    )

    @property
    def is_on(self) -> bool:
        return self.max_ambiguity < 1


class ScreenReason(Reason):
    AMBIGUOUS = (
        "screen_ambiguous",
        "readers would probably find that an impostor fits as well (screen.max_ambiguity)",
    )


FEATURES = (
    "similarity",
    *("noun", "verb", "adjective", "adverb"),
    "attributive",
    "tokens",
    "place",
    *(f"before_{kind.name.lower()}" for kind in Before),
    *(f"after_{kind.name.lower()}" for kind in After),
)


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


def ambiguity(features: np.ndarray, weights: Mapping[str, float] = WEIGHTS) -> float:
    """Expected share of readers who find a second answer, if each option is equally the answer.

    `features` are of all ten pairs of five options. Of these, an answer is in four.

    >>> even = np.zeros((10, len(FEATURES)))  # each pair is as good for half of the readers
    >>> ambiguity(even, {"constant": 0.0})
    0.9375
    """
    column = np.array([weights.get(name, 0.0) for name in FEATURES])
    fits = 1.0 / (1.0 + np.exp(-(features @ column + weights["constant"])))
    return float(1.0 - np.exp(4 * np.log1p(-fits).mean()))


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drawn question; `words` are the options."""

    tokens: Sequence[str]
    position: int
    words: tuple[str, ...]
    word_class: str


@functools.cache
def _builtin_words() -> WordKnowledge:
    return read_builtin_words()


def screen_part(items: Sequence[Drawn]) -> list[float]:
    return [expected_ambiguity(item, _builtin_words()) for item in items]


def expected_ambiguity(item: Drawn, space: WordKnowledge) -> float:
    words = item.words
    similarity = space.similarity([words[i + 1 :] for i in range(len(words) - 1)], words[:-1])
    return ambiguity(
        features_of(item.tokens, item.position, similarity, word_class=item.word_class)
    )


SCREENED = "screen.parquet"


def write_screen(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    focus: Artifact,
    impostors: Artifact,
    settings: ScreenSettings,
    builtin_words: Mapping[str, Any],
) -> None:
    """Write the expected ambiguity of each question; `builtin_words`: `builtin_words_facts`."""
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
    words_version = str(builtin_words["sha256"])[:16]
    writer.versions |= {"numpy": np.__version__, "pyarrow": pa.__version__, "words": words_version}
    ctx.say(f"{sum(kept):,} of {len(ids):,} questions pass the screen")
