"""The context space of option words (similarity, associations, neighbours) as an artifact.

The built-in words are `corpus/word_data/words.npz`, from 522 novels (`training/words/build.py`).
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import Field

from cloze_gen.corpus.counts import WORD_DATA, CountTable
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.option_words import OptionLimits, option_mask
from cloze_gen.corpus.training_text import TOKENS
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import StoreError
from cloze_gen.models.context_space import ContextSpace, unpack_space
from cloze_gen.models.context_vectors import (
    Associations,
    associations,
    context_counts,
    context_vectors,
)
from cloze_gen.models.neighbour_counts import (
    NeighbourCounts,
    count_frame_cues,
    count_neighbours,
    frequent_neighbours,
)
from cloze_gen.models.word_knowledge import MixedKnowledge, WordKnowledge
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.manifest import write_json
from cloze_gen.store.tables import ArrayFile, memory_mapped
from cloze_gen.word_tokens import is_word

ARRAYS, FACTS = "words.npz", "words.json"


@functools.cache
def builtin_words_facts(folder: Path = WORD_DATA) -> dict[str, Any]:
    return dict(json.loads((folder / FACTS).read_text(encoding="utf-8")))


def read_builtin_words(folder: Path = WORD_DATA) -> ContextSpace:
    """The built-in words, in memory: some 60 MB."""
    data = (folder / ARRAYS).read_bytes()
    if hashlib.sha256(data).hexdigest() != builtin_words_facts(folder)["sha256"]:
        raise StoreError(f"{folder / ARRAYS}: does not match {FACTS}. Reinstall cloze-gen.")
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return unpack_space(dict(arrays))


# The files of the fields of `ContextSpace`.
ARRAY_FILES = {
    "vectors": "vectors.npy",
    "norms": "norms.npy",
    "features": "features.npy",
    "frame_cues": "word_frames.npy",
    "counts": "word_counts.npy",
}
LIST_FILES = {
    "row_of": "words.txt",
    "column_of": "topic_words.txt",
    "feature_of": "feature_words.txt",
    "neighbour_of": "neighbours.txt",
}
ASSOCIATIONS = {name: f"association_{name}.npy" for name in ("start", "feature", "pmi")}
BESIDE = {name: f"neighbour_{name}.npy" for name in ("start", "row", "count", "places", "share")}
BUILTIN_WORDS = "builtin.json"
# of the randomized SVD; independent of the run's seed, because the vectors are a measure
_SEED = 0


# Tokens on each side: a small window measures similarity of meaning, a large one of topic.
_WINDOW = 2
_TOPIC_WINDOW = 12
# Features rarer than this share of the tokens are topic words.
_TOPIC_MAX_FREQ = 1e-3


class ContextSettings(SettingsGroup):
    features: int = Field(
        8000, ge=10, le=65_536, description="most frequent words, which are the features"
    )
    dimensions: int = Field(100, ge=2, le=2000, description="dimensions of the truncated SVD")


class Background(StrEnum):
    AUTO = "auto"
    BUILTIN = "builtin"
    CORPUS = "corpus"


class BackgroundSettings(ContextSettings):
    # auto: the books for words that are frequent in them, the built-in data for the others.
    background: Literal["auto", "builtin", "corpus"] = Field(
        "auto",
        description="word data of the books, of 522 novels, or both",
    )


def background_of(settings: ContextSettings) -> Background:
    """The source of the knowledge of words; without such a setting the training books."""
    return (
        Background(settings.background)
        if isinstance(settings, BackgroundSettings)
        else Background.CORPUS
    )


def write_context_vectors(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    text: Artifact,
    counts: Artifact,
    limits: OptionLimits,
    settings: ContextSettings,
    builtin_words: Mapping[str, Any] | None = None,
) -> None:
    """Write measures of every option word: from training books, built-in words, or both.

    `builtin_words`: `builtin_words_facts`, where the settings use these words.
    """
    background = background_of(settings)
    writer.facts["background"] = background.value
    if builtin_words is not None:
        write_json(writer.path(BUILTIN_WORDS), builtin_words)
    if background is not Background.BUILTIN:
        _write_space(writer, ctx, text=text, counts=counts, limits=limits, settings=settings)


def _write_space(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    text: Artifact,
    counts: Artifact,
    limits: OptionLimits,
    settings: ContextSettings,
) -> None:
    table = read_counts(counts)
    allowed = np.flatnonzero(option_mask(table, limits))
    target_row = _positions(allowed, table)
    features = np.arange(min(settings.features, len(table.words)))
    topical = np.array(
        [i for i in features if table.freq[i] < _TOPIC_MAX_FREQ and is_word(table.words[i])],
        np.int64,
    )
    corpus = ArrayFile(text.path(TOKENS))
    near = context_counts(
        corpus,
        target_row=target_row,
        feature_column=_positions(features, table),
        window=_WINDOW,
    )
    pairs = near.nnz
    vectors = context_vectors(near, dimensions=settings.dimensions, seed=_SEED)
    del near  # frees a large matrix
    far = context_counts(
        corpus,
        target_row=target_row,
        feature_column=_positions(topical, table),
        window=_TOPIC_WINDOW,
    )
    associated = associations(far)
    del far
    neighbours = frequent_neighbours(table)
    adjacent = count_neighbours(
        corpus, words=table.words, target_row=target_row, neighbours=neighbours
    )
    arrays = {
        "vectors": np.round(vectors.units, 4),
        "norms": np.round(vectors.norms, 4),
        "features": np.round(vectors.features, 4),
        "frame_cues": count_frame_cues(corpus, words=table.words, target_row=target_row).astype(
            np.uint32
        ),
        "counts": table.count[allowed].astype(np.uint32),
    }
    for name, array in arrays.items():
        np.save(writer.path(ARRAY_FILES[name]), array)
        writer.rows[ARRAY_FILES[name]] = len(array)
    for name, file in ASSOCIATIONS.items():
        np.save(writer.path(file), getattr(associated, name))
    for name, file in BESIDE.items():
        np.save(writer.path(file), getattr(adjacent, name))
    lists = {
        "row_of": _named(allowed, table),
        "column_of": _named(topical, table),
        "feature_of": _named(features, table),
        "neighbour_of": neighbours,
    }
    for name, words in lists.items():
        file = LIST_FILES[name]
        writer.path(file).write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
        writer.rows[file] = len(words)
    writer.note_libraries("numpy", "scipy", "scikit-learn")
    ctx.say(
        f"{len(allowed):,} words, {pairs:,} word-neighbour pairs, {len(associated.pmi):,} "
        "associations"
    )


def _positions(types: np.ndarray, table: CountTable) -> np.ndarray:
    places = np.full(len(table.words) + 1, -1, np.int64)
    places[types + 1] = np.arange(len(types))
    return places


def _named(types: np.ndarray, table: CountTable) -> list[str]:
    return [table.words[i] for i in types]


def read_word_knowledge(artifact: Artifact) -> WordKnowledge:
    """The measures; StoreError if made with other built-in words than those installed."""
    background = Background(artifact.facts["background"])
    if background is Background.CORPUS:
        return read_context_space(artifact)
    own = json.loads(artifact.path(BUILTIN_WORDS).read_text(encoding="utf-8"))
    if own != builtin_words_facts():
        raise StoreError(
            f"{artifact.folder}: made with the built-in words of another version of "
            "cloze-gen. Run the command again."
        )
    builtin = read_builtin_words()
    return (
        builtin
        if background is Background.BUILTIN
        else MixedKnowledge(read_context_space(artifact), builtin)
    )


def read_context_space(artifact: Artifact) -> ContextSpace:
    def places(files: Mapping[str, str]) -> dict[str, Any]:
        lists = {
            name: artifact.path(file).read_text(encoding="utf-8").split("\n")[:-1]
            for name, file in files.items()
        }
        return {name: {word: i for i, word in enumerate(words)} for name, words in lists.items()}

    def arrays(files: Mapping[str, str]) -> dict[str, Any]:
        return {name: memory_mapped(artifact.path(file)) for name, file in files.items()}

    return ContextSpace(
        **places(LIST_FILES),
        window=_WINDOW,
        **arrays(ARRAY_FILES),
        associations=Associations(**arrays(ASSOCIATIONS)),
        adjacent=NeighbourCounts(**arrays(BESIDE)),
    )
