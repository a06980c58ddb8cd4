"""`a` and `an` by cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.english.articles import takes_an

CASES: dict[str, Any] = json.loads((Path(__file__).parents[1] / "cases" / "articles.json").read_text(encoding="utf-8"))


def marked(words: list[str]) -> list[Any]:
    """Known failures as strict expectations: mended, they ask to be struck off the list."""
    unknowable = pytest.mark.xfail(reason="a rule by spelling cannot know")
    return [pytest.param(word, marks=unknowable) if word in CASES["known_failures"] else word for word in words]


@pytest.mark.parametrize("word", marked(CASES["yes"]))
def test_words_that_take_an(word: str) -> None:
    """A vowel sound, written or not."""
    assert takes_an(word)


@pytest.mark.parametrize("word", marked(CASES["no"]))
def test_words_that_take_a(word: str) -> None:
    """A consonant sound, whatever the letter."""
    assert not takes_an(word)
