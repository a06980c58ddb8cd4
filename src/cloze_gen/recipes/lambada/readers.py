"""Model of a reader: guesses from the whole passage, and from the target's sentence alone.

*Echo*: the context contains the target or a form of it. A cache is weighted by an n-gram model
(Kneser et al. 1997); the weight of a word is its *lift* times its count to the power 0.7 (Church
2000). *Trigger*: n-gram probabilities times associations with words of the passage (Rosenfeld 1996).
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cloze_gen.corpus.frequencies import read_counts, read_form_counts
from cloze_gen.english.content_words import PASSAGE_RULES, content_words, stem
from cloze_gen.english.penn_tags import TAGS_OF_CLASS
from cloze_gen.english.treebank import host
from cloze_gen.models.context_vectors import Associations
from cloze_gen.models.contexts import read_context_space
from cloze_gen.models.language_model import open_index
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.settings import MOST_EACH
from cloze_gen.store.artifacts import Artifact

REPEAT_EXPONENT = 0.7
IN_SENTENCE_FACTOR = 0.15  # factor of a word that occurs in the target sentence
MAX_LIFT = 200.0  # limits the noise of rare counts
# Weight of all words outside the passage. The content words of a passage have a similar weight in
# total (median 29 on 75,000 survivors).
OTHER_WORDS_WEIGHT = 30.0
ASSOCIATION_WEIGHT = (
    0.2  # the associations of a passage's words are not independent, so each counts a fifth
)


@dataclass(frozen=True, slots=True)
class Signals:
    """Computed signals of a passage, before people judge it.

    Attributes:
        read_prob, alone_prob: P(target) after the passage, and after the sentence alone.
        read_rank, alone_rank: number of words that each reader finds more probable.
        rules: the rules of the passage alone that predict it.
        capitalised_share: share of the capitalised words before the target that are the target.
    """

    id: str
    book_id: str
    start: int
    end: int
    target: str
    in_context: bool
    read_prob: float
    alone_prob: float
    read_rank: int = 0
    alone_rank: int = MOST_EACH
    sentence_tokens: int = 0
    rules: frozenset[str] = frozenset()
    capitalised_share: float = 0.0


@dataclass(frozen=True, slots=True)
class Echo:
    """A content word of a passage, spelled as in its last mention."""

    word: str
    count: int
    in_sentence: bool


def echoes(
    context: Sequence[str],
    sentence: Sequence[str],
    *,
    freq_of: Callable[[str], float],
    max_freq: float,
) -> list[Echo]:
    """The content words of a passage up to `max_freq`, in order of first mention.

    >>> echoes("Joe lit the lamp .".split(), "The lamp lit up".split(), freq_of=lambda word: 0.0, max_freq=1e-3)[0]
    Echo(word='Joe', count=1, in_sentence=False)
    """
    found: dict[str, Echo] = {}
    for tokens, in_sentence in ((context, False), (sentence, True)):
        for token in tokens:
            for folded in content_words((token,)):
                if freq_of(folded) <= max_freq:
                    before = found.get(folded, Echo(token, 0, False))
                    found[folded] = Echo(
                        host(token), before.count + 1, before.in_sentence or in_sentence
                    )
    return list(found.values())


def with_form(found: Sequence[Echo], target: str) -> list[Echo]:
    """The words with another form of the target replaced by it: *ladies* supports *lady*.

    >>> with_form([Echo("ladies", 2, False), Echo("Joe", 1, False)], "lady")[0]
    Echo(word='lady', count=2, in_sentence=False)
    """
    root = stem(target)
    return [replace(echo, word=target) if stem(echo.word) == root else echo for echo in found]


def lift(
    probs: NDArray[np.float64], freq: NDArray[np.float64], class_ratio: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Shape (n,), at most `MAX_LIFT`: mean of the likelihood ratios of each word and of its class.

    >>> lift(np.array([1e-3, 0]), np.array([1e-4, 1e-7]), np.array([2.0, 5.0])).tolist()
    [6.0, 2.5]
    """
    return np.minimum(
        (np.asarray(probs, np.float64) / np.maximum(freq, 1e-7) + class_ratio) / 2, MAX_LIFT
    )


def echo_probs(found: Sequence[Echo], lifts: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64, shape (n,): probability of each word of the passage; sums to 1 with `OTHER_WORDS_WEIGHT`.

    >>> echo_probs([Echo("Joe", 1, False), Echo("lamp", 1, True)], np.array([30.0, 30.0])).round(2).tolist()
    [0.47, 0.07]
    """
    counts = np.array([echo.count for echo in found], np.float64)
    weights = (
        counts**REPEAT_EXPONENT
        * np.where([echo.in_sentence for echo in found], IN_SENTENCE_FACTOR, 1.0)
        * lifts
    )
    return weights / (weights.sum() + OTHER_WORDS_WEIGHT)


def trigger_probs(
    probs: NDArray[np.float64], associations: NDArray[np.float64]
) -> NDArray[np.float64]:
    """float64, shape (V,), sums to 1: `probs` raised by associations (mutual information in nats).

    >>> trigger_probs(np.array([0.01, 0.01]), np.array([0.0, 10.0])).round(2).tolist()
    [0.12, 0.88]
    """
    weights = np.asarray(probs, np.float64) * np.exp(
        ASSOCIATION_WEIGHT * (associations - np.max(associations))
    )
    return weights / weights.sum()


# in nats, summed over the words of the context; below it a context is unrelated to the target
MIN_ASSOCIATION = 10.0


@dataclass(frozen=True, eq=False)
class ReaderModels:
    """Data of the reader models; the index has V words, and W of them have associations.

    Attributes:
        freq, class_probs: shapes (V,), (C,): shares of tokens of each word, of each class.
        folded_freq: case-folded share of word tokens; 0 for an unknown word.
        unknown_class: of a word not in the index: in small letters, capitalised.
        option_ids: shape (W,): ids in the index.
        by_topic: float32, sparse, shape (topic words, W): the associations transposed.
    """

    index: ForwardIndex
    freq: NDArray[np.float64]
    folded_freq: Callable[[str], float]
    class_of: NDArray[np.int64]
    class_probs: NDArray[np.float64]
    unknown_class: tuple[int, int]
    option_ids: NDArray[np.int64]
    row_of: Mapping[str, int]
    column_of: Mapping[str, int]
    associations: Associations
    by_topic: sp.csr_matrix
    max_echo_freq: float

    @functools.cached_property
    def unigram_probs(self) -> NDArray[np.float32]:
        probs = np.float32(10) ** np.asarray(self.index.levels[0].log10_prob, np.float32)
        probs[self.index.start] = 0
        return probs

    @functools.cached_property
    def unigram_class_probs(self) -> NDArray[np.float64]:
        return np.bincount(self.class_of, self.unigram_probs, len(self.class_probs)).astype(
            np.float64
        )


@dataclass(frozen=True, slots=True)
class Guesses:
    read_prob: float
    read_rank: int
    alone_prob: float
    alone_rank: int


def signals_of(
    passage_id: str,
    context: Sequence[str],
    sentence: Sequence[str],
    target: str,
    *,
    span: tuple[str, int, int],
    models: ReaderModels,
) -> Signals:
    """The signals of one passage; all probabilities are 0 if nothing supports the target."""
    before, folded = (*context, *sentence), target.casefold()
    words = set(content_words(context))
    in_context = folded in {host(token).casefold() for token in context}
    if folded in words or (
        not in_context and target.islower() and stem(target) in {stem(word) for word in words}
    ):
        found = echo_guesses(context, sentence, target, models=models)
    else:
        found = None if in_context else trigger_guesses(context, sentence, target, models=models)
    if found is None:
        return Signals(
            passage_id,
            *span,
            folded,
            in_context,
            0.0,
            0.0,
            MOST_EACH,
            sentence_tokens=len(sentence),
        )
    capitals = [host(token).casefold() for token in before if token[:1].isupper()]
    return Signals(
        passage_id,
        *span,
        folded,
        in_context,
        found.read_prob,
        found.alone_prob,
        found.read_rank,
        found.alone_rank,
        sentence_tokens=len(sentence),
        rules=frozenset(name for name, rule in PASSAGE_RULES.items() if rule(before) == folded),
        capitalised_share=capitals.count(folded) / len(capitals) if capitals else 0.0,
    )


def echo_guesses(
    context: Sequence[str], sentence: Sequence[str], target: str, *, models: ReaderModels
) -> Guesses | None:
    """Guess by echo, and by the n-gram model alone; None if the target is too frequent."""
    found = with_form(
        echoes(context, sentence, freq_of=models.folded_freq, max_freq=models.max_echo_freq), target
    )
    place = next(
        (place for place, echo in enumerate(found) if echo.word.casefold() == target.casefold()),
        None,
    )
    if place is None:
        return None
    probs, class_probs = next_probs(sentence, models)
    ids = np.array(models.index.ids([echo.word for echo in found]), np.int64)
    unknown = ids == models.index.unknown
    by_case = np.array([models.unknown_class[echo.word[:1].isupper()] for echo in found], np.int64)
    classes = np.where(unknown, by_case, models.class_of[ids])
    ratio = class_probs / np.maximum(models.class_probs, 1e-9)
    read = echo_probs(
        found, lift(np.where(unknown, 0.0, probs[ids]), models.freq[ids], ratio[classes])
    )
    return _guesses(read, place, probs, int(ids[place]) if not unknown[place] else -1)


def trigger_guesses(
    context: Sequence[str], sentence: Sequence[str], target: str, *, models: ReaderModels
) -> Guesses | None:
    """Guess by triggers of the passage, and of the sentence; None if the context is unrelated."""
    row = models.row_of.get(target, -1)
    near, far = (
        np.array(
            sorted({models.column_of[token] for token in tokens if token in models.column_of}),
            np.int64,
        )
        for tokens in (sentence, context)
    )
    if row < 0 or models.associations.pmi_of(np.full(len(far), row), far).sum() < MIN_ASSOCIATION:
        return None
    of_sentence, of_context = (
        np.asarray(models.by_topic[columns].sum(axis=0), np.float64).ravel()
        for columns in (near, far)
    )
    options = next_probs(sentence, models)[0][models.option_ids].astype(np.float64)
    return _guesses(
        trigger_probs(options, of_sentence + of_context),
        row,
        trigger_probs(options, of_sentence),
        row,
    )


def next_probs(
    sentence: Sequence[str], models: ReaderModels
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """float32, shape (V,): P(word | sentence); float64, shape (C,): P(class | sentence)."""
    index = models.index
    probs, classes = models.unigram_probs.copy(), models.unigram_class_probs.copy()
    for n, row in enumerate(
        index.context_rows(index.ids(["<s>", *sentence][-(index.order - 1) :])), start=1
    ):
        backoff = 10.0 ** float(index.levels[n - 1].log10_backoff[row])
        words, log10_prob = index.continuations(n, row)
        listed = np.float32(10) ** log10_prob
        probs *= np.float32(backoff)
        classes *= backoff
        classes += np.bincount(models.class_of[words], listed - probs[words], len(classes))
        probs[words] = listed
    return probs, classes


def _guesses(
    read: NDArray[np.floating], read_place: int, alone: NDArray[np.floating], alone_place: int
) -> Guesses:
    """Probability and rank of the target in both; an unknown word has probability 0."""
    prob, known = read[read_place], alone_place >= 0
    own = alone[alone_place] if known else 0.0
    return Guesses(
        float(prob),
        int((read > prob).sum()),
        float(own),
        int((alone > own).sum()) if known else MOST_EACH,
    )


_NAME, _NOUN = "NNP", "NN"
_NAME_TAGS = frozenset(TAGS_OF_CLASS["proper_noun"])
# A capitalised type is a name if more than this share of the tokens of its case-folded form are
# names. Other capitalised types begin sentences.
_MIN_NAME_SHARE = 0.3
_UNSEEN = 0.5  # added to every count, for index words that are missing from the counts


def read_reader_models(
    *,
    index: Artifact,
    counts: Artifact,
    tagged_counts: Artifact,
    contexts: Artifact,
    max_echo_freq: float,
) -> ReaderModels:
    opened, table, space = open_index(index), read_counts(counts), read_context_space(contexts)
    tags: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for (form, tag), count in read_form_counts(tagged_counts).items():
        tags[form][tag] = count
    names = sorted({tag for found in tags.values() for tag in found} | {_NAME, _NOUN})
    number = {tag: i for i, tag in enumerate(names)}
    class_of = np.array(
        [number[word_class(word, tags.get(word.casefold(), {}))] for word in opened.words], np.int64
    )
    count_of = dict(zip(table.words, table.count.tolist(), strict=True))
    freq = np.array([count_of.get(word, 0) + _UNSEEN for word in opened.words], np.float64) / max(
        1, int(table.count.sum())
    )
    class_probs = np.bincount(class_of, freq, len(names))
    folded_freq = {
        word.casefold(): share for word, share in zip(table.words, table.freq.tolist(), strict=True)
    }
    shape = (len(space.row_of), len(space.column_of))
    found = space.associations
    by_topic = sp.csr_matrix(
        (np.asarray(found.pmi, np.float32), np.asarray(found.feature, np.int32), found.start),
        shape=shape,
    ).T.tocsr()
    return ReaderModels(
        index=opened,
        freq=freq,
        folded_freq=lambda word: folded_freq.get(word, 0.0),
        class_of=class_of,
        class_probs=class_probs / class_probs.sum(),
        unknown_class=(number[_NOUN], number[_NAME]),
        option_ids=np.array(opened.ids(list(space.row_of)), np.int64),
        row_of=space.row_of,
        column_of=space.column_of,
        associations=found,
        by_topic=by_topic,
        max_echo_freq=max_echo_freq,
    )


def word_class(word: str, tag_counts: Mapping[str, int]) -> str:
    """The most frequent Penn tag of a type; a capitalised type that is often a name is a name.

    >>> word_class("Will", {"MD": 90, "NNP": 10}), word_class("Rose", {"VBD": 40, "NNP": 60}), word_class("rose", {"VBD": 40, "NNP": 60})
    ('MD', 'NNP', 'VBD')
    >>> word_class("Pip", {}), word_class("whatsit", {})
    ('NNP', 'NN')
    """
    capitalised = word[:1].isupper()
    name_count = sum(tag_counts.get(tag, 0) for tag in _NAME_TAGS)
    if not tag_counts:
        return _NAME if capitalised else _NOUN
    if capitalised and name_count > _MIN_NAME_SHARE * sum(tag_counts.values()):
        return _NAME
    others = {
        tag: count for tag, count in tag_counts.items() if capitalised or tag not in _NAME_TAGS
    }
    return max(sorted(others), key=others.__getitem__, default=_NOUN)
