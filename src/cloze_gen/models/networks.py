"""Neural language models of the training text, as artifacts: trained and opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

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
    class_bounds,
    fresh_feedforward,
    fresh_recurrent,
    fresh_squares,
)
from cloze_gen.models.network_training import (
    Course,
    block_reader,
    plan_course,
    train,
)
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


class NeuralModel(Protocol):
    """A trained network. Words are numbers of the closed vocabulary; 0 is the end of a sentence."""

    def log_probs(self, ids: Ids, lengths: Ids) -> Floats:
        """ln P(last word | the words before it) of each passage, shape (n,).

        `ids`: the passages' words concatenated; `lengths`: at least 2 each.
        """
        ...

    def all_log_probs(self, ids: Ids, lengths: Ids) -> Floats:
        """ln P(word | the words before the last) of every word, shape (n, words)."""
        ...


@dataclass(frozen=True, slots=True)
class Training:
    """The training of a network, for a worker.

    Attributes:
        folder: of the weights: first the initial ones, then the trained ones.
        size: of the closed vocabulary.
        rate: of the first steps.
    """

    kind: Kind
    tokens: Path
    folder: Path
    classes: Path
    course: Course
    size: int
    rate: float


def write_vocabulary(
    writer: ArtifactWriter, words: Sequence[str], counts: np.ndarray, *, sentences: int, size: int
) -> Ids:
    """Write the closed vocabulary and its classes, the commonest words first."""
    kept = words[:size]
    writer.path(NETWORK_WORDS).write_text(
        "".join(f"{word}\n" for word in kept), encoding="utf-8", newline="\n"
    )
    bounds = class_bounds(
        np.concatenate([[sentences], counts[:size], [int(counts[size:].sum())]]),
        round(len(kept) ** 0.5),
    )
    np.save(writer.path(CLASSES), bounds)
    writer.rows[NETWORK_WORDS] = len(kept)
    writer.note_libraries("numpy", "scipy")
    return bounds


def write_trained(
    writer: ArtifactWriter,
    ctx: StageContext,
    begun: Sequence[tuple[Training, Mapping[str, Floats]]],
) -> None:
    """Train networks from their initial weights, one a worker."""
    for training, weights in begun:
        _save(training.folder, weights)
    trainings = [training for training, _ in begun]
    parts: list[tuple[int, tuple[str, int, float]]] = []
    for training, found in zip(
        trainings, ctx.map(train_network, trainings, unit="networks"), strict=True
    ):
        parts += [(part, (training.kind, read, perplexity)) for part, read, perplexity in found]
    rows = [row for _, row in sorted(parts, key=lambda one: one[0])]
    writer.rows[TRAINING] = write_tsv(writer.path(TRAINING), _TRAINING, rows)


def _save(folder: Path, arrays: Mapping[str, Floats]) -> None:
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)


def train_network(training: Training) -> list[tuple[int, int, float]]:
    """Part of the course, words read up to its end, and perplexity, for each part with blocks."""
    course = training.course
    weights = {path.stem: np.load(path) for path in sorted(training.folder.glob("*.npy"))}
    network = _NETWORKS[training.kind](weights, np.load(training.classes))
    tokens = memory_mapped(training.tokens)
    read = block_reader(tokens, course, lead=network.lead, size=training.size)
    optimizer = Adagrad(weights, fresh_squares(weights), rate=training.rate)
    found = []
    for part in range(_PARTS):
        numbers = range(course.blocks * part // _PARTS, course.blocks * (part + 1) // _PARTS)
        if numbers:
            losses = train(
                network, read, optimizer, course=course, numbers=numbers, rate=training.rate
            )
            perplexity = round(float(np.exp(float(np.mean(losses)))), 2)
            found.append((part, numbers.stop * course.words_a_block, perplexity))
    _save(training.folder, weights)
    return found


def open_trained(artifact: Artifact, kind: Kind) -> NeuralModel:
    """A trained network, memory-mapped: workers of one machine share its weights."""
    names = sorted(name for name in artifact.manifest["files"] if name.startswith(f"{kind}/"))
    weights = {Path(name).stem: memory_mapped(artifact.path(name)) for name in names}
    return _NETWORKS[kind](weights, np.load(artifact.path(CLASSES)))


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
    clock = Stopwatch()
    n_words = int(text.facts["tokens"]) + int(text.facts["sentences"])
    if n_words < FEWEST_WORDS:
        raise CorpusError(
            f"networks: the training text has {n_words} tokens; at least {FEWEST_WORDS} are "
            "needed for training"
        )
    table = read_counts(counts)
    size = min(settings.vocabulary, len(table.words))
    bounds = write_vocabulary(
        writer, table.words, table.count, sentences=int(text.facts["sentences"]), size=size
    )
    begun = []
    for kind in kinds:
        most_words = (
            settings.feedforward_words if kind == "feedforward" else settings.recurrent_words
        )
        training = Training(
            kind,
            tokens=text.path(TOKENS),
            folder=writer.path(f"{kind}/x").parent,
            classes=writer.path(CLASSES),
            course=plan_course(n_words, epochs=settings.epochs, most_words=most_words),
            size=size,
            rate=settings.learning_rate,
        )
        begun.append((training, fresh_weights_of(kind, bounds, settings, seed)))
    write_trained(writer, ctx, begun)
    ctx.say(f"{' and '.join(kinds)} over {size:,} words in {clock.seconds:.0f} s")


def fresh_weights_of(
    kind: str, bounds: Ids, settings: NetworksSettings, seed: int
) -> dict[str, Floats]:
    rng = derive_rng(seed, f"networks.{kind}")
    if kind == "feedforward":
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
