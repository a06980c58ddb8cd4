"""The inflection table: one row a (lemma, tag), with the form, its counts, where it comes from and whether it serves."""

from __future__ import annotations

from collections import Counter
from importlib.metadata import version

from cloze_gen.adapters.inflector import AMBIGUOUS_LEMMAS, inflect
from cloze_gen.adapters.lexicon import can_have_tag
from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.recipes.scs.stages.vocabulary import read_vocabulary
from cloze_gen.recipes.scs.steps.inflections import FormStatus, Inflection, InflectionsSettings, inflect_pair, mark_ambiguous
from cloze_gen.stages.corpus.tagged_counts import read_tagged_counts
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_tsv, write_tsv

INFLECTIONS = "inflections.tsv"
_HEADER = ("lemma", "class", "tag", "form", "count", "class_share", "source", "status", "trait", "cells")


def write_inflections(writer: ArtifactWriter, room: Room, *, tagged: Artifact, vocabulary: Artifact, settings: InflectionsSettings) -> None:
    """Write `inflections.tsv`, the cells of every content word: `lemma`, `class`, `tag`, `form`, `count`, `class_share`, `source`, `status`
    (`FormStatus`), `trait` and `cells` of `Inflection`.
    """
    counts = read_tagged_counts(tagged).forms
    of_form: Counter[str] = Counter()
    of_class: Counter[tuple[str, str]] = Counter()
    for (form, tag), count in counts.items():
        of_form[form] += count
        of_class[form, coarse_class(tag)] += count
    rows = [
        cell
        for lemma, word_class in read_vocabulary(vocabulary)
        for cell in inflect_pair(
            lemma,
            word_class,
            forms_of=inflect,
            counts=counts,
            form_classes=lambda form, name: of_class[form, name] / max(1, of_form[form]),
            listed=can_have_tag,
            settings=settings,
        )
    ]
    rows = mark_ambiguous(rows, ambiguous_lemmas=AMBIGUOUS_LEMMAS)
    table = ((c.lemma, c.word_class, c.tag, c.form, c.count, c.class_share, c.source, str(c.status), c.trait, c.cells) for c in rows)
    writer.rows[INFLECTIONS] = write_tsv(writer.path(INFLECTIONS), _HEADER, table)
    status = Counter(str(cell.status) for cell in rows)
    kept = status.pop(FormStatus.USED, 0)
    writer.funnel = funnel("(lemma, tag) cells", kept=kept, rejected=status)
    writer.versions |= {"lemminflect": version("lemminflect")}
    room.say(f"{kept:,} of {len(rows):,} (lemma, tag) cells have a form that serves")


def read_inflections(artifact: Artifact) -> list[Inflection]:
    """The cells that serve."""
    return [
        Inflection(row["lemma"], row["class"], row["tag"], row["form"], int(row["count"]), float(row["class_share"]), row["source"],
                   FormStatus(row["status"]), row["trait"], row["cells"])
        for row in read_tsv(artifact.path(INFLECTIONS)) if row["status"] == FormStatus.USED
    ]  # fmt: skip
