from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import ModelError
from cloze_gen.models.arpa import header_counts, read_blocks, word_ids

# Words that a table reader would take for something else.
HEAD = "\\data\\\nngram 1=9\nngram 2=4\nngram 3=1\n\n"
ONES = [("<unk>", -2.0, 0.0), ("<s>", 0.0, -0.5), ("</s>", -1.0, 0.0), ('"', -1.25, -0.25), ("NA",
    -1.5, -0.125), ("null", -1.75, 0.0),
        ("nan", -1.0, 0.0), ("\\end\\x", -2.0, 0.0), ("#é,'", -2.5, 0.0)]  # fmt: skip
TWOS = [
    ('<s> "', -0.25, -0.5),
    ('" NA', -0.5, 0.0),
    ("NA null", -0.75, 0.0),
    ("null </s>", -0.125, 0.0),
]
THREES = [('<s> " NA', -0.0625)]
TEXT = (
    HEAD
    + "\\1-grams:\n" + "".join(f"{prob}\t{word}\t{backoff}\n" for word, prob, backoff in ONES)
    + "\n\\2-grams:\n" + "".join(f"{prob}\t{words}\t{backoff}\n" for words, prob, backoff in TWOS)
    + "\n\\3-grams:\n" + "".join(f"{prob}\t{words}\n" for words, prob in THREES)
    + "\n\\end\\\n"
)  # fmt: skip


def pieces(data, size):
    return iter([data[i : i + size] for i in range(0, len(data), size)])


def rows(data, size):
    """All rows by order, words joined by spaces."""
    found = {}
    for block in read_blocks(pieces(data, size)):
        words = [column.to_pylist() for column in block.words]
        lines = zip(
            map(" ".join, zip(*words, strict=True)),
            block.log10_prob.tolist(),
            block.log10_backoff.tolist(),
            strict=True,
        )
        found.setdefault(block.order, []).extend(lines)
    return found


EXPECTED = {1: ONES, 2: TWOS, 3: [(words, prob, 0.0) for words, prob in THREES]}


@given(st.integers(1, 400))
def test_bytes_may_come_in_any_pieces(size):
    assert rows(TEXT.encode(), size) == EXPECTED


def test_windows_line_ends_are_not_words():
    assert rows(TEXT.encode(), 10**6)[3][0][2] == 0.0


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "ends early"),
        (TEXT.encode()[:-8], "ends early"),
        (TEXT.encode()[:150], "ends early"),
        (TEXT.replace("-0.75\tNA", "x\tNA").encode(), "2-gram section cannot be read"),
        (TEXT.replace("NA null", "NA").encode(), "2-gram section cannot be read"),
    ],
)
def test_what_is_no_arpa_file_is_told(data, said):
    with pytest.raises(ModelError, match=said):
        rows(data, 64)


def test_header_counts():
    assert header_counts(TEXT.encode()) == [9, 4, 1]


def test_words_become_numbers():
    vocabulary = pa.array(["b", "a"])
    assert word_ids(pa.array(["a", "b", "a"]).dictionary_encode(), vocabulary).tolist() == [1, 0, 1]


def test_blocks_hold_float32():
    blocks = list(itertools.islice(read_blocks(pieces(TEXT.encode(), 10**6)), 1))
    assert blocks[0].log10_prob.dtype == blocks[0].log10_backoff.dtype == np.float32
