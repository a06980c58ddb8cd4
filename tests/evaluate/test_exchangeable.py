"""Signs of an order that was made on purpose."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.evaluate.exchangeable import find_arrangement
from cloze_gen.rng import derive_rng

WORDS = [f"w{n}" for n in range(300)]


def lines(count: int, **fields: Sequence[object]) -> list[str]:
    """JSON lines of random words; a field's value is that of its list at the line's place."""
    rng = derive_rng(4, "test.lines", str(count))
    texts = [" ".join(WORDS[word] for word in rng.integers(0, 300, 12)) for _ in range(count)]
    return [json.dumps({"text": text, **{name: values[place] for name, values in fields.items()}}) for place, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"n": range(30)}, "sorted by 'n'"),
        ({"n": range(30, 0, -1)}, "sorted by 'n'"),
        ({"id": [f"book:{n}:x" for n in range(85, 115)]}, "sorted by 'id'"),
        ({"book": ["b"] * 10 + ["c"] * 10 + ["a"] * 10}, "grouped by 'book'"),
        ({"score": [n / 7 for n in range(30)]}, "sorted by 'score'"),
        ({"n": [10**40 + n for n in range(30)]}, "sorted by 'n'"),
        ({"\x1b[2J" + "n" * 500: range(30)}, "sorted by '\\x1b[2J" + "n" * 51 + "..."),
    ],
)
def test_arranged_lines_are_found(fields: dict[str, Sequence[object]], said: str) -> None:
    """Sorted either way, by numbers within ids too, and grouped in any order of groups."""
    assert find_arrangement(lines(30, **fields)) == said


def test_numbered_lines_are_found() -> None:
    """A file whose lines begin with their numbers, as printed questions do."""
    assert find_arrangement([f"{n}) {line}" for n, line in enumerate(lines(30), 1)]) == "sorted by the lines themselves"


def test_options_side_by_side_are_found() -> None:
    """Five lines of a question, alike but for a word, one after the other; shuffled, they pass."""
    of_options = [f"{line} {option}" for line in lines(20) for option in "abcde"]
    assert find_arrangement(of_options) == "each beside lines that are like it"
    assert find_arrangement([of_options[place] for place in derive_rng(1, "test").permutation(100)]) is None


@given(st.integers(2, 60), st.integers(0, 10**6))
def test_shuffled_lines_pass(n: int, seed: int) -> None:
    """Lines in random order are not refused, few or many, whatever stands in them."""
    arranged = lines(n, n=range(n), book=["a"] * (n // 2) + ["b"] * (n - n // 2), same=[1] * n)
    assert find_arrangement([arranged[place] for place in derive_rng(seed, "test.shuffle").permutation(n)]) is None


@pytest.mark.parametrize("field", ['"n": NaN', '"n": 1, "n": 2'])
def test_a_field_that_is_not_strict_json_hides_no_order(field: str) -> None:
    """Python reads such lines, so they can be sorted by another of their fields."""
    assert find_arrangement([f'{{{field}, "id": {place}}}' for place in range(30)]) == "sorted by 'id'"


@pytest.mark.parametrize(
    "hostile",
    [["x"] * 50, ["[" * 5000] * 20, ["9" * 5000, "1"] * 10, ['{"n": NaN}'] * 20, ['{"n": 1}', '{"n": "1"}'] * 10, ['{"n": 1}', "{}"] * 10],
)
def test_strange_lines_are_no_sign(hostile: list[str]) -> None:
    """Lines that are equal, no JSON, or of mixed types are looked at without an error."""
    assert find_arrangement(hostile) is None
