"""Books for the programs here: the `text` artifact of a run and its counts."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.corpus.counts import CountTable
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.engine.local import InProcessEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.models.context_space import ContextSpace
from cloze_gen.models.contexts import ContextSettings, read_context_space, write_context_vectors
from cloze_gen.recipes.msr.focus import FocusSettings
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, Store, open_artifact

# Few books make frequencies coarse, so their runs may allow options up to one in a thousand words.
MAX_FREQ = 1e-3


def counts_of(text: Path) -> Artifact:
    """The counts that a `text` artifact was made from, from the same store."""
    folder = text.resolve()
    return open_artifact(
        folder.parent / f"counts-{open_artifact(folder).manifest['inputs']['counts']}"
    )


def read_table(text: Path) -> CountTable:
    return read_counts(counts_of(text))


def measure_space(text: Path, folder: Path, *, min_count: int) -> ContextSpace:
    """Run the stage `contexts` with its defaults on some books; writes into `folder`."""
    writer, settings = ArtifactWriter(folder), ContextSettings()
    ctx = StageContext(Store(folder), InProcessEngine(), stage=f"contexts of {text.resolve().name}")
    limits = FocusSettings(max_freq=MAX_FREQ, min_count=min_count)
    write_context_vectors(
        writer,
        ctx,
        text=open_artifact(text.resolve()),
        counts=counts_of(text),
        limits=limits,
        settings=settings,
    )
    return read_context_space(Artifact(folder, {"settings": settings.model_dump()}))
