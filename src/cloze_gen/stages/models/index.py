"""The forward index of the language model, as an artifact.

An n-gram costs 16 bytes, and a model of ten times the text has ten times the n-grams: a section's are sorted in runs on disk, and the
arrays are written as the runs are merged. What stays in memory is the vocabulary, and a range of rows.
"""

from __future__ import annotations

import contextlib
import itertools
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from cloze_gen.engine.ahead import ahead
from cloze_gen.engine.progress import Stopwatch, track
from cloze_gen.errors import ModelError
from cloze_gen.lm.arpa import ArpaBlock, read_blocks
from cloze_gen.lm.forward_index import ForwardIndex, Level, keyed_ngrams
from cloze_gen.stages.models.language_model import ARPA
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.sorted_runs import KEY, SortedRuns
from cloze_gen.store.tables import ArrayWriter, memory_mapped

WORDS = "words.txt"
_BLOCK_BYTES = 32 * 1024 * 1024  # of the ARPA file; some are on their way at once, and as arrays each takes several times its text
_TYPES = {KEY: np.uint64, "log10_prob": np.float32, "log10_backoff": np.float32}  # of a `Level`


def write_index(writer: ArtifactWriter, room: Room, *, model: Artifact) -> None:
    """Sort the ARPA file's n-grams into the arrays of the forward index (`lm.forward_index`).

    Files: `words.txt`, the vocabulary, a word a line, in the order of the model's unigrams; for each order N the arrays of its `Level`,
    `Ngrams.key.npy`, `Ngrams.log10_prob.npy` and `Ngrams.log10_backoff.npy`, a row an n-gram.

    Raises:
        ModelError: the ARPA file is cut short or not consistent.
    """
    write_index_of(writer, room, model.path(ARPA))


def write_index_of(writer: ArtifactWriter, room: Room, arpa: Path) -> None:
    """As `write_index`, of the ARPA file at any place."""
    clock = Stopwatch()
    rows = write_levels(writer.folder, ahead(read_blocks(_chunks(arpa, room.stage))))
    writer.rows |= {_file(order, KEY): count for order, count in enumerate(rows, 1)}
    writer.facts |= {"order": len(rows)}
    writer.versions |= {"numpy": np.__version__}
    room.say(f"order {len(rows)}, sorted in {clock.seconds:.0f} s")


def write_levels(folder: Path, blocks: Iterable[ArpaBlock]) -> list[int]:
    """Write the index of a model into a folder; returns the n-grams of each order, unigrams first.

    Raises:
        ModelError: the orders of the model do not agree, or it has no unigrams.
    """
    vocabulary: pa.Array | None = None
    keys: list[np.ndarray] = []
    for order, section in itertools.groupby(blocks, key=lambda block: block.order):
        if order == 1:
            section = iter(unigrams := list(section))
            vocabulary = pa.concat_arrays([part.words[0].dictionary_decode() for part in unigrams])
            (folder / WORDS).write_text("\n".join(vocabulary.to_pylist()) + "\n", encoding="utf-8")
        if vocabulary is None:
            raise ModelError("the ARPA file has no unigram section")
        _write_sorted(folder, order, ahead(keyed_ngrams(part, vocabulary, keys) for part in section))
        keys.append(memory_mapped(folder / _file(order, KEY)))
    return [len(key) for key in keys]


def _write_sorted(folder: Path, order: int, parts: Iterable[Level]) -> None:
    """Write the arrays of one level from its n-grams as they come."""
    temp = folder / "runs"
    temp.mkdir()
    runs = SortedRuns(temp, _TYPES)
    for part in parts:
        runs.add({name: getattr(part, name) for name in _TYPES})
    with contextlib.ExitStack() as files:
        writers = {name: files.enter_context(ArrayWriter(folder / _file(order, name), kind)) for name, kind in _TYPES.items()}
        for columns in runs.ranges():
            for name, column in columns.items():
                writers[name].write(column)
    shutil.rmtree(temp)


def _file(order: int, name: str) -> str:
    return f"{order}grams.{name}.npy"


def _chunks(path: Path, stage: str) -> Iterator[bytes]:
    with open(path, "rb") as handle:
        total = -(-path.stat().st_size // _BLOCK_BYTES)
        yield from track(iter(lambda: handle.read(_BLOCK_BYTES), b""), stage=stage, unit="blocks", total=total)


def open_index(artifact: Artifact) -> ForwardIndex:
    """The index, memory-mapped: workers of one machine share its pages."""
    return read_levels(artifact.folder, order=int(artifact.facts["order"]))


def read_levels(folder: Path, *, order: int) -> ForwardIndex:
    """The index that `write_levels` wrote."""
    words = (folder / WORDS).read_text(encoding="utf-8").split("\n")[:-1]
    levels = [Level(**{name: memory_mapped(folder / _file(n, name)) for name in Level.__slots__}) for n in range(1, order + 1)]
    return ForwardIndex(words, levels)
