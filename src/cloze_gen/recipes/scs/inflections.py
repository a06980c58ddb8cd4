"""The inflection table: which form represents a lemma under a tag (Argouarc'h 2018, 3.3)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import pyarrow as pa
from pydantic import Field

from cloze_gen.adapters.inflector import can_have_tag, inflect
from cloze_gen.corpus.frequencies import read_form_counts
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.penn_tags import TAGS_OF_CLASS
from cloze_gen.recipes.scs.vocabulary import read_vocabulary
from cloze_gen.records.rejection import Reason, first_reason
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.schema import CODED, Column, Table

# A noun is a mass noun (`gratitude`) if less than this share of its tokens are plural.
_MIN_PLURAL_SHARE = 0.05


class InflectionsSettings(SettingsGroup):
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


def least_count(word_tokens: int) -> int:
    """Least count of a form with its tag: one in a million word tokens, but 2 to 5.

    >>> [least_count(tokens) for tokens in (34_000, 3_000_000, 40_000_000)]
    [2, 3, 5]
    """
    return min(5, max(2, word_tokens // 1_000_000))


class FormStatus(Reason):
    USED = ("used", "the form is used")
    NO_FORM = ("no_form_of_this_tag", "the lemma has no form with this tag")
    UNATTESTED = (
        "form_unattested_with_this_tag",
        "too rare with this tag in the training books",
    )
    NOT_LISTED = (
        "form_not_of_this_tag_in_the_dictionary",
        "the dictionary does not have this form with this tag",
    )
    OTHER_CLASS = ("form_often_of_another_class", "the form often has another word class")
    OTHER_TAG = ("form_mostly_of_another_tag", "the form mostly has another tag")


@dataclass(frozen=True, slots=True)
class Inflection:
    """A row of `INFLECTIONS`."""

    lemma: str
    word_class: str
    tag: str
    form: str
    count: int
    class_share: float
    status: FormStatus
    trait: str
    cells: str


INFLECTIONS = Table(
    "inflections.parquet",
    "One row a lemma and tag.",
    Column("lemma", pa.string(), "lemma"),
    Column("word_class", CODED, "class of the word"),
    Column("tag", CODED, "Penn tag"),
    Column("form", pa.string(), "the form; empty if the lemma has none"),
    Column("count", pa.int64(), "tokens of the form with this tag"),
    Column("class_share", pa.float64(), "share of the form's tokens that have this class"),
    Column("status", CODED, "`used`, or the reason why the form is not used"),
    Column(
        "trait",
        CODED,
        "what else must agree: `count` or `mass` for nouns, `ly` or `plain` for adverbs",
    ),
    Column(
        "cells",
        CODED,
        "all tags that this form has for the lemma, joined by `+`: *walked* is `VBD+VBN`",
    ),
    example='{"lemma": "say", "word_class": "verb", "tag": "VBD", "form": "said", "count": 154, '
    '"class_share": 1.0, "status": "used", "trait": "", "cells": "VBD+VBN"}',
)


def inflect_pair(
    lemma: str,
    word_class: str,
    *,
    forms_of: Callable[[str, str], Sequence[str]],
    counts: Mapping[str, Counter[str]],
    listed: Callable[[str, str], bool],
    min_count: int,
    settings: InflectionsSettings,
) -> list[Inflection]:
    """The cells of one content word, in the order of `TAGS_OF_CLASS`.

    Args:
        forms_of: (lemma, tag) -> candidate forms, best first.
        counts: form -> its tokens in the training corpus by tag, none for other words.
        listed: (form, tag) -> whether a dictionary has the form with that tag.

    >>> counts = defaultdict(Counter, {"walks": Counter(VBZ=9), "walk": Counter(VB=20)})
    >>> forms = {"VB": ["walk"], "VBZ": ["walks"]}
    >>> cells = inflect_pair("walk", "verb", forms_of=lambda lemma, tag: forms.get(tag, []), counts=counts,
    ...     listed=lambda form, tag: True, min_count=5, settings=InflectionsSettings())
    >>> [(cell.tag, cell.form) for cell in cells if cell.status == FormStatus.USED]
    [('VB', 'walk'), ('VBZ', 'walks')]
    """
    tags = TAGS_OF_CLASS[word_class]
    best = {
        tag: max(forms_of(lemma, tag), key=lambda form: counts[form][tag], default="")
        for tag in tags
    }
    trait = _trait(lemma, word_class, best, counts)
    cells = []
    for tag in tags:
        form = best[tag]
        count = counts[form][tag]
        of_class = sum(counts[form][other] for other in tags)
        share = of_class / max(1, counts[form].total())
        faults = {
            FormStatus.NO_FORM: not form,
            FormStatus.UNATTESTED: count < min_count,
            FormStatus.NOT_LISTED: not listed(form, tag),
            FormStatus.OTHER_CLASS: share < settings.min_class_share,
            FormStatus.OTHER_TAG: count < settings.min_cell_share * of_class,
        }
        status = first_reason(faults) or FormStatus.USED
        same = "+".join(other for other in tags if best[other] == form)
        cells.append(Inflection(lemma, word_class, tag, form, count, share, status, trait, same))
    return cells


def _trait(
    lemma: str, word_class: str, best: Mapping[str, str], counts: Mapping[str, Counter[str]]
) -> str:
    if word_class == "adverb":
        return "ly" if lemma.endswith("ly") else "plain"
    if word_class != "noun":
        return ""
    singular = counts[best["NN"]]["NN"]
    plural = counts[best["NNS"]]["NNS"]
    return "count" if plural >= _MIN_PLURAL_SHARE * max(1, singular + plural) else "mass"


def write_inflections(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    tagged: Artifact,
    vocabulary: Artifact,
    settings: InflectionsSettings,
) -> None:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (form, tag), count in read_form_counts(tagged).items():
        counts[form][tag] = count
    cells: list[Inflection] = []
    for lemma, word_class in read_vocabulary(vocabulary):
        cells += inflect_pair(
            lemma,
            word_class,
            forms_of=inflect,
            counts=counts,
            listed=can_have_tag,
            min_count=least_count(int(tagged.facts["word_tokens"])),
            settings=settings,
        )
    INFLECTIONS.write_records(writer, [asdict(cell) for cell in cells])
    statuses = Counter(cell.status for cell in cells)
    kept = statuses.pop(FormStatus.USED, 0)
    writer.funnel = funnel("(lemma, tag) cells", kept=kept, rejected=statuses)
    writer.note_libraries("lemminflect")
    ctx.say(f"{kept:,} of {len(cells):,} (lemma, tag) cells have a usable form")


def read_inflections(artifact: Artifact) -> list[Inflection]:
    """The cells in use."""
    rows = INFLECTIONS.read(artifact.path(INFLECTIONS.name)).to_pylist()
    return [Inflection(**row) for row in rows if row["status"] == FormStatus.USED]
