"""Baselines of blanked passages, and scorers based on the words of the sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cloze_gen.english.content_words import content_words
from cloze_gen.evaluation.blanks import ClozeExample, Direction
from cloze_gen.evaluation.passage_baselines import CACHE_WEIGHT
from cloze_gen.evaluation.selection import HUMAN, USER, check_known
from cloze_gen.models.ngram_index import ForwardIndex, windows
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.word_tokens import is_word

# ---- The registry

# models of the training books
COUNTS, TEXT, NGRAMS, LSA = "counts", "text", "ngrams", "lsa"
PASSAGES = "passages"  # training passages, with answers filled in
# use candidates only; selected by these names, in separate tables
RULES, CLASSIFIERS = "rules", "classifiers"


@dataclass(frozen=True, slots=True)
class BlankBaseline:
    """One row of the main table; `models`: the models it needs."""

    name: str
    kind: str
    source: str = ""
    models: tuple[str, ...] = ()


RANDOM = BlankBaseline("random", "random", "exact expectation")
# In the order of the tables.
BLANK_BASELINES = (
    RANDOM,
    BlankBaseline("pmi-1", "model", "SCDE 4.2", (PASSAGES,)),
    BlankBaseline("pmi-2", "model", "SCDE 4.2", (PASSAGES,)),
    BlankBaseline("overlap", "surface"),
    BlankBaseline("cues", "surface", "", (COUNTS, TEXT)),
    BlankBaseline("cues-learnt", "model", "", (COUNTS, TEXT, PASSAGES)),
    BlankBaseline("lsa", "model", "Foltz, Kintsch & Landauer 1998", (LSA,)),
    BlankBaseline("language-model", "model", "SCDE 4.3", (COUNTS, NGRAMS)),
)


def pick(only: Sequence[str]) -> list[BlankBaseline]:
    """Baselines of these names or kinds, in table order; all if `only` is empty.

    >>> [row.name for row in pick(["surface", "random"])]
    ['random', 'overlap', 'cues']
    """
    kinds = [*dict.fromkeys(row.kind for row in BLANK_BASELINES), USER, HUMAN]
    names = [row.name for row in BLANK_BASELINES]
    choices = (
        f"{', '.join(names)}; the kinds {', '.join(kinds)}; {RULES} and {CLASSIFIERS} (candidates "
        "only)"
    )
    check_known(
        only, {*names, *kinds, RULES, CLASSIFIERS}, noun="blanked passages", choices=choices
    )
    return [row for row in BLANK_BASELINES if not only or row.name in only or row.kind in only]


def selects(only: Sequence[str], name: str) -> bool:
    return not only or name in only


# ---- Contexts as matrices

_DECIMALS = 12


def adjacent_sentences(passage: BlankedPassage) -> Mapping[Direction, NDArray[np.float64]]:
    """Per direction, 1 if a sentence is in a blank's context, else 0: shape (blanks, sentences).

    *Read:* contexts leave out other blanks; the nearest sentence is the nearest without a blank.

    >>> passage = BlankedPassage("b:1", ("Rain.", "Sun.", "Snow.", "Hail."), (0, 2),
    ...     ("Snow.", "Rain."), (1, 0))
    >>> mask = adjacent_sentences(passage)
    >>> mask[Direction.P].tolist(), mask[Direction.AN].tolist()
    ([[0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]])
    """
    n = len(passage.sentences)
    places, blanks = np.arange(n), np.array(passage.blanks, np.int64)[:, None]
    shown = ~np.isin(places, blanks)
    before, after = shown & (places < blanks), shown & (places > blanks)
    found = {
        Direction.P: before
        & (places == np.where(before, places, -1).max(axis=1, keepdims=True, initial=-1)),
        Direction.N: after
        & (places == np.where(after, places, n).min(axis=1, keepdims=True, initial=n)),
        Direction.AP: before,
        Direction.AN: after,
    }
    return {direction: mask.astype(np.float64) for direction, mask in found.items()}


def nan_where_empty(scores: NDArray[np.float64], mask: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores, NaN for blanks with an empty context; rounded, so that equal scores tie."""
    return np.where(mask.any(axis=1, keepdims=True), np.round(scores, _DECIMALS), np.nan)


# ---- Bags of words


def count_terms(sentences: Sequence[Sequence[str]]) -> tuple[list[str], NDArray[np.float64]]:
    """The terms of the sentences, and their counts: shape (sentences, terms).

    >>> terms, counts = count_terms([["the", "sea", "the"], [], ["sea"]])
    >>> terms, counts.tolist()
    (['the', 'sea'], [[2.0, 1.0], [0.0, 0.0], [0.0, 1.0]])
    """
    place = {term: i for i, term in enumerate(dict.fromkeys(chain.from_iterable(sentences)))}
    columns = [place[term] for sentence in sentences for term in sentence]
    rows = np.repeat(np.arange(len(sentences)), [len(sentence) for sentence in sentences])
    counts = np.zeros((len(sentences), len(place)))
    np.add.at(counts, (rows, np.array(columns, np.int64)), 1.0)
    return list(place), counts


def words_of(tokens: Sequence[str]) -> list[str]:
    """
    >>> words_of(("The", "sea", ",", "the", "SEA", "."))
    ['the', 'sea', 'the', 'sea']
    """
    return [token.casefold() for token in tokens if is_word(token)]


def cosines(rows: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(rows, axis=1)[:, None] * np.linalg.norm(others, axis=1)
    return np.divide(
        rows @ others.T, lengths, out=np.zeros((len(rows), len(others))), where=lengths > 0
    )


# ---- Shared words


class OverlapScorer:
    """Content words that candidate and context share: |A & B| / sqrt(|A| |B|).

    Weighting after Salton & Buckley 1988. Kong et al. 2020, 3.3, use *word match* only as a kind of
    blank.
    """

    def scores(self, example: ClozeExample) -> Mapping[Direction, NDArray[np.float64]]:
        _, counts = count_terms(
            [content_words(tokens) for tokens in (*example.sentences, *example.candidates)]
        )
        held = np.minimum(counts, 1)
        return {
            direction: nan_where_empty(
                cosines(
                    np.minimum(mask @ held[: len(example.sentences)], 1),
                    held[len(example.sentences) :],
                ),
                mask,
            )
            for direction, mask in adjacent_sentences(example.passage).items()
        }


def rarity(sentence_counts: NDArray[np.integer], *, sentences: int) -> NDArray[np.float64]:
    """Inverse document frequency of words over n sentences: ln((n + 1) / (count + 1)).

    >>> rarity(np.array([0, 9, 4]), sentences=9).round(2).tolist()
    [2.3, 0.0, 0.69]
    """
    return np.log((sentences + 1) / (np.asarray(sentence_counts, np.float64) + 1))


# ---- LSA


class LsaScorer:
    """Mean cosine of a candidate's vector with the vectors of the context sentences.

    Foltz, Kintsch & Landauer 1998: coherence is the mean cosine of neighbouring sentences. *Read:*
    word vectors have length one and are weighted by inverse sentence frequency.

    `vectors`: float32, shape (rows, dimensions), of `weighted`; `row_of`: lowercased word -> row.
    """

    def __init__(self, vectors: NDArray[np.float32], row_of: Mapping[str, int]) -> None:
        self._vectors, self._row_of = vectors, row_of

    def scores(self, example: ClozeExample) -> Mapping[Direction, NDArray[np.float64]]:
        vectors = self.sentence_vectors([*example.sentences, *example.candidates])
        near = cosines(vectors[: len(example.sentences)], vectors[len(example.sentences) :])
        return {
            direction: nan_where_empty(
                mask @ near / np.maximum(mask.sum(axis=1, keepdims=True), 1), mask
            )
            for direction, mask in adjacent_sentences(example.passage).items()
        }

    def sentence_vectors(self, sentences: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        words, counts = count_terms([words_of(tokens) for tokens in sentences])
        known = [i for i, word in enumerate(words) if word in self._row_of]
        return counts[:, known] @ self._vectors[[self._row_of[words[i]] for i in known]].astype(
            np.float64
        )


def weighted(vectors: NDArray[np.float32], weights: NDArray[np.float64]) -> NDArray[np.float32]:
    """Vectors scaled to length `weights`; zero vectors stay zero.

    >>> weighted(np.array([[3.0, 4.0], [0.0, 0.0]], np.float32),
    ...     np.array([2.0, 5.0])).round(2).tolist()
    [[1.2000000476837158, 1.600000023841858], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    scale = np.divide(weights, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
    return (vectors * scale[:, None]).astype(np.float32)


# ---- PMI


def ngrams(tokens: Sequence[str], most: int) -> list[str]:
    """
    >>> ngrams(("The", "sea", ",", "the", "sea"), 2)
    ['the', 'sea', 'the sea', 'sea the']
    """
    words = words_of(tokens)
    return list(
        dict.fromkeys(
            " ".join(words[i : i + n])
            for n in range(1, most + 1)
            for i in range(len(words) - n + 1)
        )
    )


class PmiScorer:
    """PMI_n from consecutive sentences of `passages`, with answers filled in.

    Kong et al. 2020, 4.2: PMI(w_s, w_c) = f(w_s in S, w_c in C) / (f(w_s in S) f(w_c in C)), where
    S precedes C. The score of two sentences is the mean over all pairs of their n-grams. *Read:* f
    counts sentences within a passage; n-grams are of lowercased words; an unseen pair counts as 0.
    S is the context before a blank, or the candidate for the context after it. A context of several
    sentences counts as one sentence.
    """

    def __init__(self, passages: Iterable[Sequence[Sequence[str]]], *, most: int) -> None:
        pairs = [
            pair
            for passage in passages
            for pair in pairwise([ngrams(sentence, most) for sentence in passage])
        ]
        known = dict.fromkeys(chain.from_iterable(chain.from_iterable(pairs)))
        self._most = most
        self._id_of = {ngram: i for i, ngram in enumerate(known)}
        # n-grams x pairs, and pairs x n-grams
        self._first = self._incidence([first for first, _ in pairs]).T.tocsr()
        self._second = self._incidence([second for _, second in pairs]).tocsc()

    def scores(self, example: ClozeExample) -> Mapping[Direction, NDArray[np.float64]]:
        sentence_ngrams = [
            () if i in example.passage.blanks else ngrams(tokens, self._most)
            for i, tokens in enumerate(example.sentences)
        ]
        sentence_terms, in_sentence = count_terms(sentence_ngrams)
        candidate_terms, in_candidate = count_terms(
            [ngrams(tokens, self._most) for tokens in example.candidates]
        )
        before = self._means(self.pmi(sentence_terms, candidate_terms), in_candidate)
        after = self._means(self.pmi(candidate_terms, sentence_terms).T, in_candidate)
        found = {}
        for direction, mask in adjacent_sentences(example.passage).items():
            in_context = np.minimum(mask @ in_sentence, 1)
            of_ngrams = before if direction in (Direction.P, Direction.AP) else after
            found[direction] = nan_where_empty(self._means(of_ngrams.T, in_context).T, mask)
        return found

    def pmi(self, firsts: Sequence[str], seconds: Sequence[str]) -> NDArray[np.float64]:
        """PMI of each n-gram with each in the sentence after it; 0 for unseen pairs."""
        unknown = len(self._id_of)
        in_first = self._first[[self._id_of.get(ngram, unknown) for ngram in firsts]]
        in_second = self._second[:, [self._id_of.get(ngram, unknown) for ngram in seconds]]
        joint = (in_first @ in_second).toarray().astype(np.float64)
        # float64: a product of two counts may exceed int32
        first_counts = np.diff(in_first.indptr).astype(np.float64)
        expected = np.outer(first_counts, np.diff(in_second.indptr))
        return np.divide(joint, expected, out=np.zeros_like(joint), where=expected > 0)

    def _incidence(self, sentences: Sequence[Sequence[str]]) -> sparse.csr_array:
        """Sentences x n-grams; the last n-gram is the unknown one, which no sentence has."""
        columns = np.array(
            [self._id_of[ngram] for sentence in sentences for ngram in sentence], np.int32
        )
        ends = np.cumsum([0, *map(len, sentences)]).astype(np.int32)
        return sparse.csr_array(
            (np.ones(len(columns), np.float32), columns, ends),
            shape=(len(sentences), len(self._id_of) + 1),
        )

    @staticmethod
    def _means(pmi: NDArray[np.float64], held: NDArray[np.float64]) -> NDArray[np.float64]:
        return (pmi @ held.T) / np.maximum(held.sum(axis=1), 1)


# ---- Language model


class LanguageModelScorer:
    """Mean gain in ln P of a token from a cache of the context, in nats.

    Kong et al. 2020, 4.3, choose the candidate that makes the passage most probable. An n-gram
    model sees the context only through a unigram cache (`models.unigram_cache`):
    P(word | context) = (1 - w) P(word | preceding words) + w C(word). *Read:* the score is the mean
    of ln(1 - w + w C / P) over the scored tokens. For the context before a blank, the cache is the
    context and the candidate is scored; for the context after it, the reverse. Words outside the
    vocabulary share the probability of `unknown` evenly.

    Args:
        index: a model of lowercased words over a closed vocabulary.
        unknown: the word that replaces words outside the vocabulary, or `<unk>`.
        unknown_types: number of word types of the training text that it replaces, at least 1.
        weight: w, 0 < w < 1.
    """

    def __init__(
        self, index: ForwardIndex, *, unknown: str, unknown_types: int, weight: float = CACHE_WEIGHT
    ) -> None:
        self._index, self._unknown, self._weight = index, index.ids([unknown])[0], weight
        self._unknown_log10_share = np.log10(max(1, unknown_types))

    def scores(self, example: ClozeExample) -> Mapping[Direction, NDArray[np.float64]]:
        sentences = [
            [token.casefold() for token in tokens]
            for tokens in (*example.sentences, *example.candidates)
        ]
        terms, counts = count_terms(sentences)
        place = {term: i for i, term in enumerate(terms)}
        codes = np.array([place[token] for sentence in sentences for token in sentence], np.int64)
        owners = np.repeat(np.arange(len(sentences)), [len(sentence) for sentence in sentences])
        probs = self.probs(sentences)
        n = len(example.sentences)
        of_candidate = owners >= n
        candidates = _one_hot(owners[of_candidate] - n, len(example.candidates))
        read_after = self._gains(counts[n:], codes[~of_candidate], probs[~of_candidate]) @ _one_hot(
            owners[~of_candidate], n
        )
        lengths = counts.sum(axis=1)
        found = {}
        for direction, mask in adjacent_sentences(example.passage).items():
            if direction in (Direction.P, Direction.AP):
                summed = (
                    self._gains(mask @ counts[:n], codes[of_candidate], probs[of_candidate])
                    @ candidates
                )
                means = summed / np.maximum(lengths[n:], 1)
            else:
                means = (mask @ read_after.T) / np.maximum(mask @ lengths[:n], 1)[:, None]
            found[direction] = nan_where_empty(means, mask)
        return found

    def probs(self, sentences: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        ids = [
            [self._index.id_of.get(token, self._unknown) for token in sentence]
            for sentence in sentences
        ]
        windowed = [windows([self._index.start, *row], self._index.order) for row in ids if row]
        if not windowed:
            return np.zeros(0)
        words = np.concatenate([word for _, word in windowed])
        log10_probs = self._index.log10_probs(
            np.concatenate([history for history, _ in windowed]), words
        ).astype(np.float64)
        return 10.0 ** np.where(
            words == self._unknown, log10_probs - self._unknown_log10_share, log10_probs
        )

    def _gains(
        self, caches: NDArray[np.float64], codes: NDArray[np.int64], probs: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Gain of each token from each cache, in nats: shape (caches, tokens)."""
        shares = caches / np.maximum(caches.sum(axis=1, keepdims=True), 1)
        return np.log1p(self._weight * (shares[:, codes] / probs - 1))


def _one_hot(owners: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    return (owners[:, None] == np.arange(size)).astype(np.float64)
