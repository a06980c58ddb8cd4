"""What can be said of a candidate without its passage: its length, marks, names, pronouns and verbs, how common its words are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cloze_gen.english.cohesion import Opener, Person, SurfaceTies, surface_ties
from cloze_gen.english.names import content_words
from cloze_gen.evaluate.blanks.terms import words_of

# What is counted in a sentence by what it shows on its surface.
_COUNTED: Sequence[Callable[[SurfaceTies], float]] = (
    lambda ties: ties.quotation_marks,
    lambda ties: ties.is_half_speech,
    lambda ties: ties.begins_quoted,
    lambda ties: ties.ends_quoted,
    lambda ties: ties.question,
    lambda ties: len(ties.names),
    lambda ties: ties.past,
    lambda ties: ties.present,
    lambda ties: ties.tense,
    *(lambda ties, person=person: person in ties.persons for person in Person),
    *(lambda ties, opener=opener: ties.opener is opener for opener in Opener),
)
_MARKS = ("!", ",", ";", ":", "--", "...")
_LEAST_SHARE = 1e-8  # of a word that no text has
_DECIMALS = 9


def shape_features(candidates: Sequence[Sequence[str]], freq_of: Callable[[str], float]) -> NDArray[np.float64]:
    """The features of each candidate by itself: float64, shape (candidates, features).

    Length in words and in characters, letters a word, words with a digit, words of content, mean log10 frequency, marks, and what
    `english.cohesion` sees: speech, question, names, tense, persons of the pronouns, how it opens.

    Args:
        freq_of: a word's share of the word tokens of a text, in small letters; 0 for an unknown one.
    """
    rows = []
    for tokens in candidates:
        words, ties = words_of(tokens), surface_ties(tokens)
        letters = sum(map(len, words))
        rows.append(
            [
                len(words),
                letters,
                letters / max(1, len(words)),
                sum(any(character.isdigit() for character in word) for word in words),
                len(content_words(tokens)),
                float(np.mean(np.log10([freq_of(word) + _LEAST_SHARE for word in words]))) if words else 0.0,
                *(tokens.count(mark) for mark in _MARKS),
                *(float(count(ties)) for count in _COUNTED),
            ]
        )
    return np.asarray(np.round(np.array(rows, np.float64), _DECIMALS), np.float64)


def features_beside_others(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """How the candidates of one passage differ from one another: float64, shape (candidates, features + 1).

    The rank of the length in words, 0 the shortest and 1 the longest, equals sharing the mean of theirs; and of each feature how many
    standard deviations it is above the mean of the passage's candidates, 0 where all are alike.

    Args:
        features: of `shape_features`, of the candidates of one passage.
    """
    spread = features.std(axis=0)
    standard = np.divide(features - features.mean(axis=0), spread, out=np.zeros_like(features), where=spread > 0)
    length = features[:, 0]
    below = (length[:, None] > length).sum(axis=1) + ((length[:, None] == length).sum(axis=1) - 1) / 2
    # Rounded, for the last bits of a deviation tell in which order the candidates were summed, hence where each is printed.
    return np.column_stack([below / max(1, len(features) - 1), np.round(standard, _DECIMALS)])
