r"""Pairs of texts with labels, for those who train a model of their own: six TSV tables, one for each context.

Columns: `id`, `text_a`, `text_b`, `label`. A row asks whether two texts stand one behind the other: a context and a candidate in the blank.
The order of the text is kept: what comes before the blank is `text_a` with the candidate as `text_b`, what comes behind it is `text_b`. The
label is **0 where the candidate is the answer**, 1 where it is not.

``sp`` and ``sn``: the nearest sentence before and behind; ``ap`` and ``an``: all of them; ``spn`` and ``apn``: both sides, a row each, the
one before first. `id` is ``PASSAGE:BLANK:CANDIDATE``, the blank from 1 and the candidate from 0; the two rows of a two-sided table share
it, and the mean of their scores is the score of the pair.

Readings. The nearest sentence is the nearest that is no blank, and other blanks are no part of a context, where the authors' code leaves
their ``<k>``, and gives a passage that opens with ``<1>`` its last sentence for the one before. A blank with nothing on one side has no row
of that side, where the code pairs it with a blank. Nothing is cut: 256 tokens are for the model's own tokenizer to count, and only the
context is to be cut, at its far end.

Bytes: no quoting (read it with ``quoting=3``), and every run of white space or control characters is one blank, so no text breaks a row.

Source: Kong, Gangal & Hovy 2020, 4.1 and 4.6; the names of the tables are those of the authors' `extract_features.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum

from cloze_gen.formats.scde.published import without_marks
from cloze_gen.records.blanked_passage import BlankedPassage

COLUMNS = ("id", "text_a", "text_b", "label")
RIGHT, WRONG = "0", "1"

_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")  # \s knows line ends beyond ASCII, which some readers break lines at


class FeatureTable(StrEnum):
    """The context that candidates are paired with: previous, next, all previous, all next, and both sides of either."""

    SP = "sp"
    SN = "sn"
    AP = "ap"
    AN = "an"
    SPN = "spn"
    APN = "apn"


_NEAREST = frozenset({FeatureTable.SP, FeatureTable.SN, FeatureTable.SPN})  # of a side one sentence; the others take all
_BEFORE = frozenset({FeatureTable.SP, FeatureTable.AP, FeatureTable.SPN, FeatureTable.APN})
_BEHIND = frozenset({FeatureTable.SN, FeatureTable.AN, FeatureTable.SPN, FeatureTable.APN})


def feature_lines(passages: Iterable[BlankedPassage], table: FeatureTable) -> Iterator[str]:
    r"""The lines of a table, its header first, without their ends.

    >>> passage = BlankedPassage("b:4", ("We left.", "It rained.", "Nobody came."), (1,), ("Jane sang.", "It rained."), (1,))
    >>> for line in feature_lines([passage], FeatureTable.SPN): print(line.replace("\t", " | "))
    id | text_a | text_b | label
    b:4:1:0 | We left. | Jane sang. | 1
    b:4:1:0 | Jane sang. | Nobody came. | 1
    b:4:1:1 | We left. | It rained. | 0
    b:4:1:1 | It rained. | Nobody came. | 0
    """
    yield "\t".join(COLUMNS)
    for passage in passages:
        yield from map("\t".join, _rows(without_marks(passage), table))


def _rows(passage: BlankedPassage, table: FeatureTable) -> Iterator[tuple[str, str, str, str]]:
    texts = [None if sentence is None else _cell(sentence) for sentence in passage.shown]
    candidates = [_cell(candidate) for candidate in passage.candidates]
    reach = 1 if table in _NEAREST else len(texts)
    for number, (blank, answer) in enumerate(zip(passage.blanks, passage.answers, strict=True), 1):
        before = [text for text in texts[:blank] if text is not None][-reach:] if table in _BEFORE else []
        behind = [text for text in texts[blank + 1 :] if text is not None][:reach] if table in _BEHIND else []
        for place, candidate in enumerate(candidates):
            name, label = f"{_cell(passage.id)}:{number}:{place}", RIGHT if place == answer else WRONG
            if before:
                yield name, " ".join(before), candidate, label
            if behind:
                yield name, candidate, " ".join(behind), label


def _cell(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
