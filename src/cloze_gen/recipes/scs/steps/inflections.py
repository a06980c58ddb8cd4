"""The inflection table: which form of a content lemma stands for it under a tag, and why (Argouarc'h 2018, 3.3).

A form is used when the corpus attests it with that very tag often enough, and mostly so: a form that is more often something else (`left`
as an adjective, `attracted` as a past tense) would not read as what it stands for. Answers and impostors obey the same table, so neither
can be told by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pydantic import Field

from cloze_gen.english.penn_tags import TAGS_OF_CLASS
from cloze_gen.settings import MOST_COUNTED, SettingsGroup

# A noun whose plural makes up less than this share of its tokens is taken for a mass noun (`gratitude`, `gravel`), else for a count noun.
# It is a fact of the lemma's own paradigm, not of its neighbours; without it `a gratitude` would stand beside `a letter`.
_MIN_PLURAL_SHARE = 0.05
# A form that another lemma of its class spells in more than this share of its tokens is ambiguous: `found` (find, found), `lay` (lie, lay).
_MAX_OTHER_SHARE = 0.05


class InflectionsSettings(SettingsGroup):
    """Settings of the inflection table."""

    min_count: int = Field(5, ge=1, le=MOST_COUNTED, description="inclusive: tokens of the form with that tag in the training corpus")
    min_class_share: float = Field(
        0.8, ge=0, le=1, description="inclusive: share of the form's tokens, in any class, that are of its class"
    )
    min_cell_share: float = Field(0.6, ge=0, le=1, description="inclusive: share of the form's tokens of its class that have this very tag")


class FormStatus(StrEnum):
    """Whether a form serves, and why not."""

    USED = "used"
    NO_FORM = "no_form_of_this_tag"
    UNATTESTED = "form_unattested_with_this_tag"
    NOT_LISTED = "form_not_of_this_tag_in_the_dictionary"
    OTHER_CLASS = "form_often_of_another_class"
    OTHER_TAG = "form_mostly_of_another_tag"
    AMBIGUOUS = "form_of_an_ambiguous_paradigm"


@dataclass(frozen=True, slots=True)
class Inflection:
    """One cell of the table.

    Attributes:
        form: empty where the lemma has none.
        count: tokens of the form with this tag.
        class_share: share of the form's tokens that are of this class.
        source: ``lemma`` (the form is the lemma itself) or ``lemminflect``.
        trait: what else must agree: ``count`` / ``mass`` for nouns, ``ly`` / ``plain`` for adverbs.
        cells: all tags of the class that the form spells for this lemma, ``+`` between; `walked` is VBD+VBN.
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
        forms_of: (lemma, tag) -> candidate forms, best first; none where the paradigm is ambiguous (lie/lay).
        counts: (form, tag) -> tokens in the training corpus.
        form_classes: (form, class) -> share of the form's tokens of that class.
        listed: (form, tag) -> whether a dictionary has the form with that tag; a tagger calls every `staircase` an adjective.

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
            status = FormStatus.USED if count >= settings.min_cell_share * of_class else FormStatus.OTHER_TAG
        cells = "+".join(other for other in tags if form and best[other] == form)
        rows.append(
            Inflection(lemma, word_class, tag, form, count, share, "lemma" if form == lemma else "lemminflect", status, trait, cells)
        )
    return rows


def mark_ambiguous(cells: Sequence[Inflection], *, ambiguous_lemmas: Container[str]) -> list[Inflection]:
    """The same cells, those whose form does not tell its lemma and tag apart marked as ambiguous.

    Args:
        cells: of all content words.
        ambiguous_lemmas: lemmas whose paradigm as a whole is unsafe (lie and lay share `lay`; was/were depends on the person).

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
    """The form the corpus attests most with this tag; the earlier candidate where none is attested."""
    return max(forms, key=lambda form: counts.get((form, tag), 0)) if forms else ""


def _trait(lemma: str, word_class: str, best: Mapping[str, str], counts: Mapping[tuple[str, str], int]) -> str:
    if word_class == "adverb":
        return "ly" if lemma.endswith("ly") else "plain"
    if word_class != "noun":
        return ""
    singular, plural = (counts.get((best[tag], tag), 0) for tag in ("NN", "NNS"))
    return "count" if plural >= _MIN_PLURAL_SHARE * max(1, singular + plural) else "mass"
