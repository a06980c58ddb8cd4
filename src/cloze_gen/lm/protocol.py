"""A language model as the core sees it: words in, log10 probabilities out; tests use a dict behind the same methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class LanguageModel(Protocol):
    """P(word | history) over a closed vocabulary of words, `<unk>` and `</s>`."""

    @property
    def order(self) -> int:
        """n of the longest n-grams; at most the last order - 1 tokens of a history count."""
        ...

    def __contains__(self, word: object) -> bool:
        """Whether the model knows `word` as a possible continuation; False for `<s>` and `<unk>`, True for `</s>`."""
        ...

    def log10_prob(self, history: Sequence[str], word: str) -> float:
        """log10 P(word | history), oldest token first; `<s>` may stand first in the history and nowhere else.

        A word outside the vocabulary, in the history or after it, counts as `<unk>`: ask `word in model` before trusting the number.
        """
        ...

    def score_sentence(self, tokens: Sequence[str]) -> float:
        """log10 P(tokens, `</s>` | `<s>`): the whole sentence with its end."""
        ...
