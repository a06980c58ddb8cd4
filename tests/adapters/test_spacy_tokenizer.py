from __future__ import annotations

import json
from pathlib import Path

import pytest

from cloze_gen.adapters.spacy_tokenizer import build_tokenizer, chunk_tokenizer

CASES = json.loads((Path(__file__).parents[1] / "cases" / "ingest_tokens.json").read_text())
TOKENIZER = build_tokenizer()


@pytest.mark.parametrize(("text", "tokens"), [case for cases in CASES.values() for case in cases])
def test_tokens_are_whole_words_and_single_marks(text, tokens):
    assert " ".join(token.text for token in TOKENIZER(text)) == tokens


@pytest.mark.parametrize("text", [case[0] for cases in CASES.values() for case in cases])
def test_the_short_way_gives_the_same_tokens(text):
    tokenize_chunk = chunk_tokenizer()
    assert [token for chunk in text.split(" ") for token in tokenize_chunk(chunk)] == [
        token.text for token in TOKENIZER(text)
    ]


def test_a_chunk_longer_than_any_word_is_one_token():
    assert chunk_tokenizer()('"' * 1_000_000) == ('"' * 1_000_000,)
