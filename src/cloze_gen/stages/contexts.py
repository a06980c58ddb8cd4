"""Context vectors of the option words, as an artifact: the measure behind the predicate *substitutable*."""

from __future__ import annotations

import numpy as np
import scipy
import sklearn
from pydantic import BaseModel, ConfigDict, Field

from cloze_gen.cloze.focus import FocusSettings
from cloze_gen.stages.counts import read_counts
from cloze_gen.stages.room import Room
from cloze_gen.stages.training_text import TOKENS
from cloze_gen.stats.context_vectors import context_counts, context_vectors
from cloze_gen.stats.counts import CountTable
from cloze_gen.stats.vocabulary import option_mask
from cloze_gen.store.artifacts import Artifact, ArtifactWriter

VECTORS, VECTOR_WORDS = "vectors.npy", "words.txt"
_SEED = 0  # of the randomized SVD; the vectors are a measure, not a draw, so the run's seed does not touch them


class ContextSettings(BaseModel):
    """Settings of the context vectors."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    window: int = Field(2, ge=1, le=10, description="tokens on each side; small windows measure likeness of meaning, large ones of topic")
    features: int = Field(8000, ge=10, description="the most frequent types serve as features")
    dimensions: int = Field(100, ge=2, description="of the truncated SVD")


def write_context_vectors(
    writer: ArtifactWriter, room: Room, *, text: Artifact, counts: Artifact, focus: FocusSettings, settings: ContextSettings
) -> None:
    """Vectors of every word that may be an option; float32 rounded to 4 decimals, one row a line of `words.txt`."""
    table = read_counts(counts)
    allowed = np.flatnonzero(option_words(table, focus))
    target_row = np.full(len(table.words) + 1, -1, np.int64)
    target_row[allowed + 1] = np.arange(len(allowed))
    feature_column = np.full(len(table.words) + 1, -1, np.int64)
    features = min(settings.features, len(table.words))
    feature_column[1 : features + 1] = np.arange(features)
    corpus = np.load(text.path(TOKENS), mmap_mode="r")
    found = context_counts(corpus, target_row=target_row, feature_column=feature_column, window=settings.window)
    vectors = context_vectors(found, dimensions=settings.dimensions, seed=_SEED)
    np.save(writer.path(VECTORS), np.round(vectors, 4))
    writer.path(VECTOR_WORDS).write_text("".join(table.words[i] + "\n" for i in allowed), encoding="utf-8")
    writer.rows |= {VECTORS: len(vectors), VECTOR_WORDS: len(allowed)}
    writer.versions |= {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__}
    room.say(f"{len(allowed):,} words, {found.nnz:,} word-neighbour pairs")


def option_words(table: CountTable, focus: FocusSettings) -> np.ndarray:
    """Which types may be options, under the focus settings; one rule for answers and alternates."""
    return option_mask(table, max_freq=focus.max_freq, min_count=focus.min_count, proper_names=focus.proper_names)


def read_vectors(artifact: Artifact) -> tuple[dict[str, int], np.ndarray]:
    """Row of each word, and the unit vectors."""
    words = artifact.path(VECTOR_WORDS).read_text(encoding="utf-8").split("\n")[:-1]
    return {word: i for i, word in enumerate(words)}, np.load(artifact.path(VECTORS), mmap_mode="r")
