"""The memory of chunks gives the tokenizer's tokens, counts and hashes."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cloze_gen.adapters.spacy_tokenizer import build_tokenizer, chunk_tokenizer
from cloze_gen.corpus.normalization import normalize_sentence
from cloze_gen.corpus.tokens import ChunkMemo, spaces_after

TOKENIZER, MEMO = build_tokenizer(), ChunkMemo(chunk_tokenizer())
CLEAN = st.lists(
    st.sampled_from(
        [
            "don't",
            "Mr.",
            "'tis",
            "boys'",
            '"',
            "'",
            ".",
            ",",
            "!",
            "--",
            "a",
            "I",
            "J.",
            "word",
            " ",
            "(",
            "\u00e9t\u00e9",
            "7",
            "\u00ad",
            "-",
        ]
    ),
    max_size=25,
).map(lambda pieces: normalize_sentence("".join(pieces)))


def tokenize(text):
    return MEMO.tokens(MEMO.read(text)).split(" ") if text else []


@given(CLEAN)
@example("-J.,")
def test_remembered_tokens_are_the_tokenizers_own(text):
    apart = " ".join(f"{text} ".replace(", ", " , ").split())
    assert tokenize(text) == [token.text for token in TOKENIZER(apart)]


@given(CLEAN)
def test_text_is_rebuilt_from_tokens_and_their_spaces(text):
    """No character is lost or made up."""
    tokens = tokenize(text)
    assert (
        "".join(
            token + " " * space
            for token, space in zip(tokens, spaces_after(text, tokens), strict=True)
        )
        == text
    )


@given(CLEAN.filter(bool))
def test_counts_are_the_counts_of_the_tokens(text):
    """Counting rows is counting tokens."""
    assert MEMO.count_tokens(MEMO.read(text)) == Counter(tokenize(text))


def test_forgetting_changes_nothing():
    """A memory of two chunks gives the same tokens, counts and hashes as a large one."""
    small = ChunkMemo(chunk_tokenizer(), max_chunks=2)
    for text in ("It was dark.", 'It was "very" dark, Mr. Holmes.', "It was dark."):
        large_read, small_read = MEMO.read(text), small.read(text)
        assert small.tokens(small_read) == MEMO.tokens(large_read)
        assert small.count_tokens(small_read) == MEMO.count_tokens(large_read)
        assert np.array_equal(small.word_hashes(small_read), MEMO.word_hashes(large_read))


def test_tokens_of_another_text_are_refused():
    """Spacing cannot be told from tokens that are not the text's."""
    with pytest.raises(ValueError, match="is not at character 6"):
        spaces_after("Come, now.", ["Come", ",", "then", "."])
    with pytest.raises(ValueError, match="end at character 4"):
        spaces_after("Come, now.", ["Come"])
