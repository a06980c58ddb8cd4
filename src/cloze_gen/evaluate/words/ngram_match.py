"""Simple 4-gram: 1, 2 and 3 points for every bigram, trigram and 4-gram around the gap that the training text holds at least once.

Source: Zweig & Burges 2011, 4.1. Our reading: an n-gram counts when it contains the option itself; it never crosses the ends of a
sentence; words and marks are compared as they stand, case kept. Ties are broken by the item's seed (`metrics.best_options`), not by
position.

The training text is a run of word ids, 0 between sentences. The index keeps every n-gram's 64-bit hash, sorted, so that a question costs a
few binary searches whatever the text. With 4e7 n-grams and 1e5 queries, the chance of one false match by collision is 4e12 / 1.8e19 = 2e-7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluate.metrics import score_matrix
from cloze_gen.records.question import Question
from cloze_gen.text.word_ids import SEPARATOR

POINTS = {2: 1, 3: 2, 4: 3}  # n -> points (4.1)
_CHUNK_TOKENS = 1 << 22  # 4 M positions: about 200 MB while hashed, whatever the corpus
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, 2**64 / golden ratio: Knuth's multiplicative hashing
_MIX = np.uint64(0xBF58476D1CE4E5B9)  # second multiplier of splitmix64


@dataclass(frozen=True, slots=True, eq=False)
class MatchQueries:
    """All n-grams of one length that contain an option, of all questions.

    Attributes:
        hashes: uint64, shape (q,).
        items, options: int64, shape (q,): the question and option each belongs to.
    """

    hashes: NDArray[np.uint64]
    items: NDArray[np.int64]
    options: NDArray[np.int64]


def ngram_hashes(ids: NDArray[np.uint32], n: int) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """Hashes of all n-grams, and which of them lie within one sentence.

    Args:
        ids: uint32, shape (t,).
    Returns:
        uint64 and bool, shape (max(0, t - n + 1),).
    """
    count = max(0, len(ids) - n + 1)
    hashes = np.zeros(count, np.uint64)
    within = np.ones(count, bool)
    for offset in range(n):
        column = ids[offset : offset + count]
        hashes = (hashes ^ column) * _MULTIPLIER
        hashes ^= hashes >> np.uint64(32)
        within &= column != SEPARATOR
    hashes *= _MIX
    return hashes ^ (hashes >> np.uint64(31)), within


def index_blocks(corpus_ids: NDArray[np.uint32], n: int, *, block_ngrams: int = 1 << 25) -> Iterator[NDArray[np.uint64]]:
    """The index of one n: the sorted, distinct hashes of all its n-grams, uint64, as ascending blocks, one after the other.

    A block holds the hashes of one range of values, so memory stays near 8 * `block_ngrams` bytes twice over; each further block reads
    the corpus once more. The array does not depend on `block_ngrams`.
    """
    parts = max(1, -(-len(corpus_ids) // block_ngrams))
    bounds = [part * 2**64 // parts for part in range(parts)]
    for part, low in enumerate(bounds):
        kept = []
        for hashes in _chunk_hashes(corpus_ids, n):
            mask = hashes >= np.uint64(low)
            if part + 1 < parts:
                mask &= hashes < np.uint64(bounds[part + 1])
            kept.append(hashes[mask])
        yield _sorted_distinct(np.concatenate(kept)) if kept else np.empty(0, np.uint64)


def match_queries(questions: Sequence[Question], vocabulary: Mapping[str, int]) -> dict[int, MatchQueries]:
    """The n-grams to look for, by n. N-grams with a word unknown to `vocabulary` (word -> id) cannot match and are left out.

    >>> question = Question("b:0:1", "b", ("we", "hide", "it"), 1, ("hide", "eat"), 0)
    >>> {n: len(found.hashes) for n, found in match_queries([question], {"we": 1, "hide": 2, "it": 3}).items()}
    {2: 2, 3: 1, 4: 0}
    """
    grams: dict[int, list[tuple[int, ...]]] = {n: [] for n in POINTS}
    owners: dict[int, list[tuple[int, int]]] = {n: [] for n in POINTS}
    for item, question in enumerate(questions):
        for option, word in enumerate(question.options):
            ids = [vocabulary.get(token, SEPARATOR) for token in question.blank.filled(word)]
            for n in POINTS:
                for start in range(max(0, question.position - n + 1), min(question.position, len(ids) - n) + 1):
                    gram = tuple(ids[start : start + n])
                    if SEPARATOR not in gram:
                        grams[n].append(gram)
                        owners[n].append((item, option))
    queries = {}
    for n in POINTS:
        flat = np.array(grams[n], np.uint32).reshape(-1)
        hashes = ngram_hashes(flat, n)[0][::n]
        owner = np.array(owners[n], np.int64).reshape(-1, 2)
        queries[n] = MatchQueries(hashes, owner[:, 0], owner[:, 1])
    return queries


def match_scores(
    index: Mapping[int, NDArray[np.uint64]], questions: Sequence[Question], vocabulary: Mapping[str, int]
) -> NDArray[np.float64]:
    """Points of every option: float64, shape (items, options), NaN beyond an item's options.

    Args:
        index: n -> the joined `index_blocks` of it; may be memory-mapped.
        vocabulary: word -> id, case kept.
    """
    scores = score_matrix([[0.0] * len(question.options) for question in questions])
    for n, query in match_queries(questions, vocabulary).items():
        found = _contains(index[n], query.hashes)
        np.add.at(scores, (query.items[found], query.options[found]), POINTS[n])
    return scores


def _chunk_hashes(corpus_ids: NDArray[np.uint32], n: int) -> Iterator[NDArray[np.uint64]]:
    for start in range(0, len(corpus_ids), _CHUNK_TOKENS):
        hashes, within = ngram_hashes(corpus_ids[start : start + _CHUNK_TOKENS + n - 1], n)
        yield hashes[within]


def _sorted_distinct(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    hashes.sort()
    return hashes[np.concatenate(([True], hashes[1:] != hashes[:-1]))] if len(hashes) else hashes


def _contains(index: NDArray[np.uint64], hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
    if len(index) == 0:
        return np.zeros(len(hashes), bool)
    places = np.minimum(np.searchsorted(index, hashes), len(index) - 1)
    return index[places] == hashes
