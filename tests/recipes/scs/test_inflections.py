"""Which form stands for a lemma under a tag."""

import json
from pathlib import Path

import pytest

from cloze_gen.recipes.scs.inflections import (
    FormStatus,
    Inflection,
    InflectionsSettings,
    inflect_pair,
    mark_ambiguous,
)

CASES = json.loads(
    (Path(__file__).parents[2] / "cases" / "inflections.json").read_text(encoding="utf-8")
)


def cells(case):
    counts = {tuple(key.split(" ")): count for key, count in case["counts"].items()}
    share = case.get("class_share", {})
    rows = inflect_pair(
        case["lemma"],
        case["class"],
        forms_of=lambda _, tag: case["forms"].get(tag, []),
        counts=counts,
        class_share=lambda form, _: share.get(form, 1.0),
        listed=lambda form, tag: f"{form} {tag}" not in case.get("unlisted", []),
        min_count=5,
        settings=InflectionsSettings(min_class_share=0.5, min_cell_share=0.2),
    )
    return {row.tag: row for row in rows}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_forms_and_reasons(case):
    """Every cell has its form and status as the case says."""
    found = cells(case)
    for tag, (form, status) in case["expected"].items():
        assert (found[tag].form, found[tag].status) == (form, FormStatus(status)), tag


@pytest.mark.parametrize(
    "case", [case for case in CASES if "traits" in case], ids=lambda case: case["name"]
)
def test_traits_and_shared_cells(case):
    """Count and mass nouns, adverbs in -ly, and the cells that one form spells."""
    found = cells(case)
    for tag, (trait, shared) in case["traits"].items():
        assert (found[tag].trait, found[tag].cells) == (trait, shared)


@pytest.mark.parametrize(("others", "status"), [(5, FormStatus.USED), (6, FormStatus.AMBIGUOUS)])
def test_a_form_that_two_lemmas_share_is_ambiguous(others, status):
    """`wound` is wind's past and wound's base: unused unless one has at most 1 in 20 tokens."""
    pair = [Inflection("wind", "verb", "VBD", "wound", 95, 1.0, FormStatus.USED, "", "VBD"),
            Inflection("wound", "verb", "VB", "wound", others, 1.0, FormStatus.USED, "", "VB")]  # fmt: skip
    marked = mark_ambiguous(pair, ambiguous_lemmas=())
    assert marked[0].status == status
    assert marked[1].status == FormStatus.AMBIGUOUS


def test_ambiguous_lemmas_serve_nowhere():
    """lie and lay are neither answers nor impostors, in no form."""
    cell = Inflection("lie", "verb", "VB", "lie", 95, 1.0, FormStatus.USED, "", "VB")
    assert mark_ambiguous([cell], ambiguous_lemmas={"lie"})[0].status == FormStatus.AMBIGUOUS
