"""Models of a reader: guesses from the whole passage, and from the target's sentence alone.

*Echo*: the context contains the target or a form of it. A cache is weighted by an n-gram model
(Kneser et al. 1997); the weight of a word is its *lift* times its count to the power 0.7 (Church
2000). *Trigger*: n-gram probabilities times associations with words of the passage (Rosenfeld 1996).
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cloze_gen.corpus.frequencies import read_counts, read_form_counts
from cloze_gen.english.content_words import content_words, stem
from cloze_gen.english.penn_tags import TAGS_OF_CLASS
from cloze_gen.english.treebank import host
from cloze_gen.models.contexts import read_context_space
from cloze_gen.models.language_model import open_index
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.records.passage import Passage
from cloze_gen.store.artifacts import Artifact

MAX_ECHO_FREQ = 4e-4  # greatest share of a word that a reader repeats
_FEW_ECHOES = 90  # tokens of such a word in a small corpus
REPEAT_EXPONENT = 0.7
IN_SENTENCE_FACTOR = 0.15  # factor of a word that occurs in the target sentence
MAX_LIFT = 200.0  # limits the noise of rare counts
# Weight of all words outside the passage. The content words of a passage have a similar weight in
# total (median 29 on 75,000 survivors).
OTHER_WORDS_WEIGHT = 30.0
# The associations of a passage's words are not independent, so each counts a fifth.
ASSOCIATION_WEIGHT = 0.2
# In nats, summed over the words of the context; below it a context is unrelated to the target.
MIN_ASSOCIATION = 10.0


@dataclass(frozen=True, slots=True)
class Guesses:
    """Probabilities of the target; 0 if nothing supports it.

    `read_`: after the whole passage; `alone_`: after its sentence alone.
    """

    read_prob: float = 0.0
    alone_prob: float = 0.0


# ---- the n-gram model


class NextWords:
    """P(word | sentence) of the n-gram model, also summed over classes of words.

    `class_of`: the class of each of the V words of the index, one of C = `n_classes`.
    """

    def __init__(self, index: ForwardIndex, class_of: NDArray[np.int64], n_classes: int) -> None:
        self.index = index
        self.class_of = class_of
        unigram_probs = (np.float32(10) ** index.levels[0].log10_prob).astype(np.float32)
        unigram_probs[index.start] = 0
        self._unigram_probs: NDArray[np.float32] = unigram_probs
        class_probs = np.bincount(class_of, unigram_probs, n_classes)
        self._unigram_class_probs: NDArray[np.float64] = class_probs.astype(np.float64)

    def probs(self, sentence: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """float32, shape (V,): P(word | sentence); float64, shape (C,): P(class | sentence)."""
        index = self.index
        probs = self._unigram_probs.copy()
        classes = self._unigram_class_probs.copy()
        history = index.ids(["<s>", *sentence][-(index.order - 1) :])
        for n, row in enumerate(index.context_rows(history), start=1):
            backoff = 10.0 ** float(index.levels[n - 1].log10_backoff[row])
            words, log10_prob = index.continuations(n, row)
            listed = np.float32(10) ** log10_prob
            probs *= np.float32(backoff)
            classes *= backoff
            classes += np.bincount(self.class_of[words], listed - probs[words], len(classes))
            probs[words] = listed
        return probs, classes


# ---- echo


@dataclass(frozen=True, slots=True)
class Echo:
    """A content word of a passage, spelled as in its last mention."""

    word: str
    count: int
    in_sentence: bool


@dataclass(frozen=True, eq=False)
class EchoReader:
    """Guesses a word that the passage mentions.

    Attributes:
        freq, class_probs: shapes (V,), (C,): shares of tokens of each word, of each class.
        folded_freq: case-folded share of word tokens; without unknown words.
        unknown_class: of a word not in the index: in small letters, capitalised.
        max_freq: greatest share of a word that is repeated.
    """

    next_words: NextWords
    freq: NDArray[np.float64]
    class_probs: NDArray[np.float64]
    folded_freq: Mapping[str, float]
    unknown_class: tuple[int, int]
    max_freq: float

    def guess(self, context: Sequence[str], sentence: Sequence[str], target: str) -> Guesses:
        """By echo, and by the n-gram model alone; no guess if the target is too frequent."""
        mentioned = echoes(context, sentence, freqs=self.folded_freq, max_freq=self.max_freq)
        words = [echo.word for echo in with_form(mentioned, target)]
        folded = [word.casefold() for word in words]
        if target.casefold() not in folded:
            return Guesses()
        place = folded.index(target.casefold())
        index = self.next_words.index
        ids = np.array(index.ids(words), np.int64)
        unknown = ids == index.unknown
        by_case = np.array([self.unknown_class[word[:1].isupper()] for word in words], np.int64)
        classes = np.where(unknown, by_case, self.next_words.class_of[ids])
        probs, class_probs = self.next_words.probs(sentence)
        ratio = class_probs / np.maximum(self.class_probs, 1e-9)
        lifts = lift(np.where(unknown, 0.0, probs[ids]), self.freq[ids], ratio[classes])
        read_prob = echo_probs(mentioned, lifts)[place]
        alone_prob = 0.0 if unknown[place] else probs[ids[place]]
        return Guesses(float(read_prob), float(alone_prob))


def echoes(
    context: Sequence[str],
    sentence: Sequence[str],
    *,
    freqs: Mapping[str, float],
    max_freq: float,
) -> list[Echo]:
    """The content words of a passage up to `max_freq`, in order of first mention.

    >>> echoes("Joe lit the lamp .".split(), "The lamp lit up".split(), freqs={}, max_freq=1e-3)[0]
    Echo(word='Joe', count=1, in_sentence=False)
    """
    mentioned: dict[str, Echo] = {}
    for tokens, in_sentence in ((context, False), (sentence, True)):
        for token in tokens:
            for folded in content_words((token,)):
                if freqs.get(folded, 0.0) > max_freq:
                    continue
                before = mentioned.get(folded, Echo(token, 0, False))
                mentioned[folded] = Echo(
                    host(token), before.count + 1, before.in_sentence or in_sentence
                )
    return list(mentioned.values())


def with_form(mentioned: Sequence[Echo], target: str) -> list[Echo]:
    """The words with another form of the target replaced by it: *ladies* supports *lady*.

    >>> with_form([Echo("ladies", 2, False), Echo("Joe", 1, False)], "lady")[0]
    Echo(word='lady', count=2, in_sentence=False)
    """
    root = stem(target)
    return [replace(echo, word=target) if stem(echo.word) == root else echo for echo in mentioned]


def lift(
    probs: NDArray[np.float64], freq: NDArray[np.float64], class_ratio: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Shape (n,), at most `MAX_LIFT`: mean of the likelihood ratios of each word and of its class.

    >>> lift(np.array([1e-3, 0]), np.array([1e-4, 1e-7]), np.array([2.0, 5.0])).tolist()
    [6.0, 2.5]
    """
    word_ratio = np.asarray(probs, np.float64) / np.maximum(freq, 1e-7)
    return np.minimum((word_ratio + class_ratio) / 2, MAX_LIFT)


def echo_probs(mentioned: Sequence[Echo], lifts: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64, shape (n,): probability of each word of the passage; sums to 1 with `OTHER_WORDS_WEIGHT`.

    >>> echo_probs([Echo("Joe", 1, False), Echo("lamp", 1, True)], np.array([30.0, 30.0])).round(2).tolist()
    [0.47, 0.07]
    """
    counts = np.array([echo.count for echo in mentioned], np.float64)
    factors = np.where([echo.in_sentence for echo in mentioned], IN_SENTENCE_FACTOR, 1.0)
    weights = counts**REPEAT_EXPONENT * factors * lifts
    return weights / (weights.sum() + OTHER_WORDS_WEIGHT)


# ---- trigger


@dataclass(frozen=True, eq=False)
class TriggerReader:
    """Guesses one of W words that are associated with words of the passage.

    Attributes:
        option_ids: shape (W,): ids in the index.
        option_of: place of each of the W words.
        topic_row_of: row of each topic word in `associations`.
        associations: float32, sparse, shape (topic words, W): mutual information in nats.
    """

    next_words: NextWords
    option_ids: NDArray[np.int64]
    option_of: Mapping[str, int]
    topic_row_of: Mapping[str, int]
    associations: sp.csr_matrix

    def guess(self, context: Sequence[str], sentence: Sequence[str], target: str) -> Guesses:
        """By triggers of the passage, and of the sentence; no guess if the context is unrelated."""
        place = self.option_of.get(target)
        if place is None:
            return Guesses()
        of_context = self._associations_with(context)
        if of_context[place] < MIN_ASSOCIATION:
            return Guesses()
        of_sentence = self._associations_with(sentence)
        probs, _ = self.next_words.probs(sentence)
        options = probs[self.option_ids].astype(np.float64)
        read_probs = trigger_probs(options, of_sentence + of_context)
        alone_probs = trigger_probs(options, of_sentence)
        return Guesses(float(read_probs[place]), float(alone_probs[place]))

    def _associations_with(self, tokens: Sequence[str]) -> NDArray[np.float64]:
        """Shape (W,): the sum over the types among the tokens."""
        rows = {self.topic_row_of[token] for token in tokens if token in self.topic_row_of}
        sums = self.associations[np.array(sorted(rows), np.int64)].sum(axis=0)
        return np.asarray(sums, np.float64).ravel()


def trigger_probs(
    probs: NDArray[np.float64], associations: NDArray[np.float64]
) -> NDArray[np.float64]:
    """float64, shape (W,), sums to 1: `probs` raised by associations (mutual information in nats).

    >>> trigger_probs(np.array([0.01, 0.01]), np.array([0.0, 10.0])).round(2).tolist()
    [0.12, 0.88]
    """
    raised = np.exp(ASSOCIATION_WEIGHT * (associations - np.max(associations)))
    weights = np.asarray(probs, np.float64) * raised
    return weights / weights.sum()


# ---- from artifacts


class Readers(NamedTuple):
    echo: EchoReader
    trigger: TriggerReader

    def guess(self, passage: Passage) -> Guesses:
        """By echo if the context has a form of the target, else by trigger; only content words."""
        context = passage.context
        sentence = passage.target_sentence[: passage.target_position]
        target = passage.target
        if not content_words((target,)):
            return Guesses()
        words = set(content_words(context))
        has_form = target.islower() and stem(target) in {stem(word) for word in words}
        if has_form or target.casefold() in words:
            return self.echo.guess(context, sentence, target)
        return self.trigger.guess(context, sentence, target)


_NAME, _NOUN = "NNP", "NN"
_NAME_TAGS = frozenset(TAGS_OF_CLASS["proper_noun"])
# A capitalised type is a name if more than this share of the tokens of its case-folded form are
# names. Other capitalised types begin sentences.
_MIN_NAME_SHARE = 0.3
_UNSEEN = 0.5  # added to every count, for index words that are missing from the counts


@functools.lru_cache(maxsize=1)
def read_readers(
    index: Artifact, counts: Artifact, tagged_counts: Artifact, contexts: Artifact
) -> Readers:
    ngrams = open_index(index)
    table = read_counts(counts)
    space = read_context_space(contexts)
    tags: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for (form, tag), count in read_form_counts(tagged_counts).items():
        tags[form][tag] = count
    names = sorted({tag for of_form in tags.values() for tag in of_form} | {_NAME, _NOUN})
    number = {tag: i for i, tag in enumerate(names)}
    class_of = np.array(
        [number[word_class(word, tags.get(word.casefold(), {}))] for word in ngrams.words], np.int64
    )
    count_of = dict(zip(table.words, table.count.tolist(), strict=True))
    index_counts = np.array([count_of.get(word, 0) + _UNSEEN for word in ngrams.words], np.float64)
    freq = index_counts / max(1, int(table.count.sum()))
    class_freq = np.bincount(class_of, freq, len(names))
    next_words = NextWords(ngrams, class_of, len(names))
    echo = EchoReader(
        next_words,
        freq=freq,
        class_probs=class_freq / class_freq.sum(),
        folded_freq={
            word.casefold(): share
            for word, share in zip(table.words, table.freq.tolist(), strict=True)
        },
        unknown_class=(number[_NOUN], number[_NAME]),
        max_freq=max(MAX_ECHO_FREQ, _FEW_ECHOES / max(1, table.word_tokens)),
    )
    pairs = space.associations
    by_option = sp.csr_matrix(
        (np.asarray(pairs.pmi, np.float32), np.asarray(pairs.feature, np.int32), pairs.start),
        shape=(len(space.row_of), len(space.column_of)),
    )
    trigger = TriggerReader(
        next_words,
        option_ids=np.array(ngrams.ids(list(space.row_of)), np.int64),
        option_of=space.row_of,
        topic_row_of=space.column_of,
        associations=by_option.T.tocsr(),
    )
    return Readers(echo, trigger)


def word_class(word: str, tag_counts: Mapping[str, int]) -> str:
    """The most frequent Penn tag of a type; a capitalised type that is often a name is a name.

    >>> word_class("Will", {"MD": 90, "NNP": 10}), word_class("Rose", {"VBD": 40, "NNP": 60}), word_class("rose", {"VBD": 40, "NNP": 60})
    ('MD', 'NNP', 'VBD')
    >>> word_class("Pip", {}), word_class("whatsit", {})
    ('NNP', 'NN')
    """
    capitalised = word[:1].isupper()
    if not tag_counts:
        return _NAME if capitalised else _NOUN
    name_count = sum(tag_counts.get(tag, 0) for tag in _NAME_TAGS)
    if capitalised and name_count > _MIN_NAME_SHARE * sum(tag_counts.values()):
        return _NAME
    others = {
        tag: count for tag, count in tag_counts.items() if capitalised or tag not in _NAME_TAGS
    }
    return max(sorted(others), key=others.__getitem__, default=_NOUN)
