"""The context space of the words that may be options, as an artifact: where they lie, what they go with and what stands beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
import scipy
from pydantic import Field
from threadpoolctl import threadpool_limits

from cloze_gen.settings import SettingsGroup
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.training_text import TOKENS
from cloze_gen.stages.room import Room
from cloze_gen.stats.associations import Associations, associations
from cloze_gen.stats.context_vectors import context_counts, context_vectors
from cloze_gen.stats.counts import CountTable
from cloze_gen.stats.option_words import OptionLimits, option_mask
from cloze_gen.stats.word_frames import count_frame_cues
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped
from cloze_gen.words import is_word

VECTORS, VECTOR_WORDS, FRAME_CUES = "vectors.npy", "words.txt", "word_frames.npy"
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
    writer: ArtifactWriter, room: Room, *, text: Artifact, counts: Artifact, limits: OptionLimits, settings: ContextSettings
) -> None:
    """Write vectors, associations and frame cues of every word that may be an option.

    Files: `words.txt`, these words, a line each, most frequent first: the rows of the arrays. `topic_words.txt`, the words that tell a
    topic: the columns of the associations. `vectors.npy`, context vectors, float32, shape (words, dimensions), unit rows rounded to 4
    decimals. `association_start.npy`, `association_feature.npy`, `association_pmi.npy`: the arrays of `stats.associations.Associations`.
    `word_frames.npy`: frame cues, uint32, shape (words, kinds before, kinds after).
    """
    table = read_counts(counts)
    allowed = np.flatnonzero(option_mask(table, limits))
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
    np.save(writer.path(FRAME_CUES), count_frame_cues(corpus, words=table.words, target_row=target_row).astype(np.uint32))
    np.save(writer.path(VECTORS), np.round(vectors, 4))
    writer.path(VECTOR_WORDS).write_text("".join(table.words[i] + "\n" for i in allowed), encoding="utf-8")
    writer.path(TOPIC_WORDS).write_text("".join(table.words[i] + "\n" for i in topical), encoding="utf-8")
    writer.rows |= {VECTORS: len(vectors), VECTOR_WORDS: len(allowed), TOPIC_WORDS: len(topical), FRAME_CUES: len(allowed)}
    writer.versions |= {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": version("scikit-learn")}
    room.say(f"{len(allowed):,} words, {near.nnz:,} word-neighbour pairs, {len(associated.pmi):,} associations")


def _columns(types: np.ndarray, table: CountTable) -> np.ndarray:
    """Column of each word id, -1 for one that is no feature."""
    columns = np.full(len(table.words) + 1, -1, np.int64)
    columns[types + 1] = np.arange(len(types))
    return columns


@dataclass(frozen=True, slots=True)
class ContextSpace:
    """The artifact, opened: a vector space of words, with associations and frame cues; arrays are memory-mapped.

    Attributes:
        row_of: row of each option word.
        column_of: association column of each word that tells a topic.
        vectors: float32, shape (words, dimensions), unit rows.
        associations: of option words (rows) with words that tell a topic (columns), in nats.
        frame_cues: uint32, shape (words, kinds before, kinds after): counts.
    """

    row_of: dict[str, int]
    column_of: dict[str, int]
    vectors: np.ndarray
    associations: Associations
    frame_cues: np.ndarray

    def similarity(self, words: Sequence[str], answer: str) -> np.ndarray:
        """Cosines of each word's vector with the answer's; float, shape (words,), -1 to 1, 0 where either has none."""
        rows, own = np.array([self.row_of.get(word, -1) for word in words]), self.row_of.get(answer, -1)
        return np.where((rows >= 0) & (own >= 0), self.vectors[rows] @ self.vectors[own], 0.0)

    def topicality(self, words: Sequence[str], others: Iterable[str]) -> np.ndarray:
        """Mean association of each word with those of the other tokens that tell a topic; float64, shape (words,), in nats."""
        columns = np.array([self.column_of[token] for token in others if token in self.column_of], np.int64)
        return self.associations.mean_with([self.row_of.get(word, -1) for word in words], columns)

    def frame_cues_of(self, word: str) -> np.ndarray:
        """One word's frame cues; int64, shape (kinds before, kinds after), zeros for a word that may be no option."""
        row = self.row_of.get(word, -1)
        return np.asarray(self.frame_cues[row], np.int64) if row >= 0 else np.zeros(self.frame_cues.shape[1:], np.int64)


def read_context_space(artifact: Artifact) -> ContextSpace:
    """Open the artifact; its arrays are memory-mapped."""
    row_of, column_of = (
        {word: i for i, word in enumerate(artifact.path(name).read_text(encoding="utf-8").split("\n")[:-1])}
        for name in (VECTOR_WORDS, TOPIC_WORDS)
    )
    vectors, frame_cues = (memory_mapped(artifact.path(file)) for file in (VECTORS, FRAME_CUES))
    associated = Associations(**{name: memory_mapped(artifact.path(file)) for name, file in ASSOCIATIONS.items()})
    return ContextSpace(row_of, column_of, vectors, associated, frame_cues)
