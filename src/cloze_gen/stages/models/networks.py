"""Neural language models of the training text, as artifacts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from cloze_gen.engine.progress import Stopwatch
from cloze_gen.errors import CorpusError
from cloze_gen.networks.adagrad import Floats
from cloze_gen.networks.feedforward import fresh_feedforward
from cloze_gen.networks.recurrent import fresh_recurrent
from cloze_gen.networks.training import MOST_STREAMS, STEPS, plan_course
from cloze_gen.networks.word_classes import Ids
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_COUNTED, MOST_EACH, SettingsGroup, types_of
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.training_text import TOKENS
from cloze_gen.stages.models.network_training import CLASSES, Lesson, begin_course, write_trained, write_vocabulary
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter

Kind = Literal["feedforward", "recurrent"]
FEWEST_WORDS = 64  # of a text: two blocks of one stream


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

    def memory_bytes(self, words: int) -> int:
        """Of both networks: weights, gradients, sums of squares, what a block of text makes of them, and copies in workers, float32."""
        size, block = min(self.vocabulary, types_of(words)), STEPS * MOST_STREAMS
        read, gates = self.history * self.vector, 4 * self.recurrent_hidden
        weights = 2 * size * self.vector + read * self.feedforward_hidden + (self.vector + self.recurrent_hidden) * gates
        weights += size * (self.feedforward_hidden + self.recurrent_hidden)
        states = block * (read + self.vector + 2 * (self.feedforward_hidden + gates))
        return 4 * 8 * (weights + states)


def write_networks(
    writer: ArtifactWriter, room: Room, *, text: Artifact, counts: Artifact, settings: NetworksSettings, kinds: Sequence[Kind], seed: int
) -> None:
    """Train networks on the training text, side by side.

    Files: `words.txt` and `classes.npy` (`write_vocabulary`); `training.tsv` (`write_trained`); and the weights, float32:
    `feedforward/word_vectors.npy`, `feedforward/input.npy`, `feedforward/class_weights.npy`, `feedforward/word_weights.npy`, and
    `recurrent/word_vectors.npy`, `recurrent/input.npy`, `recurrent/recurrent.npy`, `recurrent/class_weights.npy`,
    `recurrent/word_weights.npy`.

    Args:
        kinds: the networks wanted.
        seed: of the first weights.
    Raises:
        CorpusError: the text holds fewer than 64 words.
    """
    clock = Stopwatch()
    n_words = int(text.facts["tokens"]) + int(text.facts["sentences"])
    if n_words < FEWEST_WORDS:
        raise CorpusError(f"networks: the training text has {n_words} tokens; {FEWEST_WORDS} are the least that can be learnt from")
    table = read_counts(counts)
    size = min(settings.vocabulary, len(table.words))
    bounds = write_vocabulary(writer, table.words, table.count, sentences=int(text.facts["sentences"]), size=size)
    begun = [
        Lesson(
            kind,
            tokens=text.path(TOKENS),
            folder=writer.path(f"{kind}/x").parent,
            classes=writer.path(CLASSES),
            course=plan_course(n_words, readings=settings.readings, most_words=getattr(settings, f"{kind}_words")),
            numbers=range(0),
            size=size,
            rate=settings.rate,
        )
        for kind in kinds
    ]
    for lesson in begun:
        begin_course(lesson, _fresh(lesson.kind, bounds, settings, seed))
    write_trained(writer, room, begun)
    room.say(f"{' and '.join(kinds)} over {size:,} words in {clock.seconds:.0f} s")


def _fresh(kind: str, bounds: Ids, settings: NetworksSettings, seed: int) -> dict[str, Floats]:
    rng = derive_rng(seed, f"networks.{kind}")
    if kind == "feedforward":
        return fresh_feedforward(bounds, history=settings.history, vector=settings.vector, hidden=settings.feedforward_hidden, rng=rng)
    return fresh_recurrent(bounds, vector=settings.vector, hidden=settings.recurrent_hidden, rng=rng)
