"""What a set of blanked passages is like, in the measures of the paper's Table 3 (Kong et al. 2020, 3.2).

The table names its measures and defines one of them. How the others were read: *words* are what stands between spaces; *words per
passage* are those that a reader meets, the blanks left out, for Table 2 prints the same figure as the length of the context, and the
passage with its answers is told beside it; *candidates per blank* is the mean of the passages' own ratios (the ratio of the two means would
print 1.36); the *variance of the candidate length* is that within a passage, over its candidates, in the mean of the passages: Table 1
prints 7.6 of its example, which is the standard deviation, 7.61, of its seven lengths in words; the *vocabulary* are the words of passages
and candidates without the marks around them, in small letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, pvariance

from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.records.passage import Part

# Measure -> the paper's figure; None where it gives none. Shares are of 1.
PAPER: Mapping[str, float | None] = {
    "passages": 5959,
    "blanks": 29731,
    "blanks per passage": 4.99,
    "candidates per passage": 6.79,
    "candidates per blank": 1.35,
    "consecutive blanks": 0.0128,
    "words per passage": 319.64,
    "words per passage, answers in their places": None,
    "sentences per passage": None,
    "vocabulary": 48600,
    "words per candidate": None,
    "variance of the candidate length": 19.54,
}
PAPER_PASSAGES: Mapping[Part, int] = {Part.TRAIN: 4790, Part.DEVELOPMENT: 511, Part.TEST: 658}
COUNTS = frozenset({"passages", "blanks", "vocabulary"})  # of the whole; the others are means or shares
SHARES = frozenset({"consecutive blanks"})
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


def describe_set(passages: Sequence[BlankedPassage]) -> dict[str, float]:
    """The measures of `PAPER`, in its order; the counts alone where there is no passage.

    >>> passage = BlankedPassage("emma:7", ("It rained.", "Nobody came.", "We went home."), (1,), ("Jane sang well.", "Nobody came."), (1,))
    >>> found = describe_set([passage])
    >>> found["words per passage"], found["words per passage, answers in their places"], found["variance of the candidate length"]
    (5.0, 7.0, 0.25)
    """
    counts = {"passages": len(passages), "blanks": sum(len(one.blanks) for one in passages), "vocabulary": len(vocabulary(passages))}
    if not counts["blanks"]:
        return {name: counts[name] for name in PAPER if name in counts}
    lengths = [[word_count(one) for one in passage.candidates] for passage in passages]
    found = counts | {
        "blanks per passage": fmean(len(one.blanks) for one in passages),
        "candidates per passage": fmean(len(one.candidates) for one in passages),
        "candidates per blank": fmean(len(one.candidates) / len(one.blanks) for one in passages),
        "consecutive blanks": sum(map(consecutive_blanks, passages)) / counts["blanks"],
        "words per passage": fmean(sum(word_count(one) for one in passage.shown if one is not None) for passage in passages),
        "words per passage, answers in their places": fmean(sum(map(word_count, passage.sentences)) for passage in passages),
        "sentences per passage": fmean(len(passage.sentences) for passage in passages),
        "words per candidate": fmean(length for of_passage in lengths for length in of_passage),
        "variance of the candidate length": fmean(map(pvariance, lengths)),
    }
    return {name: found[name] for name in PAPER}


def word_count(text: str) -> int:
    """Words between spaces.

    >>> word_count("Well--it was his sister's.")
    4
    """
    return len(text.split())


def consecutive_blanks(passage: BlankedPassage) -> int:
    """How many blanks stand beside another: "either of previous or next sentences is also a blank".

    >>> consecutive_blanks(BlankedPassage("emma:7", ("A.", "B.", "C.", "D.", "E."), (0, 2, 3), ("A.", "C.", "D."), (0, 1, 2)))
    2
    """
    blanked = frozenset(passage.blanks)
    return sum(not blanked.isdisjoint((place - 1, place + 1)) for place in blanked)


def vocabulary(passages: Iterable[BlankedPassage]) -> frozenset[str]:
    """The words of sentences and candidates in small letters, marks left out.

    >>> sorted(vocabulary([BlankedPassage("emma:7", ("Well--it's his!",), (0,), ("Well-read.",), (0,))]))
    ['his', "it's", 'well', 'well-read']
    """
    texts = frozenset(text for one in passages for text in (*one.sentences, *one.candidates))
    return frozenset(word.casefold() for text in texts for word in _WORD.findall(text))
