"""Statistics of blanked passages: the measures of Table 3 (Kong et al. 2020, 3.2).

Our reading: *words per passage* excludes the blanks, as in Table 2; *candidates per blank* is the
mean of the passages' ratios; *variance of the candidate length* is the mean of the passages'
standard deviations in words, as in Table 1's example.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, pvariance
from typing import Any

from cloze_gen.engine.stage_context import StageContext
from cloze_gen.formats.scde import parse_passages
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.manifest import write_json
from cloze_gen.store.tables import PASSAGE_SET, STATISTICS

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
        "blanks": sum(len(one.blanks) for one in passages),
        "vocabulary": len(vocabulary(passages)),
    }
    if not counts["blanks"]:
        return {name: counts[name] for name in PAPER if name in counts}
    lengths = [[word_count(one) for one in passage.candidates] for passage in passages]
    found = counts | {
        "blanks per passage": fmean(len(one.blanks) for one in passages),
        "candidates per passage": fmean(len(one.candidates) for one in passages),
        "candidates per blank": fmean(len(one.candidates) / len(one.blanks) for one in passages),
        "consecutive blanks": sum(map(consecutive_blanks, passages)) / counts["blanks"],
        "words per passage": fmean(
            sum(word_count(one) for one in passage.shown if one is not None) for passage in passages
        ),
        "words per passage, answers in their places": fmean(
            sum(map(word_count, passage.sentences)) for passage in passages
        ),
        "sentences per passage": fmean(len(passage.sentences) for passage in passages),
        "words per candidate": fmean(length for of_passage in lengths for length in of_passage),
        "variance of the candidate length": fmean(map(pvariance, lengths)),
    }
    return {name: found[name] for name in PAPER}


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
    texts = frozenset(text for one in passages for text in (*one.sentences, *one.candidates))
    return frozenset(word.casefold() for text in texts for word in _WORD.findall(text))


SOURCE = "Kong et al. 2020, Table 3"
ALL = "all"


def write_statistics(writer: ArtifactWriter, ctx: StageContext, *, finished: Artifact) -> None:
    """Write `statistics.json`: each measure of `PAPER` by part, null where there is no value."""
    with open(finished.path(PASSAGE_SET), encoding="utf-8") as handle:
        passages = list(parse_passages(handle))
    sets = {ALL: [one.passage for one in passages]}
    sets |= {str(part): [one.passage for one in passages if one.part == part] for part in Part}
    found = {name: describe_set(of_set) for name, of_set in sets.items()}
    write_json(writer.path(STATISTICS), _record(found))
    writer.facts |= {name: int(described["passages"]) for name, described in found.items()}
    measured = found[ALL]
    adjacent = (
        f"{measured['consecutive blanks']:.2%} of them adjacent to another"
        if measured["blanks"]
        else "none adjacent"
    )
    ctx.say(f"{measured['passages']:,} passages, {measured['blanks']:,} blanks, {adjacent}")


def _record(found: dict[str, dict[str, float]]) -> dict[str, Any]:
    return {
        "source": SOURCE,
        "measures": [
            {
                "measure": name,
                "unit": "count" if name in COUNTS else "share" if name in SHARES else "mean",
            }
            | {of_set: _rounded(described.get(name)) for of_set, described in found.items()}
            | {"paper": figure}
            for name, figure in PAPER.items()
        ],
        "paper_passages": {str(part): count for part, count in PAPER_PASSAGES.items()},
    }


def _rounded(value: float | None) -> float | None:
    return value if value is None or isinstance(value, int) else round(value, 4)
