"""Neural language models as artifacts: trained in lessons, side by side where there are several, and opened again."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
import scipy

from cloze_gen.networks.adagrad import START, Adagrad, Floats, fresh_squares
from cloze_gen.networks.cbow import CbowNetwork
from cloze_gen.networks.class_softmax import TABLES
from cloze_gen.networks.feedforward import FeedForwardNetwork
from cloze_gen.networks.memory import TOLD, MemoryNetwork
from cloze_gen.networks.passages import passage_reader
from cloze_gen.networks.recurrent import RecurrentNetwork
from cloze_gen.networks.supervised_cbow import SupervisedCbowNetwork
from cloze_gen.networks.training import Course, block_reader, train
from cloze_gen.networks.word_classes import Ids, class_bounds
from cloze_gen.networks.word_vectors import VECTORS
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped, write_tsv

NetworkKind = Literal["feedforward", "recurrent", "cbow", "supervised_cbow", "memory"]
Network = FeedForwardNetwork | RecurrentNetwork | CbowNetwork | SupervisedCbowNetwork | MemoryNetwork
NETWORK_WORDS, CLASSES, TRAINING = "words.txt", "classes.npy", "training.tsv"
_NETWORKS: Mapping[NetworkKind, Callable[[Mapping[str, Floats], Ids], Network]] = {
    "feedforward": FeedForwardNetwork,
    "recurrent": RecurrentNetwork,
    "cbow": CbowNetwork,
    "supervised_cbow": SupervisedCbowNetwork,
    "memory": MemoryNetwork,
}
_TRAINING = ("network", "words_read", "perplexity")
_LESSONS = 20  # that a course is cut into, so that progress can be told
_LESSONS_TOLD = 5  # one line for each so many


class NeuralModel(Protocol):
    """A network that is asked. Words are numbers of the closed vocabulary, 0 the end of a sentence."""

    def log_probs(self, ids: Ids, lengths: Ids) -> Floats:
        """ln P(last word | the words before it) of each passage, shape (n,).

        Args:
            ids: the passages' words one after the other, shape (the sum of the lengths,).
            lengths: shape (n,), each at least 2.
        """
        ...

    def all_log_probs(self, ids: Ids, lengths: Ids) -> Floats:
        """ln P(word | the words before the last) of every word of the vocabulary, shape (n, words); arguments as `log_probs`."""
        ...


@dataclass(frozen=True, slots=True)
class Lesson:
    """A part of a network's course, for a worker.

    Attributes:
        tokens: the training text as numbers.
        passages: of `networks.passages`, where the network is trained on passages of the text.
        folder: where the weights are, and the state of the training, which a lesson changes.
        numbers: of the blocks to be read.
        size: of the closed vocabulary.
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


def write_vocabulary(writer: ArtifactWriter, words: Sequence[str], counts: np.ndarray, *, sentences: int, size: int) -> Ids:
    """Write the commonest words and the classes of all: ends of sentences first, the words, the unknown word last.

    Files: `words.txt`, the closed vocabulary, word N on line N; `classes.npy`, int64, where each class of words begins, and their number
    (`networks.word_classes`).

    Args:
        words: the commonest first.
        counts: int64, shape (words,).
        sentences: of the text.
        size: of the closed vocabulary; a text may have fewer words.
    Returns:
        the classes, shape (classes + 1,).
    """
    kept = words[:size]
    writer.path(NETWORK_WORDS).write_text("".join(f"{word}\n" for word in kept), encoding="utf-8", newline="\n")
    bounds = class_bounds(np.concatenate([[sentences], counts[:size], [int(counts[size:].sum())]]), round(len(kept) ** 0.5))
    np.save(writer.path(CLASSES), bounds)
    writer.rows[NETWORK_WORDS] = len(kept)
    writer.versions |= {"numpy": np.__version__, "scipy": scipy.__version__}
    return bounds


def begin_course(lesson: Lesson, weights: Mapping[str, Floats], *, start: float = START) -> None:
    """Write a network's first weights and the state of a training that has not begun; `start` is that of `fresh_squares`."""
    (lesson.folder / "state").mkdir(exist_ok=True)
    _save(lesson.folder, weights)
    _save(lesson.folder / "state", fresh_squares(weights, tables=(VECTORS, TOLD, *TABLES), start=start))


def write_trained(writer: ArtifactWriter, room: Room, begun: Sequence[Lesson]) -> None:
    """Take networks through their courses, a lesson of each at a time.

    Files: `training.tsv`, a row a twentieth of a course: `network`, `words_read` so far, `perplexity` of the words of that twentieth before
    they were learnt; of each kind a folder of its weights, float32, KIND/NAME.npy.

    Args:
        begun: each network's course (`begin_course`), as a lesson of no blocks.
    """
    rows: list[tuple[str, int, float]] = []
    for number in range(_LESSONS):
        lessons = [replace(lesson, numbers=numbers) for lesson in begun if (numbers := _numbers(lesson.course, number))]
        for lesson, loss in zip(lessons, room.map(take_lesson, lessons, unit="lessons"), strict=True):
            rows.append((lesson.kind, lesson.numbers.stop * lesson.course.words_a_block, round(float(np.exp(loss)), 2)))
            if number % _LESSONS_TOLD == _LESSONS_TOLD - 1:
                room.say(f"{lesson.kind}: {rows[-1][1]:,} words read, perplexity {rows[-1][2]:.0f}")
    for lesson in begun:
        shutil.rmtree(lesson.folder / "state")
    writer.rows[TRAINING] = write_tsv(writer.path(TRAINING), _TRAINING, rows)


def _numbers(course: Course, number: int) -> range:
    """The blocks of one of the twenty lessons; a course of fewer blocks has lessons with none."""
    return range(course.blocks * number // _LESSONS, course.blocks * (number + 1) // _LESSONS)


def _save(folder: Path, arrays: Mapping[str, Floats]) -> None:
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)


def take_lesson(lesson: Lesson) -> float:
    """Train a network on some blocks; returns the mean of -ln P(word) before they were learnt."""
    names = sorted(path.stem for path in lesson.folder.glob("*.npy"))
    weights, squares = ({name: np.load(folder / f"{name}.npy") for name in names} for folder in _folders(lesson))
    network, tokens = _NETWORKS[lesson.kind](weights, np.load(lesson.classes)), memory_mapped(lesson.tokens)
    held = [lesson.folder / "state" / f"held_{name}.npy" for name in ("cells", "states")]
    if isinstance(network, RecurrentNetwork) and held[0].exists():
        network.held = (np.load(held[0]), np.load(held[1]))
    optimizer, course = Adagrad(weights, squares, rate=lesson.rate), lesson.course
    if isinstance(network, SupervisedCbowNetwork):
        assert lesson.passages is not None  # for the type checker; who begins its course cuts them
        read_passages = passage_reader(tokens, memory_mapped(lesson.passages), course, size=lesson.size)
        losses = train(network, read_passages, optimizer, course=course, numbers=lesson.numbers, rate=lesson.rate)
    else:
        read = block_reader(tokens, course, lead=network.lead, size=lesson.size)
        losses = train(network, read, optimizer, course=course, numbers=lesson.numbers, rate=lesson.rate)
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
