"""How people put the candidates of passages back: a row of their own beside the baselines' (Kong et al. 2020, 5.3 and Table 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.errors import FormatError
from cloze_gen.evaluate.blanks.baselines import BlankBaseline
from cloze_gen.evaluate.blanks.metrics import BlankMetrics, count_answers, measure_verdicts
from cloze_gen.evaluate.blanks.results import BlankResult
from cloze_gen.evaluate.blanks.table import result_row
from cloze_gen.evaluate.people import HUMAN, OfSet, told_judges
from cloze_gen.records.blanked_passage import BlankedPassage


def human_blank_row(found: OfSet, passages: Mapping[str, BlankedPassage], *, seed: int, digest: str) -> dict[str, Any]:
    """The row of ``evaluation.json``: the measures of all rows, of first verdicts, each of which is one person's answers to one passage.

    Args:
        passages: `item_digest` -> passage, of the whole set.
        seed: of the bootstrap, by passage: several people fill one, and what is hard about it is hard for all of them.
        digest: of the file of verdicts.
    Raises:
        FormatError: a verdict is not on the blanks and candidates of its passage.
    """
    metrics = _metrics(found, passages, seed=seed)
    row = result_row(BlankResult(BlankBaseline(HUMAN, HUMAN), "", "", metrics))
    return row | {"note": told_judges(found, digest)}


def _metrics(found: OfSet, passages: Mapping[str, BlankedPassage], *, seed: int) -> BlankMetrics:
    asked, answers, numbers = list[BlankedPassage](), list[NDArray[np.int64]](), list[int]()
    for number, item in enumerate(found.items):
        passage = passages[item.item]
        for said in item.said.values():
            fills = said["fills"]
            if len(fills) != len(passage.blanks) or max(fills) >= len(passage.candidates):
                what = f"{len(passage.blanks)} blanks and {len(passage.candidates)} candidates"
                raise FormatError(f"verdict on {passage.id}: {fills} are no answers to its {what}; was the file changed?")
            asked.append(passage)
            answers.append(np.array(fills, np.int64))
            numbers.append(number)
    return measure_verdicts(count_answers(asked, answers), np.array(numbers), seed=seed)
