"""People's results on a set: accuracy (MSR 4.4, SCDE 5.3) and faults that readers report."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.evaluation.blanks import (
    BlankMetrics,
    BlankRow,
    blank_row,
    count_answers,
    measure_verdicts,
)
from cloze_gen.evaluation.chance import chance_accuracy
from cloze_gen.evaluation.metrics import wilson_interval
from cloze_gen.evaluation.questions import QuestionRow
from cloze_gen.evaluation.selection import HUMAN
from cloze_gen.judging.agreement import middle, resampled_sums
from cloze_gen.judging.study_agreement import ItemVerdicts
from cloze_gen.judging.tasks.read import ReadItem, read_item
from cloze_gen.parsing import name_list, quote
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.records.question import Question
from cloze_gen.text_layout import table_lines

# ---- Questions

FAULTS = ("ambiguous", "ungrammatical", "broken", "trivial")
_PURPOSE = "evaluate.people"


@dataclass(frozen=True, slots=True)
class SetVerdicts:
    """Verdicts on the evaluated set; `others`: number of judged items that it no longer has."""

    name: str
    items: Sequence[ItemVerdicts]
    others: int

    @property
    def judges(self) -> int:
        return len({judge for one in self.items for judge in one.responses})

    @property
    def verdicts(self) -> int:
        return sum(len(one.responses) for one in self.items)


def verdicts_on_set(
    judged: Sequence[ItemVerdicts], known: Collection[str], *, name: str, file: str
) -> SetVerdicts:
    """The verdicts of a file on the evaluated set; `known`: `item_digest` of its items."""
    sets: dict[str, list[ItemVerdicts]] = {}
    for one in judged:
        sets.setdefault(one.set_name, []).append(one)
    found = {of: [one for one in items if one.item in known] for of, items in sets.items()}
    best = max(found, key=lambda of: (len(found[of]), of == name), default="")
    if not found.get(best):
        found_sets = (
            name_list([f"{quote(of)} ({len(items):,} items)" for of, items in sets.items()])
            if sets
            else "nothing"
        )
        raise UsageError(
            f"{file}: no verdicts on the items of this set. It has verdicts on {found_sets}."
        )
    return SetVerdicts(best, found[best], len(sets[best]) - len(found[best]))


def human_row(
    found: SetVerdicts, questions: Mapping[str, Question], *, seed: int, digest: str
) -> QuestionRow:
    """Accuracy of the verdicts; `questions`: all of the set, by `item_digest`."""
    right = np.array(
        [
            sum(
                one["answer"] == questions[item.item].answer_index
                for one in item.responses.values()
            )
            for item in found.items
        ]
    )
    low, high = interval(right, np.array([len(item.responses) for item in found.items]), seed=seed)
    accuracy, unanswered = float(right.sum() / found.verdicts), _unanswered(found)
    counted = (
        f"; {unanswered:,} of them marked the question as broken without an answer (counted as wrong)"
        if unanswered
        else ""
    )
    return QuestionRow(
        name=HUMAN, kind=HUMAN, source="", accuracy=accuracy, low=low, high=high, n=len(found.items), correct=None,
        chance=chance_accuracy([len(questions[item.item].options) for item in found.items]),
        note=f"{judges_text(found, digest)}{counted}",
    )  # fmt: skip


def judges_text(found: SetVerdicts, digest: str) -> str:
    """The judges and verdicts of a row, as text.

    >>> judges_text(SetVerdicts("mine", [ItemVerdicts("b:7", "mine", "9f", {"1": {}, "2": {}})], 0),
    ...     "5d0c1a2b3c4d")
    '2 judges, 2 verdicts (file 5d0c1a2b)'
    """
    judges, verdicts = found.judges, found.verdicts
    return (
        f"{judges:,} judge{'s' * (judges != 1)}, {verdicts:,} verdict{'s' * (verdicts != 1)} "
        f"(file {digest[:8]})"
    )


def interval(
    right: NDArray[np.int64], verdicts: NDArray[np.int64], *, seed: int
) -> tuple[float, float]:
    """95 % interval of the share of right verdicts, by bootstrap over items.

    Verdicts on one item are not independent, so whole items are drawn. If all verdicts are right or
    all are wrong, it is Wilson's interval for the number of *items*; 0 to 1 for a single item.

    >>> low, high = interval(np.array([3, 3, 3]), np.array([3, 3, 3]), seed=1)
    >>> round(low, 2), high
    (0.44, 1.0)
    """
    if len(right) < 2:
        return 0.0, 1.0
    if right.sum() in {0, verdicts.sum()}:
        return wilson_interval(len(right) if right.any() else 0, len(right))
    sums = resampled_sums(
        np.stack([right, verdicts], axis=1).astype(np.float64), seed=seed, purpose=_PURPOSE
    )
    return middle(sums[:, 0] / sums[:, 1]) or (0.0, 1.0)


def reading_figures(judged: Sequence[ItemVerdicts]) -> list[dict[str, Any]]:
    """One row per set, with shares of items for each of `FAULTS`.

    ``by_one``: mean of the judges' shares. ``by_most``: share by majority, with
    Wilson's interval.
    """
    sets: dict[str, list[ItemVerdicts]] = {}
    for one in judged:
        sets.setdefault(one.set_name, []).append(one)
    return [_figures_of(name, sets[name]) for name in sorted(sets)]


def _figures_of(name: str, items: Sequence[ItemVerdicts]) -> dict[str, Any]:
    by_judge: dict[str, list[ReadItem]] = {}
    for item in items:
        for judge, response in item.responses.items():
            by_judge.setdefault(judge, []).append(read_item({judge: response}))
    by_most = [read_item(item.responses) for item in items]
    found: dict[str, Any] = {
        "set": name, "items": len(items), "judges": len(by_judge), "verdicts": sum(len(item.responses) for item in items),
    }  # fmt: skip
    for fault in FAULTS:
        count = sum(_has(one, fault) for one in by_most)
        low, high = wilson_interval(count, len(items))
        by_one = fmean(fmean(_has(one, fault) for one in own) for own in by_judge.values())
        found[fault] = {"by_one": by_one, "by_most": count / len(items), "low": low, "high": high}
    return found


def reading_table(figures: Sequence[Mapping[str, Any]]) -> str:
    header = ["share of the questions, %", "items", "judges", *FAULTS]
    rows = []
    for one in figures:
        single, most = (
            [f"{100 * one[fault][by]:.1f}" for fault in FAULTS] for by in ("by_one", "by_most")
        )
        rows.append(
            [f"{one['set']}, by one judge", f"{one['items']:,}", f"{one['judges']:,}", *single]
        )
        rows.append([f"{one['set']}, by majority", "", "", *most])
    return "\n".join(table_lines(header, rows, left=frozenset(header[:1])))


def _has(item: ReadItem, fault: str) -> bool:
    if fault == "ambiguous":
        return bool(item.fits_as_well)
    return bool(getattr(item, fault))


def _unanswered(found: SetVerdicts) -> int:
    return sum(one["answer"] is None for item in found.items for one in item.responses.values())


# ---- Blanked passages


def human_blank_row(
    found: SetVerdicts, passages: Mapping[str, BlankedPassage], *, seed: int, digest: str
) -> BlankRow:
    """Measures of the verdicts; FormatError if fills do not match the passage."""
    metrics = _metrics(found, passages, seed=seed)
    return blank_row((HUMAN, HUMAN, ""), metrics, note=judges_text(found, digest))


def _metrics(
    found: SetVerdicts, passages: Mapping[str, BlankedPassage], *, seed: int
) -> BlankMetrics:
    answered_passages, answers, numbers = (
        list[BlankedPassage](),
        list[NDArray[np.int64]](),
        list[int](),
    )
    for number, item in enumerate(found.items):
        passage = passages[item.item]
        for response in item.responses.values():
            fills = response["fills"]
            if len(fills) != len(passage.blanks) or max(fills) >= len(passage.candidates):
                what = f"{len(passage.blanks)} blanks and {len(passage.candidates)} candidates"
                raise FormatError(
                    f"verdict on {passage.id}: {fills} does not match its {what}. The file may have "
                    "been changed"
                )
            answered_passages.append(passage)
            answers.append(np.array(fills, np.int64))
            numbers.append(number)
    return measure_verdicts(count_answers(answered_passages, answers), np.array(numbers), seed=seed)
