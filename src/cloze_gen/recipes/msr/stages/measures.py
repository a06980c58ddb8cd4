"""Measures for machine grooming: what the models of the training books and the tagger say of an item. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

import numpy as np

from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.recipes.msr.stages.groomed_items import GroomedItem
from cloze_gen.recipes.msr.steps.grooming import is_frequent
from cloze_gen.recipes.msr.steps.unfit_impostors import CandidateMeasures
from cloze_gen.stats.word_knowledge import WordKnowledge
from cloze_gen.text.rendering import printed_neighbours
from cloze_gen.text.tagging import Tagger


def topicality(item: GroomedItem, space: WordKnowledge) -> tuple[float, list[float]]:
    """Mean association of the answer, and of each candidate, with the sentence's other words that tell a topic, in nats."""
    others = (token for i, token in enumerate(item.sentence.tokens) if i != item.position)
    of_answer, *of_candidates = space.topicality([item.answer, *item.candidates], others).tolist()
    return of_answer, of_candidates


def printed_beside(item: GroomedItem) -> tuple[str, str]:
    """The tokens before and after the blank that are printed: of `an " owl "` a reader sees `an owl`."""
    tokens = item.sentence.tokens
    before, after = printed_neighbours(tokens, item.position)
    return tokens[before], tokens[after]


def candidate_measures(
    item: GroomedItem, index: ForwardIndex, space: WordKnowledge, *, frequent: Container[str]
) -> list[CandidateMeasures]:
    """The measures of every candidate, in their order.

    Args:
        frequent: case-folded words beside which a pair tells grammar; beside others it tells meaning.
    """
    before, after = printed_beside(item)
    predecessor, follower = index.ids([before, after])
    ids = np.array(index.ids(item.candidates))
    left = np.column_stack([np.full(len(ids), predecessor), ids])
    right = np.column_stack([ids, np.full(len(ids), follower)])
    association, collocates = np.full(len(ids), np.inf), np.zeros(len(ids), bool)
    for pairs, neighbour in ((left, before), (right, after)):
        seen = index.attested(pairs)
        if is_frequent(neighbour, frequent):
            association = np.minimum(association, np.where(seen, _association(index, pairs), -np.inf))
        else:
            collocates |= seen
    similarity = space.similarity(item.candidates, item.answer)
    lift = item.history_log10_prob - index.levels[0].log10_prob[ids]
    columns = (similarity, association, collocates, lift, item.gain)
    return [CandidateMeasures(*row) for row in zip(*(column.tolist() for column in columns), item.topicality, strict=True)]


def _association(index: ForwardIndex, pairs: np.ndarray) -> np.ndarray:
    """log10 P(b | a) / P(b) of word pairs, float32, shape (pairs,): above 0 they stand together more often than chance would have it."""
    return index.log10_probs(pairs[:, :1], pairs[:, 1]) - index.levels[0].log10_prob[pairs[:, 1]]


def sentence_tags(items: Iterable[GroomedItem], tagger: Tagger) -> dict[str, Sequence[str]]:
    """Penn tags of each sentence's own tokens, by its id; a sentence of several items is tagged once."""
    tokens_of = {item.sentence.id: item.sentence.tokens for item in items}
    return dict(zip(tokens_of, tagger.tag(tokens_of.values()), strict=True))


def window_tags(asked: Sequence[tuple[GroomedItem, str]], tagger: Tagger, *, reach: int) -> list[str]:
    """The Penn tag of each word in its item's blank, clitics joined by `+`, read in a window of `reach` tokens on each side."""
    tagged = tagger.tag_with_clitics(_window(item, word, reach) for item, word in asked)
    found = [tags[min(item.position, reach)] for (item, _), tags in zip(asked, tagged, strict=True)]
    return ["+".join((own.tag, *own.clitics)) for own in found]


def _window(item: GroomedItem, word: str, reach: int) -> tuple[str, ...]:
    tokens, at = item.sentence.tokens, item.position
    return (*tokens[max(0, at - reach) : at], word, *tokens[at + 1 : at + 1 + reach])
