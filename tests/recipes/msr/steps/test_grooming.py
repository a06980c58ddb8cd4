"""Machine grooming by cases: each predicate on words and sentences that a reader would judge at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.english.articles import takes_an
from cloze_gen.english.sentence_fitness import sentence_fault
from cloze_gen.english.stems import stem

CASES = json.loads((Path(__file__).parents[3] / "cases" / "grooming.json").read_text(encoding="utf-8"))


def marked(cases: list[Any], failures: list[Any]) -> list[Any]:
    """Cases, the known failures among them as strict expectations: mended, they ask to be struck off the list."""
    return [
        pytest.param(case, marks=pytest.mark.xfail(reason="a rule by spelling cannot know")) if case in failures else case for case in cases
    ]


@pytest.mark.parametrize("word", marked(CASES["takes_an"]["yes"], CASES["takes_an"]["known_failures"]))
def test_words_that_take_an(word: str) -> None:
    """A vowel sound, written or not."""
    assert takes_an(word)


@pytest.mark.parametrize("word", marked(CASES["takes_an"]["no"], CASES["takes_an"]["known_failures"]))
def test_words_that_take_a(word: str) -> None:
    """A consonant sound, whatever the letter."""
    assert not takes_an(word)


@pytest.mark.parametrize("pair", marked(CASES["forms"]["same"], CASES["forms"]["known_failures"]))
def test_forms_and_spellings_of_one_word(pair: list[str]) -> None:
    """Inflections, derivations and spelling variants have one stem."""
    assert stem(pair[0]) == stem(pair[1])


@pytest.mark.parametrize("pair", CASES["forms"]["different"])
def test_different_words(pair: list[str]) -> None:
    """Likeness of letters is no likeness of words."""
    assert stem(pair[0]) != stem(pair[1])


@pytest.mark.parametrize(("line", "fault"), CASES["sentences"])
def test_the_first_fault_of_a_sentence(line: str, fault: str | None) -> None:
    """Fragments, headings, sentences cut at an abbreviation, halves of dialogues; the offensive list matches whole words only."""
    assert sentence_fault(line.split(" "), offensive=frozenset({"cur"})) == fault
