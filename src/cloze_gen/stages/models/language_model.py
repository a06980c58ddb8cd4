"""The language model, as an artifact: an ARPA file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from cloze_gen.adapters.lmplz import binary_sha256, find_lmplz, train_arpa
from cloze_gen.engine.progress import Stopwatch, phases
from cloze_gen.lm.arpa import header_counts
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.stages.corpus.training_text import TEXT
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter

ARPA = "model.arpa"


class LmSettings(SettingsGroup):
    """Settings of the generating language model."""

    order: int = Field(3, ge=2, le=5, description="n of the n-grams; 3 gives the two-word history of MSR 2.2 step 2")
    prune: tuple[Annotated[int, Field(ge=0, le=MOST_COUNTED)], ...] = Field(
        (), strict=False, description="lmplz --prune: counts at or below which n-grams go, by order, none below the one before; empty: none"
    )
    memory: str = Field("4G", pattern=r"^[1-9]\d{0,6}[KMG]$", description="lmplz -S, from 100M on, as 4G; the same model whatever it is")
    discount_fallback: bool = Field(False, description="lmplz --discount_fallback, for corpora too small for Kneser-Ney discounts")

    def memory_bytes(self, words: int) -> int:
        return int(self.memory[:-1]) * 1024 ** ("KMG".index(self.memory[-1]) + 1)

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

    File: `model.arpa`; its counts of n-grams, unigrams first, are the fact `ngrams`.

    Args:
        meanwhile: called while `lmplz` works, which leaves the other cores idle.
    Raises:
        ToolError: `lmplz` is missing or fails; the message says what mends it.
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
        counts = header_counts(handle.read(4096))
    writer.facts |= {"ngrams": counts}
    writer.versions |= {"lmplz_sha256": binary_sha256(find_lmplz())}
    room.say(f"{sum(counts):,} n-grams of order {settings.order} in {clock.seconds:.0f} s")
