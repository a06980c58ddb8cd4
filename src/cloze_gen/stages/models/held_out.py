"""Models without training books: one of each kind for every group of source books, made of all the others as any model of books is."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from cloze_gen.stages.corpus.held_out import (
    group_of_lines,
    held_out_groups,
    of_model,
    read_groups,
    write_for_groups,
    write_groups,
    write_other_text,
)
from cloze_gen.stages.models.contexts import ContextSettings, write_context_vectors
from cloze_gen.stages.models.index import write_index
from cloze_gen.stages.models.language_model import LmSettings, write_language_model
from cloze_gen.stages.room import Room
from cloze_gen.stats.option_words import OptionLimits
from cloze_gen.store.artifacts import Artifact, ArtifactWriter


def write_held_out_models(
    writer: ArtifactWriter, room: Room, *, text: Artifact, corpus: Artifact, settings: LmSettings, models: int,
    meanwhile: Callable[[], None] = lambda: None,
) -> None:  # fmt: skip
    """Estimate a language model for each group of books, of the text of the others.

    Files: `held-out.tsv`, which books make which group (`write_groups`); for each group N, in `model-N`, what `write_language_model`
    writes.

    Args:
        models: the most groups.
        meanwhile: called while `lmplz` works at the first.
    Raises:
        CorpusError: there is one book, or what is left without a group is too little for `lmplz`.
        ToolError: `lmplz` is missing or fails; the message says what mends it.
    """
    groups = held_out_groups(corpus, models=models)

    def write(part: ArtifactWriter, group: int, others: Artifact) -> None:
        write_language_model(part, room, text=others, settings=settings, meanwhile=meanwhile if group == 1 else lambda: None)

    _write_of_others(writer, groups, text=text, corpus=corpus, write=write)
    room.say(f"{writer.facts['models']} models, each without the books whose questions it makes")


def write_held_out_indexes(writer: ArtifactWriter, room: Room, *, model: Artifact) -> None:
    """Write the forward index of every group's model.

    Files: `held-out.tsv`, as of the models (`write_groups`); for each group N, in `model-N`, what `write_index` writes.

    Raises:
        ModelError: an ARPA file is cut short or not consistent.
    """
    groups = read_groups(model)
    write_for_groups(writer, groups, lambda part, group: write_index(part, room, model=of_model(model, group)))
    write_groups(writer, groups)


def write_held_out_contexts(
    writer: ArtifactWriter, room: Room, *, text: Artifact, counts: Artifact, corpus: Artifact, limits: OptionLimits,
    settings: ContextSettings, models: int,
) -> None:  # fmt: skip
    """Write the context space for each group of books, of the text of the others; which words are in it all books' counts say.

    Files: `held-out.tsv`, which books make which group (`write_groups`); for each group N, in `model-N`, what `write_context_vectors`
    writes.

    Args:
        models: the most groups.
    Raises:
        CorpusError: there is one book.
    """

    def write(part: ArtifactWriter, group: int, others: Artifact) -> None:
        write_context_vectors(part, room, text=others, counts=counts, limits=limits, settings=settings)

    _write_of_others(writer, held_out_groups(corpus, models=models), text=text, corpus=corpus, write=write)


def _write_of_others(
    writer: ArtifactWriter, groups: dict[str, int], *, text: Artifact, corpus: Artifact,
    write: Callable[[ArtifactWriter, int, Artifact], None],
) -> None:  # fmt: skip
    """One model a group, each of the text without the group, which is on disk for as long as its model is being made."""
    of_lines, temp = group_of_lines(corpus, groups), writer.path("others/x").parent
    write_for_groups(
        writer, groups, lambda part, group: write(part, group, write_other_text(temp, text=text, of_lines=of_lines, group=group))
    )
    shutil.rmtree(temp)
    write_groups(writer, groups)
