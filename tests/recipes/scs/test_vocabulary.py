"""Which words are common content words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.english.penn_tags import CONTENT_CLASSES
from cloze_gen.recipes.scs.vocabulary import (
    VocabularyReason,
    VocabularySettings,
    content_vocabulary,
)

COUNTS = {
    ("walk", "verb"): 60, ("walk", "noun"): 40, ("walk", "adverb"): 2, ("be", "verb"): 900, ("the", "function"): 999, ("not", "adverb"): 80,
    ("rose", "proper_noun"): 9, ("rose", "noun"): 3, ("baker", "proper_noun"): 3, ("baker", "noun"): 9, ("60,000", "noun"): 8,
    ("well-bred", "adjective"): 7, ("x", "noun"): 50,
    ("feller", "noun"): 30,
}  # fmt: skip

pair_counts = st.dictionaries(
    st.tuples(
        st.sampled_from(["walk", "run", "be", "Ann", "60", "cat", "dog"]),
        st.sampled_from([*CONTENT_CLASSES, "function", "proper_noun"]),
    ),
    st.integers(1, 50),
)


def vocabulary(counts, **settings):
    """The pairs kept, and the rejections."""
    rows, rejected = content_vocabulary(
        counts, word_tokens=10_000, settings=VocabularySettings(**settings)
    )
    return [(row["lemma"], row["class"]) for row in rows], rejected


def kept(**settings):
    pairs, _ = vocabulary(COUNTS, **settings)
    return pairs


def test_most_frequent_pairs_come_first():
    """A lemma stands once a class, by descending count."""
    assert kept() == [
        ("walk", "verb"),
        ("walk", "noun"),
        ("baker", "noun"),
        ("well-bred", "adjective"),
    ]


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        (("the", "function"), VocabularyReason.NOT_CONTENT),
        (("60,000", "noun"), VocabularyReason.SHAPE),
        (("x", "noun"), VocabularyReason.SHAPE),
        (("be", "verb"), VocabularyReason.FUNCTION),
        (("not", "adverb"), VocabularyReason.FUNCTION),
        (("feller", "noun"), VocabularyReason.DIALECT),
        (("rose", "noun"), VocabularyReason.NAME),
        (("walk", "adverb"), VocabularyReason.SLIP),
    ],
)
def test_every_rule_has_its_reason(pair, reason):
    """Each refused pair is counted under the rule that refused it."""
    without = {other: count for other, count in COUNTS.items() if other != pair}
    with_pair, reasons = vocabulary(COUNTS)
    _, reasons_without = vocabulary(without)
    assert pair not in with_pair
    assert reasons[reason] == reasons_without[reason] + 1


@given(pair_counts, st.integers(10, 12))
def test_every_pair_is_kept_or_refused(counts, size):
    """seen = kept + refused, and never more than `size` are kept."""
    pairs, refused = vocabulary(counts, size=size)
    assert len(pairs) + sum(refused.values()) == len(counts)
    assert len(pairs) <= size
