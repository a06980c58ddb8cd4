from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from cloze_gen.models.neighbour_counts import flatten
from cloze_gen.models.word_knowledge import EvenCounts, MixedKnowledge

EVEN = EvenCounts(similarity=10.0, topicality=20.0, neighbour_fit=30.0, adjacent=40.0)


@dataclass
class Teller:
    """Returns `value` for words with counts, else 0; NaN for neighbours not in `frequent`."""

    value: float
    tokens: dict[str, int]
    frequent: frozenset[str] = frozenset({"the"})
    window: int = 2
    heard: list[tuple[str, ...]] = field(default_factory=list)

    def _told(self, words):
        return np.array([self.value if word in self.tokens else 0.0 for word in words])

    def similarity(self, words, answers):
        known = np.array([answer in self.tokens for answer in answers])
        return self._told(flatten(words)[0]) * known[flatten(words)[1]]

    def topicality(self, words, others):
        self.heard.append([tuple(some) for some in others])
        return self._told(flatten(words)[0])

    def frame_cues_of(self, words):
        counts = [self.tokens.get(word, 0) for word in words]
        return np.array(
            [[[round(count * self.value), count - round(count * self.value)]] for count in counts],
            np.int64,
        )

    def neighbour_fit(self, words, before, after):
        return self._told(flatten(words)[0])

    def neighbour_frequency(self, words, neighbours, *, side):
        named, blank = flatten(words)
        frequent = np.array([neighbour in self.frequent for neighbour in neighbours])[blank]
        return np.where(frequent, self._told(named), np.nan)

    def evidence(self, words):
        return np.array([float(self.tokens.get(word, 0)) for word in words])


def mixed(corpus, builtin):
    """A corpus that returns 1 and built-in words that return 0.5."""
    return MixedKnowledge(Teller(1.0, corpus), Teller(0.5, builtin), even=EVEN)


def told(knowledge, word):
    """The four single-word measures of a word."""
    measures = (
        knowledge.topicality([[word]], [["ferry"]]),
        knowledge.neighbour_fit([[word]], [["a"]], [["of"]]),
        knowledge.neighbour_frequency([[word]], ["the"], side="before"),
    )
    return [float(values[0]) for values in measures]


@pytest.mark.parametrize("count", [1, 20, 5000])
def test_a_word_of_one_side_is_told_by_it_alone(count):
    assert told(mixed({"oar": count}, {}), "oar") == [1.0] * 3
    assert told(mixed({}, {"oar": count}), "oar") == [0.5] * 3
    assert told(mixed({}, {}), "oar") == [0.0] * 3


def test_at_its_even_count_each_side_tells_half():
    for measure, count in enumerate((20, 30, 40)):
        assert told(mixed({"oar": count}, {"oar": 9}), "oar")[measure] == pytest.approx(0.75)


def test_the_more_a_corpus_has_of_a_word_the_more_it_tells():
    fits = [
        told(mixed({"oar": count}, {"oar": 9}), "oar")[1] for count in (1, 10, 100, 1000, 100_000)
    ]
    assert fits == sorted(fits)
    assert fits[0] < 0.52
    assert fits[-1] > 0.99


def test_of_a_pair_the_rarer_word_decides():
    pair = mixed({"oar": 10, "rug": 10_000}, {"oar": 9, "rug": 9})
    assert pair.similarity([["oar"]], ["rug"]) == pytest.approx(0.75)
    assert pair.similarity([["rug"]], ["oar"]) == pytest.approx(0.75)
    assert mixed({"oar": 10_000}, {"oar": 9, "rug": 9}).similarity([["oar"]], ["rug"]).tolist() == [
        0.5
    ]
    assert mixed({"oar": 1, "rug": 1}, {"rug": 9}).similarity([["oar"]], ["rug"]).tolist() == [1.0]


def test_a_neighbour_frequent_on_one_side_is_told_by_it():
    tokens = {"oar": 40}
    space = MixedKnowledge(
        Teller(1.0, tokens, frozenset({"the", "ship"})),
        Teller(0.5, tokens, frozenset({"the", "upon"})),
        even=EVEN,
    )
    assert [
        space.neighbour_frequency([["oar"]], [word], side="after")[0]
        for word in ("the", "ship", "upon")
    ] == [0.75, 1.0, 0.5]
    assert np.isnan(space.neighbour_frequency([["oar"]], ["ferry"], side="after")).all()


def test_frame_cues_keep_the_greater_count():
    cues = mixed({"oar": 40}, {"oar": 400}).frame_cues_of(["oar", "rug"])
    assert cues.tolist() == [[[300, 100]], [[0, 0]]]
    assert cues.dtype == np.int64
    assert mixed({"oar": 40}, {}).frame_cues_of(["oar"]).tolist() == [[[40, 0]]]
    assert mixed({"oar": 40}, {"oar": 400}).evidence(["oar", "rug"]).tolist() == [400.0, 0.0]


def test_what_is_handed_over_once_reaches_both():
    """The words may be a generator."""
    sides = Teller(1.0, {"oar": 1}), Teller(0.5, {"oar": 1})
    MixedKnowledge(*sides).topicality([["oar"]], [(word for word in ("ferry", "landing"))])
    assert [side.heard for side in sides] == [[[("ferry", "landing")]]] * 2


def test_the_wider_window_is_asked_for():
    assert MixedKnowledge(Teller(1.0, {}, window=3), Teller(0.5, {})).window == 3
