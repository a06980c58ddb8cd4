"""What models of passages say, against the same asked word by word."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import rankdata

from cloze_gen.evaluate.passages import models
from cloze_gen.evaluate.passages.asked import AskedPassage, number_passages
from cloze_gen.evaluate.passages.models import CachedPassages, NgramPassages, score_targets
from cloze_gen.lm.cache import shares_before_last, with_cache
from cloze_gen.lm.forward_index import ForwardIndex
from tests.small_models import index_of

# A bigram model over three words and the rare one; <unk>, which lmplz adds, has what is left over.
ARPA = b"""\\data\\
ngram 1=7
ngram 2=4

\\1-grams:
-3.0\t<unk>\t0
0\t<s>\t-0.3
-1.0\t</s>\t0
-0.4\tthe\t-0.2
-0.7\tsea\t-0.1
-0.9\tlamp\t-0.1
-1.1\t<rare>\t-0.1

\\2-grams:
-0.2\t<s> the
-0.3\tthe sea
-0.6\tthe lamp
-0.5\tsea </s>

\\end\\
"""
WORDS = ["the", "sea", "lamp"]
ASKED = [
    AskedPassage("a:1", "passages", (("the", "sea"), ("the",)), "sea"),
    AskedPassage("a:2", "passages", (("lamp", "lamp", "whatsit"), ()), "lamp"),
    AskedPassage("a:3", "passages", (("the",), ("the", "gull")), "whatsit"),
]


@pytest.fixture(scope="module")
def index() -> ForwardIndex:
    return index_of(ARPA)


def test_the_n_gram_model_sees_the_targets_sentence(index: ForwardIndex) -> None:
    """Each distribution is the model's own after the words before the target in its sentence, however many sentences stand before."""
    found = NgramPassages(index, WORDS, unknown="<rare>").all_log_probs(*number_passages(ASKED, WORDS))
    for row, history in zip(found, (["<s>", "the"], ["<s>"], ["the", "<rare>"]), strict=True):
        expected = index.next_word_log10_probs(history[-1:])
        assert row / np.log(10) == pytest.approx([expected[index.id_of[word]] for word in ("</s>", *WORDS, "<rare>")], abs=1e-6)


def test_a_cache_moves_every_word_as_it_moves_the_target(index: ForwardIndex) -> None:
    """Of the target it is what `with_cache` says, and the rows still sum to what they summed to."""
    ids, lengths = number_passages(ASKED, WORDS)
    model = NgramPassages(index, WORDS, unknown="<rare>")
    plain, cached = model.all_log_probs(ids, lengths), CachedPassages(model, weight=0.2).all_log_probs(ids, lengths)
    targets = ids[np.cumsum(lengths) - 1]
    own = plain[np.arange(3), targets] / np.log(10)
    expected = with_cache(own, shares_before_last(ids, lengths, separator=0), weight=0.2)
    assert cached[np.arange(3), targets] / np.log(10) == pytest.approx(expected, abs=1e-6)
    assert np.exp(cached).sum(axis=1) == pytest.approx(0.8 * np.exp(plain).sum(axis=1) + 0.2, abs=1e-6)


class Told:
    """Says what it was given, passage by passage, in order."""

    def __init__(self, table: NDArray[np.float32]) -> None:
        self.table, self.asked = table, 0

    def all_log_probs(self, ids: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
        assert len(ids) == lengths.sum()
        self.asked += len(lengths)
        return self.table[self.asked - len(lengths) : self.asked]


def test_ranks_are_among_the_words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither marks nor a sentence's end nor the unknown word are guesses; batches are put together again; an unknown target is wrong."""
    monkeypatch.setattr(models, "_AT_ONCE", 2)
    rng, words = np.random.default_rng(3), [*WORDS, ","]
    table = np.log(rng.dirichlet(np.ones(6), size=3)).astype(np.float32)
    table[:, [0, 4, 5]] = -0.01  # the likeliest by far, and no words
    found = score_targets(Told(table.copy()), *number_passages(ASKED, words), words=words)
    assert found.known.tolist() == [True, True, False]
    assert found.rank[:2].tolist() == [rankdata(-table[0, 1:4])[1], rankdata(-table[1, 1:4])[2]]
    assert np.isnan(found.rank[2])
    assert found.log10_prob == pytest.approx(table[[0, 1, 2], [2, 3, 5]] / np.log(10))
    assert found.right is not None
    assert found.right.tolist() == [found.rank[0] == 1, found.rank[1] == 1, False]
