"""Option scores for baselines of questions, except LSA."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cloze_gen.corpus.arrays import SEPARATOR
from cloze_gen.english.articles import articles_of
from cloze_gen.evaluation.metrics import score_matrix, within_item_ranks
from cloze_gen.models.sentence_cues import fit_conditional_logit
from cloze_gen.records.question import Question
from cloze_gen.rng import stable_fraction

# ---- Bias rules (MSR 2.2, extended). All return float64, shape (n, k), padded with NaN. They read
# at most the token before the gap, so each is near chance on an unbiased set.


def frequency_scores(
    questions: Sequence[Question], freq_of: Callable[[str], float]
) -> NDArray[np.float64]:
    """Frequency of every option, a share of word tokens; 0 if unknown."""
    return score_matrix([freq_of(option) for option in question.options] for question in questions)


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


def freq_lookup(freqs: Mapping[str, float]) -> Callable[[str], float]:
    return lambda word: freqs.get(word.casefold(), 0.0)


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


def history_scores(
    model: LanguageModel, questions: Sequence[Question], *, history_tokens: int = 2
) -> NDArray[np.float64]:
    """log10 P(option | the `history_tokens` tokens before it) (MSR 2.2 step 2, with 2 tokens)."""
    return score_matrix(
        [
            model.log10_prob(_history(question, history_tokens), option)
            for option in question.options
        ]
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
_MULTIPLIER = np.uint64(
    0x9E3779B97F4A7C15
)  # odd, 2**64 / golden ratio: Knuth's multiplicative hashing
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


# ---- Classifiers without the sentence: a conditional logit (McFadden 1974) with ridge 1,
# cross-validated in five folds by book; no hyperparameters are tuned.

# 1,040 items have about 20,000 distinct character n-grams; the ridge limits the effect of collisions
HASH_BUCKETS = 4096
CHAR_NGRAM_SIZES = (
    1,
    2,
    3,
    4,
)  # with word boundaries, so prefixes and suffixes have up to three letters
FOLD_COUNT = 5


@dataclass(frozen=True, slots=True, eq=False)
class Folds:
    fold_of_item: NDArray[np.int64]
    note: str


def book_folds(questions: Sequence[Question], *, fold_count: int = FOLD_COUNT) -> Folds:
    """Folds of whole books, balanced by size; for a single book, two halves of its items."""
    sizes = Counter(question.book_id for question in questions)
    if len(sizes) < 2:
        order = sorted(
            range(len(questions)),
            key=lambda item: stable_fraction("evaluate.halves", questions[item].id),
        )
        halves = np.zeros(len(questions), np.int64)
        halves[order[len(order) // 2 :]] = 1
        return Folds(halves, "two halves of the items (one book)")
    count = min(fold_count, len(sizes))
    loads = [0] * count
    fold_of_book = {}
    for book_id, size in sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0])):
        fold = loads.index(min(loads))
        fold_of_book[book_id] = fold
        loads[fold] += size
    return Folds(
        np.array([fold_of_book[question.book_id] for question in questions], np.int64),
        f"{count} folds by book",
    )


def options_only_scores(
    questions: Sequence[Question], folds: Folds, *, freq_of: Callable[[str], float]
) -> NDArray[np.float64]:
    """Out-of-fold utilities of a logit: hashed character n-grams, log frequency, length."""
    options = [option for question in questions for option in question.options]
    features = sparse.vstack(
        [_word_features(option, freq_of(option)) for option in options], format="csr"
    )
    return _cross_validated(features, questions, folds)


def rank_scores(
    scores: Sequence[NDArray[np.float64]], questions: Sequence[Question], folds: Folds
) -> NDArray[np.float64]:
    """Out-of-fold utilities of a logit: rank indicators and products of two ranks."""
    present = ~np.isnan(scores[0])
    ranks = [within_item_ranks(array)[present] for array in scores]
    middle = np.repeat((present.sum(axis=1) - 1) / 2, present.sum(axis=1))
    option_count = present.shape[1]
    columns = [
        np.maximum(0, 1 - np.abs(rank - place)) for rank in ranks for place in range(option_count)
    ]  # tied ranks count for both places
    columns += [(a - middle) * (b - middle) / option_count for a, b in combinations(ranks, 2)]
    return _cross_validated(sparse.csr_array(np.column_stack(columns)), questions, folds)


def ngram_buckets(word: str) -> list[int]:
    """The buckets of the character n-grams of ``<word>``, ascending, each once."""
    marked = f"<{word}>"
    grams = {
        marked[i : i + size] for size in CHAR_NGRAM_SIZES for i in range(len(marked) - size + 1)
    }
    return sorted({zlib.crc32(gram.encode()) % HASH_BUCKETS for gram in grams})


def _cross_validated(
    features: sparse.csr_array, questions: Sequence[Question], folds: Folds
) -> NDArray[np.float64]:
    item_of_row = np.repeat(
        np.arange(len(questions)), [len(question.options) for question in questions]
    )
    is_answer = np.concatenate(
        [np.arange(len(question.options)) == question.answer_index for question in questions]
    )
    out = np.zeros(len(item_of_row))
    for fold in np.unique(folds.fold_of_item):
        held = (folds.fold_of_item == fold)[item_of_row]
        trained_items = np.unique(item_of_row[~held], return_inverse=True)[1]
        if len(trained_items):
            out[held] = features[held] @ fit_conditional_logit(
                features[~held], trained_items, is_answer[~held]
            )
    # Rounding restores ties: scores of options with equal features differ in the last bits.
    rows = np.split(np.round(out, 9), np.flatnonzero(np.diff(item_of_row)) + 1)
    return score_matrix(row.tolist() for row in rows)


def _word_features(word: str, freq: float) -> sparse.csr_array:
    buckets = ngram_buckets(word)
    more = [
        np.log10(freq + 1e-8) + 6,
        len(word) / 8,
        float(word[:1].isupper()),
        float("-" in word),
        float("'" in word),
    ]
    values = np.concatenate(
        (np.full(len(buckets), len(buckets) ** -0.5), more)
    )  # unit length, so that long words have no larger weight
    columns = np.concatenate((buckets, np.arange(HASH_BUCKETS, HASH_BUCKETS + len(more))))
    return sparse.csr_array(
        (values, (np.zeros(len(columns), int), columns)), shape=(1, HASH_BUCKETS + len(more))
    )
