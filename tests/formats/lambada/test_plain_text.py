"""The published plain text."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.formats.lambada.plain_text import format_plain_text, parse_plain_text, sentence_ends
from cloze_gen.formats.lambada.rendering import whole_words

TOKENS = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=6)
PASSAGES = st.lists(st.tuples(st.lists(TOKENS, min_size=1, max_size=5), st.sampled_from(["ann", "é"])).map(lambda p: (*p[0], p[1])))


@given(PASSAGES)
def test_what_is_written_is_read(passages: list[tuple[str, ...]]) -> None:
    """`parse(format(p)) == p`, with and without what Windows does to line ends."""
    text = format_plain_text(passages)
    assert parse_plain_text(text) == passages
    assert parse_plain_text(text.replace("\n", "\r\n")) == passages


@pytest.mark.parametrize("text", ["he  saw ann\n", "he saw ann \n", " he saw ann\n", "\n", "ann\n", "he saw ann .\n", "he\tsaw ann\n"])
def test_other_lines_are_refused(text: str) -> None:
    """Two spaces, a blank at an end, an empty line, a target without context or with a mark behind it: the line is named."""
    with pytest.raises(FormatError, match=r"dev\.txt, line 2"):
        parse_plain_text(f"he saw ann\n{text}", name="dev.txt")


@pytest.mark.parametrize("tokens", [("he", "saw", "the old"), ("he", ""), ("he", "saw", "."), ("ann",)])
def test_what_a_line_cannot_carry_is_refused(tokens: tuple[str, ...]) -> None:
    """A passage that would not come back as it was is an error that names it."""
    with pytest.raises(FormatError, match="passage 2"):
        format_plain_text([("he", "saw", "ann"), tokens])


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("he saw ann", 0),
        ("he came . he saw ann", 1),
        ("`` who ? '' he saw ann", 1),
        ("`` who ? '' asked ann", 0),
        ("he met mrs. pin . he saw ann", 1),
        ("he met mr . pin ... he saw ann", 1),
        ("( -lrb- yes ! -rrb- ann", 1),
    ],
)
def test_sentences_are_found_again(line: str, count: int) -> None:
    """A sentence ends at its mark, not at a title and not before its attribution."""
    assert len(sentence_ends(line.split())) == count


@pytest.fixture
def published(data_dir: Path) -> str:
    path = data_dir / "published" / "lambada-dev" / "lambada_development_plain_text.txt"
    if not path.is_file():
        pytest.skip("the published LAMBADA development set is not unpacked (make data SHARED=DIR)")
    return path.read_bytes().decode("utf-8")


@pytest.mark.realdata
def test_the_published_file_comes_back(published: str) -> None:
    """Parsed and printed, the development file is the same bytes."""
    assert format_plain_text(parse_plain_text(published)) == published


@pytest.mark.realdata
def test_the_published_file_counts_as_known(published: str) -> None:
    """4,869 passages of 74.13 tokens and 4.6 context sentences, 83.0 % with their target in the context; no type is in capitals."""
    passages = parse_plain_text(published)
    assert (len(passages), len(set(passages))) == (4869, 4867)
    assert mean(map(len, passages)) == pytest.approx(74.13, abs=0.005)
    assert mean(tokens[-1] in tokens[:-1] for tokens in passages) == pytest.approx(0.830, abs=0.0005)
    assert round(mean(len(sentence_ends(tokens)) for tokens in passages), 1) == 4.6
    assert sum(not " ".join(tokens).isascii() for tokens in passages) == 49
    assert all(token == token.lower() for tokens in passages for token in tokens)
    assert mean("``" in tokens or "''" in tokens for tokens in passages) == pytest.approx(0.755, abs=0.0005)


@pytest.mark.realdata
def test_published_tokens_become_whole_words(published: str) -> None:
    """No clitic stands alone afterwards, and no mark has a direction; the target stays the last token."""
    for tokens in parse_plain_text(published):
        whole = whole_words(tokens)
        assert whole[-1] == tokens[-1]
        assert not {"``", "''", "`"} & set(whole)
        assert not any(token in {"n't", "'ll", "'re", "'ve"} and before.isalpha() for before, token in pairwise(whole))
