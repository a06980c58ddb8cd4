"""Baselines of passages: rules, n-gram models, and their results (LAMBADA 4, Table 1)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cloze_gen.corpus.arrays import SEPARATOR
from cloze_gen.english.content_words import PASSAGE_RULES, RULES_OF_CASE
from cloze_gen.evaluation.chance import (
    random_capitalised_word,
    random_vocabulary_word,
    random_word,
    random_word_type,
)
from cloze_gen.evaluation.metrics import Z95, clustered_margin, wilson_interval
from cloze_gen.evaluation.passages import (
    PassageExample,
    PassageMetrics,
    PassageRow,
    TargetScores,
    measure,
    ranks,
)
from cloze_gen.evaluation.selection import USER, check_known
from cloze_gen.models.networks import Kind
from cloze_gen.models.ngram_index import ForwardIndex, histories_of_last
from cloze_gen.models.unigram_cache import cache_shares
from cloze_gen.word_tokens import is_word

# ---- Rules


def most_repeated_word(tokens: Sequence[str]) -> str:
    """The most frequent word, function words included; the last one of ties.

    >>> most_repeated_word("The lamp by the sea lit the lamp .".split())
    'the'
    """
    words = [token.casefold() for token in tokens if is_word(token)]
    counts, last = Counter(words), {word: i for i, word in enumerate(words)}
    return max(counts, key=lambda word: (counts[word], last[word]), default="")


RULES: Mapping[str, Callable[[Sequence[str]], str]] = {**PASSAGE_RULES, "cache": most_repeated_word}


def rule_hits(passages: Sequence[Sequence[str]], rule: str) -> NDArray[np.bool_]:
    """Whether a rule of `RULES` picks the target, the last token: bool, shape (n,).

    >>> [rule_hits([("I", "saw", "Joe", "and", "asked", "Joe")], rule).item() for rule in RULES]
    [True, True, False, False]
    """
    return np.array(
        [RULES[rule](tokens[:-1]) == tokens[-1].casefold() for tokens in passages], np.bool_
    )


# ---- The registry

COUNTS, NGRAMS = "counts", "ngrams"  # models that a baseline needs, besides its network
NETWORK_KINDS: Mapping[str, Kind] = {"feed-forward": "feedforward", "recurrent": "recurrent"}


@dataclass(frozen=True, slots=True)
class PassageBaseline:
    """Predicts the target; `models`: the models it needs; `of_case`: needs cased text."""

    name: str
    kind: str
    source: str
    models: tuple[str, ...] = ()
    of_case: bool = False

    @property
    def is_network(self) -> bool:
        """Trains a network, which is slow; measured only if selected with `--only`."""
        return self.name in NETWORK_KINDS


PASSAGE_BASELINES = (
    PassageBaseline("random vocabulary word", "random", "LAMBADA 4", (COUNTS,)),
    PassageBaseline("random word", "random", "LAMBADA 4"),
    PassageBaseline("random word type", "random", "LAMBADA 4"),
    PassageBaseline("random capitalised word", "random", "LAMBADA 4", of_case=True),
    *(PassageBaseline(rule, "rule", "", of_case=rule in RULES_OF_CASE) for rule in RULES),
    PassageBaseline("n-gram", "model", "LAMBADA 4", (COUNTS, NGRAMS)),
    PassageBaseline("n-gram + cache", "model", "LAMBADA 4", (COUNTS, NGRAMS)),
    *(
        PassageBaseline(name, "model", "LAMBADA 4", (COUNTS, kind))
        for name, kind in NETWORK_KINDS.items()
    ),
)


def pick(only: Sequence[str]) -> list[PassageBaseline]:
    """Baselines of these names and kinds, in table order; all but networks if `only` is empty."""
    names = [row.name for row in PASSAGE_BASELINES]
    kinds = [*dict.fromkeys(row.kind for row in PASSAGE_BASELINES), USER]
    choices = f"{', '.join(names)}; the kinds {', '.join(kinds)}"
    check_known(only, {*names, *kinds}, noun="passages", choices=choices)
    if not only:
        return [row for row in PASSAGE_BASELINES if not row.is_network]
    return [row for row in PASSAGE_BASELINES if row.name in only or row.kind in only]


# ---- Models over a closed vocabulary

# Weight of the cache; not given in the paper. It maximizes the likelihood of 700,000 unfiltered
# passages of novels.
CACHE_WEIGHT = 0.06
_BATCH_PASSAGES = 64  # passages per batch; 15 MB with 60,000 words


class PassageModel(Protocol):
    def all_log_probs(
        self, ids: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """ln P of every number as the last word: float32, shape (n, V + 2)."""
        ...


class NgramPassages:
    """An n-gram model, which sees only the target's sentence; `unknown`: its word for rare words."""

    def __init__(self, index: ForwardIndex, words: Sequence[str], *, unknown: str) -> None:
        self._index = index
        self._read_as = np.array([index.start, *index.ids([*words, unknown])], np.int64)
        self._label_of = np.array([index.end, *index.ids([*words, unknown])], np.int64)

    def all_log_probs(
        self, ids: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        histories, _ = histories_of_last(
            self._read_as[ids], lengths, order=self._index.order, start=self._index.start
        )
        result = np.empty((len(lengths), len(self._label_of)), np.float32)
        for row, history in enumerate(histories):
            words = [self._index.words[i] for i in history[history >= 0].tolist()]
            result[row] = self._index.next_word_log10_probs(words)[self._label_of]
        result *= np.float32(np.log(10))
        return result


class CachedPassages:
    """A model with a cache of the passage (`models.unigram_cache`): (1 - w) P(word) + w C(word)."""

    def __init__(self, model: PassageModel, *, weight: float = CACHE_WEIGHT) -> None:
        self._model, self._weight = model, weight

    def all_log_probs(
        self, ids: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        probs = np.exp(self._model.all_log_probs(ids, lengths))
        probs *= np.float32(1 - self._weight)
        shares = cache_shares(ids, lengths, separator=SEPARATOR, size=probs.shape[1])
        probs += np.float32(self._weight) * shares
        return np.asarray(np.log(probs, out=probs))


def score_targets(
    model: PassageModel, ids: NDArray[np.int64], lengths: NDArray[np.int64], *, words: Sequence[str]
) -> TargetScores:
    """A model's scores of the targets; `ids` and `lengths` from `number_passages`.

    *Read:* the target is always a word, so ranks and accuracy leave out the end of a sentence, the
    unknown word and punctuation.
    """
    ends, size = np.cumsum(lengths), len(words)
    targets, marks = ids[ends - 1], np.flatnonzero([not is_word(word) for word in words])
    known = targets <= size
    log10_prob, rank = np.empty(len(lengths)), np.empty(len(lengths))
    for first in range(0, len(lengths), _BATCH_PASSAGES):
        rows = slice(first, first + _BATCH_PASSAGES)
        begin, end = int(ends[first] - lengths[first]), int(ends[rows][-1])
        log_probs = model.all_log_probs(ids[begin:end], lengths[rows])
        own = np.take_along_axis(log_probs, targets[rows, None], axis=1)[:, 0]
        log10_prob[rows] = np.minimum(own.astype(np.float64) / np.log(10), 0)
        guesses = log_probs[:, 1 : size + 1]
        guesses[:, marks] = -np.inf
        rank[rows] = ranks(guesses, np.where(known[rows], targets[rows] - 1, -1))
    return TargetScores.by_rank(log10_prob, rank, known)


_NO_CASE = "not measured: the file has no capital letters"


@dataclass(frozen=True, slots=True, eq=False)
class PassageResult:
    """One baseline on one set; `ids` and `right` only if results per passage are known."""

    row: PassageRow
    ids: tuple[str, ...] = ()
    right: NDArray[np.bool_] | None = None
    scores: TargetScores | None = None

    def predictions(self) -> Iterator[dict[str, Any]]:
        for i, passage_id in enumerate(self.ids):
            scores = self.scores
            rank = None if scores is None or np.isnan(scores.rank[i]) else float(scores.rank[i])
            yield {
                "baseline": self.row.name, "id": passage_id, "set": self.row.set,
                "log10_prob": None if scores is None else round(float(scores.log10_prob[i]), 6), "rank": rank,
                "right": None if self.right is None else bool(self.right[i]),
            }  # fmt: skip


def random_result(
    row: PassageBaseline, of_set: str, passages: Sequence[PassageExample], *, words: Sequence[str]
) -> PassageResult:
    tokens, cased = [one.tokens for one in passages], [one.cased for one in passages]
    if row.of_case and not all(cased):
        return _without_case(row, of_set, len(passages))
    names = row.name, row.kind, "exact expectation"
    if words:
        vocabulary, targets = frozenset(words), [one.target for one in passages]
        metrics = chance_metrics(
            random_vocabulary_word(targets, vocabulary),
            perplexity=float(len(words)),
            median_rank=(len(words) + 1) / 2,
            coverage=float(np.mean([target in vocabulary for target in targets])),
        )
        return PassageResult(_row(names, of_set, metrics))
    measures = {"random word": random_word, "random word type": random_word_type}
    probs = random_capitalised_word(cased) if row.of_case else measures[row.name](tokens)
    return PassageResult(_row(names, of_set, chance_metrics(probs)))


def chance_metrics(probs: NDArray[np.float64], **more: float) -> PassageMetrics:
    """Expected accuracy of guessing with a normal 95 % interval; `probs`: P(right), shape (n,).

    >>> found = chance_metrics(np.array([0.5, 0.0]))
    >>> found.accuracy, found.low, found.n, found.correct
    (0.25, 0.0, 2, None)
    """
    n, mean = len(probs), float(probs.mean())
    reach = Z95 * math.sqrt(float((probs * (1 - probs)).sum())) / n
    return PassageMetrics(
        n=n, correct=None, accuracy=mean, low=max(0.0, mean - reach), high=min(1.0, mean + reach), **more
    )  # fmt: skip


def rule_result(
    row: PassageBaseline, of_set: str, passages: Sequence[PassageExample]
) -> PassageResult:
    if row.of_case and not all(one.cased for one in passages):
        return _without_case(row, of_set, len(passages))
    hits = rule_hits([one.cased or one.tokens for one in passages], row.name)
    n, correct = len(hits), int(hits.sum())
    low, high = wilson_interval(correct, n)
    metrics = PassageMetrics(n=n, correct=correct, accuracy=correct / n, low=low, high=high)
    ids = tuple(one.id for one in passages)
    margin = clustered_margin(hits, [one.book for one in passages])
    row_of_rule = _row((row.name, "rule", ""), of_set, metrics, book_margin=margin)
    return PassageResult(row_of_rule, ids, hits)


def scored_result(
    names: tuple[str, str, str], of_set: str, passages: Sequence[PassageExample], scores: TargetScores
) -> PassageResult:  # fmt: skip
    right, books = scores.right, [one.book for one in passages]
    margin = None if right is None else clustered_margin(right, books)
    row = _row(names, of_set, measure(scores), book_margin=margin)
    return PassageResult(row, tuple(one.id for one in passages), scores.right, scores)


def _row(
    names: tuple[str, str, str], of_set: str, metrics: PassageMetrics, *, note: str = "",
    book_margin: float | None = None,
) -> PassageRow:  # fmt: skip
    name, kind, source = names
    return PassageRow(
        name=name, kind=kind, source=source, set=of_set, note=note, book_margin=book_margin,
        **dict(metrics),
    )  # fmt: skip


def _without_case(row: PassageBaseline, of_set: str, n: int) -> PassageResult:
    metrics = PassageMetrics(n=n, correct=None, accuracy=None, low=None, high=None)
    return PassageResult(_row((row.name, row.kind, ""), of_set, metrics, note=_NO_CASE))
