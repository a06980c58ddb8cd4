"""Surface cues: a solver of sentence blanks that does not use meaning, to show leaks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from cloze_gen.english.cohesion import Opener, Person, SurfaceTies

_RIDGE = 1.0  # half the squared norm of the weights: a standard normal prior
_MAX_ITERATIONS = 200


def fit_conditional_logit(
    features: scipy.sparse.csr_array,
    item_of_row: NDArray[np.int64],
    is_answer: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Weights, shape (f,), that maximise the answers' log-likelihood minus the ridge.

    `features`: shape (rows, f), a row an option, an item's rows adjacent; `item_of_row` ascends
    from 0; `is_answer`: one true row an item.
    """
    starts = np.searchsorted(item_of_row, np.arange(int(item_of_row[-1]) + 1))
    transposed = features.T.tocsr()
    answer_sum = transposed @ is_answer.astype(np.float64)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        utility = features @ weights
        shifted = utility - np.maximum.reduceat(utility, starts)[item_of_row]
        exponent = np.exp(shifted)
        total = np.add.reduceat(exponent, starts)
        value = np.log(total).sum() - shifted[is_answer].sum() + _RIDGE / 2 * weights @ weights
        return float(value), transposed @ (
            exponent / total[item_of_row]
        ) - answer_sum + _RIDGE * weights

    from scipy.optimize import minimize  # slow to import

    found = minimize(
        loss,
        np.zeros(features.shape[1]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": _MAX_ITERATIONS},
    )
    return np.asarray(found.x)


# ---- surface cues

_MOST_RARE = 4.0  # caps hapaxes, so that small and large corpora give alike weights
_DEPTH = 4  # shown sentences on each side that count as near
_PERSONS = tuple(Person)
_NO_QUOTES, _WHOLE_SPEECH, _OPENS, _CLOSES, _ODD = range(5)
# (a speech is open before, a speech continues after) -> states that balance the marks
_BALANCED = {
    (False, False): (_NO_QUOTES, _WHOLE_SPEECH),
    (True, True): (_NO_QUOTES,),
    (True, False): (_CLOSES,),
    (False, True): (_OPENS,),
}

# A conditional logit over the candidates of a blank (McFadden 1974), fitted by
# `training/cues/fit.py` on random blanks of 1,679 passages of 293 novels. Of those of 1,621
# passages of 283 other novels it solves 32.2 % (chance: 14.3 %).
WEIGHT_OF_CUE = {
    "rare words of the sentence before": 0.026,
    "rare words of the sentence behind": 0.024,
    "rare words two before": 0.01,
    "rare words two behind": 0.012,
    "share of its echoes that are near": 0.357,
    "names of the sentence before": -0.302,
    "names of the sentence behind": -0.258,
    "names near": -0.02,
    "pronouns of the sentence before": 0.301,
    "pronouns of the sentence behind": 0.306,
    "pronouns new here": -0.282,
    "pronouns missing": 0.876,
    "tense of the sentence before": 0.15,
    "tense of the sentence behind": 0.123,
    "quotation marks balanced": 1.389,
    "quotation marks unbalanced": 0.657,
    "speech like the sentence before": 0.264,
    "speech like the sentence behind": 0.273,
    "conjunction opens the passage": -0.398,
    "question before a speech": 0.489,
    "pronoun opens the passage": -0.114,
    "demonstrative opens the passage": 0.13,
}
CUES = tuple(WEIGHT_OF_CUE)
WEIGHTS = np.array(list(WEIGHT_OF_CUE.values()))


@dataclass(frozen=True, slots=True)
class TiedPassage:
    """The features of every pair of a sentence (n) and a candidate (c).

    Attributes:
        echoes: shape (n, c): squared rarity of the shared content words, summed.
        names: shape (n, c): names of the sentence that occur in the candidate.
        persons, candidate_persons: shapes (n, 7), (c, 7): persons of the pronouns.
        tenses, candidate_tenses: shapes (n,), (c,): 1 past, -1 present, 0 unclear.
        speech, candidate_speech: shapes (n,), (c,): state of the quotation marks (`_speech`).
        questions, openers: shape (c,): whether it is a question; index into `Opener`.
    """

    echoes: NDArray[np.float64]
    names: NDArray[np.float64]
    persons: NDArray[np.float64]
    candidate_persons: NDArray[np.float64]
    tenses: NDArray[np.float64]
    candidate_tenses: NDArray[np.float64]
    speech: NDArray[np.int64]
    candidate_speech: NDArray[np.int64]
    begins_quoted: NDArray[np.bool_]
    questions: NDArray[np.bool_]
    openers: NDArray[np.int64]


def tie(
    sentences: Sequence[SurfaceTies],
    candidates: Sequence[SurfaceTies],
    rarity: Callable[[str], float],
) -> TiedPassage:
    """Features of a passage's sentences with its candidates; `rarity` as `rarity_of`.

    Sums are exact: the order of a set differs between processes, and a last digit can break a tie.
    """
    weight = {stem: rarity(stem) ** 2 for one in candidates for stem in one.stems}
    echoes = np.array(
        [
            [math.fsum(weight[stem] for stem in one.stems & other.stems) for other in candidates]
            for one in sentences
        ]
    )
    known = [other.names | {other.first_word} for other in candidates]
    return TiedPassage(
        echoes=echoes.reshape(len(sentences), len(candidates)).astype(np.float64),
        names=np.array(
            [[len(one.names & names) for names in known] for one in sentences], np.float64
        ).reshape(len(sentences), -1),
        persons=_persons(sentences),
        candidate_persons=_persons(candidates),
        tenses=np.array([one.tense for one in sentences], np.float64),
        candidate_tenses=np.array([one.tense for one in candidates], np.float64),
        speech=np.array([_speech(one) for one in sentences], np.int64),
        candidate_speech=np.array([_speech(one) for one in candidates], np.int64),
        begins_quoted=np.array([one.begins_quoted for one in sentences], np.bool_),
        questions=np.array([one.question for one in candidates], np.bool_),
        openers=np.array([list(Opener).index(one.opener) for one in candidates], np.int64),
    )


def rarity_of(counts: Mapping[str, int], sentences: int) -> Callable[[str], float]:
    """Rarity of a stem, 0 to 4: log10 of sentences per occurrence.

    >>> rarity = rarity_of({"lamp": 9, "say": 2_000}, 1_000)
    >>> rarity("lamp"), rarity("say"), rarity("astrolabe")
    (2.0, 0.0, 3.0)
    """
    most = math.log10(max(1, sentences))
    return lambda stem: min(_MOST_RARE, max(0.0, most - math.log10(1 + counts.get(stem, 0))))


def neighbours(
    blanks: NDArray[np.int64], sentences: int, depth: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The nearest shown sentences before and after, (draws, blanks, depth); -1 past the ends.

    >>> before, behind = neighbours(np.array([[0, 2, 3]]), 6, 2)
    >>> before.tolist(), behind.tolist()
    ([[[-1, -1], [1, -1], [1, -1]]], [[[1, 4], [4, 5], [4, 5]]])
    """
    draws = np.arange(len(blanks))[:, None]
    shown = np.ones((len(blanks), sentences), np.bool_)
    shown[draws, blanks] = False
    places = np.argsort(~shown, axis=1, kind="stable")  # the shown ones first, in order
    count = shown.sum(axis=1)[:, None, None]
    rank = (np.cumsum(shown, axis=1)[draws, blanks])[:, :, None]  # shown sentences before the blank
    steps = np.arange(depth)
    back, on = rank - 1 - steps, rank + steps
    padded = np.concatenate((places, np.full((len(blanks), 1), -1)), axis=1)
    taken = draws[:, :, None]
    return padded[taken, np.where(back >= 0, back, sentences)], padded[
        taken, np.where(on < count, on, sentences)
    ]


def cue_features(passage: TiedPassage, blanks: NDArray[np.int64]) -> NDArray[np.float64]:
    """The features of `CUES`, (draws, blanks, candidates, cues); `blanks` as of `neighbours`."""
    sentences, candidates = passage.echoes.shape
    before, behind = neighbours(blanks, sentences, _DEPTH)
    last, following = before[:, :, 0], behind[:, :, 0]
    near = np.concatenate((before, behind), axis=2)
    echoes, names = _padded(passage.echoes), _padded(passage.names)
    shared = _padded(passage.persons @ passage.candidate_persons.T)
    tenses = _padded(passage.tenses[:, None] * passage.candidate_tenses[None, :])
    same_speech = _padded((passage.speech[:, None] > 0) == (passage.candidate_speech[None, :] > 0))
    # (draws, candidates)
    shown_echoes = passage.echoes.sum(axis=0) - passage.echoes[blanks].sum(axis=1)
    close = np.concatenate((before[:, :, :2], behind[:, :, :2]), axis=2)
    have = _padded(passage.persons)[close].max(axis=2)
    of_both = have @ passage.candidate_persons.T
    balanced, unbalanced = _quotation_marks(passage, before, behind)
    is_first = (last < 0)[:, :, None]
    openers = list(Opener)

    def opens_with(opener: Opener) -> NDArray[np.bool_]:
        return is_first & (passage.openers == openers.index(opener))

    before_speech = _padded(passage.begins_quoted[:, None])[following].astype(np.bool_)
    cues = {
        "rare words of the sentence before": echoes[last],
        "rare words of the sentence behind": echoes[following],
        "rare words two before": echoes[before[:, :, 1]],
        "rare words two behind": echoes[behind[:, :, 1]],
        "share of its echoes that are near": echoes[near].sum(axis=2)
        / (shown_echoes[:, None, :] + 1e-9),
        "names of the sentence before": names[last],
        "names of the sentence behind": names[following],
        "names near": names[near].max(axis=2),
        "pronouns of the sentence before": shared[last],
        "pronouns of the sentence behind": shared[following],
        "pronouns new here": passage.candidate_persons.sum(axis=1) - of_both,
        "pronouns missing": (have.sum(axis=2)[:, :, None] - of_both) / len(_PERSONS),
        "tense of the sentence before": tenses[last],
        "tense of the sentence behind": tenses[following],
        "quotation marks balanced": balanced,
        "quotation marks unbalanced": unbalanced,
        "speech like the sentence before": same_speech[last],
        "speech like the sentence behind": same_speech[following],
        "conjunction opens the passage": opens_with(Opener.CONJUNCTION),
        "question before a speech": passage.questions & before_speech,
        "pronoun opens the passage": opens_with(Opener.PRONOUN),
        "demonstrative opens the passage": opens_with(Opener.DEMONSTRATIVE),
    }
    shape = (*blanks.shape, candidates)
    columns = [np.broadcast_to(cues[name], shape) for name in CUES]
    return np.stack(columns, axis=3).astype(np.float64)


def cue_scores(passage: TiedPassage, blanks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Score of each candidate in each blank, (draws, blanks, candidates); higher is better."""
    return cue_features(passage, blanks) @ WEIGHTS


def fit_weights(
    features: Sequence[NDArray[np.float64]], answers: Sequence[Sequence[int]]
) -> NDArray[np.float64]:
    """Conditional-logit weights, shape (cues,), with a standard normal prior on scaled cues.

    `features`: of each passage, shape (blanks, candidates, cues); `answers`: candidates by blank.
    """
    rows = np.concatenate([row for one in features for row in one])
    spread = rows.std(axis=0)
    spread[spread == 0] = 1.0
    blanks = [
        (one.shape[1], answer) for one, own in zip(features, answers, strict=True) for answer in own
    ]
    item = np.repeat(np.arange(len(blanks)), [candidates for candidates, _ in blanks])
    right = np.concatenate([np.arange(candidates) == answer for candidates, answer in blanks])
    return fit_conditional_logit(scipy.sparse.csr_array(rows / spread), item, right) / spread


def _padded(table: NDArray[np.generic]) -> NDArray[np.float64]:
    return np.concatenate((table, np.zeros((1, *table.shape[1:])))).astype(np.float64)


def _persons(ties: Sequence[SurfaceTies]) -> NDArray[np.float64]:
    return np.array(
        [[person in one.persons for person in _PERSONS] for one in ties], np.float64
    ).reshape(len(ties), len(_PERSONS))


def _speech(ties: SurfaceTies) -> int:
    if not ties.is_half_speech:
        return _WHOLE_SPEECH if ties.quotation_marks else _NO_QUOTES
    if ties.begins_quoted != ties.ends_quoted:
        return _OPENS if ties.begins_quoted else _CLOSES
    return _ODD


def _quotation_marks(
    passage: TiedPassage, before: NDArray[np.int64], behind: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    speech = np.append(passage.speech, _NO_QUOTES)
    open_before, open_behind = (_nearest_marks(speech[side]) for side in (before, behind))
    states = open_before == _OPENS, open_behind == _CLOSES
    fits = np.zeros((*before.shape[:2], len(passage.candidate_speech)))
    for (is_open, goes_on), kinds in _BALANCED.items():
        here = (states[0] == is_open) & (states[1] == goes_on)
        fits += here[:, :, None] & np.isin(passage.candidate_speech, kinds)
    return fits, (fits == 0) & (passage.candidate_speech >= _OPENS)


def _nearest_marks(speech: NDArray[np.int64]) -> NDArray[np.int64]:
    """State of the nearest sentence that has quotation marks, else `_NO_QUOTES`."""
    first = (speech > 0).argmax(axis=2)
    return np.take_along_axis(speech, first[:, :, None], axis=2)[:, :, 0]


# ---- adjacent sentences

# pseudo-sentences added to a word's deviation, so that rare words do not dominate directions
_SMOOTHING = 20.0
# directions computed beyond those kept, for the accuracy of the last ones (Halko, Martinsson &
# Tropp 2011, 4.2)
_EXTRA = 20
_POWER_STEPS = 2


@dataclass(frozen=True, slots=True)
class AdjacentSentences:
    """Two vectors per word, of the first and of the second sentence; (words, dimensions)."""

    words: Mapping[str, int]
    before: NDArray[np.float32]
    behind: NDArray[np.float32]

    def rows(self, sentences: Sequence[Sequence[str]]) -> scipy.sparse.csr_array:
        """Sentences as bags of known words, case-folded; shape (sentences, words)."""
        known = [
            [self.words[word] for token in tokens if (word := token.casefold()) in self.words]
            for tokens in sentences
        ]
        return sentence_rows(known, len(self.words))

    def follows(
        self, sentences: Sequence[Sequence[str]], candidates: Sequence[Sequence[str]]
    ) -> tuple[NDArray[np.float64], ...]:
        """Cosines of candidates as next and as previous sentence, (sentences, candidates).

        >>> words = {"who": 0, "jane": 1}
        >>> model = AdjacentSentences(words, np.array([[1, 0], [0, 1]], "f4"), np.array([[0, 1], [1, 0]], "f4"))
        >>> behind, before = model.follows([["Who", "?"]], [["Jane", "."], ["who"]])
        >>> behind.tolist(), before.tolist()
        ([[1.0, 0.0]], [[1.0, 0.0]])
        """
        own, others = self.rows(sentences), self.rows(candidates)
        behind = _unit(own @ self.before) @ _unit(others @ self.behind).T
        before = _unit(own @ self.behind) @ _unit(others @ self.before).T
        return behind, before


def sentence_rows(sentences: Sequence[Sequence[int]], words: int) -> scipy.sparse.csr_array:
    """Square roots of word counts, which damp repetitions; shape (sentences, words)."""
    bounds = np.concatenate(([0], np.cumsum([len(one) for one in sentences]))).astype(np.int64)
    columns = np.fromiter(
        (word for one in sentences for word in one), np.int64, count=int(bounds[-1])
    )
    rows = scipy.sparse.csr_array(
        (np.ones(len(columns), np.float32), columns, bounds), shape=(len(sentences), words)
    )
    rows.sum_duplicates()
    rows.data = np.sqrt(rows.data)
    return rows


def fit_adjacent_sentences(
    before: scipy.sparse.csr_array,
    behind: scipy.sparse.csr_array,
    dimensions: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float64]]:
    """`before`, `behind` of `AdjacentSentences`, and the singular values, descending.

    From `sentence_rows`, (pairs, words), by randomised subspace iteration (Halko, Martinsson &
    Tropp
    2011). The values may be above 1: each word is scaled by itself.
    """
    scaled_before, scaled_behind = _scaled(before), _scaled(behind)
    pairs, words = before.shape
    means = [np.asarray(one.mean(axis=0)).ravel() for one, _ in (scaled_before, scaled_behind)]

    def forth(directions: NDArray[np.float64]) -> NDArray[np.float64]:
        found = scaled_before[0].T @ (scaled_behind[0] @ directions)
        return np.asarray(found - pairs * np.outer(means[0], means[1] @ directions))

    def back(directions: NDArray[np.float64]) -> NDArray[np.float64]:
        found = scaled_behind[0].T @ (scaled_before[0] @ directions)
        return np.asarray(found - pairs * np.outer(means[1], means[0] @ directions))

    width = min(dimensions + _EXTRA, words)
    right = np.linalg.qr(back(rng.standard_normal((words, width))))[0]
    for _ in range(_POWER_STEPS):
        left = np.linalg.qr(forth(right))[0]
        right = np.linalg.qr(back(left))[0]
    left, strengths, turn = np.linalg.svd(forth(right), full_matrices=False)
    kept = slice(0, min(dimensions, width))
    length = np.sqrt(strengths[kept])
    of_before = scaled_before[1][:, None] * left[:, kept] * length
    of_behind = scaled_behind[1][:, None] * (right @ turn.T)[:, kept] * length
    return of_before.astype(np.float32), of_behind.astype(np.float32), strengths[kept]


def _scaled(rows: scipy.sparse.csr_array) -> tuple[scipy.sparse.csr_array, NDArray[np.float64]]:
    """Rows divided by each word's deviation, and the inverse of the divisors, shape (words,)."""
    squares = np.bincount(
        rows.indices, weights=rows.data.astype(np.float64) ** 2, minlength=rows.shape[1]
    )
    inverse = 1 / np.sqrt(squares + _SMOOTHING)
    scaled = rows.copy()
    scaled.data = (scaled.data * inverse[scaled.indices]).astype(np.float32)
    return scaled, inverse


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(length > 0, length, 1.0), np.float64)
