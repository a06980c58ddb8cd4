"""Whether two words are forms of one another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.english.stems import stem

CASES: dict[str, Any] = json.loads((Path(__file__).parents[1] / "cases" / "stems.json").read_text(encoding="utf-8"))


def marked(pairs: list[Any]) -> list[Any]:
    """Known failures as strict expectations: mended, they ask to be struck off the list."""
    unknowable = pytest.mark.xfail(reason="a rule by spelling cannot know")
    return [pytest.param(pair, marks=unknowable) if pair in CASES["known_failures"] else pair for pair in pairs]


@pytest.mark.parametrize("pair", marked(CASES["same"]), ids="-".join)
def test_forms_and_spellings_of_one_word(pair: list[str]) -> None:
    """Inflections, derivations and spelling variants have one stem."""
    assert stem(pair[0]) == stem(pair[1])


@pytest.mark.parametrize("pair", marked(CASES["different"]), ids="-".join)
def test_different_words(pair: list[str]) -> None:
    """Likeness of letters is no likeness of words."""
    assert stem(pair[0]) != stem(pair[1])
