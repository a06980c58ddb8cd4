"""Hashes of 13-grams: those of datatrove, and none from which the text can be chained."""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import pytest

from cloze_gen.adapters.spacy_tokenizer import plain_tokenizer
from cloze_gen.formats.decontamination import (
    N_GRAM,
    gram_hash,
    hash_file,
    item_text,
    normalized,
    windows,
)
from cloze_gen.rng import derive_rng
from tests.conftest import SAMPLE

TEXTS = [
    line
    for path in sorted((SAMPLE / "novels").glob("*.txt"))[:4]
    for line in path.read_text(encoding="utf-8").split("\n\n")[3:40]
]


def hashes(texts: list[str], *, apart: bool) -> set[int]:
    return set(np.frombuffer(hash_file(texts, apart=apart), "<u8").tolist())


def tokens_of(text: str) -> list[str]:
    return plain_tokenizer()(normalized(text))


def chained(known: list[str], published: Set[int], vocabulary: Set[str]) -> list[str]:
    """What someone learns who knows twelve tokens: the next token is one search in a vocabulary."""
    found = list(known)
    while new := [
        word for word in vocabulary if gram_hash([*found[-N_GRAM + 1 :], word]) in published
    ]:
        found.append(new[0])
    return found[len(known) :]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        (
            "“Don't,” said Zoë; she couldn't give £3,000.50 for 12 cats - nor _cannot_ won't.",
            8286585854429386549,
            3618867117984765501,
        ),
        (
            "It was a cold day\tin\u00a0Mr. O’Brien's café‐house; he'd gonna see 7½ [sic] dogs & 1/2 "
            "cat, e.g. at 10 a.m.",
            3875904491225930819,
            1902625700390590676,
        ),
    ],
)
def test_a_hash_is_that_of_datatrove(text: str, first: int, last: int) -> None:
    """Values of datatrove 0.10.1, `NGramsDecontIndexer.compute_hashes`, n_grams=13, sha1."""
    found = [gram_hash(window) for window in windows([text], apart=False)]
    assert (found[0], found[-1]) == (first, last)


def test_a_short_text_has_no_hash() -> None:
    assert (
        hash_file(["one two three four five six seven eight nine ten eleven twelve"], apart=False)
        == b""
    )


def test_windows_in_a_chain_give_the_text_away() -> None:
    """Why a release without text has few: from twelve words of each text, all of it is found."""
    texts = [text for text in TEXTS if len(tokens_of(text.replace("\n", " "))) > 2 * N_GRAM][:5]
    lines = [text.replace("\n", " ") for text in texts]
    vocabulary = {token for text in TEXTS for token in tokens_of(text)}
    published = hashes(lines, apart=False)
    for line in lines:
        tokens = tokens_of(line)
        assert chained(tokens[: N_GRAM - 1], published, vocabulary) == tokens[N_GRAM - 1 :]


def test_windows_apart_give_no_chain() -> None:
    """Of the same texts, from each twelve words in a row at most the word that ends a window."""
    lines = [text.replace("\n", " ") for text in TEXTS][:8]
    vocabulary = {token for text in TEXTS for token in tokens_of(text)}
    published = hashes(lines, apart=True)
    assert published
    assert published < hashes(lines, apart=False)
    learned = 0
    for line in lines:
        tokens = tokens_of(line)
        for start in derive_rng(1, "test.starts", line).integers(0, len(tokens), 6).tolist():
            known = tokens[start : start + N_GRAM - 1]
            found = chained(known, published, vocabulary)
            assert len(found) <= 1
            learned += len(found)
        learned += len(chained(tokens[: N_GRAM - 1], published, vocabulary))
    assert learned, "a window is confirmed for who knows twelve of its words"


def test_windows_apart_share_no_seven_tokens() -> None:
    """Also those of texts that repeat each other, as the passages of one book do."""
    words = [f"{one}{other}" for one in "bcdfgh" for other in "aeiouaeiou"]
    words = [f"{word}{'x' * (n // 5)}" for n, word in enumerate(words)]
    texts = [" ".join(words[start : start + 40]) for start in (0, 5, 9, 20, 20)]
    found = list(windows(texts, apart=True))
    parts = [window[at : at + 7] for window in found for at in range(N_GRAM - 6)]
    assert len(found) >= 4
    assert len(parts) == len(set(parts))


def test_every_long_text_has_a_window_apart() -> None:
    """A trainer hashes every window of a text, so one of ours is enough."""
    lines = [text.replace("\n", " ") for text in TEXTS]
    published = hashes(lines, apart=True)
    missed = [
        line
        for line in lines
        if len(tokens_of(line)) >= N_GRAM
        and published.isdisjoint(gram_hash(window) for window in windows([line], apart=False))
    ]
    assert len(lines) > 50
    assert not missed


def test_distant_spans_are_lines() -> None:
    """No window goes from one sentence to another that does not follow it in the book."""
    quoted = [(("b", 40, 50), ["Third."]), (("b", 0, 8), ["First,"]), (("b", 9, 20), ["second."])]
    assert item_text([*quoted, (("a", 21, 30), ["Other."])]) == "Other.\nFirst, second.\nThird."
