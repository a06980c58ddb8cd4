"""Tokens of normalized text, remembered per space-separated chunk.

The tokenizer (`adapters.spacy_tokenizer`) treats chunks between spaces independently, so a dictionary from chunk to tokens gives the same
tokens as the tokenizer itself, ten times faster.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from cloze_gen.text.normalize import SEPARATOR

ChunkTokenizer = Callable[[str], tuple[str, ...]]
_WORD = re.compile(r"[^\W_]")


class ChunkMemo(dict[str, str]):
    """Tokens of every chunk met so far, joined by single spaces.

    The one place that calls the tokenizer. Bounded: when `max_chunks` are remembered, all are forgotten and remembering starts again, so
    memory stays flat however large the corpus (the 522 books hold about 1.2 M chunk types).
    """

    __slots__ = ("_max_chunks", "_tokenize_chunk")

    def __init__(self, tokenize_chunk: ChunkTokenizer, *, max_chunks: int = 1_000_000) -> None:
        super().__init__()
        self._tokenize_chunk = tokenize_chunk
        self._max_chunks = max_chunks
        self[SEPARATOR] = SEPARATOR

    def __missing__(self, chunk: str) -> str:
        if len(self) >= self._max_chunks:
            self.clear()
            self[SEPARATOR] = SEPARATOR
        joined = " ".join(self._tokenize_chunk(chunk))
        self[chunk] = joined
        return joined


def tokenize(text: str, memo: ChunkMemo) -> list[str]:
    """Whole-word tokens of a normalized text; `memo` holds the tokenizer.

    >>> memo = ChunkMemo(lambda chunk: (chunk[:-1], ".") if chunk.endswith(".") else (chunk,))
    >>> tokenize("It was dark.", memo)
    ['It', 'was', 'dark', '.']
    """
    return " ".join(map(memo.__getitem__, text.split())).split()


def is_word(token: str) -> bool:
    """Whether a token is a word token: it holds a letter or a digit.

    >>> is_word("mother's"), is_word("60,000"), is_word("--")
    (True, True, False)
    """
    return _WORD.search(token) is not None


def spaces_after(text: str, tokens: Sequence[str]) -> list[bool]:
    """For each token whether a space follows it in `text`; with it the text is rebuilt exactly.

    Raises:
        ValueError: the tokens are not those of this text.

    >>> spaces_after("Come, now.", ["Come", ",", "now", "."])
    [False, True, False, False]
    """
    spaces = []
    at = 0
    for token in tokens:
        if not text.startswith(token, at):
            raise ValueError(f"token {token!r} does not stand at character {at} of {text!r}")
        at += len(token)
        followed = text.startswith(" ", at)
        spaces.append(followed)
        at += followed
    if at != len(text):
        raise ValueError(f"tokens end at character {at} of {len(text)} in {text!r}")
    return spaces
