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

# Measure -> the paper's figure, or None; whole numbers are counts.
PAPER: Mapping[str, float | None] = {
    "passages": 5959,
    "blanks": 29731,
    "blanks per passage": 4.99,
    "candidates per passage": 6.79,
    "candidates per blank": 1.35,
    "consecutive blanks, %": 1.28,
    "words per passage": 319.64,
    "words per passage, answers in their places": None,
    "sentences per passage": None,
    "vocabulary": 48600,
    "words per candidate": None,
    "variance of the candidate length": 19.54,
}
_PAPER_PARTS = "4,790 / 511 / 658"  # passages by part
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


def describe_set(passages: Sequence[BlankedPassage]) -> dict[str, float]:
    """The measures of `PAPER`; only the counts without passages.

    >>> passage = BlankedPassage("emma:7", ("It rained.", "Someone came.", "We went home."), (1,), ("Jane sang well.", "Someone came."), (1,))
    >>> measures = describe_set([passage])
    >>> measures["words per passage"], measures["words per passage, answers in their places"], measures["variance of the candidate length"]
    (5.0, 7.0, 0.25)
    """
    blanks = sum(len(passage.blanks) for passage in passages)
    measures: dict[str, float] = {
        "passages": len(passages),
        "blanks": blanks,
        "vocabulary": len(vocabulary(passages)),
    }
    if not passages:
        return measures
    of_passages = [_passage_measures(passage) for passage in passages]
    for name in of_passages[0]:
        measures[name] = fmean(of_passage[name] for of_passage in of_passages)
    consecutive = sum(map(consecutive_blanks, passages))
    candidates = [text for passage in passages for text in passage.candidates]
    measures["consecutive blanks, %"] = 100 * consecutive / blanks
    measures["words per candidate"] = fmean(map(word_count, candidates))
    return measures


def _passage_measures(passage: BlankedPassage) -> dict[str, float]:
    """The measures of a passage whose mean is that of the set."""
    return {
        "blanks per passage": len(passage.blanks),
        "candidates per passage": len(passage.candidates),
        "candidates per blank": len(passage.candidates) / len(passage.blanks),
        "words per passage": sum(word_count(text) for text in passage.shown if text),
        "words per passage, answers in their places": sum(map(word_count, passage.sentences)),
        "sentences per passage": len(passage.sentences),
        "variance of the candidate length": pvariance(map(word_count, passage.candidates)),
    }


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
    rows = [(name, *(_printed(column.get(name)) for column in columns)) for name in PAPER]
    rows[0] = (*rows[0][:-1], f"{rows[0][-1]} ({_PAPER_PARTS})")
    return CardTable("Statistics", _TEXT, ("measure", *splits, "Paper"), tuple(rows))


def _printed(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
