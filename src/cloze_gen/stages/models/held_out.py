"""Language models and forward indexes without training books: one of each for every group of source books, made of all the others."""

from __future__ import annotations

from collections.abc import Callable

from cloze_gen.adapters.lmplz import binary_sha256, find_lmplz, train_arpa
from cloze_gen.engine.progress import Stopwatch, phases
from cloze_gen.lm.arpa import header_counts
from cloze_gen.stages.corpus.held_out import group_of_lines, group_sizes, held_out_groups, other_lines, read_groups, write_groups
from cloze_gen.stages.corpus.training_text import TEXT
from cloze_gen.stages.models.index import model_folder, write_levels
from cloze_gen.stages.models.language_model import LmSettings
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter


def write_held_out_models(
    writer: ArtifactWriter, room: Room, *, text: Artifact, corpus: Artifact, settings: LmSettings, models: int,
    meanwhile: Callable[[], None] = lambda: None,
) -> None:  # fmt: skip
    """Estimate as many models as there are groups of books, each as `write_language_model` does, of the text of the other groups.

    Files: `model-N.arpa`, the model that makes the questions of group N; `held-out.tsv`, which books that are (`write_groups`). Facts:
    `models`, their number, `books`, that of the books, and `ngrams`, the counts of each model, unigrams first.

    Args:
        models: the most models.
        meanwhile: called while `lmplz` works at the first.
    Raises:
        CorpusError: there is one book, or what is left without a group is too little for `lmplz`.
        ToolError: `lmplz` is missing or fails; the message says what mends it.
    """
    clock, groups = Stopwatch(), held_out_groups(corpus, models=models)
    of_lines, ngrams = group_of_lines(corpus, groups), []
    temp = writer.path("temp/x").parent
    for group in group_sizes(groups):
        others, arpa = temp / "others.txt", writer.path(arpa_name(group))
        with open(text.path(TEXT), "rb") as lines, open(others, "wb") as out:
            out.writelines(other_lines(lines, of_lines, group=group))
        with phases(room.stage) as hear:
            train_arpa(
                text=others,
                arpa=arpa,
                order=settings.order,
                memory=settings.memory,
                temp_dir=temp,
                prune=settings.prune,
                discount_fallback=settings.discount_fallback,
                on_line=hear,
                meanwhile=meanwhile if group == 1 else lambda: None,
            )
        others.unlink()
        with open(arpa, "rb") as handle:
            ngrams.append(header_counts(handle.read(4096)))
    temp.rmdir()
    write_groups(writer, groups)
    writer.facts |= {"models": len(ngrams), "books": len(groups), "ngrams": ngrams}
    writer.versions |= {"lmplz_sha256": binary_sha256(find_lmplz())}
    room.say(f"{len(ngrams)} models of order {settings.order}, each without the books whose questions it makes, in {clock.seconds:.0f} s")


def write_held_out_indexes(writer: ArtifactWriter, room: Room, *, model: Artifact) -> None:
    """Write the forward index of every model.

    Files: `held-out.tsv` as in the models' own artifact (`write_groups`); in a folder `model-N` for each, `words.txt` and the arrays
    `Ngrams.key.npy`, `Ngrams.log10_prob.npy` and `Ngrams.log10_backoff.npy`, as of one model (`write_index`).

    Raises:
        ModelError: an ARPA file is cut short or not consistent.
    """
    groups = read_groups(model)
    for group in group_sizes(groups):
        write_levels(writer, room, model.path(arpa_name(group)), folder=model_folder(group))
    write_groups(writer, groups)
    writer.facts |= {"models": len(set(groups.values()))}


def arpa_name(group: int) -> str:
    return f"model-{group}.arpa"
