"""Neural language models of the training text, as artifacts."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import scipy
from pydantic import Field

from cloze_gen.engine.progress import Stopwatch
from cloze_gen.errors import CorpusError
from cloze_gen.networks.adagrad import Adagrad, Floats, fresh_squares
from cloze_gen.networks.class_softmax import TABLES
from cloze_gen.networks.feedforward import FeedForwardNetwork, fresh_feedforward
from cloze_gen.networks.recurrent import RecurrentNetwork, fresh_recurrent
from cloze_gen.networks.training import Course, plan_course, train
from cloze_gen.networks.word_classes import class_bounds
from cloze_gen.networks.word_vectors import VECTORS
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_COUNTED, MOST_EACH, SettingsGroup
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.training_text import TOKENS
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped, write_tsv

Kind = Literal["feedforward", "recurrent"]
NeuralModel = FeedForwardNetwork | RecurrentNetwork
NETWORK_WORDS, CLASSES, TRAINING = "words.txt", "classes.npy", "training.tsv"
_WEIGHTS: Mapping[Kind, tuple[str, ...]] = {
    "feedforward": (VECTORS, "input", *TABLES),
    "recurrent": (VECTORS, "input", "recurrent", *TABLES),
}
_TRAINING = ("network", "words_read", "perplexity")
_LESSONS = 20  # that a course is cut into, so that progress can be told
_LESSONS_TOLD = 5  # one line for each so many
_FEWEST_WORDS = 64  # of a text: two blocks of one stream


class NetworksSettings(SettingsGroup):
    """Settings of the neural language models.

    What the training takes is told by words, not by minutes, so that the weights do not hang on the machine's speed.
    """

    vocabulary: int = Field(60_000, ge=10, le=MOST_COUNTED, description="the commonest words of the training text; all others are one; 4")
    vector: int = Field(128, ge=1, le=MOST_EACH, description="numbers of a word vector")
    history: int = Field(5, ge=1, le=100, description="words that the feed-forward network sees")
    feedforward_hidden: int = Field(256, ge=1, le=MOST_EACH, description="units of the feed-forward network's hidden layer")
    feedforward_words: int = Field(50_000_000, ge=1, le=MOST_COUNTED, description="words the feed-forward network reads at most")
    recurrent_hidden: int = Field(256, ge=1, le=MOST_EACH, description="cells of the recurrent network")
    recurrent_words: int = Field(30_000_000, ge=1, le=MOST_COUNTED, description="words the recurrent network reads at most")
    readings: int = Field(4, ge=1, le=1000, description="times the training text is read at most")
    rate: float = Field(0.2, gt=0, le=10, description="size of the first steps (Adagrad)")


@dataclass(frozen=True, slots=True)
class Lesson:
    """A part of a network's course, for a worker.

    Attributes:
        tokens: the training text as numbers.
        folder: where the weights are, and the state of the training, which a lesson changes.
        numbers: of the blocks to be read.
    """

    kind: Kind
    tokens: Path
    folder: Path
    classes: Path
    course: Course
    numbers: range
    size: int
    rate: float


def write_networks(
    writer: ArtifactWriter, room: Room, *, text: Artifact, counts: Artifact, settings: NetworksSettings, kinds: Sequence[Kind], seed: int
) -> None:
    """Train networks on the training text, side by side.

    Files: `words.txt`, the closed vocabulary, word N on line N; `classes.npy`, int64, where each class of words begins, and their number
    (`networks.word_classes`); `training.tsv`, a row a twentieth of a course: `network`, `words_read` so far, `perplexity` of the words of
    that twentieth before they were learnt; and the weights, float32: `feedforward/word_vectors.npy`, `feedforward/input.npy`,
    `feedforward/class_weights.npy`, `feedforward/word_weights.npy`, and `recurrent/word_vectors.npy`, `recurrent/input.npy`,
    `recurrent/recurrent.npy`, `recurrent/class_weights.npy`, `recurrent/word_weights.npy`.

    Args:
        kinds: the networks wanted.
        seed: of the first weights.
    Raises:
        CorpusError: the text holds fewer than 64 words.
    """
    clock = Stopwatch()
    n_words = int(text.facts["tokens"]) + int(text.facts["sentences"])
    if n_words < _FEWEST_WORDS:
        raise CorpusError(f"networks: the training text has {n_words} tokens; {_FEWEST_WORDS} are the least that can be learnt from")
    words, bounds = _vocabulary(text, counts, settings)
    writer.path(NETWORK_WORDS).write_text("".join(f"{word}\n" for word in words), encoding="utf-8", newline="\n")
    np.save(writer.path(CLASSES), bounds)
    begun = [
        Lesson(
            kind,
            tokens=text.path(TOKENS),
            folder=writer.path(f"{kind}/x").parent,
            classes=writer.path(CLASSES),
            course=plan_course(n_words, readings=settings.readings, most_words=getattr(settings, f"{kind}_words")),
            numbers=range(0),
            size=len(words),
            rate=settings.rate,
        )
        for kind in kinds
    ]
    for lesson in begun:
        _begin(lesson, bounds, settings, seed)
    rows: list[tuple[str, int, float]] = []
    for number in range(_LESSONS):
        lessons = [replace(lesson, numbers=numbers) for lesson in begun if (numbers := _numbers(lesson.course, number))]
        for lesson, loss in zip(lessons, room.map(take_lesson, lessons, unit="lessons"), strict=True):
            rows.append((lesson.kind, lesson.numbers.stop * lesson.course.words_a_block, round(float(np.exp(loss)), 2)))
            if number % _LESSONS_TOLD == _LESSONS_TOLD - 1:
                room.say(f"{lesson.kind}: {rows[-1][1]:,} words read, perplexity {rows[-1][2]:.0f}")
    for lesson in begun:
        shutil.rmtree(lesson.folder / "state")
    writer.rows |= {TRAINING: write_tsv(writer.path(TRAINING), _TRAINING, rows), NETWORK_WORDS: len(words)}
    writer.versions |= {"numpy": np.__version__, "scipy": scipy.__version__}
    room.say(f"{' and '.join(kinds)} over {len(words):,} words in {clock.seconds:.0f} s")


def _vocabulary(text: Artifact, counts: Artifact, settings: NetworksSettings) -> tuple[list[str], np.ndarray]:
    """The commonest words and the classes of all: ends of sentences first, the words, the unknown word last."""
    table = read_counts(counts)
    size = min(settings.vocabulary, len(table.words))
    all_counts = np.concatenate([[int(text.facts["sentences"])], table.count[:size], [int(table.count[size:].sum())]])
    return list(table.words[:size]), class_bounds(all_counts, round(size**0.5))


def _numbers(course: Course, number: int) -> range:
    """The blocks of one of the twenty lessons; a course of fewer blocks has lessons with none."""
    return range(course.blocks * number // _LESSONS, course.blocks * (number + 1) // _LESSONS)


def _begin(lesson: Lesson, bounds: np.ndarray, settings: NetworksSettings, seed: int) -> None:
    """Write a network's first weights and the state of a training that has not begun."""
    rng = derive_rng(seed, f"networks.{lesson.kind}")
    if lesson.kind == "feedforward":
        weights = fresh_feedforward(bounds, history=settings.history, vector=settings.vector, hidden=settings.feedforward_hidden, rng=rng)
    else:
        weights = fresh_recurrent(bounds, vector=settings.vector, hidden=settings.recurrent_hidden, rng=rng)
    (lesson.folder / "state").mkdir()
    _save(lesson.folder, weights)
    _save(lesson.folder / "state", fresh_squares(weights, tables=(VECTORS, *TABLES)))


def _save(folder: Path, arrays: Mapping[str, Floats]) -> None:
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)


def take_lesson(lesson: Lesson) -> float:
    """Train a network on some blocks; returns the mean of -ln P(word) before they were learnt."""
    weights, squares = ({name: np.load(folder / f"{name}.npy") for name in _WEIGHTS[lesson.kind]} for folder in _folders(lesson))
    network = _network(lesson.kind, weights, np.load(lesson.classes))
    held = [lesson.folder / "state" / f"held_{name}.npy" for name in ("cells", "states")]
    if isinstance(network, RecurrentNetwork) and held[0].exists():
        network.held = (np.load(held[0]), np.load(held[1]))
    losses = train(
        network, memory_mapped(lesson.tokens), Adagrad(weights, squares, rate=lesson.rate),
        course=lesson.course, numbers=lesson.numbers, size=lesson.size, rate=lesson.rate,
    )  # fmt: skip
    for folder, arrays in zip(_folders(lesson), (weights, squares), strict=True):
        _save(folder, arrays)
    if isinstance(network, RecurrentNetwork) and network.held:
        for path, array in zip(held, network.held, strict=True):
            np.save(path, array)
    return float(np.mean(losses))


def _folders(lesson: Lesson) -> tuple[Path, Path]:
    return lesson.folder, lesson.folder / "state"


def _network(kind: Kind, weights: Mapping[str, Floats], bounds: np.ndarray) -> NeuralModel:
    return FeedForwardNetwork(weights, bounds) if kind == "feedforward" else RecurrentNetwork(weights, bounds)


def open_network(artifact: Artifact, kind: Kind) -> NeuralModel:
    """A trained network, memory-mapped: workers of one machine share its weights."""
    weights = {name: memory_mapped(artifact.path(f"{kind}/{name}.npy")) for name in _WEIGHTS[kind]}
    return _network(kind, weights, np.load(artifact.path(CLASSES)))


def count_words(artifact: Artifact) -> int:
    """The size of the closed vocabulary; the unknown word's number is one more."""
    return int(artifact.manifest["files"][NETWORK_WORDS]["rows"])
