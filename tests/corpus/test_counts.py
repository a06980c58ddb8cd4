from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.corpus.counts import count_table, opening_words
from cloze_gen.corpus.option_words import option_mask
from cloze_gen.word_tokens import is_word

WORDS = st.sampled_from(
    ["The", "the", "THE", "sea", "Sea", "Ann", "60,000", ".", '"', "--", "É", "é", "ß", "SS"]
)
TEXTS = st.lists(st.lists(WORDS, max_size=12), max_size=5)


@given(TEXTS)
def test_the_table_adds_up(texts):
    counts = Counter(token for text in texts for token in text)
    table = count_table(counts, {})
    assert table.words == sorted(counts, key=lambda word: (-counts[word], word))
    assert table.count.sum() == sum(counts.values())
    assert table.word_tokens == sum(count for word, count in counts.items() if is_word(word))
    by_form = {
        word.casefold(): freq
        for word, freq in zip(table.words, table.freq.tolist(), strict=True)
        if is_word(word)
    }
    assert sum(by_form.values()) == pytest.approx(1.0 if by_form else 0.0)
    for word, freq, share in zip(
        table.words, table.freq.tolist(), table.lower_share.tolist(), strict=True
    ):
        assert (freq > 0) == is_word(word)
        assert 0 <= share <= 1


def test_frequency_is_case_folded():
    table = count_table({"The": 2, "the": 6, "sea": 2, ".": 30}, {})
    rows = table.index()
    assert table.freq[rows["The"]] == table.freq[rows["the"]] == 0.8
    assert (
        table.count[rows["The"]],
        table.folded_count[rows["The"]],
        table.folded_count[rows["."]],
    ) == (2, 8, 0)


def test_openings_say_nothing_of_names():
    table = count_table({"Sea": 3, "sea": 1, "Ann": 4, "Oh": 2}, {"Sea": 3, "Ann": 1, "Oh": 2})
    rows = table.index()
    assert [table.lower_share[rows[word]] for word in ("Sea", "sea", "Ann", "Oh")] == [
        1.0,
        1.0,
        0.0,
        0.0,
    ]


@pytest.mark.parametrize(
    ("line", "opens"),
    [
        ("Come , he said .", "Come"),
        ('" Come , he said .', "Come"),
        ("-- ' Come", "Come"),
        ("( [ ` `` Come", None),
        (". Come", "."),
        ("", ""),
    ],
)
def test_the_opening_word(line, opens):
    assert opening_words([line]) == Counter([opens] if opens is not None else [])


def test_types_of_the_columns():
    table = count_table({"a": 1}, {})
    assert (table.count.dtype, table.freq.dtype) == (np.int64, np.float64)


# 100,000 word tokens in all.
COUNTS = {"the": 99_000, "rare": 9, "Rare": 1, "ten": 10, "nine": 9, "three": 3, "two": 2, "Ann": 5,
"ann": 1, "60,000": 4, "mother's": 4,
          "to-morrow": 4, "o'clock": 4, "ladies": 20, "ladies'": 4, "fores": 1, "fores'": 4,
          "haven't": 4, "bull's-eye": 4, "it'll": 4,
          "mornin'": 4, "th'": 4, "aroun'": 4, "reg'lar": 4, "las'": 4, "las": 4, "ain't": 4,
          "walk'd": 4, "a-goin'": 4, "gwine": 4,
          "é": 4, "x_y": 4, "--": 50, "'tis": 4, "1st": 4, "Mr.": 4}  # fmt: skip
COUNTS["filler"] = 100_000 - sum(count for word, count in COUNTS.items() if word != "--")


def allowed(
    *,
    max_freq=1e-4,
    min_count=3,
    min_freq=0.0,
    allow_proper_names=False,
):
    table = count_table(COUNTS, {})
    mask = option_mask(
        table,
        SimpleNamespace(
            max_freq=max_freq,
            min_count=min_count,
            min_freq=min_freq,
            allow_proper_names=allow_proper_names,
        ),
    )
    return {word for word, may in zip(table.words, mask.tolist(), strict=True) if may}


def test_limits_and_their_sides():
    words = allowed()
    assert {"nine", "three"} <= words
    assert not {"ten", "rare", "two", "the"} & words
    assert "rare" in allowed(max_freq=1.01e-4)
    assert "two" in allowed(min_count=2)


def test_of_the_least_count_and_the_least_share_the_higher_holds():
    """4 of 100,000 word tokens are 4e-5; three times the text needs three times the count."""
    assert "mother's" in allowed(min_freq=4e-5)
    assert not {"mother's", "three"} & allowed(min_freq=4.1e-5)
    assert "three" in allowed(min_count=3, min_freq=1e-5)
    assert "three" not in allowed(min_count=4, min_freq=1e-5)
    thrice = count_table({word: 3 * count for word, count in COUNTS.items()}, {})
    limits = SimpleNamespace(max_freq=1e-4, min_count=3, min_freq=3e-5, allow_proper_names=False)
    assert {
        word
        for word, may in zip(thrice.words, option_mask(thrice, limits).tolist(), strict=True)
        if may
    } == allowed(min_freq=3e-5)


PUBLISHED = "60,000 mother's to-morrow 1st ladies' haven't it'll bull's-eye".split()
CLIPPED = "mornin' o'clock th' aroun' reg'lar las' fores' ain't walk'd a-goin' gwine".split()
MARKS = "-- é x_y".split()


@pytest.mark.parametrize("names", [False, True])
def test_options_are_spelt_in_full(names):
    """As the published options; no clipped word, mark, or word outside of ASCII."""
    words = allowed(allow_proper_names=names)
    assert [word for word in PUBLISHED if word not in words] == []
    assert [word for word in CLIPPED + MARKS if word in words] == []


def test_names_only_when_asked():
    assert not {"Ann", "ann", "Mr."} & allowed(min_count=1)
    assert {"Ann", "ann"} <= allowed(min_count=1, allow_proper_names=True)
