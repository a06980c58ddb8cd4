"""Chunk by chunk gives the tokenizer's tokens and their counts."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cloze_gen.adapters.spacy_tokenizer import build_tokenizer
from cloze_gen.corpus.normalization import normalize_sentence
from cloze_gen.corpus.tokens import tokenize
from cloze_gen.formats.lambada import spaces_after

TOKENIZER = build_tokenizer()
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


def tokens_of(text):
    (line,) = tokenize([text]).lines
    return line.split()


@given(st.lists(CLEAN, max_size=4))
@example(["-J.,"])
def test_tokens_are_the_tokenizers_own(texts):
    tokenized = tokenize(texts)
    apart = [" ".join(f"{text} ".replace(", ", " , ").split()) for text in texts]
    assert tokenized.lines == [" ".join(map(str, TOKENIZER(text))) for text in apart]
    assert [word for word in tokenized.type_counts.elements() if word] == sorted(
        [token for line in tokenized.lines for token in line.split()],
        key=list(tokenized.type_counts).index,
    )


@given(CLEAN)
def test_text_is_rebuilt_from_tokens_and_their_spaces(text):
    """No character is lost or made up."""
    tokens = tokens_of(text)
    assert (
        "".join(
            token + " " * space
            for token, space in zip(tokens, spaces_after(text, tokens), strict=True)
        )
        == text
    )


def test_tokens_of_another_text_are_refused():
    """Spacing cannot be told from tokens that are not the text's."""
    with pytest.raises(ValueError, match="is not at character 6"):
        spaces_after("Come, now.", ["Come", ",", "then", "."])
    with pytest.raises(ValueError, match="end at character 4"):
        spaces_after("Come, now.", ["Come"])
