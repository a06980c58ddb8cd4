"""Pointwise mutual information of the words of two consecutive sentences, without the logarithm (Kong et al. 2020, 4.2: PMI_1 and PMI_2).

PMI(w_s, w_c) = f(w_s in S, w_c in C) / (f(w_s in S) f(w_c in C)), where S are the sentences that another follows and C those that follow
one, "asymmetric between w_s and w_c"; a pair of sentences has the mean over all pairs of their words, or of their n-grams up to n. *Read:*

- f counts sentences, so an n-gram counts once in a sentence, in f and in the mean; pairs are of one passage, its answers filled in.
- n-grams are of neighbouring words in small letters, marks left out. A pair never met has 0, and counts in the mean.
- Before a blank the context is S and the candidate C; after it the candidate is S. All sentences of a side are one long sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cloze_gen.evaluate.blanks.asked import AskedBlanks, Direction
from cloze_gen.evaluate.blanks.sides import nothing_as_nan, sentences_beside
from cloze_gen.evaluate.blanks.terms import count_terms, words_of

# So many of the commonest n-grams have the counts of all their pairs made beforehand, 64 MB; of any pair with a rarer one in it, the few
# sentences that hold that one are looked at.
_COMMONEST = 4000


def ngrams(tokens: Sequence[str], most: int) -> list[str]:
    """The n-grams of a sentence up to `most` words, each once.

    >>> ngrams(("The", "sea", ",", "the", "sea"), 2)
    ['the', 'sea', 'the sea', 'sea the']
    """
    words = words_of(tokens)
    return list(dict.fromkeys(" ".join(words[i : i + n]) for n in range(1, most + 1) for i in range(len(words) - n + 1)))


class PmiScorer:
    """PMI_n from the consecutive sentences of some passages.

    Args:
        passages: sentences of tokens, the answers in their places.
        most: n.
    """

    def __init__(self, passages: Iterable[Sequence[Sequence[str]]], *, most: int) -> None:
        pairs = [pair for passage in passages for pair in pairwise([ngrams(sentence, most) for sentence in passage])]
        firsts, seconds = [first for first, _ in pairs], [second for _, second in pairs]
        counts = Counter(chain.from_iterable(chain(firsts, seconds)))
        self._most = most
        self._id_of = {ngram: i for i, ngram in enumerate(sorted(counts, key=lambda ngram: (-counts[ngram], ngram)))}
        self._first, self._second = self._incidence(firsts), self._incidence(seconds)
        self._by_first, self._by_second = self._first.T.tocsr(), self._second.T.tocsr()
        self._first_count, self._second_count = (np.diff(by.indptr).astype(np.float64) for by in (self._by_first, self._by_second))
        self._common = (self._by_first[:_COMMONEST] @ self._second[:, :_COMMONEST]).toarray()

    def scores(self, asked: AskedBlanks) -> Mapping[Direction, NDArray[np.float64]]:
        """As `asked.BlankScorer.scores`, from 0 up."""
        said = [() if i in asked.passage.blanks else ngrams(tokens, self._most) for i, tokens in enumerate(asked.sentences)]
        here, in_sentence = count_terms(said)
        there, in_candidate = count_terms([ngrams(tokens, self._most) for tokens in asked.candidates])
        before = self._means(self.pmi(here, there), in_candidate)
        after = self._means(self.pmi(there, here).T, in_candidate)
        found = {}
        for direction, beside in sentences_beside(asked.passage).items():
            in_context = np.minimum(beside @ in_sentence, 1)
            of_ngrams = before if direction in (Direction.P, Direction.AP) else after
            found[direction] = nothing_as_nan(self._means(of_ngrams.T, in_context).T, beside)
        return found

    def pmi(self, firsts: Sequence[str], seconds: Sequence[str]) -> NDArray[np.float64]:
        """PMI of each n-gram with each in the sentence after it: float64, shape (firsts, seconds); 0 of what was never met."""
        first_ids, second_ids = (np.array([self._id_of.get(ngram, -1) for ngram in ngrams], np.int64) for ngrams in (firsts, seconds))
        result = np.zeros((len(firsts), len(seconds)))
        known_first, known_second = np.flatnonzero(first_ids >= 0), np.flatnonzero(second_ids >= 0)
        first_ids, second_ids = first_ids[known_first], second_ids[known_second]
        expected = self._first_count[first_ids][:, None] * self._second_count[second_ids]
        joint = self._joint_counts(first_ids, second_ids)
        result[np.ix_(known_first, known_second)] = np.divide(joint, expected, out=np.zeros_like(joint), where=expected > 0)
        return result

    def _joint_counts(self, firsts: NDArray[np.int64], seconds: NDArray[np.int64]) -> NDArray[np.float64]:
        """In how many pairs of sentences each two n-grams stand: shape (firsts, seconds)."""
        rare_first, common_first = np.flatnonzero(firsts >= _COMMONEST), np.flatnonzero(firsts < _COMMONEST)
        rare_second, common_second = np.flatnonzero(seconds >= _COMMONEST), np.flatnonzero(seconds < _COMMONEST)
        joint = np.zeros((len(firsts), len(seconds)))
        joint[np.ix_(common_first, common_second)] = self._common[np.ix_(firsts[common_first], seconds[common_second])]
        joint[rare_first] = _counts_beside(self._by_first[firsts[rare_first]], self._second, seconds)
        beside_rare = _counts_beside(self._by_second[seconds[rare_second]], self._first, firsts[common_first])
        joint[np.ix_(common_first, rare_second)] = beside_rare.T
        return joint

    def _incidence(self, sentences: Sequence[Sequence[str]]) -> sparse.csr_array:
        """Which sentence holds which n-gram: float32 ones, sparse, shape (sentences, n-grams)."""
        columns = np.array([self._id_of[ngram] for sentence in sentences for ngram in sentence], np.int32)
        ends = np.cumsum([0, *map(len, sentences)]).astype(np.int32)
        return sparse.csr_array((np.ones(len(columns), np.float32), columns, ends), shape=(len(sentences), len(self._id_of)))

    @staticmethod
    def _means(pmi: NDArray[np.float64], held: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean over the n-grams (columns) that each sentence holds; 0 of a sentence without any: shape (rows, sentences)."""
        return (pmi @ held.T) / np.maximum(held.sum(axis=1), 1)


def _counts_beside(holders: sparse.csr_array, others: sparse.csr_array, wanted: NDArray[np.int64]) -> NDArray[np.float64]:
    """In how many of the pairs that hold it each n-gram has each wanted one beside it: shape (n-grams, wanted).

    Args:
        holders: n-grams by pairs.
        others: pairs by n-grams, of the other sentence of the pair.
    """
    pairs, rows = np.unique(holders.indices, return_inverse=True)
    near = others[pairs]
    place = np.full(others.shape[1], -1, np.int32)
    place[wanted] = np.arange(len(wanted))
    columns, pair_of = place[near.indices], np.repeat(np.arange(len(pairs)), np.diff(near.indptr))
    held = np.zeros((len(pairs), len(wanted)))
    held[pair_of[columns >= 0], columns[columns >= 0]] = 1.0
    return np.asarray(sparse.csr_array((holders.data, rows, holders.indptr), shape=(holders.shape[0], len(pairs))) @ held)
