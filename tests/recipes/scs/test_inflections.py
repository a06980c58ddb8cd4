"""Which form stands for a lemma under a tag."""

import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from cloze_gen.recipes.scs.inflections import (
    FormStatus,
    InflectionsSettings,
    inflect_pair,
)

CASES = json.loads(
    (Path(__file__).parents[2] / "cases" / "inflections.json").read_text(encoding="utf-8")
)


def cells(case):
    counts = defaultdict(Counter)
    for pair, count in case["counts"].items():
        form, tag = pair.split(" ")
        counts[form][tag] = count
    rows = inflect_pair(
        case["lemma"],
        case["class"],
        forms_of=lambda _, tag: case["forms"].get(tag, []),
        counts=counts,
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
