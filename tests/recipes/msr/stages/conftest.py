"""Models that a test gives by hand: what they say is written beside the test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from cloze_gen.english.closed_classes import After, Before
from cloze_gen.recipes.msr.stages.groomed_items import GroomedItem
from cloze_gen.recipes.msr.stages.tables import FIT
from cloze_gen.records.sentence import Sentence


def make_item(line: str, answer: str, candidates: Sequence[str]) -> GroomedItem:
    tokens = tuple(line.split(" "))
    zeros = np.zeros(len(candidates))
    sentence = Sentence("b", 1, 0, len(line), 0, "prose", line, tokens)
    position = tokens.index(answer)
    item = GroomedItem(f"b:1:{position}", answer, sentence, position, list(candidates), zeros, zeros)
    item.topicality, item.verdicts = zeros.tolist(), [FIT] * len(candidates)
    return item


class Bigrams:
    """An index that attests the pairs of some lines; a pair of `seldom` more seldom than chance would have it, others as often."""

    def __init__(self, *lines: str, seldom: str = "") -> None:
        pairs = {pair for line in lines for pair in zip(line.split(" "), line.split(" ")[1:], strict=False)}
        self._ids: dict[str, int] = {}
        self._pairs = {tuple(self.ids(pair)) for pair in sorted(pairs)}
        self._seldom = self.ids(seldom.split(" "))
        self.levels = [SimpleNamespace(log10_prob=np.zeros(100))]

    def ids(self, words: Iterable[str]) -> list[int]:
        return [self._ids.setdefault(word, len(self._ids)) for word in words]

    def attested(self, pairs: np.ndarray) -> np.ndarray:
        return np.array([tuple(pair) in self._pairs for pair in pairs.tolist()])

    def log10_probs(self, histories: np.ndarray, words: np.ndarray) -> np.ndarray:
        return np.array(
            [-0.5 if [*history, word] == self._seldom else 0.0 for history, word in zip(histories.tolist(), words, strict=True)]
        )


class Space:
    """A context space of words that have nothing in common, with the topicality and the frame cues that a test gives them."""

    def __init__(self, *, topical: dict[str, float] | None = None, **cues: dict[tuple[Before, After], int]) -> None:
        self._topical = topical or {}
        self._cues = cues

    def similarity(self, words: Sequence[str], answer: str) -> np.ndarray:
        return np.zeros(len(words))

    def topicality(self, words: Sequence[str], others: Iterable[str]) -> np.ndarray:
        self.others = list(others)
        return np.array([self._topical.get(word, 0.0) for word in words])

    def frame_cues_of(self, word: str) -> np.ndarray:
        counts = np.zeros((len(Before), len(After)), np.int64)
        for place, count in self._cues.get(word, {}).items():
            counts[place] = count
        return counts


class Tags:
    """A tagger that goes by the word alone; `+` parts a clitic's tag. It tells how many sentences it was asked."""

    def __init__(self, **tags: str) -> None:
        self._tags = tags
        self.asked = 0

    def tag(self, sentences: Iterable[Sequence[str]]) -> Iterable[list[str]]:
        return [[self._tags.get(token, "IN").split("+")[0] for token in tokens] for tokens in self._noted(sentences)]

    def tag_with_clitics(self, sentences: Iterable[Sequence[str]]) -> Iterable[list[SimpleNamespace]]:
        for tokens in self._noted(sentences):
            parts = [self._tags.get(token, "IN").split("+") for token in tokens]
            yield [SimpleNamespace(tag=first, clitics=tuple(rest)) for first, *rest in parts]

    def _noted(self, sentences: Iterable[Sequence[str]]) -> Iterable[Sequence[str]]:
        for sentence in sentences:
            self.asked += 1
            yield sentence


@pytest.fixture(scope="session")
def item_of() -> Callable[..., GroomedItem]:
    """An item of a line, an answer in it and candidates, all fit so far."""
    return make_item


@pytest.fixture(scope="session")
def bigrams() -> type[Bigrams]:
    return Bigrams


@pytest.fixture(scope="session")
def space() -> type[Space]:
    return Space


@pytest.fixture(scope="session")
def tagger() -> type[Tags]:
    return Tags
