"""Mixed knowledge: who tells of which word, and by how much."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from cloze_gen.stats.frequent_neighbours import Side
from cloze_gen.stats.word_knowledge import EvenCounts, MixedKnowledge

EVEN = EvenCounts(similarity=10.0, topicality=20.0, neighbour_fit=30.0, beside=40.0)


@dataclass
class Teller:
    """Says `value` of every word that it has tokens of, else 0; of neighbours that are not `frequent` NaN."""

    value: float
    tokens: dict[str, int]
    frequent: frozenset[str] = frozenset({"the"})
    window: int = 2
    heard: list[tuple[str, ...]] = field(default_factory=list)

    def _told(self, words):  # type: ignore[no-untyped-def]
        return np.array([self.value if word in self.tokens else 0.0 for word in words])

    def similarity(self, words, answer):  # type: ignore[no-untyped-def]
        return self._told(words) * (answer in self.tokens)

    def topicality(self, words, others):  # type: ignore[no-untyped-def]
        self.heard.append(tuple(others))
        return self._told(words)

    def frame_cues_of(self, words):  # type: ignore[no-untyped-def]
        counts = [self.tokens.get(word, 0) for word in words]
        return np.array([[[round(count * self.value), count - round(count * self.value)]] for count in counts], np.int64)

    def neighbour_fit(self, words, before, after):  # type: ignore[no-untyped-def]
        return self._told(words)

    def beside_frequent(self, words, neighbour: str, *, side: Side):  # type: ignore[no-untyped-def]
        return self._told(words) if neighbour in self.frequent else np.full(len(words), np.nan)

    def evidence(self, words):  # type: ignore[no-untyped-def]
        return np.array([float(self.tokens.get(word, 0)) for word in words])


def mixed(corpus: dict[str, int], builtin: dict[str, int]) -> MixedKnowledge:
    """The corpus says 1, the built-in words 0.5."""
    return MixedKnowledge(Teller(1.0, corpus), Teller(0.5, builtin), even=EVEN)


def told(knowledge: MixedKnowledge, word: str) -> list[float]:
    """What is said of one word by the four measures that tell of one."""
    measures = (
        knowledge.topicality([word], ["ferry"]),
        knowledge.neighbour_fit([word], ["a"], ["of"]),
        knowledge.beside_frequent([word], "the", side="before"),
    )
    return [float(values[0]) for values in measures]


@pytest.mark.parametrize("count", [1, 20, 5000])
def test_a_word_of_one_side_is_told_by_it_alone(count: int) -> None:
    """However seldom it has it; of a word of neither nothing is told."""
    assert told(mixed({"oar": count}, {}), "oar") == [1.0] * 3
    assert told(mixed({}, {"oar": count}), "oar") == [0.5] * 3
    assert told(mixed({}, {}), "oar") == [0.0] * 3


def test_at_its_even_count_each_side_tells_half() -> None:
    """Each measure has its own."""
    for measure, count in enumerate((20, 30, 40)):
        assert told(mixed({"oar": count}, {"oar": 9}), "oar")[measure] == pytest.approx(0.75)


def test_the_more_a_corpus_has_of_a_word_the_more_it_tells() -> None:
    """From nearly nothing to nearly all."""
    fits = [told(mixed({"oar": count}, {"oar": 9}), "oar")[1] for count in (1, 10, 100, 1000, 100_000)]
    assert fits == sorted(fits)
    assert fits[0] < 0.52
    assert fits[-1] > 0.99


def test_of_a_pair_the_rarer_word_decides() -> None:
    """A frequent answer does not make a word known that the corpus has seldom; a pair that one side lacks is told by the other."""
    pair = mixed({"oar": 10, "rug": 10_000}, {"oar": 9, "rug": 9})
    assert pair.similarity(["oar"], "rug") == pytest.approx(0.75)
    assert pair.similarity(["rug"], "oar") == pytest.approx(0.75)
    assert mixed({"oar": 10_000}, {"oar": 9, "rug": 9}).similarity(["oar"], "rug").tolist() == [0.5]
    assert mixed({"oar": 1, "rug": 1}, {"rug": 9}).similarity(["oar"], "rug").tolist() == [1.0]


def test_a_neighbour_frequent_on_one_side_is_told_by_it() -> None:
    """On neither side nothing can be told."""
    tokens = {"oar": 40}
    space = MixedKnowledge(Teller(1.0, tokens, frozenset({"the", "ship"})), Teller(0.5, tokens, frozenset({"the", "upon"})), even=EVEN)
    assert [space.beside_frequent(["oar"], word, side="after")[0] for word in ("the", "ship", "upon")] == [0.75, 1.0, 0.5]
    assert np.isnan(space.beside_frequent(["oar"], "ferry", side="after")).all()


def test_frame_cues_keep_the_greater_count() -> None:
    """Shares are mixed; as many tokens speak for them as the side has that knows more, so no evidence is counted twice."""
    cues = mixed({"oar": 40}, {"oar": 400}).frame_cues_of(["oar", "rug"])
    assert cues.tolist() == [[[300, 100]], [[0, 0]]]
    assert cues.dtype == np.int64
    assert mixed({"oar": 40}, {}).frame_cues_of(["oar"]).tolist() == [[[40, 0]]]
    assert mixed({"oar": 40}, {"oar": 400}).evidence(["oar", "rug"]).tolist() == [400.0, 0.0]


def test_what_is_handed_over_once_reaches_both() -> None:
    """The sentence's words may come as a generator."""
    sides = Teller(1.0, {"oar": 1}), Teller(0.5, {"oar": 1})
    MixedKnowledge(*sides).topicality(["oar"], (word for word in ("ferry", "landing")))
    assert [side.heard for side in sides] == [[("ferry", "landing")]] * 2


def test_the_wider_window_is_asked_for() -> None:
    """Each side then looks no farther than its own."""
    assert MixedKnowledge(Teller(1.0, {}, window=3), Teller(0.5, {})).window == 3
