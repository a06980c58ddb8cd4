"""Which words may be options."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from cloze_gen.stats.counts import count_table
from cloze_gen.stats.option_words import option_mask

# 100,000 word tokens in all.
COUNTS = {"the": 99_000, "rare": 9, "Rare": 1, "ten": 10, "nine": 9, "three": 3, "two": 2, "Ann": 5, "ann": 1, "60,000": 4, "mother's": 4,
          "to-morrow": 4, "o'clock": 4, "ladies": 20, "ladies'": 4, "fores": 1, "fores'": 4, "haven't": 4, "bull's-eye": 4, "it'll": 4,
          "mornin'": 4, "th'": 4, "aroun'": 4, "reg'lar": 4, "las'": 4, "las": 4, "ain't": 4, "walk'd": 4, "a-goin'": 4,
          "é": 4, "x_y": 4, "--": 50, "'tis": 4, "1st": 4, "Mr.": 4}  # fmt: skip
COUNTS["filler"] = 100_000 - sum(count for word, count in COUNTS.items() if word != "--")


def allowed(*, max_freq: float = 1e-4, min_count: int = 3, min_freq: float = 0.0, proper_names: bool = False) -> set[str]:
    table = count_table(COUNTS, {})
    mask = option_mask(table, SimpleNamespace(max_freq=max_freq, min_count=min_count, min_freq=min_freq, proper_names=proper_names))
    return {word for word, may in zip(table.words, mask.tolist(), strict=True) if may}


def test_limits_and_their_sides() -> None:
    """`max_freq` is exclusive and case-folded, `min_count` inclusive and of the surface type."""
    words = allowed()
    assert {"nine", "three"} <= words
    assert not {"ten", "rare", "two", "the"} & words
    assert "rare" in allowed(max_freq=1.01e-4)
    assert "two" in allowed(min_count=2)


def test_of_the_least_count_and_the_least_share_the_higher_holds() -> None:
    """Both are inclusive: of 100,000 word tokens 4 are 4e-5, and three times the text asks three times the count."""
    assert "mother's" in allowed(min_freq=4e-5)
    assert not {"mother's", "three"} & allowed(min_freq=4.1e-5)
    assert "three" in allowed(min_count=3, min_freq=1e-5)
    assert "three" not in allowed(min_count=4, min_freq=1e-5)
    thrice = count_table({word: 3 * count for word, count in COUNTS.items()}, {})
    limits = SimpleNamespace(max_freq=1e-4, min_count=3, min_freq=3e-5, proper_names=False)
    assert {word for word, may in zip(thrice.words, option_mask(thrice, limits).tolist(), strict=True) if may} == allowed(min_freq=3e-5)


@pytest.mark.parametrize("word", ["60,000", "mother's", "to-morrow", "1st", "ladies'", "haven't", "it'll", "bull's-eye"])
def test_words_as_the_published_options_are(word: str) -> None:
    """Possessives, contractions, hyphenated words and numbers are words here."""
    assert word in allowed()


@pytest.mark.parametrize("word", ["mornin'", "o'clock", "th'", "aroun'", "reg'lar", "las'", "fores'", "ain't", "walk'd", "a-goin'"])
@pytest.mark.parametrize("names", [False, True])
def test_clipped_words_are_no_options(word: str, names: bool) -> None:
    """Dialect, verse and what an apostrophe shortens tell the answer by their spelling, or tell that they are wrong."""
    assert word not in allowed(proper_names=names)


@pytest.mark.parametrize("word", ["--", "é", "x_y"])
def test_no_options(word: str) -> None:
    """Marks and what the ASCII files cannot hold are none."""
    assert word not in allowed()


def test_names_only_when_asked() -> None:
    """A word that is mostly capitalised is taken for a name, in either spelling."""
    assert not {"Ann", "ann", "Mr."} & allowed(min_count=1)
    assert {"Ann", "ann"} <= allowed(min_count=1, proper_names=True)
