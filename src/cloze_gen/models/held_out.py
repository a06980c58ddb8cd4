"""Leave-one-group-out models: for each group of source books, models of all the other books."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

from cloze_gen.corpus.cross_fitting import (
    group_of_lines,
    held_out_groups,
    of_model,
    read_groups,
    write_for_groups,
    write_other_text,
)
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.models.language_model import write_index
from cloze_gen.store.artifacts import Artifact, ArtifactWriter


def write_held_out(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    write: Callable[..., None],
    text: Artifact,
    corpus: Artifact,
    **arguments: Any,
) -> None:
    """Write a model for each group of books, from the text of the others.

    `write` writes one; it gets the writer, the context, `text` and the arguments.
    """
    groups = held_out_groups(corpus)
    of_lines = group_of_lines(corpus, groups)
    temp = writer.path("others/x").parent  # the text without a group, while its model is written

    def write_of_others(part: ArtifactWriter, group: int) -> None:
        others = write_other_text(temp, text=text, of_lines=of_lines, group=group)
        write(part, ctx, text=others, **arguments)

    write_for_groups(writer, groups, write_of_others)
    shutil.rmtree(temp)
    ctx.say(f"{writer.facts['models']} models, each trained without the books of its questions")


def write_held_out_indexes(writer: ArtifactWriter, ctx: StageContext, *, model: Artifact) -> None:
    write_for_groups(
        writer,
        read_groups(model),
        lambda part, group: write_index(part, ctx, model=of_model(model, group)),
    )
