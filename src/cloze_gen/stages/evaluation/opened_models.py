"""The baselines' trained models, opened: each by itself, memory-mapped where it is an array, whatever it was trained from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from cloze_gen.adapters.kenlm_model import KenlmModel
from cloze_gen.evaluate.words.lsa import UNCOUNTED
from cloze_gen.evaluate.words.ngram_match import POINTS
from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import memory_mapped

WORDS, BINARY, VECTORS = "words.txt", "model.binary", "vectors.npy"


def ngram_file(n: int) -> str:
    """The hashes of one length."""
    return f"{n}grams.npy"


def read_words(artifact: Artifact) -> list[str]:
    """`words.txt` of the printed text or of a model made from it: the word of number i stands at i - 1."""
    return artifact.path(WORDS).read_text(encoding="utf-8").split("\n")[:-1]


def open_match_index(artifact: Artifact) -> tuple[dict[int, np.ndarray], dict[str, int]]:
    """The hashes by n, memory-mapped, and word -> id."""
    vocabulary = {word: i for i, word in enumerate(read_words(artifact), 1)}
    return {n: memory_mapped(artifact.path(ngram_file(n))) for n in POINTS}, vocabulary


def open_evaluation_lm(artifact: Artifact) -> KenlmModel:
    """The smoothed model of `write_evaluation_lm`."""
    return KenlmModel(artifact.path(BINARY))


def open_lsa(artifact: Artifact) -> tuple[np.ndarray, dict[str, int]]:
    """The vectors, memory-mapped, and case-folded word -> row."""
    return memory_mapped(artifact.path(VECTORS)), {word: i for i, word in enumerate(read_words(artifact), UNCOUNTED + 1)}


class IndexModel:
    """A forward index behind the `LanguageModel` protocol."""

    def __init__(self, index: ForwardIndex) -> None:
        self._index = index
        self._known = frozenset(index.words) - {"<s>", "<unk>"}

    @property
    def order(self) -> int:
        return self._index.order

    def __contains__(self, word: object) -> bool:
        return word in self._known

    def log10_prob(self, history: Sequence[str], word: str) -> float:
        """log10 P(word | history)."""
        recent = history[-(self.order - 1) :]
        return float(self._index.log10_probs(np.array([self._ids(recent)], np.int64).reshape(1, -1), np.array(self._ids([word])))[0])

    def score_sentence(self, tokens: Sequence[str]) -> float:
        """log10 P(tokens, `</s>` | `<s>`)."""
        return self._index.sentence_log10_prob(tokens)

    def _ids(self, tokens: Iterable[str]) -> list[int]:
        return list(self._index.ids(list(tokens)))
