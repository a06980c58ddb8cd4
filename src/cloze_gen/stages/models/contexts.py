"""The context space of the words that may be options, as an artifact: where they lie, what they go with and what stands beside them."""

from __future__ import annotations

import json
from enum import StrEnum
from importlib.metadata import version
from typing import Literal

import numpy as np
import scipy
from pydantic import Field
from threadpoolctl import threadpool_limits

from cloze_gen.errors import StoreError
from cloze_gen.settings import IgnoredWhen, SettingsGroup, types_of
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.training_text import TOKENS
from cloze_gen.stages.models.builtin_words import builtin_words_facts, read_builtin_words
from cloze_gen.stages.room import Room
from cloze_gen.stats.associations import Associations, associations
from cloze_gen.stats.context_space import ContextSpace
from cloze_gen.stats.context_vectors import context_counts, context_vectors
from cloze_gen.stats.counts import CountTable
from cloze_gen.stats.frequent_neighbours import BesideCounts, count_beside, frequent_neighbours
from cloze_gen.stats.option_words import OptionLimits, option_mask
from cloze_gen.stats.word_frames import count_frame_cues
from cloze_gen.stats.word_knowledge import MixedKnowledge, WordKnowledge
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.manifest import write_json
from cloze_gen.store.tables import ArrayFile, memory_mapped
from cloze_gen.words import is_word

VECTORS, NORMS, FEATURES, FRAME_CUES, WORD_COUNTS = "vectors.npy", "norms.npy", "features.npy", "word_frames.npy", "word_counts.npy"
WORDS, TOPIC_WORDS, FEATURE_WORDS, NEIGHBOURS = "words.txt", "topic_words.txt", "feature_words.txt", "neighbours.txt"
ASSOCIATIONS = {name: f"association_{name}.npy" for name in ("start", "feature", "pmi")}
BUILTIN_WORDS = "builtin.json"
BESIDE = {name: f"beside_{name}.npy" for name in ("start", "row", "count", "places", "share")}
_SEED = 0  # of the randomized SVD; the vectors are a measure, not a draw, so the run's seed does not touch them


class ContextSettings(SettingsGroup):
    """Settings of the context vectors."""

    window: int = Field(2, ge=1, le=10, description="tokens on each side; small windows measure likeness of meaning, large ones of topic")
    features: int = Field(8000, ge=10, le=65_536, description="the most frequent types serve as features")
    dimensions: int = Field(100, ge=2, le=2000, description="of the truncated SVD")
    topic_window: int = Field(12, ge=1, le=40, description="tokens on each side in which words are associated")
    topic_max_freq: float = Field(1e-3, gt=0, le=1, description="exclusive: rarer words among the features tell a sentence's topic")

    def memory_bytes(self, words: int) -> int:
        """Of the SVD: four matrices, a row a word and a row a feature, float64."""
        return 4 * 8 * (types_of(words) + min(self.features, types_of(words))) * self.dimensions


class Background(StrEnum):
    """Who tells what words are like."""

    AUTO = "auto"
    BUILTIN = "builtin"
    CORPUS = "corpus"


class BackgroundSettings(ContextSettings):
    """Settings of the context vectors, where the built-in words may tell beside the training books, or in their stead."""

    background: Literal["auto", "builtin", "corpus"] = Field(
        "auto",
        description="who tells what words are like: the training books (corpus), the words that ship with cloze-gen, made from 522 novels "
        "(builtin), or both, the books for the words that they have often (auto)",
    )

    ignored_when = (IgnoredWhen(tuple(ContextSettings.model_fields), {"background": ("builtin",)}),)


def background_of(settings: ContextSettings) -> Background:
    """Who tells what words are like; of a style that has no such setting its training books."""
    return Background(settings.background) if isinstance(settings, BackgroundSettings) else Background.CORPUS


def write_context_vectors(
    writer: ArtifactWriter, room: Room, *, text: Artifact, counts: Artifact, limits: OptionLimits, settings: ContextSettings
) -> None:
    """Write what the training books tell of every word that may be an option, and which built-in words tell beside them or in their stead.

    Files, where the books tell: `words.txt`, these words, a line each, most frequent first: the rows of the arrays. `topic_words.txt`, the
    words that tell a topic: the columns of the associations. `feature_words.txt`, the neighbours that the vectors are made from.
    `neighbours.txt`, the most frequent types, case-folded. `vectors.npy`, context vectors, float32, shape (words, dimensions), unit rows
    rounded to 4 decimals; `norms.npy`, their lengths before, float32, shape (words,); `features.npy`, the neighbours' vectors, float32,
    shape (features, dimensions), both rounded to 4 decimals. `association_start.npy`, `association_feature.npy`, `association_pmi.npy`:
    the arrays of `stats.associations.Associations`. `word_frames.npy`: frame cues, uint32, shape (words, kinds before, kinds after).
    `beside_start.npy`, `beside_row.npy`, `beside_count.npy`, `beside_places.npy`, `beside_share.npy`: the arrays of
    `stats.frequent_neighbours.BesideCounts`. `word_counts.npy`: tokens of each word, uint32, shape (words,).

    Where the built-in words tell: `builtin.json`, what is said of them (`word_data/words.json`).
    """
    background = background_of(settings)
    writer.facts["background"] = background.value
    if background is not Background.CORPUS:
        write_json(writer.path(BUILTIN_WORDS), builtin_words_facts())
    if background is not Background.BUILTIN:
        _write_space(writer, room, text=text, counts=counts, limits=limits, settings=settings)


def _write_space(
    writer: ArtifactWriter, room: Room, *, text: Artifact, counts: Artifact, limits: OptionLimits, settings: ContextSettings
) -> None:
    """Write what the training books tell."""
    table = read_counts(counts)
    allowed = np.flatnonzero(option_mask(table, limits))
    target_row = _positions(allowed, table)
    features = np.arange(min(settings.features, len(table.words)))
    topical = np.array([i for i in features if table.freq[i] < settings.topic_max_freq and is_word(table.words[i])], np.int64)
    corpus = ArrayFile(text.path(TOKENS))
    near = context_counts(corpus, target_row=target_row, feature_column=_positions(features, table), window=settings.window)
    pairs = near.nnz
    with threadpool_limits(limits=1):  # the last digits of a product depend on how many threads share it
        vectors = context_vectors(near, dimensions=settings.dimensions, seed=_SEED)
    del near  # the largest matrix but the next
    far = context_counts(corpus, target_row=target_row, feature_column=_positions(topical, table), window=settings.topic_window)
    associated = associations(far)
    del far
    neighbours = frequent_neighbours(table)
    beside = count_beside(corpus, words=table.words, target_row=target_row, neighbours=neighbours)
    arrays = {
        VECTORS: np.round(vectors.units, 4),
        NORMS: np.round(vectors.norms, 4),
        FEATURES: np.round(vectors.features, 4),
        FRAME_CUES: count_frame_cues(corpus, words=table.words, target_row=target_row).astype(np.uint32),
        WORD_COUNTS: table.count[allowed].astype(np.uint32),
    }
    arrays |= {file: getattr(associated, name) for name, file in ASSOCIATIONS.items()}
    arrays |= {file: getattr(beside, name) for name, file in BESIDE.items()}
    for file, array in arrays.items():
        np.save(writer.path(file), array)
    lists = {
        WORDS: _named(allowed, table),
        TOPIC_WORDS: _named(topical, table),
        FEATURE_WORDS: _named(features, table),
        NEIGHBOURS: neighbours,
    }
    for file, names in lists.items():
        writer.path(file).write_text("".join(name + "\n" for name in names), encoding="utf-8")
        writer.rows[file] = len(names)
    writer.rows |= {file: len(arrays[file]) for file in (VECTORS, NORMS, FEATURES, FRAME_CUES, WORD_COUNTS)}
    writer.versions |= {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": version("scikit-learn")}
    room.say(f"{len(allowed):,} words, {pairs:,} word-neighbour pairs, {len(associated.pmi):,} associations")


def _positions(types: np.ndarray, table: CountTable) -> np.ndarray:
    """Place in `types` of each word id, -1 for one that is not among them."""
    places = np.full(len(table.words) + 1, -1, np.int64)
    places[types + 1] = np.arange(len(types))
    return places


def _named(types: np.ndarray, table: CountTable) -> list[str]:
    return [table.words[i] for i in types]


def read_word_knowledge(artifact: Artifact) -> WordKnowledge:
    """Open what is known of words, whoever tells it.

    Raises:
        StoreError: the artifact was made with other built-in words than those that are here.
    """
    background = Background(artifact.facts["background"])
    if background is Background.CORPUS:
        return read_context_space(artifact)
    own = json.loads(artifact.path(BUILTIN_WORDS).read_text(encoding="utf-8"))
    if own != builtin_words_facts():
        raise StoreError(f"{artifact.folder}: made with other built-in words than this version of cloze-gen holds. Run the command again.")
    builtin = read_builtin_words()
    return builtin if background is Background.BUILTIN else MixedKnowledge(read_context_space(artifact), builtin)


def read_context_space(artifact: Artifact) -> ContextSpace:
    """Open what the training books tell; the arrays are memory-mapped."""
    names = {
        file: artifact.path(file).read_text(encoding="utf-8").split("\n")[:-1] for file in (WORDS, TOPIC_WORDS, FEATURE_WORDS, NEIGHBOURS)
    }
    place_of = {file: {word: i for i, word in enumerate(listed)} for file, listed in names.items()}
    arrays = {file: memory_mapped(artifact.path(file)) for file in (VECTORS, NORMS, FEATURES, FRAME_CUES, WORD_COUNTS)}
    return ContextSpace(
        row_of=place_of[WORDS],
        column_of=place_of[TOPIC_WORDS],
        feature_of=place_of[FEATURE_WORDS],
        neighbour_of=place_of[NEIGHBOURS],
        window=int(artifact.manifest["settings"]["window"]),
        vectors=arrays[VECTORS],
        norms=arrays[NORMS],
        features=arrays[FEATURES],
        associations=Associations(**{name: memory_mapped(artifact.path(file)) for name, file in ASSOCIATIONS.items()}),
        frame_cues=arrays[FRAME_CUES],
        beside=BesideCounts(**{name: memory_mapped(artifact.path(file)) for name, file in BESIDE.items()}),
        counts=arrays[WORD_COUNTS],
    )
