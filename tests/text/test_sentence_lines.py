"""Files of one sentence a line are known by their lines; books, plays and poems stay books."""

from __future__ import annotations

import pytest

from cloze_gen.adapters.spacy_tokenizer import chunk_tokenizer
from cloze_gen.text.parse_book import IngestSettings, parse_book
from cloze_gen.text.sentence_lines import find_sentence_lines
from cloze_gen.text.tokens import ChunkMemo

BOOKCORPUS = (
    "the lamp was out , and nobody had seen it go .\n`` who did that ? ''\n"
    "`` i do n't know , '' said the old man , `` but it was n't me . ''\n"
    "he went to the window and looked down into the street , where the rain had stopped .\nthere was nobody .\n"
)
CASED = "The lamp was out , and nobody had seen it go .\nJane did n't answer .\n"
LOWER = "the lamp was out, and nobody had seen it go.\njane didn't answer.\n"


@pytest.mark.parametrize("lines", [BOOKCORPUS, CASED, LOWER], ids=["bookcorpus", "tokens in their case", "small letters alone"])
@pytest.mark.parametrize("size", [200, 20_000])
def test_lists_of_sentences_are_found(lines: str, size: int) -> None:
    """Treebank tokens, small letters, or both."""
    assert find_sentence_lines(lines * (size // lines.count("\n")))


@pytest.mark.parametrize(
    "text",
    [
        '"Who did that?"\n\n"I don\'t know," said the old man, "but it wasn\'t me."\n\n',
        "The lamp was out, and nobody had seen it go.\nJane didn't answer.\n",
        "HAMLET. The lamp is out.\nHORATIO. Who did that, my lord?\n",
        "the lamp is out\nand nobody saw\nit go, o wind,\nit was out\n",
        "the lamp was out , and nobody had seen it go , for the rain\nwas loud and the window shut . they sat till dawn , and then\n",
        "1,200 lamps; 3,400 wicks.\nTable II. Lamps, wicks and oil.\n",
    ],
    ids=["speeches", "sentences as printed", "a play", "a poem in small letters", "wrapped tokens", "a table"],
)
def test_books_stay_books(text: str) -> None:
    """What has its letter case and punctuation is one, and so is what has no sentence a line."""
    assert find_sentence_lines(text * 500) == ""


def test_a_short_list_is_no_file_of_sentences() -> None:
    """An article of thirty such lines is read."""
    assert find_sentence_lines(CASED * 15) == ""


def test_such_a_file_is_dropped_with_its_reason() -> None:
    """The audit says what it is and keeps no sentence of it."""
    book = parse_book(BOOKCORPUS.encode() * 100, book_id="it", settings=IngestSettings(), memo=ChunkMemo(chunk_tokenizer()))
    assert book.audit.reason == "one_sentence_a_line"
    assert "100 % of its lines are a sentence each, with spaces before commas and in small letters" in book.audit.detail
    assert not book.text
