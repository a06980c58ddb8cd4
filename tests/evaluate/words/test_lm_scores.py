"""Scores from a language model."""

from __future__ import annotations

from collections.abc import Sequence

from cloze_gen.evaluate.words import lm_scores
from cloze_gen.records.question import Question


class Spelled:
    """A model whose numbers show what was asked: minus the length of everything it was given."""

    order = 3

    def __init__(self) -> None:
        self.asked: list[tuple[tuple[str, ...], str]] = []

    def __contains__(self, word: object) -> bool:
        return True

    def log10_prob(self, history: Sequence[str], word: str) -> float:
        self.asked.append((tuple(history), word))
        return -float(sum(map(len, history)) + len(word))

    def score_sentence(self, tokens: Sequence[str]) -> float:
        return -float(sum(map(len, tokens)))


ITEM = Question("i", "b", ("we", "hide", "it"), 1, ("hide", "eat"), 0)


def test_forward_score_asks_for_the_successor_alone() -> None:
    """The history is the predecessor and the option; at the end the successor is the sentence's end."""
    model = Spelled()
    lm_scores.forward_scores(model, [ITEM, Question("j", "b", ("eat",), 0, ("eat", "go"), 0)])
    assert model.asked == [(("we", "hide"), "it"), (("we", "eat"), "it"), (("<s>", "eat"), "</s>"), (("<s>", "go"), "</s>")]


def test_history_score_has_two_tokens_before_the_gap() -> None:
    """Before the second token stand `<s>` and the first."""
    model = Spelled()
    lm_scores.history_scores(model, [ITEM])
    assert model.asked[0] == (("<s>", "we"), "hide")


def test_sentence_score_is_that_of_the_filled_sentence() -> None:
    """Each option stands in the gap when the sentence is scored."""
    assert lm_scores.sentence_scores(Spelled(), [ITEM]).tolist() == [[-8.0, -7.0]]
