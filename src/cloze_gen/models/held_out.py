"""Leave-one-group-out models: for each group of source books, models of all the other books."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from typing import Any

from cloze_gen.corpus.cross_fitting import (
    group_of_lines,
    held_out_groups,
    of_model,
    read_groups,
    write_for_groups,
    write_other_text,
)
from cloze_gen.corpus.option_words import OptionLimits
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.models.contexts import ContextSettings, write_context_vectors
from cloze_gen.models.language_model import LmSettings, write_index, write_language_model
from cloze_gen.store.artifacts import Artifact, ArtifactWriter


def write_held_out_models(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    text: Artifact,
    corpus: Artifact,
    settings: LmSettings,
    n_groups: int,
) -> None:
    """Estimate a model for each of at most `n_groups` groups, from the others' text."""
    groups = held_out_groups(corpus, n_groups=n_groups)

    def write(part: ArtifactWriter, group: int, others: Artifact) -> None:
        write_language_model(part, ctx, text=others, settings=settings)

    _write_of_others(writer, groups, text=text, corpus=corpus, write=write)
    ctx.say(f"{writer.facts['models']} models, each trained without the books of its questions")


def write_held_out_indexes(writer: ArtifactWriter, ctx: StageContext, *, model: Artifact) -> None:
    groups = read_groups(model)
    write_for_groups(
        writer, groups, lambda part, group: write_index(part, ctx, model=of_model(model, group))
    )


def write_held_out_contexts(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    text: Artifact,
    counts: Artifact,
    corpus: Artifact,
    limits: OptionLimits,
    settings: ContextSettings,
    n_groups: int,
    builtin_words: Mapping[str, Any] | None = None,
) -> None:
    def write(part: ArtifactWriter, group: int, others: Artifact) -> None:
        write_context_vectors(
            part,
            ctx,
            text=others,
            counts=counts,
            limits=limits,
            settings=settings,
            builtin_words=builtin_words,
        )

    _write_of_others(
        writer, held_out_groups(corpus, n_groups=n_groups), text=text, corpus=corpus, write=write
    )


def _write_of_others(
    writer: ArtifactWriter,
    groups: dict[str, int],
    *,
    text: Artifact,
    corpus: Artifact,
    write: Callable[[ArtifactWriter, int, Artifact], None],
) -> None:
    """Write one model per group; the text without the group is on disk only meanwhile."""
    of_lines, temp = group_of_lines(corpus, groups), writer.path("others/x").parent
    write_for_groups(
        writer,
        groups,
        lambda part, group: write(
            part, group, write_other_text(temp, text=text, of_lines=of_lines, group=group)
        ),
    )
    shutil.rmtree(temp)
