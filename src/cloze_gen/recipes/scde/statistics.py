"""Statistics of blanked passages: the measures of Table 3 (Kong et al. 2020, 3.2).

Our reading: *words per passage* excludes the blanks, as in Table 2; *candidates per blank* is the
mean of the passages' ratios; *variance of the candidate length* is the mean of the passages'
variances, in words.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, pvariance

from cloze_gen.formats.scde import parse_passages
from cloze_gen.records.blanked_passage import BlankedPassage, SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.release.card import CardTable
from cloze_gen.release.style import Artifacts
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import PASSAGE_SET

# Measure -> the paper's figure, or None; shares from 0 to 1.
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
COUNTS = frozenset({"passages", "blanks", "vocabulary"})  # counts; the others are means or shares
SHARES = frozenset({"consecutive blanks"})
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


def describe_set(passages: Sequence[BlankedPassage]) -> dict[str, float]:
    """The measures of `PAPER`, in its order; only the counts without passages.

    >>> passage = BlankedPassage("emma:7", ("It rained.", "Someone came.", "We went home."), (1,), ("Jane sang well.", "Someone came."), (1,))
    >>> found = describe_set([passage])
    >>> found["words per passage"], found["words per passage, answers in their places"], found["variance of the candidate length"]
    (5.0, 7.0, 0.25)
    """
    counts = {
        "passages": len(passages),
        "blanks": sum(len(passage.blanks) for passage in passages),
        "vocabulary": len(vocabulary(passages)),
    }
    if not counts["blanks"]:
        return {name: counts[name] for name in PAPER if name in counts}
    lengths = [[word_count(text) for text in passage.candidates] for passage in passages]
    measures = counts | {
        "blanks per passage": fmean(len(passage.blanks) for passage in passages),
        "candidates per passage": fmean(len(passage.candidates) for passage in passages),
        "candidates per blank": fmean(
            len(passage.candidates) / len(passage.blanks) for passage in passages
        ),
        "consecutive blanks": sum(map(consecutive_blanks, passages)) / counts["blanks"],
        "words per passage": fmean(
            sum(word_count(text or "") for text in passage.shown) for passage in passages
        ),
        "words per passage, answers in their places": fmean(
            sum(map(word_count, passage.sentences)) for passage in passages
        ),
        "sentences per passage": fmean(len(passage.sentences) for passage in passages),
        "words per candidate": fmean(length for of_passage in lengths for length in of_passage),
        "variance of the candidate length": fmean(map(pvariance, lengths)),
    }
    return {name: measures[name] for name in PAPER}


def word_count(text: str) -> int:
    """Number of words, separated by spaces.

    >>> word_count("Well--it was his sister's.")
    4
    """
    return len(text.split())


def consecutive_blanks(passage: BlankedPassage) -> int:
    """Number of blanks adjacent to another: "either of previous or next sentences is also a blank".

    >>> consecutive_blanks(BlankedPassage("emma:7", ("A.", "B.", "C.", "D.", "E."), (0, 2, 3), ("A.", "C.", "D."), (0, 1, 2)))
    2
    """
    blanked = frozenset(passage.blanks)
    return sum(not blanked.isdisjoint((place - 1, place + 1)) for place in blanked)


def vocabulary(passages: Iterable[BlankedPassage]) -> frozenset[str]:
    """Lower-case words of sentences and candidates without surrounding marks.

    >>> sorted(vocabulary([BlankedPassage("emma:7", ("Well--it's his!",), (0,), ("Well-read.",), (0,))]))
    ['his', "it's", 'well', 'well-read']
    """
    texts = frozenset(
        text for passage in passages for text in (*passage.sentences, *passage.candidates)
    )
    return frozenset(word.casefold() for text in texts for word in _WORD.findall(text))


# ---- the table of the card and of the report

_TEXT = (
    "This set and its splits, compared with the paper's set (Kong et al. 2020, Table 3). Words are "
    "separated by spaces; words per passage are those of the shown sentences."
)


def statistics_tables(artifacts: Artifacts) -> Sequence[CardTable]:
    return [_table_of(artifacts["blanked passages"])]


@functools.lru_cache(maxsize=1)
def _table_of(finished: Artifact) -> CardTable:
    with open(finished.path(PASSAGE_SET), encoding="utf-8") as handle:
        return statistics_table(list(parse_passages(handle)))


def statistics_table(passages: Sequence[SetBlankedPassage]) -> CardTable:
    """The measures of the set, of its splits and of the paper; a dash where there is no value."""
    splits = {"All": [item.passage for item in passages]}
    for header, part in (("Train", Part.TRAIN), ("Dev", Part.DEVELOPMENT), ("Test", Part.TEST)):
        splits[header] = [item.passage for item in passages if item.part == part]
    columns = [*map(describe_set, splits.values()), PAPER]
    rows = [
        (f"{name}, %" if name in SHARES else name, *(_printed(name, of) for of in columns))
        for name in PAPER
    ]
    of_parts = " / ".join(f"{count:,}" for count in PAPER_PASSAGES.values())
    rows[0] = (*rows[0][:-1], f"{rows[0][-1]} ({of_parts})")
    return CardTable("Statistics", _TEXT, ("measure", *splits, "Paper"), tuple(rows))


def _printed(name: str, described: Mapping[str, float | None]) -> str:
    value = described.get(name)
    if value is None:
        return "-"
    if name in COUNTS:
        return f"{value:,.0f}"
    return f"{100 * value if name in SHARES else value:,.2f}"
