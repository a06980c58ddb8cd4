"""Neural language models of the training text, as artifacts: trained and opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.training_text import TOKENS
from cloze_gen.engine.progress import Stopwatch
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import CorpusError
from cloze_gen.models.network_layers import (
    Adagrad,
    FeedForwardNetwork,
    Floats,
    Ids,
    RecurrentNetwork,
    SoftmaxNetwork,
    class_bounds,
    fresh_feedforward,
    fresh_recurrent,
)
from cloze_gen.models.network_training import Course, plan_course, train
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_COUNTED, MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped, write_tsv

Kind = Literal["feedforward", "recurrent"]
NETWORK_WORDS, CLASSES, TRAINING = "words.txt", "classes.npy", "training.tsv"
_NETWORKS: Mapping[Kind, type[FeedForwardNetwork | RecurrentNetwork]] = {
    "feedforward": FeedForwardNetwork,
    "recurrent": RecurrentNetwork,
}
_TRAINING = ("network", "words_read", "perplexity")
_PARTS = 20  # of a course; `TRAINING` has the perplexity of each


FEWEST_WORDS = 64  # of a text: two blocks of one stream


class NetworksSettings(SettingsGroup):
    """Training length is in words, so weights do not depend on the machine's speed.

    Sizes and lengths are chosen on a curve (docs/explanation/lambada.md): twice the words or twice
    the size, that is two to four times the time, drops one to two passages more in a hundred.
    """

    vocabulary: int = Field(
        60_000,
        ge=10,
        le=MOST_COUNTED,
        description="most frequent words; the others are one unknown word",
    )
    vector_size: int = Field(64, ge=1, le=MOST_EACH, description="size of a word vector")
    history: int = Field(5, ge=1, le=100, description="words that the feed-forward network reads")
    feedforward_hidden: int = Field(
        128, ge=1, le=MOST_EACH, description="hidden units of the feed-forward network"
    )
    feedforward_words: int = Field(
        8_000_000,
        ge=1,
        le=MOST_COUNTED,
        description="most training words of the feed-forward net",
    )
    recurrent_hidden: int = Field(
        128, ge=1, le=MOST_EACH, description="cells of the recurrent network"
    )
    recurrent_words: int = Field(
        8_000_000,
        ge=1,
        le=MOST_COUNTED,
        description="most training words of the recurrent net",
    )
    epochs: int = Field(4, ge=1, le=1000, description="most passes over the training text")
    learning_rate: float = Field(0.2, gt=0, le=10, description="first learning rate (Adagrad)")


def write_networks(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    text: Artifact,
    counts: Artifact,
    settings: NetworksSettings,
    kinds: Sequence[Kind],
    seed: int,
) -> None:
    """Train networks on the training text, in parallel; `seed` draws the first weights."""
    table = read_counts(counts)
    train_networks(
        writer,
        ctx,
        text=text,
        tokens=text.path(TOKENS),
        words=table.words,
        counts=table.count,
        settings=settings,
        kinds=kinds,
        seed=seed,
        purpose="networks",
    )


def train_networks(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    text: Artifact,
    tokens: Path,
    words: Sequence[str],
    counts: np.ndarray,
    settings: NetworksSettings,
    kinds: Sequence[Kind],
    seed: int,
    purpose: str,
) -> None:
    """Write networks of a text with its closed vocabulary, one a worker.

    Args:
        tokens: file of the text's word numbers; number i is `words[i - 1]`, 0 ends a sentence.
        words, counts: the vocabulary, the commonest words first.
        purpose: of the random numbers; networks of another purpose have other first weights.

    Raises:
        CorpusError: the text has fewer than `FEWEST_WORDS` tokens.
    """
    clock = Stopwatch()
    sentences = int(text.facts["sentences"])
    n_words = int(text.facts["tokens"]) + sentences
    if n_words < FEWEST_WORDS:
        raise CorpusError(
            f"networks: the training text has {n_words} tokens; at least {FEWEST_WORDS} are "
            "needed. Add training books."
        )
    size = min(settings.vocabulary, len(words))
    writer.path(NETWORK_WORDS).write_text(
        "".join(f"{word}\n" for word in words[:size]), encoding="utf-8", newline="\n"
    )
    closed_counts = np.concatenate([[sentences], counts[:size], [int(counts[size:].sum())]])
    bounds = class_bounds(closed_counts, round(size**0.5))
    np.save(writer.path(CLASSES), bounds)
    most_words = {
        "feedforward": settings.feedforward_words,
        "recurrent": settings.recurrent_words,
    }
    trainings = [
        Training(
            kind,
            tokens=tokens,
            folder=writer.path(f"{kind}/x").parent,
            bounds=bounds,
            course=plan_course(n_words, epochs=settings.epochs, most_words=most_words[kind]),
            settings=settings,
            seed=seed,
            purpose=purpose,
        )
        for kind in kinds
    ]
    parts = [part for found in ctx.map(train_network, trainings, unit="networks") for part in found]
    rows = [row for _, row in sorted(parts, key=lambda part: part[0])]
    writer.rows |= {
        NETWORK_WORDS: size,
        TRAINING: write_tsv(writer.path(TRAINING), _TRAINING, rows),
    }
    writer.note_libraries("numpy", "scipy")
    ctx.say(f"{' and '.join(kinds)} over {size:,} words in {clock.seconds:.0f} s")


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """The training of a network, for a worker.

    Attributes:
        folder: of the weights.
        bounds: of the classes of words, from `class_bounds`.
    """

    kind: Kind
    tokens: Path
    folder: Path
    bounds: Ids
    course: Course
    settings: NetworksSettings
    seed: int
    purpose: str


def train_network(training: Training) -> list[tuple[int, tuple[str, int, float]]]:
    """Train a network and save its weights.

    Returns:
        number and row of `TRAINING` of each part of the course that has blocks.
    """
    course, rate = training.course, training.settings.learning_rate
    weights = _fresh_weights(training)
    losses = train(
        _NETWORKS[training.kind](weights, training.bounds),
        memory_mapped(training.tokens),
        Adagrad(weights, rate=rate),
        course=course,
        size=int(training.bounds[-1]) - 2,  # without the sentence end and the unknown word
        rate=rate,
    )
    for name, array in weights.items():
        np.save(training.folder / f"{name}.npy", array)
    parts: list[tuple[int, tuple[str, int, float]]] = []
    for part in range(_PARTS):
        first, last = course.blocks * part // _PARTS, course.blocks * (part + 1) // _PARTS
        if first < last:
            perplexity = round(float(np.exp(np.mean(losses[first:last]))), 2)
            parts.append((part, (training.kind, last * course.words_a_block, perplexity)))
    return parts


def _fresh_weights(training: Training) -> dict[str, Floats]:
    settings, bounds = training.settings, training.bounds
    rng = derive_rng(training.seed, f"{training.purpose}.{training.kind}")
    if training.kind == "feedforward":
        return fresh_feedforward(
            bounds,
            history=settings.history,
            vector=settings.vector_size,
            hidden=settings.feedforward_hidden,
            rng=rng,
        )
    return fresh_recurrent(
        bounds, vector=settings.vector_size, hidden=settings.recurrent_hidden, rng=rng
    )


def open_trained(artifact: Artifact, kind: Kind) -> SoftmaxNetwork:
    """A trained network, memory-mapped: workers of one machine share its weights."""
    names = sorted(name for name in artifact.manifest["files"] if name.startswith(f"{kind}/"))
    weights = {Path(name).stem: memory_mapped(artifact.path(name)) for name in names}
    return _NETWORKS[kind](weights, np.load(artifact.path(CLASSES)))
