"""Neural language models of the training text, as artifacts: trained and opened."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
import scipy
from pydantic import Field

from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.training_text import TOKENS
from cloze_gen.engine.progress import Stopwatch
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import CorpusError
from cloze_gen.models.cbow import CbowNetwork, SupervisedCbowNetwork
from cloze_gen.models.memory_network import VALUES, MemoryNetwork
from cloze_gen.models.network_layers import (
    START,
    TABLES,
    VECTORS,
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
    passage_reader,
    plan_course,
    train,
)
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_COUNTED, MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped, write_tsv

NetworkKind = Literal["feedforward", "recurrent", "cbow", "supervised_cbow", "memory"]
Network = (
    FeedForwardNetwork | RecurrentNetwork | CbowNetwork | SupervisedCbowNetwork | MemoryNetwork
)
NETWORK_WORDS, CLASSES, TRAINING = "words.txt", "classes.npy", "training.tsv"
_NETWORKS: Mapping[NetworkKind, Callable[[Mapping[str, Floats], Ids], Network]] = {
    "feedforward": FeedForwardNetwork,
    "recurrent": RecurrentNetwork,
    "cbow": CbowNetwork,
    "supervised_cbow": SupervisedCbowNetwork,
    "memory": MemoryNetwork,
}
_TRAINING = ("network", "words_read", "perplexity")
_LESSONS = 20  # parts of a course, for progress messages
_LESSON_COUNT = 2  # lessons per message


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
class Lesson:
    """A part of a network's course, for a worker.

    Attributes:
        passages: places (`training_passages`), for a network trained on passages.
        folder: weights and training state, which a lesson changes.
        numbers: of the blocks to read.
        rate: of the first steps.
    """

    kind: NetworkKind
    tokens: Path
    folder: Path
    classes: Path
    course: Course
    numbers: range
    size: int
    rate: float
    passages: Path | None = None


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
    writer.versions |= {"numpy": np.__version__, "scipy": scipy.__version__}
    return bounds


def begin_course(lesson: Lesson, weights: Mapping[str, Floats], *, start: float = START) -> None:
    """Write a network's initial weights and training state; `start` as in `fresh_squares`."""
    (lesson.folder / "state").mkdir(exist_ok=True)
    _save(lesson.folder, weights)
    _save(
        lesson.folder / "state",
        fresh_squares(weights, tables=(VECTORS, VALUES, *TABLES), start=start),
    )


def write_trained(writer: ArtifactWriter, ctx: StageContext, begun: Sequence[Lesson]) -> None:
    rows: list[tuple[str, int, float]] = []
    clock = Stopwatch()
    for number in range(_LESSONS):
        lessons = [
            replace(lesson, numbers=numbers)
            for lesson in begun
            if (numbers := _numbers(lesson.course, number))
        ]
        for lesson, loss in zip(
            lessons, ctx.map(take_lesson, lessons, unit="lessons"), strict=True
        ):
            rows.append(
                (
                    lesson.kind,
                    lesson.numbers.stop * lesson.course.words_a_block,
                    round(float(np.exp(loss)), 2),
                )
            )
        done = number + 1
        if lessons and done % _LESSON_COUNT == 0:
            ctx.say(_progress_text(done / _LESSONS, rows[-len(lessons) :], clock.seconds))
    for lesson in begun:
        shutil.rmtree(lesson.folder / "state")
    writer.rows[TRAINING] = write_tsv(writer.path(TRAINING), _TRAINING, rows)


def _progress_text(share: float, rows: Iterable[tuple[str, int, float]], seconds: float) -> str:
    """
    >>> _progress_text(0.25, [("feedforward", 2_000_000, 143.2)], 60)
    '25 %: feedforward 2.0 of 8.0 M words, perplexity 143; about 3 min left'
    """
    left = seconds * (1 - share) / share / 60
    parts = [
        f"{kind} {words / 1e6:.1f} of {words / share / 1e6:.1f} M words, perplexity {perplexity:.0f}"
        for kind, words, perplexity in rows
    ]
    parts += [f"about {left:.0f} min left"] if left >= 1 else []
    return f"{100 * share:.0f} %: {'; '.join(parts)}"


def _numbers(course: Course, number: int) -> range:
    return range(course.blocks * number // _LESSONS, course.blocks * (number + 1) // _LESSONS)


def _save(folder: Path, arrays: Mapping[str, Floats]) -> None:
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)


def take_lesson(lesson: Lesson) -> float:
    names = sorted(path.stem for path in lesson.folder.glob("*.npy"))
    weights, squares = (
        {name: np.load(folder / f"{name}.npy") for name in names} for folder in _folders(lesson)
    )
    network, tokens = (
        _NETWORKS[lesson.kind](weights, np.load(lesson.classes)),
        memory_mapped(lesson.tokens),
    )
    held = [lesson.folder / "state" / f"held_{name}.npy" for name in ("cells", "states")]
    if isinstance(network, RecurrentNetwork) and held[0].exists():
        network.held = (np.load(held[0]), np.load(held[1]))
    optimizer, course = Adagrad(weights, squares, rate=lesson.rate), lesson.course
    if isinstance(network, SupervisedCbowNetwork):
        assert lesson.passages is not None  # for the type checker
        read_passages = passage_reader(
            tokens, memory_mapped(lesson.passages), course, size=lesson.size
        )
        losses = train(
            network,
            read_passages,
            optimizer,
            course=course,
            numbers=lesson.numbers,
            rate=lesson.rate,
        )
    else:
        read = block_reader(tokens, course, lead=network.lead, size=lesson.size)
        losses = train(
            network, read, optimizer, course=course, numbers=lesson.numbers, rate=lesson.rate
        )
    for folder, arrays in zip(_folders(lesson), (weights, squares), strict=True):
        _save(folder, arrays)
    if isinstance(network, RecurrentNetwork) and network.held:
        for path, array in zip(held, network.held, strict=True):
            np.save(path, array)
    return float(np.mean(losses))


def _folders(lesson: Lesson) -> tuple[Path, Path]:
    return lesson.folder, lesson.folder / "state"


def open_trained(artifact: Artifact, kind: NetworkKind) -> NeuralModel:
    """A trained network, memory-mapped: workers of one machine share its weights."""
    names = sorted(name for name in artifact.manifest["files"] if name.startswith(f"{kind}/"))
    weights = {Path(name).stem: memory_mapped(artifact.path(name)) for name in names}
    return _NETWORKS[kind](weights, np.load(artifact.path(CLASSES)))


def count_words(artifact: Artifact) -> int:
    """The size of the closed vocabulary; the unknown word's number is one more."""
    return int(artifact.manifest["files"][NETWORK_WORDS]["rows"])


Kind = Literal["feedforward", "recurrent"]
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
        description="most frequent words of the training text; all others are one unknown word; 4",
    )
    vector_size: int = Field(64, ge=1, le=MOST_EACH, description="size of a word vector")
    history: int = Field(
        5, ge=1, le=100, description="previous words that the feed-forward network reads"
    )
    feedforward_hidden: int = Field(
        128, ge=1, le=MOST_EACH, description="hidden units of the feed-forward network"
    )
    feedforward_words: int = Field(
        8_000_000,
        ge=1,
        le=MOST_COUNTED,
        description="maximum training words of the feed-forward network",
    )
    recurrent_hidden: int = Field(
        128, ge=1, le=MOST_EACH, description="cells of the recurrent network"
    )
    recurrent_words: int = Field(
        8_000_000,
        ge=1,
        le=MOST_COUNTED,
        description="maximum training words of the recurrent network",
    )
    epochs: int = Field(4, ge=1, le=1000, description="maximum passes over the training text")
    learning_rate: float = Field(0.2, gt=0, le=10, description="initial learning rate (Adagrad)")


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
    begun = [
        Lesson(
            kind,
            tokens=text.path(TOKENS),
            folder=writer.path(f"{kind}/x").parent,
            classes=writer.path(CLASSES),
            course=plan_course(
                n_words, epochs=settings.epochs, most_words=getattr(settings, f"{kind}_words")
            ),
            numbers=range(0),
            size=size,
            rate=settings.learning_rate,
        )
        for kind in kinds
    ]
    for lesson in begun:
        begin_course(lesson, fresh_weights_of(lesson.kind, bounds, settings, seed))
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
