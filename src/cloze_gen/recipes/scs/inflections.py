"""The inflection table: which form represents a lemma under a tag (Argouarc'h 2018, 3.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version

from pydantic import Field

from cloze_gen.adapters.inflector import AMBIGUOUS_LEMMAS, can_have_tag, inflect
from cloze_gen.corpus.frequencies import read_form_counts
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.penn_tags import TAGS_OF_CLASS, coarse_class
from cloze_gen.recipes.scs.vocabulary import read_vocabulary
from cloze_gen.records.rejection import Reason
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_tsv, write_tsv

# A noun is a mass noun (`gratitude`) if less than this share of its tokens are plural.
_MIN_PLURAL_SHARE = 0.05
# A form is ambiguous if more than this share of its tokens belong to other lemmas of its class:
# `found` (find, found), `lay` (lie, lay).
_MAX_OTHER_SHARE = 0.05


class InflectionsSettings(SettingsGroup):
    min_count: int = Field(
        5,
        ge=1,
        le=MOST_COUNTED,
        description="least count of the form with its tag",
    )
    min_class_share: float = Field(
        0.8,
        ge=0,
        le=1,
        description="least share of the form's tokens with its class",
    )
    min_cell_share: float = Field(
        0.6,
        ge=0,
        le=1,
        description="least share of those that have its tag",
    )


class FormStatus(Reason):
    USED = ("used", "the form is used")
    NO_FORM = ("no_form_of_this_tag", "the lemma has no form with this tag")
    UNATTESTED = (
        "form_unattested_with_this_tag",
        "too rare with this tag in the training books (inflections.min_count)",
    )
    NOT_LISTED = (
        "form_not_of_this_tag_in_the_dictionary",
        "the dictionary does not have this form with this tag",
    )
    OTHER_CLASS = ("form_often_of_another_class", "the form often has another word class")
    OTHER_TAG = ("form_mostly_of_another_tag", "the form mostly has another tag")
    AMBIGUOUS = ("form_of_an_ambiguous_paradigm", "the dictionary has several forms for this tag")


@dataclass(frozen=True, slots=True)
class Inflection:
    """One cell of the table; `form` is empty if the lemma has none.

    Attributes:
        count, class_share: tokens with this tag; share of the form's tokens that have this class.
        source: ``lemma`` (the form is the lemma itself) or ``lemminflect``.
        trait: ``count`` / ``mass`` for nouns, ``ly`` / ``plain`` for adverbs; options must agree in it.
        cells: all tags of the class that the form can have, joined by ``+``; `walked` is VBD+VBN.
    """

    lemma: str
    word_class: str
    tag: str
    form: str
    count: int
    class_share: float
    source: str
    status: FormStatus
    trait: str = ""
    cells: str = ""


def inflect_pair(
    lemma: str,
    word_class: str,
    *,
    forms_of: Callable[[str, str], Sequence[str]],
    counts: Mapping[tuple[str, str], int],
    form_classes: Callable[[str, str], float],
    listed: Callable[[str, str], bool],
    settings: InflectionsSettings,
) -> list[Inflection]:
    """The cells of one content word, in the order of `TAGS_OF_CLASS`.

    Args:
        forms_of: (lemma, tag) -> candidate forms, best first; none for ambiguous paradigms.
        counts: (form, tag) -> tokens in the training corpus.
        form_classes: (form, class) -> share of the form's tokens of that class.
        listed: (form, tag) -> whether a dictionary has the form with that tag.

    >>> counts = {("walks", "VBZ"): 9, ("walk", "VB"): 20}
    >>> found = inflect_pair("walk", "verb", forms_of=lambda lemma, tag: {"VB": ["walk"], "VBZ": ["walks"]}.get(tag, []), counts=counts,
    ...     form_classes=lambda form, name: 1.0, listed=lambda form, tag: True, settings=InflectionsSettings())
    >>> [(cell.tag, cell.form) for cell in found if cell.status == FormStatus.USED]
    [('VB', 'walk'), ('VBZ', 'walks')]
    """
    tags = TAGS_OF_CLASS[word_class]
    best = {tag: _best_form(forms_of(lemma, tag), tag, counts) for tag in tags}
    trait = _trait(lemma, word_class, best, counts)
    rows = []
    for tag in tags:
        form = best[tag]
        count = counts.get((form, tag), 0) if form else 0
        share = form_classes(form, word_class) if form else 0.0
        if not form:
            status = FormStatus.NO_FORM
        elif count < settings.min_count:
            status = FormStatus.UNATTESTED
        elif not listed(form, tag):
            status = FormStatus.NOT_LISTED
        elif share < settings.min_class_share:
            status = FormStatus.OTHER_CLASS
        else:
            of_class = sum(counts.get((form, other), 0) for other in tags)
            status = (
                FormStatus.USED
                if count >= settings.min_cell_share * of_class
                else FormStatus.OTHER_TAG
            )
        cells = "+".join(other for other in tags if form and best[other] == form)
        rows.append(
            Inflection(
                lemma,
                word_class,
                tag,
                form,
                count,
                share,
                "lemma" if form == lemma else "lemminflect",
                status,
                trait,
                cells,
            )
        )
    return rows


def mark_ambiguous(
    cells: Sequence[Inflection], *, ambiguous_lemmas: Container[str]
) -> list[Inflection]:
    """All cells, with a mark on forms that do not determine lemma and tag.

    >>> cells = [Inflection(lemma, "verb", tag, "found", 9, 1.0, "", FormStatus.USED) for lemma, tag in (("find", "VBD"), ("found", "VB"))]
    >>> [str(cell.status) for cell in mark_ambiguous(cells, ambiguous_lemmas=())]
    ['form_of_an_ambiguous_paradigm', 'form_of_an_ambiguous_paradigm']
    """
    of_lemma: Counter[tuple[str, str, str]] = Counter()
    of_form: Counter[tuple[str, str]] = Counter()
    for cell in cells:
        of_lemma[cell.form, cell.word_class, cell.lemma] += cell.count
        of_form[cell.form, cell.word_class] += cell.count
    marked = []
    for cell in cells:
        total = of_form[cell.form, cell.word_class]
        shared = total - of_lemma[cell.form, cell.word_class, cell.lemma] > _MAX_OTHER_SHARE * total
        ambiguous = cell.status == FormStatus.USED and (shared or cell.lemma in ambiguous_lemmas)
        marked.append(replace(cell, status=FormStatus.AMBIGUOUS) if ambiguous else cell)
    return marked


def _best_form(forms: Sequence[str], tag: str, counts: Mapping[tuple[str, str], int]) -> str:
    return max(forms, key=lambda form: counts.get((form, tag), 0)) if forms else ""


def _trait(
    lemma: str, word_class: str, best: Mapping[str, str], counts: Mapping[tuple[str, str], int]
) -> str:
    if word_class == "adverb":
        return "ly" if lemma.endswith("ly") else "plain"
    if word_class != "noun":
        return ""
    singular, plural = (counts.get((best[tag], tag), 0) for tag in ("NN", "NNS"))
    return "count" if plural >= _MIN_PLURAL_SHARE * max(1, singular + plural) else "mass"


INFLECTIONS = "inflections.tsv"
_HEADER = (
    "lemma",
    "class",
    "tag",
    "form",
    "count",
    "class_share",
    "source",
    "status",
    "trait",
    "cells",
)


def write_inflections(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    tagged: Artifact,
    vocabulary: Artifact,
    settings: InflectionsSettings,
) -> None:
    counts = read_form_counts(tagged)
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
    table = (
        (
            c.lemma,
            c.word_class,
            c.tag,
            c.form,
            c.count,
            c.class_share,
            c.source,
            str(c.status),
            c.trait,
            c.cells,
        )
        for c in rows
    )
    writer.rows[INFLECTIONS] = write_tsv(writer.path(INFLECTIONS), _HEADER, table)
    status = Counter(str(cell.status) for cell in rows)
    kept = status.pop(FormStatus.USED, 0)
    writer.funnel = funnel("(lemma, tag) cells", kept=kept, rejected=status)
    writer.versions |= {"lemminflect": version("lemminflect")}
    ctx.say(f"{kept:,} of {len(rows):,} (lemma, tag) cells have a usable form")


def read_inflections(artifact: Artifact) -> list[Inflection]:
    return [
        Inflection(
            row["lemma"],
            row["class"],
            row["tag"],
            row["form"],
            int(row["count"]),
            float(row["class_share"]),
            row["source"],
            FormStatus(row["status"]),
            row["trait"],
            row["cells"],
        )
        for row in read_tsv(artifact.path(INFLECTIONS))
        if row["status"] == FormStatus.USED
    ]
