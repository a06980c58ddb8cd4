"""What the tags that a word can have say about the tag that it got."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.english.penn_tags import CONTENT_CLASSES, TAGS_OF_CLASS
from cloze_gen.english.tag_rules import can_have_tag, is_doubtful, same_past_forms

TAGS = st.sampled_from([tag for name in CONTENT_CLASSES for tag in TAGS_OF_CLASS[name]])
SETS = st.frozensets(TAGS)


@given(TAGS, SETS)
def test_a_listed_tag_can_be_had(tag: str, possible: frozenset[str]) -> None:
    """What the dictionary lists is never refused, and more entries never take a tag away."""
    assert can_have_tag("lamp", tag, possible | {tag})
    assert can_have_tag("lamp", tag, possible) <= can_have_tag("lamp", tag, possible | {"VB"})


@pytest.mark.parametrize("word", ["mother's", "60,000", "don't"])
def test_what_no_dictionary_lists_passes(word: str) -> None:
    """Clitics and numbers."""
    assert can_have_tag(word, "NN", frozenset())


@pytest.mark.parametrize("word", ["to-night", "yesterday"])
def test_adverbs_of_time_are_no_nouns(word: str) -> None:
    """Whatever the dictionary calls them."""
    assert can_have_tag(word, "RB", frozenset({"NN"}))
    assert not can_have_tag(word, "NN", frozenset({"NN"}))


@pytest.mark.parametrize(("tag", "possible"), [("VBD", {"VB", "VBD", "VBN"}), ("JJ", {"VBN"}), ("VBP", {"VB", "VBD"})])
def test_doubtful_tags(tag: str, possible: set[str]) -> None:
    """`spread` in any tense, `committed` as an adjective."""
    assert is_doubtful(tag, possible)


@pytest.mark.parametrize(("tag", "possible"), [("VBZ", {"VB", "VBD"}), ("VBD", {"VBD"}), ("JJ", {"JJ"}), ("NN", {"VB", "VBD"})])
def test_tags_without_doubt(tag: str, possible: set[str]) -> None:
    """The -s form of `spread`, an own past form, a plain adjective, a noun."""
    assert not is_doubtful(tag, possible)


@given(SETS, SETS)
def test_likeness_of_past_forms_goes_both_ways(one: frozenset[str], other: frozenset[str]) -> None:
    """It is an equivalence: of a word with itself, and in either order."""
    assert same_past_forms(one, one)
    assert same_past_forms(one, other) == same_past_forms(other, one)
