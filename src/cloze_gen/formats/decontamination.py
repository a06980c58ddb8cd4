"""Files with which trainers keep a set out of their data: its text, and hashes of 13-grams.

The hashes are in the form that datatrove's `NGramsDecontFilter` reads (datatrove 0.10,
`pipeline/decont/n_grams.py`) with `n_grams=13` and `hash_fc="sha1"`: each is the first 64 bits of
the SHA-1 of an n-gram, as a little-endian number. `normalized` follows its `simplify_text`.
"""

from __future__ import annotations

import hashlib
import re
import string
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from cloze_gen.adapters.spacy_tokenizer import plain_tokenizer

N_GRAM = 13
_SHARED = 7  # tokens in a row that no two windows share in a release without text
_CONTROLS = {*range(9), *range(11, 32), *range(127, 160)}
_MARKS = string.punctuation + "«»´–—’“”„…∶━►、。〈〉《》「」【】！％（），．１：；？～"
_TO_SPACE = str.maketrans(dict.fromkeys([*map(ord, _MARKS), *_CONTROLS], " "))
_NUMBER = re.compile(r"\d+(?:[.,،٫⎖⎗⎘]\d+)?")
_NEAR = 8  # characters between two spans that follow each other
_Quoted = tuple[tuple[str, int, int], Sequence[str]]  # span of a book, its texts


def item_text(quoted: Iterable[_Quoted]) -> str:
    """The text of an item in book order; spans that do not follow each other are separate lines.

    >>> item_text([(("b", 90, 96), ["Later."]), (("b", 0, 4), ["One."]), (("b", 5, 9), ["Two."])])
    'One. Two.\\nLater.'
    """
    text, last = "", ("", 0)
    for (book, start, end), texts in sorted(dict(quoted).items()):
        follows = last[0] == book and start - last[1] <= _NEAR
        text += (" " if follows else "\n" if text else "") + " ".join(texts)
        last = book, end
    return text


def normalized(text: str) -> str:
    """Small letters; numbers are 0; no punctuation and no diacritics.

    >>> normalized("“Don't,” said Zoë; she had £3,000 - and 12 cats.")
    'don t said zoe she had £0 and 0 cats'
    """
    text = " ".join(_NUMBER.sub("0", text.lower()).translate(_TO_SPACE).split())
    return "".join(
        char for char in unicodedata.normalize("NFD", text) if unicodedata.category(char) != "Mn"
    ).strip()


def hash_file(texts: Iterable[str], *, apart: bool) -> bytes:
    """The sorted hashes of the 13-grams of each line of the texts; see `windows`."""
    found = {gram_hash(window) for window in windows(texts, apart=apart)}
    return np.array(sorted(found), dtype="<u8").tobytes()


def gram_hash(tokens: Sequence[str]) -> int:
    digest = hashlib.sha1(" ".join(tokens).encode(), usedforsecurity=False).digest()
    return int.from_bytes(digest[:8], "little")


def windows(texts: Iterable[str], *, apart: bool) -> Iterator[tuple[str, ...]]:
    """The 13-grams of each line; lines of fewer tokens have none.

    Windows of one token's distance give the text away to anyone who knows twelve words of it: each
    following word is one search in a vocabulary. With `apart` no two windows of all texts share
    seven tokens in a row, so the search ends with its window.
    """
    tokenize = plain_tokenizer()
    seen: set[tuple[str, ...]] = set()
    for line in (line for text in texts for line in text.split("\n")):
        tokens, start = tuple(tokenize(normalized(line))), 0
        while start + N_GRAM <= len(tokens):
            window = tokens[start : start + N_GRAM]
            parts = {window[at : at + _SHARED] for at in range(N_GRAM - _SHARED + 1) if apart}
            if not parts.isdisjoint(seen):
                start += 1
                continue
            yield window
            seen |= parts
            start += N_GRAM if apart else 1
