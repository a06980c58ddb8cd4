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
    sentence = Sentence("b", 1, 0, len(line), 0, "prose", line, tokens)
    position = tokens.index(answer)
    item = GroomedItem(f"b:1:{position}", answer, sentence, position, list(candidates))
    item.verdicts, item.tags = [FIT] * len(candidates), [""] * len(candidates)
    return item


class Books:
    """An index that attests the n-grams of some lines, of any length."""

    def __init__(self, *lines: str) -> None:
        self._ids: dict[str, int] = {}
        self.start, self.end = self.ids(["<s>", "</s>"])
        self.lines = [self.ids(line.split(" ")) for line in lines]

    def ids(self, words: Iterable[str]) -> list[int]:
        return [self._ids.setdefault(word, len(self._ids)) for word in words]

    def attested(self, ngrams: np.ndarray) -> np.ndarray:
        n = ngrams.shape[1]
        known = {tuple(line[i : i + n]) for line in self.lines for i in range(len(line) - n + 1)}
        return np.array([tuple(ngram) in known for ngram in ngrams.tolist()])


class Space:
    """A context space of words that have nothing in common, but for what a test gives them; it keeps what it was asked."""

    window = 2

    def __init__(self, *, similar: dict[str, float] | None = None, topical: dict[str, float] | None = None,
                 **cues: dict[tuple[Before, After], int]) -> None:  # fmt: skip
        self._similar, self._topical, self._cues = similar or {}, topical or {}, cues
        self.near: list[tuple[list[str], list[str]]] = []
        self.beside: list[tuple[str, str]] = []

    def similarity(self, words: Sequence[str], answer: str) -> np.ndarray:
        return np.array([1.0 if word == answer else self._similar.get(word, 0.0) for word in words])

    def topicality(self, words: Sequence[str], others: Iterable[str]) -> np.ndarray:
        self.others = list(others)
        return np.array([self._topical.get(word, 0.0) for word in words])

    def neighbour_fit(self, words: Sequence[str], before: Sequence[str], after: Sequence[str]) -> np.ndarray:
        self.near.append((list(before), list(after)))
        return np.zeros(len(words))

    def beside_frequent(self, words: Sequence[str], neighbour: str, *, side: str) -> np.ndarray:
        self.beside.append((neighbour, side))
        return np.zeros(len(words))

    def frame_cues_of(self, words: Sequence[str]) -> np.ndarray:
        counts = np.zeros((len(words), len(Before), len(After)), np.int64)
        for row, word in enumerate(words):
            for place, count in self._cues.get(word, {}).items():
                counts[row][place] = count
        return counts


class Tags:
    """A tagger that goes by the word alone; `+` parts a clitic's tag. It tells how many sentences it was asked."""

    reach: int | None = None

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
def books() -> type[Books]:
    return Books


@pytest.fixture(scope="session")
def space() -> type[Space]:
    return Space


@pytest.fixture(scope="session")
def tagger() -> type[Tags]:
    return Tags
