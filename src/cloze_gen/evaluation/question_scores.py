"""Option scores for baselines of questions, except LSA."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cloze_gen.corpus.arrays import SEPARATOR
from cloze_gen.english.articles import articles_of
from cloze_gen.evaluation.metrics import score_matrix
from cloze_gen.records.question import Question

# ---- Bias rules (MSR 2.2, extended). All return float64, shape (n, k), padded with NaN. They read
# at most the token before the gap, so each is near chance on an unbiased set.


def frequency_scores(
    questions: Sequence[Question], freqs: Mapping[str, float]
) -> NDArray[np.float64]:
    """Frequency of every option, a share of word tokens; 0 if unknown.

    `freqs`: case-folded word -> frequency.
    """
    return score_matrix(
        [freqs.get(option.casefold(), 0.0) for option in question.options] for question in questions
    )


def length_scores(questions: Sequence[Question]) -> NDArray[np.float64]:
    return score_matrix(
        [float(len(option)) for option in question.options] for question in questions
    )


def position_scores(questions: Sequence[Question], place: int) -> NDArray[np.float64]:
    """1 for the option at `place` (from 0), 0 for the others."""
    return score_matrix(
        [float(option == place) for option in range(len(question.options))]
        for question in questions
    )


def odd_one_out_scores(tags: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Number of other options with a different tag.

    >>> odd_one_out_scores([["NN", "NN", "NNS"]]).tolist()
    [[1.0, 1.0, 2.0]]
    """
    return score_matrix([float(sum(other != tag for other in row)) for tag in row] for row in tags)


def majority_tag_scores(tags: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Number of options with the same tag, including the option itself."""
    return score_matrix([float(Counter(row)[tag]) for tag in row] for row in tags)


def article_scores(questions: Sequence[Question]) -> NDArray[np.float64]:
    """1 for an option that agrees with ``a`` or ``an`` right before the gap, else 0."""
    rows = []
    for question in questions:
        before = question.tokens[question.position - 1].casefold() if question.position else ""
        rows.append(
            [
                float(before in ("a", "an") and before in articles_of(option))
                for option in question.options
            ]
        )
    return score_matrix(rows)


# ---- Language models. The paper uses Good-Turing smoothing (CMU toolkit); we use KenLM's modified
# Kneser-Ney, which is stronger (Chen & Goodman 1999).

if TYPE_CHECKING:
    from cloze_gen.models.ngram_index import LanguageModel


def sentence_scores(model: LanguageModel, questions: Sequence[Question]) -> NDArray[np.float64]:
    """log10 P(<s> sentence </s>) with each option in the gap (MSR 4.2)."""
    return score_matrix(
        [model.score_sentence(question.blank.filled(option)) for option in question.options]
        for question in questions
    )


def history_scores(model: LanguageModel, questions: Sequence[Question]) -> NDArray[np.float64]:
    """log10 P(option | the two tokens before it) (MSR 2.2 step 2)."""
    return score_matrix(
        [model.log10_prob(_history(question, 2), option) for option in question.options]
        for question in questions
    )


def forward_scores(model: LanguageModel, questions: Sequence[Question]) -> NDArray[np.float64]:
    """log10 P(next | previous, option) (MSR 2.2 step 4); next may be ``</s>``."""
    rows = []
    for question in questions:
        following = (
            question.tokens[question.position + 1]
            if question.position + 1 < len(question.tokens)
            else "</s>"
        )
        rows.append(
            [
                model.log10_prob((*_history(question, 1), option), following)
                for option in question.options
            ]
        )
    return score_matrix(rows)


def _history(question: Question, count: int) -> tuple[str, ...]:
    return ("<s>", *question.tokens[: question.position])[-count:]


# ---- N-gram matches

POINTS = {2: 1, 3: 2, 4: 3}  # n -> points (4.1)
_CHUNK_TOKENS = 1 << 18  # arrays of a chunk fit into the processor's cache
_SIEVE_BITS = 24
# odd, 2**64 / golden ratio: Knuth's multiplicative hashing
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)  # second multiplier of splitmix64


@dataclass(frozen=True, slots=True, eq=False)
class MatchQueries:
    """N-grams that contain an option, with question and option of each; arrays of shape (q,)."""

    hashes: NDArray[np.uint64]
    items: NDArray[np.int64]
    options: NDArray[np.int64]


def ngram_hashes(
    ids: NDArray[np.uint32], n: int
) -> Iterator[tuple[int, NDArray[np.uint64], NDArray[np.bool_]]]:
    """For each length from 2 to `n`: it, 64-bit hashes of all n-grams, and whether each is within
    one sentence.
    """
    hashes, within = np.zeros(len(ids), np.uint64), np.ones(len(ids), bool)
    for length in range(1, n + 1):
        column = ids[length - 1 :]
        hashes = (hashes[: len(column)] ^ column) * _MULTIPLIER
        hashes ^= hashes >> np.uint64(32)
        within = within[: len(column)] & (column != SEPARATOR)
        if length > 1:
            mixed = hashes * _MIX
            yield length, mixed ^ (mixed >> np.uint64(31)), within


def seen_in_corpus(
    corpus_ids: NDArray[np.uint32],
    queries: Mapping[int, NDArray[np.uint64]],
    *,
    chunk_tokens: int = _CHUNK_TOKENS,
) -> dict[int, NDArray[np.bool_]]:
    """Which hashes of n-grams, by length, belong to n-grams of the corpus, in one pass over it."""
    shift = np.uint64(64 - _SIEVE_BITS)
    sorted_queries, sieves, found = {}, {}, {}
    for n, hashes in queries.items():
        sorted_queries[n] = np.unique(hashes)
        sieves[n] = np.zeros(1 << _SIEVE_BITS, bool)  # by a hash's first bits; few others pass it
        sieves[n][sorted_queries[n] >> shift] = True
        found[n] = np.zeros(len(sorted_queries[n]), bool)
    longest = max(queries)
    for start in range(0, len(corpus_ids), chunk_tokens):
        for n, hashes, within in ngram_hashes(
            corpus_ids[start : start + chunk_tokens + longest - 1], longest
        ):
            passed = hashes[within & sieves[n][hashes >> shift]]
            places = np.searchsorted(sorted_queries[n], passed)
            places = np.minimum(places, len(sorted_queries[n]) - 1)
            found[n][places[sorted_queries[n][places] == passed]] = True
    return {
        n: found[n][np.searchsorted(sorted_queries[n], hashes)] for n, hashes in queries.items()
    }


def match_queries(
    questions: Sequence[Question], vocabulary: Mapping[str, int]
) -> dict[int, MatchQueries]:
    """
    >>> question = Question("b:0:1", "b", ("we", "hide", "it"), 1, ("hide", "eat"), 0)
    >>> {n: len(found.hashes) for n, found in match_queries([question],
    ...     {"we": 1, "hide": 2, "it": 3}).items()}
    {2: 2, 3: 1, 4: 0}
    """
    grams: dict[int, list[tuple[int, ...]]] = {n: [] for n in POINTS}
    owners: dict[int, list[tuple[int, int]]] = {n: [] for n in POINTS}
    for item, question in enumerate(questions):
        for option, word in enumerate(question.options):
            ids = [vocabulary.get(token, SEPARATOR) for token in question.blank.filled(word)]
            for n in POINTS:
                for start in range(
                    max(0, question.position - n + 1), min(question.position, len(ids) - n) + 1
                ):
                    gram = tuple(ids[start : start + n])
                    if SEPARATOR not in gram:
                        grams[n].append(gram)
                        owners[n].append((item, option))
    queries = {}
    for n in POINTS:
        flat = np.array(grams[n], np.uint32).reshape(-1)
        *_, (_, hashes, _) = ngram_hashes(flat, n)
        hashes = hashes[::n]
        owner = np.array(owners[n], np.int64).reshape(-1, 2)
        queries[n] = MatchQueries(hashes, owner[:, 0], owner[:, 1])
    return queries


def match_scores(
    corpus_ids: NDArray[np.uint32], questions: Sequence[Question], vocabulary: Mapping[str, int]
) -> NDArray[np.float64]:
    """Points of every option: float64, shape (items, options), padded with NaN.

    Zweig & Burges 2011, 4.1. *Read:* an n-gram counts if it contains the option and is within one
    sentence; case is kept. With 4e7 n-grams and 1e5 queries, P(a false match by hash collision) is
    2e-7. `corpus_ids`: word numbers, `SEPARATOR` after each sentence.
    """
    scores = score_matrix([[0.0] * len(question.options) for question in questions])
    queries = match_queries(questions, vocabulary)
    seen = seen_in_corpus(corpus_ids, {n: query.hashes for n, query in queries.items()})
    for n, query in queries.items():
        np.add.at(scores, (query.items[seen[n]], query.options[seen[n]]), POINTS[n])
    return scores
