"""The signals of a passage: the two readers asked, with what the training half of the novels knows of words."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cloze_gen.english.names import PASSAGE_RULES, content_words
from cloze_gen.english.stems import stem
from cloze_gen.english.treebank import host
from cloze_gen.recipes.lambada.steps.readers import Signals, echo_probs, echoes, lift, trigger_probs, with_form
from cloze_gen.settings import MOST_EACH

if TYPE_CHECKING:
    import scipy.sparse as sp

    from cloze_gen.lm.forward_index import ForwardIndex
    from cloze_gen.stats.associations import Associations

LEAST_ASSOCIATION = 10.0  # nats, summed over the context's words; below it a context does not speak of the target


@dataclass(frozen=True, eq=False)
class ReaderModels:
    """What the readers know.

    Attributes:
        index: n-gram model of the training half, V words.
        freq: float64, shape (V,): share of tokens of each word of the index.
        folded_freq: case-folded share of word tokens of a word in small letters; 0 for an unknown one.
        class_of: int64, shape (V,): class of each word of the index.
        class_probs: float64, shape (C,): share of tokens of each class.
        unknown_class: class of a word that the index lacks: in small letters, capitalised.
        option_ids: int64, shape (W,): id in the index of each word that has associations.
        row_of: such a word -> its row.
        column_of: word that tells a topic -> its column.
        associations: of the W words with the words that tell a topic.
        by_topic: float32, sparse, shape (topic words, W): the same, turned.
        max_echo_freq: inclusive, share of word tokens; of novels, the 250 commonest content words (*time*, *man*, *eyes*) are above 4e-4.
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
        """P(word) of every word of the index, `<s>` 0; shape (V,)."""
        probs = np.float32(10) ** np.asarray(self.index.levels[0].log10_prob, np.float32)
        probs[self.index.start] = 0
        return probs

    @functools.cached_property
    def unigram_class_probs(self) -> NDArray[np.float64]:
        """The same, summed by class; shape (C,)."""
        return np.bincount(self.class_of, self.unigram_probs, len(self.class_probs)).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Guesses:
    """What the two readers make of a target: how likely each says it, and how many words each would sooner say."""

    read_prob: float
    read_rank: int
    alone_prob: float
    alone_rank: int


def signals_of(
    passage_id: str, context: Sequence[str], sentence: Sequence[str], target: str, *, span: tuple[str, int, int], models: ReaderModels
) -> Signals:
    """Ask both readers of one passage. Where nothing speaks for its target none is asked: its probabilities are 0, and no rule is tried.

    Args:
        context, sentence: own tokens of the context, and of the target sentence before the target.
        span: book, start and end of the passage's text.
    """
    before, folded = (*context, *sentence), target.casefold()
    words = set(content_words(context))
    in_context = folded in {host(token).casefold() for token in context}
    if folded in words or (not in_context and target.islower() and stem(target) in {stem(word) for word in words}):
        found = echo_guesses(context, sentence, target, models=models)
    else:
        found = None if in_context else trigger_guesses(context, sentence, target, models=models)
    if found is None:
        return Signals(passage_id, *span, folded, in_context, 0.0, 0.0, MOST_EACH, sentence_tokens=len(sentence))
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


def echo_guesses(context: Sequence[str], sentence: Sequence[str], target: str, *, models: ReaderModels) -> Guesses | None:
    """A reader who looks for the target among the words of the passage, beside the n-gram model; None where it is a commonplace."""
    found = with_form(echoes(context, sentence, freq_of=models.folded_freq, max_freq=models.max_echo_freq), target)
    place = next((place for place, echo in enumerate(found) if echo.word.casefold() == target.casefold()), None)
    if place is None:
        return None
    probs, class_probs = next_probs(sentence, models)
    ids = np.array(models.index.ids([echo.word for echo in found]), np.int64)
    unknown = ids == models.index.unknown
    by_case = np.array([models.unknown_class[echo.word[:1].isupper()] for echo in found], np.int64)
    classes = np.where(unknown, by_case, models.class_of[ids])
    ratio = class_probs / np.maximum(models.class_probs, 1e-9)
    read = echo_probs(found, lift(np.where(unknown, 0.0, probs[ids]), models.freq[ids], ratio[classes]))
    return _guesses(read, place, probs, int(ids[place]) if not unknown[place] else -1)


def trigger_guesses(context: Sequence[str], sentence: Sequence[str], target: str, *, models: ReaderModels) -> Guesses | None:
    """A reader who asks what the context speaks of, beside one who asks it of the sentence; None where it hardly speaks of the target."""
    row = models.row_of.get(target, -1)
    near, far = (
        np.array(sorted({models.column_of[token] for token in tokens if token in models.column_of}), np.int64)
        for tokens in (sentence, context)
    )
    if row < 0 or models.associations.mean_with([row], far)[0] * len(far) < LEAST_ASSOCIATION:
        return None
    of_sentence, of_context = (np.asarray(models.by_topic[columns].sum(axis=0), np.float64).ravel() for columns in (near, far))
    options = next_probs(sentence, models)[0][models.option_ids].astype(np.float64)
    return _guesses(trigger_probs(options, of_sentence + of_context), row, trigger_probs(options, of_sentence), row)


def next_probs(sentence: Sequence[str], models: ReaderModels) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """P(word | sentence) of every word of the index, and P(class | sentence): what `next_word_log10_probs` tells, and its sums by class.

    Only what a history lists is looked at anew; the rest is the words alone, made smaller. That spares a power of ten a word.

    Returns:
        float32, shape (V,), and float64, shape (C,).
    """
    index = models.index
    probs, classes = models.unigram_probs.copy(), models.unigram_class_probs.copy()
    for n, row in enumerate(index.context_rows(index.ids(["<s>", *sentence][-(index.order - 1) :])), start=1):
        backoff = 10.0 ** float(index.levels[n - 1].log10_backoff[row])
        words, log10_prob = index.continuations(n, row)
        listed = np.float32(10) ** log10_prob
        probs *= np.float32(backoff)
        classes *= backoff
        classes += np.bincount(models.class_of[words], listed - probs[words], len(classes))
        probs[words] = listed
    return probs, classes


def _guesses(read: NDArray[np.floating], read_place: int, alone: NDArray[np.floating], alone_place: int) -> Guesses:
    """The two distributions at the target; what a reader does not know at all is never said."""
    told, known = read[read_place], alone_place >= 0
    own = alone[alone_place] if known else 0.0
    return Guesses(float(told), int((read > told).sum()), float(own), int((alone > own).sum()) if known else MOST_EACH)
