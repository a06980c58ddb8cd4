"""What company the option words keep, as an artifact: measures that grooming reads.

- `vectors.npy`: context vectors, for the predicate *substitutable*;
- `association_*.npy`: association with the rarer words of a sentence, for the predicates on its topic;
- `word_frames.npy`: counts of what stands before and after, for the predicate on verbs and nouns.

Rows are the lines of `words.txt`, association columns those of `topic_words.txt`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
import scipy
from pydantic import Field
from threadpoolctl import threadpool_limits

from cloze_gen.recipes.msr.steps.focus import FocusSettings
from cloze_gen.settings import SettingsGroup
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.training_text import TOKENS
from cloze_gen.stages.room import Room
from cloze_gen.stats.associations import Associations, associations
from cloze_gen.stats.context_vectors import context_counts, context_vectors
from cloze_gen.stats.counts import CountTable
from cloze_gen.stats.vocabulary import option_mask
from cloze_gen.stats.word_frames import count_frames
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped
from cloze_gen.words import is_word

VECTORS, VECTOR_WORDS, FRAMES = "vectors.npy", "words.txt", "word_frames.npy"
TOPIC_WORDS = "topic_words.txt"
ASSOCIATIONS = {name: f"association_{name}.npy" for name in ("start", "feature", "pmi")}
_SEED = 0  # of the randomized SVD; the vectors are a measure, not a draw, so the run's seed does not touch them


class ContextSettings(SettingsGroup):
    """Settings of the context vectors."""

    window: int = Field(2, ge=1, le=10, description="tokens on each side; small windows measure likeness of meaning, large ones of topic")
    features: int = Field(8000, ge=10, le=65_536, description="the most frequent types serve as features")
    dimensions: int = Field(100, ge=2, le=2000, description="of the truncated SVD")
    topic_window: int = Field(12, ge=1, le=40, description="tokens on each side in which words are associated")
    topic_max_freq: float = Field(1e-3, gt=0, le=1, description="exclusive: rarer words among the features tell a sentence's topic")


def write_context_vectors(
    writer: ArtifactWriter, room: Room, *, text: Artifact, counts: Artifact, focus: FocusSettings, settings: ContextSettings
) -> None:
    """Vectors (float32, rounded to 4 decimals), associations and word frames of every word that may be an option."""
    table = read_counts(counts)
    allowed = np.flatnonzero(option_words(table, focus))
    target_row = np.full(len(table.words) + 1, -1, np.int64)
    target_row[allowed + 1] = np.arange(len(allowed))
    features = np.arange(min(settings.features, len(table.words)))
    topical = np.array([i for i in features if table.freq[i] < settings.topic_max_freq and is_word(table.words[i])], np.int64)
    corpus = memory_mapped(text.path(TOKENS))
    near = context_counts(corpus, target_row=target_row, feature_column=_columns(features, table), window=settings.window)
    with threadpool_limits(limits=1):  # the last digits of a product depend on how many threads share it
        vectors = context_vectors(near, dimensions=settings.dimensions, seed=_SEED)
    far = context_counts(corpus, target_row=target_row, feature_column=_columns(topical, table), window=settings.topic_window)
    associated = associations(far)
    for name, file in ASSOCIATIONS.items():
        np.save(writer.path(file), getattr(associated, name))
    np.save(writer.path(FRAMES), count_frames(corpus, words=table.words, target_row=target_row).astype(np.uint32))
    np.save(writer.path(VECTORS), np.round(vectors, 4))
    writer.path(VECTOR_WORDS).write_text("".join(table.words[i] + "\n" for i in allowed), encoding="utf-8")
    writer.path(TOPIC_WORDS).write_text("".join(table.words[i] + "\n" for i in topical), encoding="utf-8")
    writer.rows |= {VECTORS: len(vectors), VECTOR_WORDS: len(allowed), TOPIC_WORDS: len(topical), FRAMES: len(allowed)}
    writer.versions |= {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": version("scikit-learn")}
    room.say(f"{len(allowed):,} words, {near.nnz:,} word-neighbour pairs, {len(associated.pmi):,} associations")


def _columns(types: np.ndarray, table: CountTable) -> np.ndarray:
    """Column of each word id, -1 for one that is no feature."""
    columns = np.full(len(table.words) + 1, -1, np.int64)
    columns[types + 1] = np.arange(len(types))
    return columns


def option_words(table: CountTable, focus: FocusSettings) -> np.ndarray:
    """Which types may be options, under the focus settings; one rule for answers and alternates."""
    return option_mask(table, max_freq=focus.max_freq, min_count=focus.min_count, proper_names=focus.proper_names)


@dataclass(frozen=True, slots=True)
class Company:
    """The artifact, opened; arrays are memory-mapped.

    Attributes:
        row_of: row of each option word.
        column_of: association column of each word that tells a topic.
        vectors: float32, shape (words, dimensions), unit rows.
        frames: uint32, shape (words, kinds before, kinds after).
    """

    row_of: dict[str, int]
    column_of: dict[str, int]
    vectors: np.ndarray
    associations: Associations
    frames: np.ndarray

    def similarity(self, words: Sequence[str], answer: str) -> np.ndarray:
        """Cosines of context vectors; 0 where either has none."""
        rows, own = np.array([self.row_of.get(word, -1) for word in words]), self.row_of.get(answer, -1)
        return np.where((rows >= 0) & (own >= 0), self.vectors[rows] @ self.vectors[own], 0.0)

    def topicality(self, words: Sequence[str], others: Iterable[str]) -> np.ndarray:
        """Mean association of each word with those of the other tokens that tell a topic, in nats."""
        columns = np.array([self.column_of[token] for token in others if token in self.column_of], np.int64)
        return self.associations.mean_with([self.row_of.get(word, -1) for word in words], columns)

    def frames_of(self, word: str) -> np.ndarray:
        """Counts of one word's frames; zeros for a word that may be no option."""
        row = self.row_of.get(word, -1)
        return np.asarray(self.frames[row], np.int64) if row >= 0 else np.zeros(self.frames.shape[1:], np.int64)


def read_company(artifact: Artifact) -> Company:
    """Open the artifact; its arrays are memory-mapped."""
    row_of, column_of = (
        {word: i for i, word in enumerate(artifact.path(name).read_text(encoding="utf-8").split("\n")[:-1])}
        for name in (VECTOR_WORDS, TOPIC_WORDS)
    )
    files = {"vectors": VECTORS, "frames": FRAMES} | ASSOCIATIONS
    arrays = {name: memory_mapped(artifact.path(file)) for name, file in files.items()}
    vectors, frames = arrays.pop("vectors"), arrays.pop("frames")
    return Company(row_of, column_of, vectors, Associations(**arrays), frames)
