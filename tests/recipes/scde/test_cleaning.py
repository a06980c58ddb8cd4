"""The rules by which collected passages are cleaned."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.formats.scde import CollectedPassage, Rule, format_published, parse_published
from cloze_gen.recipes.scde.cleaning import clean

GOOD = CollectedPassage(
    eid=7,
    passage=["We left at noon.", "<1>", "Nobody came.", "<2>"],
    candidates=["It rained.", "Jane sang.", "We went home."],
    answer_sequence=[(1, 1), (2, 2)],
)


def rule_of(**changes):
    """The rule that rejects the good passage with another text and these changes."""
    passage = ["They stayed.", "<1>", "Nobody came.", "<2>"]
    _, rejected = clean([GOOD, replace(GOOD, **({"eid": 8, "passage": passage} | changes))])
    return rejected[0][1] if rejected else None


@pytest.mark.parametrize(
    ("passage", "is_copy"),
    [
        (["We left at noon.", "<1>", "Nobody came.", "<2>"], True),
        (["  we LEFT at noon", "<1>", ".", "Nobody came!", "<2>", "."], True),
        (["We left at noon.", "<2>", "Nobody came.", "<1>"], True),
        (["<1>", "We left at noon.", "Nobody came.", "<2>"], False),
        (["We left at noon.", "<1>", "<2>", "Nobody came."], False),
        (["We left at 9.", "<1>", "Nobody came.", "<2>"], False),
    ],
)
def test_a_copy_has_the_same_letters_and_blanks(passage, is_copy):
    assert rule_of(passage=passage) == (Rule.DUPLICATE_PASSAGE if is_copy else None)


def test_a_copy_of_a_rejected_passage_is_a_copy():
    _, rejected = clean([replace(GOOD, candidates=None), GOOD])
    assert [rule for _, rule in rejected] == [Rule.MISSING_CANDIDATE, Rule.DUPLICATE_PASSAGE]


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"answer_sequence": [(1, 1), (2, 3)]}, Rule.ANSWER_WITHOUT_CANDIDATE),
        ({"answer_sequence": [(1, -1), (2, 2)]}, Rule.ANSWER_WITHOUT_CANDIDATE),
        ({"candidates": None}, Rule.MISSING_CANDIDATE),
        ({"candidates": []}, Rule.MISSING_CANDIDATE),
        ({"candidates": ["It rained.", "Jane sang.", " "]}, Rule.MISSING_CANDIDATE),
        (
            {"candidates": ["It rained."], "answer_sequence": [(1, 0), (2, 0)]},
            Rule.MORE_BLANKS_THAN_CANDIDATES,
        ),
        ({"answer_sequence": None}, Rule.MISSING_ANSWER),
        ({"answer_sequence": [(1, 1), (2, None)]}, Rule.MISSING_ANSWER),
        ({"candidates": ["It rained.", "Jane sang."], "answer_sequence": [(1, 1), (2, 0)]}, None),
        # the first broken rule counts
        ({"candidates": [None], "answer_sequence": [(2, 5)]}, Rule.ANSWER_WITHOUT_CANDIDATE),
        ({"candidates": [None], "answer_sequence": [(2, 0)]}, Rule.MISSING_CANDIDATE),
        ({"candidates": ["No."], "answer_sequence": [(2, 0)]}, Rule.MORE_BLANKS_THAN_CANDIDATES),
        ({"passage": GOOD.passage, "candidates": [None]}, Rule.DUPLICATE_PASSAGE),
    ],
)
def test_each_rule_rejects(changes, rule):
    assert rule_of(**changes) == rule


def test_a_kept_passage_is_as_it_was():
    """Answers are in their blanks; separate marks stay."""
    (kept,), _ = clean([replace(GOOD, passage=["We left", ".", "<2>", ".", "<1>"])])
    assert kept.sentences == ("We left", ".", "We went home.", ".", "Jane sang.")
    assert [kept.sentences[blank] for blank in kept.blanks] == ["Jane sang.", "We went home."]


TEXTS = st.sampled_from(["It rained.", "Jane sang", "", ".", "<1", "No!"])


@st.composite
def collected(draw):
    texts = draw(st.lists(TEXTS, max_size=4))
    n_blanks = draw(st.integers(1, 3))
    for number in range(1, n_blanks + 1):
        texts.insert(draw(st.integers(0, len(texts))), f"<{number}>")
    candidates = draw(st.none() | st.lists(st.none() | TEXTS, max_size=4))
    answers = draw(st.lists(st.none() | st.integers(-1, 4), max_size=n_blanks))
    return CollectedPassage(draw(st.integers(0, 5)), texts, candidates, list(enumerate(answers, 1)))


@given(st.lists(collected(), max_size=8))
def test_kept_passages_are_in_the_published_layout(passages):
    kept, rejected = clean(passages)
    assert len(kept) + len(rejected) == len(passages)
    published = parse_published(format_published(kept))
    assert [replace(one, id="") for one in published] == [replace(one, id="") for one in kept]
