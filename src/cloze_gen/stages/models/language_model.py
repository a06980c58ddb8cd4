"""The language model and its forward index, as artifacts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field, ValidationInfo, field_validator

from cloze_gen.adapters.lmplz import binary_sha256, find_lmplz, train_arpa
from cloze_gen.engine.ahead import ahead
from cloze_gen.engine.progress import Stopwatch, phases, track
from cloze_gen.lm.arpa import read_blocks, read_counts
from cloze_gen.lm.forward_index import ForwardIndex, Level, build_levels
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.stages.corpus.training_text import TEXT
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped

ARPA = "model.arpa"
WORDS = "words.txt"
_BLOCK_BYTES = 64 * 1024 * 1024


class LmSettings(SettingsGroup):
    """Settings of the generating language model."""

    order: int = Field(3, ge=2, le=5, description="n of the n-grams; 3 gives the two-word history of MSR 2.2 step 2")
    prune: tuple[Annotated[int, Field(ge=0, le=MOST_COUNTED)], ...] = Field(
        (), strict=False, description="lmplz --prune: counts at or below which n-grams go, by order, none below the one before; empty: none"
    )
    memory: str = Field("4G", pattern=r"^[1-9]\d{0,6}[KMG]$", description="lmplz -S, from 100M on, as 4G; the same model whatever it is")
    discount_fallback: bool = Field(False, description="lmplz --discount_fallback, for corpora too small for Kneser-Ney discounts")

    @field_validator("memory")
    @classmethod
    def _enough(cls, memory: str) -> str:
        if int(memory[:-1]) * 1024 ** ("KMG".index(memory[-1]) + 1) < 100 * 1024**2:
            raise ValueError("too little for lmplz, whatever the text; 100M is the least that serves, 4G is good")
        return memory

    @field_validator("prune")
    @classmethod
    def _rising(cls, prune: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
        order = info.data.get("order", len(prune))
        if len(prune) > order:
            raise ValueError(f"{len(prune)} counts for n-grams of {order} lengths; one count a length, from single words on")
        if list(prune) != sorted(prune):
            raise ValueError("a longer n-gram's count may not be below a shorter one's: its parts would be gone")
        return prune


def write_language_model(
    writer: ArtifactWriter, room: Room, *, text: Artifact, settings: LmSettings, meanwhile: Callable[[], None] = lambda: None
) -> None:
    """Estimate the model with KenLM's `lmplz`: modified Kneser-Ney, closed by its own `<unk>`, `<s>` and `</s>`.

    Args:
        meanwhile: called while `lmplz` works, which leaves the other cores idle.
    """
    clock = Stopwatch()
    with phases(room.stage) as hear:
        train_arpa(
            text=text.path(TEXT),
            arpa=writer.path(ARPA),
            order=settings.order,
            memory=settings.memory,
            temp_dir=writer.path("temp/x").parent,
            prune=settings.prune,
            discount_fallback=settings.discount_fallback,
            on_line=hear,
            meanwhile=meanwhile,
        )
    writer.path("temp/x").parent.rmdir()
    with open(writer.path(ARPA), "rb") as handle:
        counts = read_counts(handle.read(4096))
    writer.facts |= {"ngrams": counts}
    writer.versions |= {"lmplz_sha256": binary_sha256(find_lmplz())}
    room.say(f"{sum(counts):,} n-grams of order {settings.order} in {clock.seconds:.0f} s")


def write_index(writer: ArtifactWriter, room: Room, *, model: Artifact) -> None:
    """Sort the ARPA file's n-grams into the arrays of the forward index."""
    clock = Stopwatch()
    arpa = model.path(ARPA)
    order = 0
    for order, vocabulary, level in build_levels(ahead(read_blocks(_chunks(arpa)))):
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


def _chunks(path: Path) -> Iterator[bytes]:
    with open(path, "rb") as handle:
        total = -(-path.stat().st_size // _BLOCK_BYTES)
        yield from track(iter(lambda: handle.read(_BLOCK_BYTES), b""), stage="index", unit="blocks", total=total)


def open_index(artifact: Artifact) -> ForwardIndex:
    """The index, memory-mapped: workers of one machine share its pages."""
    words = artifact.path(WORDS).read_text(encoding="utf-8").split("\n")[:-1]
    levels = []
    for order in range(1, int(artifact.facts["order"]) + 1):
        arrays = {name: memory_mapped(artifact.path(_file(order, name))) for name in Level.__slots__}
        levels.append(Level(**arrays))
    return ForwardIndex(words, levels)
