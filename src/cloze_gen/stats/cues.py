"""A solver of blanks that never asks what a sentence says: it reads the surface ties of the sentences around a blank and of a candidate.

Quotation marks that must close, words and names that are said again, pronouns that are new or missing, the tense, a turn of speech, an
opening that no passage begins with. A set that it solves is solved by the surface; one on whose blanks it stands at chance is not.
A solver of blanks sees what a reader of the passage sees: sentences that are blanked are no context, neither is their number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cloze_gen.english.cohesion import Opener, Person, SurfaceTies
from cloze_gen.stats.conditional_logit import fit_conditional_logit

_MOST_RARE = 4.0  # so that what is said once in a small set and in a large corpus weighs alike
_DEPTH = 4  # shown sentences on each side that are near a blank
_PERSONS = tuple(Person)
_NO_QUOTES, _WHOLE_SPEECH, _OPENS, _CLOSES, _ODD = range(5)
# (a speech is open before, a speech is open behind) -> the kinds of sentences between that leave all marks balanced
_BALANCED = {
    (False, False): (_NO_QUOTES, _WHOLE_SPEECH),
    (True, True): (_NO_QUOTES,),
    (True, False): (_CLOSES,),
    (False, True): (_OPENS,),
}

CUES = (
    "rare words of the sentence before", "rare words of the sentence behind", "rare words two before", "rare words two behind",
    "share of its echoes that are near", "names of the sentence before", "names of the sentence behind", "names near",
    "pronouns of the sentence before", "pronouns of the sentence behind", "pronouns new here", "pronouns missing",
    "tense of the sentence before", "tense of the sentence behind", "quotation marks balanced", "quotation marks unbalanced",
    "speech like the sentence before", "speech like the sentence behind", "conjunction opens the passage", "question before a speech",
    "pronoun opens the passage", "demonstrative opens the passage",
)  # fmt: skip
# A conditional logit over the candidates of a blank (McFadden 1974), fitted by `training/cues/fit.py` on random blanks of 1,679 passages
# of 293 novels. Of those of 1,621 passages of 283 other novels it fills 32.2 % rightly, where chance is 14.3 %.
WEIGHTS = np.array(
    [0.026, 0.024, 0.01, 0.012, 0.357, -0.302, -0.258, -0.02, 0.301, 0.306, -0.282, 0.876, 0.15, 0.123, 1.389, 0.657, 0.264, 0.273, -0.398,
     0.489, -0.114, 0.13]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TiedPassage:
    """Every sentence of a passage beside every candidate; n sentences, c candidates.

    Attributes:
        echoes: shape (n, c): the rarity of the words of content that both hold, squared and summed.
        names: shape (n, c): names of the sentence that stand in the candidate.
        persons: shape (n, 7), bool: the persons of each sentence's pronouns; `candidate_persons`: shape (c, 7).
        tenses, candidate_tenses: shapes (n,), (c,): 1 past, -1 present, 0.
        speech, candidate_speech: shapes (n,), (c,): how the quotation marks of each stand.
        begins_quoted: shape (n,), bool.
        questions, openers: shape (c,): whether a candidate asks; how it opens, as an index into `Opener`.
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


def tie(sentences: Sequence[SurfaceTies], candidates: Sequence[SurfaceTies], rarity: Callable[[str], float]) -> TiedPassage:
    """The sentences of a passage beside the candidates of its blanks.

    Args:
        rarity: of a stem; of a word said once in ten thousand words 4.
    """
    weight = {stem: rarity(stem) ** 2 for one in candidates for stem in one.stems}
    echoes = np.array([[sum(weight[stem] for stem in one.stems & other.stems) for other in candidates] for one in sentences])
    known = [other.names | {other.first_word} for other in candidates]
    return TiedPassage(
        echoes=echoes.reshape(len(sentences), len(candidates)).astype(np.float64),
        names=np.array([[len(one.names & names) for names in known] for one in sentences], np.float64).reshape(len(sentences), -1),
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
    """How rare a stem is: the decimal logarithm of one in how many sentences it stands, between 0 and 4.

    Args:
        counts: how often each stem is said.
        sentences: how many there are.

    >>> rarity = rarity_of({"lamp": 9, "say": 2_000}, 1_000)
    >>> rarity("lamp"), rarity("say"), rarity("astrolabe")
    (2.0, 0.0, 3.0)
    """
    most = math.log10(max(1, sentences))
    return lambda stem: min(_MOST_RARE, max(0.0, most - math.log10(1 + counts.get(stem, 0))))


def neighbours(blanks: NDArray[np.int64], sentences: int, depth: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The nearest shown sentences on both sides of each blank.

    Args:
        blanks: shape (draws, blanks): places of sentences that are blanked together.
        sentences: of the passage.
    Returns:
        Before and behind, both of shape (draws, blanks, depth), the nearest first, -1 where the passage has none.

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
    return padded[taken, np.where(back >= 0, back, sentences)], padded[taken, np.where(on < count, on, sentences)]


def cue_features(passage: TiedPassage, blanks: NDArray[np.int64]) -> NDArray[np.float64]:
    """What `CUES` name, of every candidate in every blank.

    Args:
        blanks: shape (draws, blanks), as of `neighbours`.
    Returns:
        Shape (draws, blanks, candidates, cues).
    """
    sentences, candidates = passage.echoes.shape
    before, behind = neighbours(blanks, sentences, _DEPTH)
    last, following = before[:, :, 0], behind[:, :, 0]
    near = np.concatenate((before, behind), axis=2)
    echoes, names = _padded(passage.echoes), _padded(passage.names)
    shared = _padded(passage.persons @ passage.candidate_persons.T)
    tenses = _padded(passage.tenses[:, None] * passage.candidate_tenses[None, :])
    speaks = _padded((passage.speech[:, None] > 0) == (passage.candidate_speech[None, :] > 0))
    shown_echoes = passage.echoes.sum(axis=0) - passage.echoes[blanks].sum(axis=1)  # (draws, candidates)
    close = np.concatenate((before[:, :, :2], behind[:, :, :2]), axis=2)
    have = _padded(passage.persons)[close].max(axis=2)
    of_both = have @ passage.candidate_persons.T
    balanced, unbalanced = _quotation_marks(passage, before, behind)
    opens = (last < 0)[:, :, None]
    cues = [
        echoes[last], echoes[following], echoes[before[:, :, 1]], echoes[behind[:, :, 1]],
        echoes[near].sum(axis=2) / (shown_echoes[:, None, :] + 1e-9),
        names[last], names[following], names[near].max(axis=2),
        shared[last], shared[following],
        passage.candidate_persons.sum(axis=1) - of_both, (have.sum(axis=2)[:, :, None] - of_both) / len(_PERSONS),
        tenses[last], tenses[following], balanced, unbalanced, speaks[last], speaks[following],
        opens & (passage.openers == list(Opener).index(Opener.CONJUNCTION)),
        passage.questions & _padded(passage.begins_quoted[:, None])[following].astype(np.bool_),
        opens & (passage.openers == list(Opener).index(Opener.PRONOUN)),
        opens & (passage.openers == list(Opener).index(Opener.DEMONSTRATIVE)),
    ]  # fmt: skip
    shape = (*blanks.shape, candidates)
    return np.stack([np.broadcast_to(cue, shape) for cue in cues], axis=3).astype(np.float64)


def cue_scores(passage: TiedPassage, blanks: NDArray[np.int64], weights: NDArray[np.float64] = WEIGHTS) -> NDArray[np.float64]:
    """How well each candidate fits each blank by its surface, higher is better; shape (draws, blanks, candidates)."""
    return cue_features(passage, blanks) @ weights


def fit_weights(features: Sequence[NDArray[np.float64]], answers: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """Weights that make the answers of some passages likely: each blank an item, its candidates the options.

    Args:
        features: of each passage, shape (blanks, candidates, cues).
        answers: of each passage the candidate that answers each blank.
    Returns:
        Shape (cues,); held near 0 by a normal prior of deviation 1 over cues brought to deviation 1.
    """
    rows = np.concatenate([row for one in features for row in one])
    spread = rows.std(axis=0)
    spread[spread == 0] = 1.0
    blanks = [(one.shape[1], answer) for one, own in zip(features, answers, strict=True) for answer in own]
    item = np.repeat(np.arange(len(blanks)), [candidates for candidates, _ in blanks])
    right = np.concatenate([np.arange(candidates) == answer for candidates, answer in blanks])
    return fit_conditional_logit(csr_array(rows / spread), item, right) / spread


def _padded(table: NDArray[np.generic]) -> NDArray[np.float64]:
    """With a row of zeros at the end, for a neighbour that a blank does not have (-1)."""
    return np.concatenate((table, np.zeros((1, *table.shape[1:])))).astype(np.float64)


def _persons(ties: Sequence[SurfaceTies]) -> NDArray[np.float64]:
    return np.array([[person in one.persons for person in _PERSONS] for one in ties], np.float64).reshape(len(ties), len(_PERSONS))


def _speech(ties: SurfaceTies) -> int:
    """How the quotation marks of a sentence stand."""
    if not ties.is_half_speech:
        return _WHOLE_SPEECH if ties.quotation_marks else _NO_QUOTES
    if ties.begins_quoted != ties.ends_quoted:
        return _OPENS if ties.begins_quoted else _CLOSES
    return _ODD


def _quotation_marks(
    passage: TiedPassage, before: NDArray[np.int64], behind: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Whether each candidate would balance the marks around each blank, and whether it has one too many.

    Returns:
        Two arrays of shape (draws, blanks, candidates).
    """
    speech = np.append(passage.speech, _NO_QUOTES)
    open_before, open_behind = (_nearest_marks(speech[side]) for side in (before, behind))
    states = open_before == _OPENS, open_behind == _CLOSES
    fits = np.zeros((*before.shape[:2], len(passage.candidate_speech)))
    for (is_open, goes_on), kinds in _BALANCED.items():
        here = (states[0] == is_open) & (states[1] == goes_on)
        fits += here[:, :, None] & np.isin(passage.candidate_speech, kinds)
    return fits, (fits == 0) & (passage.candidate_speech >= _OPENS)


def _nearest_marks(speech: NDArray[np.int64]) -> NDArray[np.int64]:
    """How the marks of the nearest sentence stand that has any, of shape (draws, blanks, depth); `_NO_QUOTES` where none has."""
    first = (speech > 0).argmax(axis=2)
    return np.take_along_axis(speech, first[:, :, None], axis=2)[:, :, 0]
