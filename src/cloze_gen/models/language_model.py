"""The language model (an ARPA file) and its forward index, as artifacts."""

from __future__ import annotations

import contextlib
import itertools
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow as pa
from pydantic import Field, ValidationInfo, field_validator

from cloze_gen.adapters.lmplz import find_lmplz, train_arpa
from cloze_gen.corpus.training_text import TEXT
from cloze_gen.engine.local import prefetch
from cloze_gen.engine.progress import Stopwatch, phases, track
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import ModelError
from cloze_gen.models.arpa import ArpaBlock, header_counts, read_blocks
from cloze_gen.models.ngram_index import ForwardIndex, Level, keyed_ngrams
from cloze_gen.settings import MOST_COUNTED, SettingsGroup, Unhashed
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.manifest import file_sha256
from cloze_gen.store.sorted_runs import KEY, SortedRuns
from cloze_gen.store.tables import ArrayWriter, memory_mapped

ARPA = "model.arpa"


class LmSettings(SettingsGroup):
    order: int = Field(
        3,
        ge=2,
        le=5,
        description="n of the n-grams; MSR 2.2, step 2: 3",
    )
    prune: tuple[Annotated[int, Field(ge=0, le=MOST_COUNTED)], ...] = Field(
        (),
        strict=False,
        description="lmplz --prune: greatest count dropped, for each order",
    )
    memory: Unhashed[str] = Field(
        "4G",
        pattern=r"^[1-9]\d{0,6}[KMG]$",
        description="lmplz -S: memory for sorting, such as 4G, at least 100M",
    )
    # It changes no model that could be made without it.
    discount_fallback: Unhashed[bool] = Field(
        False,
        description="lmplz --discount_fallback, for small corpora",
    )

    @field_validator("memory")
    @classmethod
    def _enough(cls, memory: str) -> str:
        if int(memory[:-1]) * 1024 ** ("KMG".index(memory[-1]) + 1) < 100 * 1024**2:
            raise ValueError("too little for lmplz. Use at least 100M; 4G is a good value")
        return memory

    @field_validator("prune")
    @classmethod
    def _rising(cls, prune: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
        order = info.data.get("order", len(prune))
        if len(prune) > order:
            raise ValueError(
                f"{len(prune)} counts for {order} orders. Give one count per order, unigrams first"
            )
        if list(prune) != sorted(prune):
            raise ValueError("a longer n-gram's threshold must not be below a shorter one's")
        return prune


def write_language_model(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    text: Artifact,
    settings: LmSettings,
) -> None:
    """Estimate the model by KenLM's `lmplz` (one core)."""
    clock, seconds = Stopwatch(), 0.0

    def on_line(line: str) -> None:
        nonlocal seconds
        seconds = clock.seconds  # lmplz prints to its end; `ctx.meanwhile` may take longer
        hear(line)

    with phases(ctx.stage) as hear:
        train_arpa(
            text=text.path(TEXT),
            arpa=writer.path(ARPA),
            order=settings.order,
            memory=settings.memory,
            temp_dir=writer.path("temp/x").parent,
            prune=settings.prune,
            discount_fallback=settings.discount_fallback,
            on_line=on_line,
            meanwhile=ctx.meanwhile,
        )
    writer.path("temp/x").parent.rmdir()
    with open(writer.path(ARPA), "rb") as handle:
        counts = header_counts(handle.read(4096))
    writer.facts |= {"ngrams": counts}
    writer.versions |= {"lmplz_sha256": file_sha256(find_lmplz())}
    ctx.say(f"{sum(counts):,} n-grams of order {settings.order} in {seconds:.0f} s")


WORDS = "words.txt"
# of the ARPA file; as arrays a block takes several times its size, and a few exist at once
_BLOCK_BYTES = 32 * 1024 * 1024
_TYPES = {KEY: np.uint64, "log10_prob": np.float32, "log10_backoff": np.float32}  # of a `Level`


def write_index(writer: ArtifactWriter, ctx: StageContext, *, model: Artifact) -> None:
    """Sort the ARPA file's n-grams into a forward index, in runs on disk to save memory."""
    write_index_of(writer, ctx, model.path(ARPA))


def write_index_of(writer: ArtifactWriter, ctx: StageContext, arpa: Path) -> None:
    clock = Stopwatch()
    rows = write_levels(writer.folder, prefetch(read_blocks(_chunks(arpa, ctx.stage))))
    writer.rows |= {_file(order, KEY): count for order, count in enumerate(rows, 1)}
    writer.facts |= {"order": len(rows)}
    writer.note_libraries("numpy")
    ctx.say(f"order {len(rows)}, sorted in {clock.seconds:.0f} s")


def write_levels(folder: Path, blocks: Iterable[ArpaBlock]) -> list[int]:
    """Write the index of a model; returns the n-grams of each order, unigrams first."""
    vocabulary: pa.Array | None = None
    keys: list[np.ndarray] = []
    for order, section in itertools.groupby(blocks, key=lambda block: block.order):
        if order == 1:
            section = iter(unigrams := list(section))
            vocabulary = pa.concat_arrays([part.words[0].dictionary_decode() for part in unigrams])
            (folder / WORDS).write_text("\n".join(vocabulary.to_pylist()) + "\n", encoding="utf-8")
        if vocabulary is None:
            raise ModelError("the ARPA file has no unigram section")
        _write_sorted(
            folder, order, prefetch(keyed_ngrams(part, vocabulary, keys) for part in section)
        )
        keys.append(memory_mapped(folder / _file(order, KEY)))
    return [len(key) for key in keys]


def _write_sorted(folder: Path, order: int, parts: Iterable[Level]) -> None:
    temp = folder / "runs"
    temp.mkdir()
    runs = SortedRuns(temp, _TYPES)
    for part in parts:
        runs.add({name: getattr(part, name) for name in _TYPES})
    with contextlib.ExitStack() as files:
        writers = {
            name: files.enter_context(ArrayWriter(folder / _file(order, name), kind))
            for name, kind in _TYPES.items()
        }
        for columns in runs.ranges():
            for name, column in columns.items():
                writers[name].write(column)
    shutil.rmtree(temp)


def _file(order: int, name: str) -> str:
    return f"{order}grams.{name}.npy"


def _chunks(path: Path, stage: str) -> Iterator[bytes]:
    with open(path, "rb") as handle:
        total = -(-path.stat().st_size // _BLOCK_BYTES)
        yield from track(
            iter(lambda: handle.read(_BLOCK_BYTES), b""), stage=stage, unit="blocks", total=total
        )


def open_index(artifact: Artifact) -> ForwardIndex:
    """The index, memory-mapped: workers of one machine share its pages."""
    return read_levels(artifact.folder, order=int(artifact.facts["order"]))


def read_levels(folder: Path, *, order: int) -> ForwardIndex:
    words = (folder / WORDS).read_text(encoding="utf-8").split("\n")[:-1]
    levels = [
        Level(**{name: memory_mapped(folder / _file(n, name)) for name in Level.__slots__})
        for n in range(1, order + 1)
    ]
    return ForwardIndex(words, levels)
