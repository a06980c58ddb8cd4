"""The networks and vectors that passages are asked of, an artifact each (LAMBADA 4): trained on the training novels in small letters.

None of them is a member of the committee: two of the same kinds sit there, with other sizes, another vocabulary and other first weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cloze_gen.engine.progress import Stopwatch
from cloze_gen.errors import CorpusError, UsageError
from cloze_gen.networks.adagrad import START, Floats
from cloze_gen.networks.cbow import START as CBOW_START
from cloze_gen.networks.cbow import fresh_cbow
from cloze_gen.networks.feedforward import fresh_feedforward
from cloze_gen.networks.memory import fresh_memory
from cloze_gen.networks.passages import MOST_PASSAGES, training_passages
from cloze_gen.networks.recurrent import fresh_recurrent
from cloze_gen.networks.supervised_cbow import fresh_supervised_cbow
from cloze_gen.networks.training import Course, plan_course
from cloze_gen.networks.word_classes import Ids
from cloze_gen.networks.word_vectors import VECTORS
from cloze_gen.rng import derive_rng
from cloze_gen.stages.corpus.training_text import TOKENS
from cloze_gen.stages.models.network_training import (
    CLASSES,
    Lesson,
    NetworkKind,
    NeuralModel,
    begin_course,
    open_trained,
    write_trained,
    write_vocabulary,
)
from cloze_gen.stages.models.networks import FEWEST_WORDS
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped, read_tsv

WORDS = "words.tsv"  # of the text: word and count, the commonest first
_PASSAGES = "passages.npy"


@dataclass(frozen=True, slots=True)
class PassageNetworkSizes:
    """The networks that passages are asked of. No setting of a run reaches them.

    What the training takes is told by words, or passages, not by minutes, so that the weights do not hang on the machine's speed.

    Attributes:
        vocabulary: the commonest words of the training text; all others are one; 4.
        vector: numbers of a word vector, and of the memory network's queries.
        history: words that the feed-forward network sees, and the memory network's first query.
        hidden: units of the hidden layer, cells of the recurrent network.
        memories: words before the target that the memory network sees; its history among them.
        hops: times that the memory network looks at its memories.
        min_context_tokens: inclusive: of the passages that supervised CBOW learns from; 3.1.
        feedforward_words: words the feed-forward network reads at most.
        recurrent_words: words the recurrent network reads at most.
        cbow_words: words that CBOW reads at most.
        memory_words: words the memory network reads at most.
        supervised_cbow_passages: passages read at most; 4: about 9 million.
        readings: times the training text, or its passages, are read at most.
        rate: size of the first steps (Adagrad).
        cbow_rate: the same, of CBOW.
    """

    vocabulary: int = 60_000
    vector: int = 100
    history: int = 4
    hidden: int = 200
    memories: int = 100
    hops: int = 3
    min_context_tokens: int = 50
    feedforward_words: int = 12_000_000
    recurrent_words: int = 8_000_000
    cbow_words: int = 12_000_000
    memory_words: int = 7_000_000
    supervised_cbow_passages: int = 3_000_000
    readings: int = 2
    rate: float = 0.2
    cbow_rate: float = 0.1


PASSAGE_NETWORKS = PassageNetworkSizes()


def write_passage_network(
    writer: ArtifactWriter,
    room: Room,
    *,
    text: Artifact,
    sizes: PassageNetworkSizes,
    kind: NetworkKind,
    seed: int,
    cbow: Artifact | None = None,
) -> None:
    """Train one network on the training text in small letters.

    Files: `words.txt` and `classes.npy` (`write_vocabulary`); `training.tsv` and a folder of the weights (`write_trained`), whose names
    are those of the network's file in `networks/`. Of supervised CBOW `words_read` are passages.

    Args:
        text: `tokens.npy`, uint32, the number of each word, 0 after each sentence; `words.tsv`, `word` and `count`, the commonest first,
            that of number 1; the facts `tokens` and `sentences`.
        cbow: the same function's CBOW, whose vectors supervised CBOW takes.
    Raises:
        CorpusError: the text holds fewer than 64 words, or no passage to learn from.
        UsageError: vectors are missing, or of another vocabulary.
    """
    clock = Stopwatch()
    n_words, sentences = int(text.facts["tokens"]) + int(text.facts["sentences"]), int(text.facts["sentences"])
    if n_words < FEWEST_WORDS:
        raise CorpusError(f"{kind}: the training text has {n_words} tokens; {FEWEST_WORDS} are the least that can be learnt from")
    rows = read_tsv(text.path(WORDS))
    words, counts = [row["word"] for row in rows], np.array([int(row["count"]) for row in rows], np.int64)
    size = min(sizes.vocabulary, len(words))
    bounds = write_vocabulary(writer, words, counts, sentences=sentences, size=size)
    weights = _fresh(kind, bounds, sizes, seed, cbow)
    folder = writer.path(f"{kind}/x").parent
    passages = None
    if kind == "supervised_cbow":
        passages = folder / "state" / _PASSAGES
        course = _cut_passages(passages, text, words, sizes)
    else:
        course = plan_course(n_words, readings=sizes.readings, most_words=getattr(sizes, f"{kind}_words"))
    lesson = Lesson(
        kind, tokens=text.path(TOKENS), folder=folder, classes=writer.path(CLASSES), course=course, numbers=range(0), size=size,
        rate=sizes.cbow_rate if kind == "cbow" else sizes.rate, passages=passages,
    )  # fmt: skip
    begin_course(lesson, weights, start=CBOW_START if kind == "cbow" else START)
    write_trained(writer, room, [lesson])
    room.say(f"{kind} over {size:,} words in {clock.seconds:.0f} s")


def _cut_passages(path: Path, text: Artifact, words: list[str], sizes: PassageNetworkSizes) -> Course:
    """Write the passages of the text, and plan the course through them."""
    marks = np.array([False, *(not any(map(str.isalnum, word)) for word in words)])
    letters = np.array([False, *map(str.isalpha, words)])
    least = sizes.min_context_tokens
    passages = training_passages(memory_mapped(text.path(TOKENS)), marks=marks, letters=letters, min_tokens=least)
    if not len(passages):
        raise CorpusError(
            f"supervised_cbow: no sentence of the training text that ends in a word of letters has {least} tokens before it;"
            " Give it more novels."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, passages)
    return plan_course(
        len(passages), readings=sizes.readings, most_words=sizes.supervised_cbow_passages, most_streams=MOST_PASSAGES, steps=1
    )


def _fresh(kind: NetworkKind, bounds: Ids, sizes: PassageNetworkSizes, seed: int, cbow: Artifact | None) -> dict[str, Floats]:
    """First weights; a purpose of their own keeps them from being those of the committee's network of the same kind and seed."""
    rng, vector, hidden = derive_rng(seed, f"passage_networks.{kind}"), sizes.vector, sizes.hidden
    match kind:
        case "feedforward":
            return fresh_feedforward(bounds, history=sizes.history, vector=vector, hidden=hidden, rng=rng)
        case "recurrent":
            return fresh_recurrent(bounds, vector=vector, hidden=hidden, rng=rng)
        case "cbow":
            return fresh_cbow(bounds, vector=vector, rng=rng)
        case "memory":
            query = min(sizes.history, sizes.memories)
            return fresh_memory(bounds, memories=sizes.memories, query=query, hops=sizes.hops, vector=vector, rng=rng)
        case "supervised_cbow":
            if cbow is None:
                raise UsageError("supervised_cbow: no vectors to start from; train cbow first and hand it over as `cbow`.")
            vectors = np.load(cbow.path(f"cbow/{VECTORS}.npy"))
            if len(vectors) != int(bounds[-1]):
                raise UsageError(f"supervised_cbow: {len(vectors):,} vectors for {int(bounds[-1]):,} words; train cbow on the same text.")
            return fresh_supervised_cbow(vectors, bounds, hidden=hidden, rng=rng)


def open_passage_network(artifact: Artifact, kind: NetworkKind) -> NeuralModel:
    """The trained network of an artifact, memory-mapped."""
    return open_trained(artifact, kind)
