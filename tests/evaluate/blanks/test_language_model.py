"""What a cache of the context gains."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.evaluate.blanks.asked import Direction
from cloze_gen.evaluate.blanks.language_model import LanguageModelScorer
from cloze_gen.lm.forward_index import ForwardIndex, Level
from tests.evaluate.blanks.conftest import Ask

WORDS = ["<unk>", "<s>", "</s>", "<rare>", "sea", "ship"]
PROBS = {"<rare>": 0.1, "sea": 0.25, "ship": 0.05}


@pytest.fixture
def scorer() -> LanguageModelScorer:
    """A model whose words do not depend on one another, four words being outside its vocabulary, with a cache of weight 1/2."""
    log10_probs = np.log10([PROBS.get(word, 0.2) for word in WORDS]).astype(np.float32)
    unigrams = Level(np.arange(len(WORDS), dtype=np.uint64), log10_probs, np.zeros(len(WORDS), np.float32))
    none = Level(np.array([7], np.uint64), np.array([-1.0], np.float32), np.zeros(1, np.float32))
    return LanguageModelScorer(ForwardIndex(WORDS, [unigrams, none]), unknown="<rare>", unknown_types=4, weight=0.5)


def gain(share: float, prob: float) -> float:
    return float(np.log((0.5 * prob + 0.5 * share) / prob))


def test_before_a_blank_the_candidate_is_read(ask: Ask, scorer: LanguageModelScorer) -> None:
    """Log of the cached over the plain probability, the mean over the candidate's tokens; shares are of the context's tokens."""
    found = scorer.scores(ask("Sea sea ship . / the ship / end", (1,), "Sea"))
    np.testing.assert_allclose(found[Direction.P], [[(gain(0, 0.1 / 4) + gain(1 / 4, 0.05)) / 2, gain(1 / 2, 0.25)]], rtol=1e-6)


def test_behind_a_blank_the_context_is_read(ask: Ask, scorer: LanguageModelScorer) -> None:
    """The candidate is the cache; of several sentences it is the mean over all their tokens."""
    found = scorer.scores(ask("end / sea ship / sea / ship ship", (1,)))
    np.testing.assert_allclose(found[Direction.N], [[gain(1 / 2, 0.25)]], rtol=1e-6)
    np.testing.assert_allclose(found[Direction.AN], [[(gain(1 / 2, 0.25) + 2 * gain(1 / 2, 0.05)) / 3]], rtol=1e-6)


def test_a_word_that_no_model_knows_returns(ask: Ask, scorer: LanguageModelScorer) -> None:
    """The cache compares words as they are written: one outside the vocabulary gains where it returns, another one does not."""
    found = scorer.scores(ask("kraken / kraken / end", (1,), "zyx"))
    np.testing.assert_allclose(found[Direction.P], [[gain(1, 0.1 / 4), gain(0, 0.1 / 4)]], rtol=1e-6)
