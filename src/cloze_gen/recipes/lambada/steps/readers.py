"""What a reader of the whole passage would guess, and what a reader of the sentence alone, without asking anybody.

Two ways lead a reader to a word that the sentence alone does not give:

- *Echo*: the word, or a form of it, stands in the context already (84 % of the published targets). Of the content words of the passage
  that one is said which fits the gap best and was dwelt on most: its weight is its *lift*, how many times likelier the words right before
  the gap make it than it is anywhere, times its number of mentions to the power 0.7 (Church 2000: one mention tells nearly as much as two).
  A word that the sentence itself has named is seldom its end. This is a cache whose words are weighed by the n-gram model (Kneser et al.
  1997), not added to it: the cache of the committee asks how often a word was said, this one which of the words said can stand here.
- *Trigger*: the context speaks of what belongs with the word (Rosenfeld 1996). The n-gram's probabilities are multiplied by the word's
  associations with the content words of the passage.

Nothing here is fitted to any set of passages, ours or published; the numbers are rough on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cloze_gen.english.names import content_words
from cloze_gen.english.stems import stem
from cloze_gen.english.treebank import host
from cloze_gen.settings import MOST_EACH

REPEAT_EXPONENT = 0.7
SAID_IN_SENTENCE = 0.15  # weight of a word that the target sentence itself has named
MOST_LIFT = 200.0  # beyond it counts of rare words are all there is
DOUBT = 30.0  # weight of all that is not in the passage; its content words together weigh about as much (median 29 on 75,000 survivors)
ASSOCIATION_WEIGHT = 0.2  # associations of a passage's words are not independent; each counts a fifth


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of a survivor before anybody reads it.

    Attributes:
        target: in small letters.
        in_context: the target stands in the context.
        read_prob: how likely a reader of the whole passage guesses it.
        alone_prob: its probability after the sentence alone, by an n-gram model.
        read_rank, alone_rank: how many words each of the two readers would sooner say.
        sentence_tokens: of the target sentence before the target.
        rules: names of the rules of the passage alone that say it.
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
    """A content word of a passage, as its last mention spells it.

    Attributes:
        count: mentions before the gap.
        in_sentence: one of them in the target sentence.
    """

    word: str
    count: int
    in_sentence: bool


def echoes(context: Sequence[str], sentence: Sequence[str], *, freq_of: Callable[[str], float], max_freq: float) -> list[Echo]:
    """The content words of a passage that are no commonplace, in the order of their first mention.

    Args:
        sentence: tokens of the target sentence before the target.
        freq_of: case-folded share of word tokens.
        max_freq: inclusive; commoner words are nobody's echo.

    >>> echoes("Joe lit the lamp .".split(), "The lamp lit up".split(), freq_of=lambda word: 0.0, max_freq=1e-3)[0]
    Echo(word='Joe', count=1, in_sentence=False)
    """
    found: dict[str, Echo] = {}
    for tokens, in_sentence in ((context, False), (sentence, True)):
        for token in tokens:
            for folded in content_words((token,)):
                if freq_of(folded) <= max_freq:
                    before = found.get(folded, Echo(token, 0, False))
                    found[folded] = Echo(host(token), before.count + 1, before.in_sentence or in_sentence)
    return list(found.values())


def with_form(found: Sequence[Echo], target: str) -> list[Echo]:
    """The same words, but another form of the target in the target's own: *ladies* speaks for *lady* where grammar asks for it.

    What passages are asked whose target is not in their context; unchanged where no form of it is.

    >>> with_form([Echo("ladies", 2, False), Echo("Joe", 1, False)], "lady")[0]
    Echo(word='lady', count=2, in_sentence=False)
    """
    root = stem(target)
    return [replace(echo, word=target) if stem(echo.word) == root else echo for echo in found]


def lift(probs: NDArray[np.float64], freq: NDArray[np.float64], class_ratio: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many times likelier a gap makes words than they are anywhere; the mean of what is known of the word and of its class.

    Args:
        probs: shape (n,): of each word after the words before the gap; 0 for one that the model does not know.
        freq: shape (n,): share of tokens of each word.
        class_ratio: shape (n,): P(class | the words before the gap) / P(class), of each word's class.
    Returns:
        float64, shape (n,), at most `MOST_LIFT`.

    >>> lift(np.array([1e-3, 0]), np.array([1e-4, 1e-7]), np.array([2.0, 5.0])).tolist()
    [6.0, 2.5]
    """
    return np.minimum((np.asarray(probs, np.float64) / np.maximum(freq, 1e-7) + class_ratio) / 2, MOST_LIFT)


def echo_probs(found: Sequence[Echo], lifts: NDArray[np.float64]) -> NDArray[np.float64]:
    """How likely a reader of the passage says each of its words; float64, shape (n,), with `DOUBT` for all other words summing to 1.

    >>> echo_probs([Echo("Joe", 1, False), Echo("lamp", 1, True)], np.array([30.0, 30.0])).round(2).tolist()
    [0.47, 0.07]
    """
    counts = np.array([echo.count for echo in found], np.float64)
    weights = counts**REPEAT_EXPONENT * np.where([echo.in_sentence for echo in found], SAID_IN_SENTENCE, 1.0) * lifts
    return weights / (weights.sum() + DOUBT)


def trigger_probs(probs: NDArray[np.float64], associations: NDArray[np.float64]) -> NDArray[np.float64]:
    """How likely a reader says each word of a vocabulary, given what it is associated with.

    Args:
        probs: shape (V,): of each word after the words before the gap.
        associations: shape (V,): sum of each word's mutual information with the content words that the reader has seen, in nats.
    Returns:
        float64, shape (V,); sums to 1.

    >>> trigger_probs(np.array([0.01, 0.01]), np.array([0.0, 10.0])).round(2).tolist()
    [0.12, 0.88]
    """
    weights = np.asarray(probs, np.float64) * np.exp(ASSOCIATION_WEIGHT * (associations - np.max(associations)))
    return weights / weights.sum()
