"""The forward index of the language model, as an artifact."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from cloze_gen.engine.ahead import ahead
from cloze_gen.engine.progress import Stopwatch, track
from cloze_gen.lm.arpa import read_blocks
from cloze_gen.lm.forward_index import ForwardIndex, Level, build_levels
from cloze_gen.stages.models.language_model import ARPA
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped

WORDS = "words.txt"
_BLOCK_BYTES = 64 * 1024 * 1024


def write_index(writer: ArtifactWriter, room: Room, *, model: Artifact) -> None:
    """Sort the ARPA file's n-grams into the arrays of the forward index (`lm.forward_index`).

    Files: `words.txt`, the vocabulary, a word a line, in the order of the model's unigrams; for each order N the arrays of its `Level`,
    `Ngrams.key.npy`, `Ngrams.log10_prob.npy` and `Ngrams.log10_backoff.npy`, a row an n-gram.

    Raises:
        ModelError: the ARPA file is cut short or not consistent.
    """
    write_levels(writer, room, model.path(ARPA))


def write_levels(writer: ArtifactWriter, room: Room, arpa: Path) -> None:
    """As `write_index`, of the ARPA file at any place."""
    clock = Stopwatch()
    order = 0
    for order, vocabulary, level in build_levels(ahead(read_blocks(_chunks(arpa, room.stage)))):
        if order == 1:
            writer.path(WORDS).write_text("\n".join(vocabulary.to_pylist()) + "\n", encoding="utf-8")
        for name in Level.__slots__:
            np.save(writer.path(_file(order, name)), getattr(level, name))
        writer.rows[_file(order, "key")] = len(level.key)
    writer.facts |= {"order": order}
    writer.versions |= {"numpy": np.__version__}
    room.say(f"order {order}, sorted in {clock.seconds:.0f} s")


def _file(order: int, name: str) -> str:
    return f"{order}grams.{name}.npy"


def _chunks(path: Path, stage: str) -> Iterator[bytes]:
    with open(path, "rb") as handle:
        total = -(-path.stat().st_size // _BLOCK_BYTES)
        yield from track(iter(lambda: handle.read(_BLOCK_BYTES), b""), stage=stage, unit="blocks", total=total)


def open_index(artifact: Artifact) -> ForwardIndex:
    """The index, memory-mapped: workers of one machine share its pages."""
    words = artifact.path(WORDS).read_text(encoding="utf-8").split("\n")[:-1]
    levels = []
    for order in range(1, int(artifact.facts["order"]) + 1):
        arrays = {name: memory_mapped(artifact.path(_file(order, name))) for name in Level.__slots__}
        levels.append(Level(**arrays))
    return ForwardIndex(words, levels)
