"""What people make of a set: how often they are right (MSR 4.4), and what they find wrong with it. Kept apart from all that machines do.

Several judges read an item, and what is hard about it is hard for all of them, so their verdicts are no independent draws: Wilson's
interval, which takes them for such, would be too narrow. Whole items are drawn with replacement instead (`judging.resampling`). Where all
verdicts are alike every sample is too, and the bootstrap has no width; there Wilson's interval of so many *items* stands, as if an item's
second judge had told nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.columns import table_lines
from cloze_gen.errors import UsageError
from cloze_gen.evaluate.chance import chance_accuracy
from cloze_gen.evaluate.metrics import wilson_interval
from cloze_gen.judging.consensus import ReadItem, read_item
from cloze_gen.judging.item_verdicts import ItemVerdicts
from cloze_gen.judging.resampling import middle, resampled_sums
from cloze_gen.notation import named, shown
from cloze_gen.records.question import Question

HUMAN = "human"  # name and kind of their row
FAULTS = ("ambiguous", "ungrammatical", "broken", "trivial")
_PURPOSE = "evaluate.people"


@dataclass(frozen=True, slots=True)
class OfSet:
    """What a file of verdicts tells of the set that is evaluated.

    Attributes:
        name: what the study called the set.
        items: that are of it as it is now.
        others: how many more of the set were judged, that are not in it as it is now.
    """

    name: str
    items: Sequence[ItemVerdicts]
    others: int

    @property
    def judges(self) -> int:
        return len({judge for one in self.items for judge in one.said})

    @property
    def verdicts(self) -> int:
        """First ones, of all judges."""
        return sum(len(one.said) for one in self.items)


def of_set(judged: Sequence[ItemVerdicts], known: Collection[str], *, name: str, file: str) -> OfSet:
    """The part of a file that is of the evaluated set: of the sets in it the one with most of its items.

    Args:
        known: `item_digest` of every item of the set.
        name: of the set, where it has one; of two sets with as many of its items it is the one called so.
        file: what messages call the file.
    Raises:
        UsageError: it tells of none of them; says what it is of.
    """
    sets: dict[str, list[ItemVerdicts]] = {}
    for one in judged:
        sets.setdefault(one.of_set, []).append(one)
    found = {of: [one for one in items if one.item in known] for of, items in sets.items()}
    best = max(found, key=lambda of: (len(found[of]), of == name), default="")
    if not found.get(best):
        told = named([f"{shown(of)} ({len(items):,} items)" for of, items in sets.items()]) if sets else "of nothing"
        raise UsageError(f"{file}: tells of none of these items as they are. It is of {told}.")
    return OfSet(best, found[best], len(sets[best]) - len(found[best]))


def human_row(found: OfSet, questions: Mapping[str, Question], *, seed: int, digest: str) -> dict[str, Any]:
    """The row of ``evaluation.json``: the share of first verdicts that are right.

    Args:
        questions: `item_digest` -> question, of the whole set.
        seed: of the bootstrap.
        digest: of the file of verdicts.
    """
    right = np.array([sum(one["answer"] == questions[item.item].answer_index for one in item.said.values()) for item in found.items])
    low, high = interval(right, np.array([len(item.said) for item in found.items]), seed=seed)
    accuracy, unanswered = float(right.sum() / found.verdicts), _unanswered(found)
    counted = f"; {unanswered:,} of them called the question broken and chose nothing, which is not right" if unanswered else ""
    return {
        "name": HUMAN, "kind": HUMAN, "source": "", "accuracy": accuracy, "low": low, "high": high, "n": len(found.items), "correct": None,
        "chance": chance_accuracy([len(questions[item.item].options) for item in found.items]), "p_value": None, "expected": accuracy,
        "seconds": 0.0, "note": f"{told_judges(found, digest)}{counted}",
    }  # fmt: skip


def told_judges(found: OfSet, digest: str) -> str:
    """Whose verdicts a row is made of, in words.

    >>> told_judges(OfSet("mine", [ItemVerdicts("b:7", "mine", "9f", {"1": {}, "2": {}}, None)], 0), "5d0c1a2b3c4d")
    '2 judges, 2 verdicts (file 5d0c1a2b)'
    """
    judges, verdicts = found.judges, found.verdicts
    return f"{judges:,} judge{'s' * (judges != 1)}, {verdicts:,} verdict{'s' * (verdicts != 1)} (file {digest[:8]})"


def interval(right: NDArray[np.int64], verdicts: NDArray[np.int64], *, seed: int) -> tuple[float, float]:
    """95 % interval of the share of verdicts that are right, by bootstrap over items.

    Args:
        right, verdicts: int64, shape (items,): of each item.
    Returns:
        Shares of 1. Of one item nothing can be told: 0 to 1.

    >>> low, high = interval(np.array([3, 3, 3]), np.array([3, 3, 3]), seed=1)
    >>> round(low, 2), high
    (0.44, 1.0)
    """
    if len(right) < 2:
        return 0.0, 1.0
    if right.sum() in {0, verdicts.sum()}:
        return wilson_interval(len(right) if right.any() else 0, len(right))
    sums = resampled_sums(np.stack([right, verdicts], axis=1).astype(np.float64), seed=seed, purpose=_PURPOSE)
    return middle(sums[:, 0] / sums[:, 1]) or (0.0, 1.0)


def reading_figures(judged: Sequence[ItemVerdicts]) -> list[dict[str, Any]]:
    """What readers found wrong with each set that they read, in the order of their names.

    Returns:
        A row a set: ``set``, ``items``, ``judges``, ``verdicts``, ``adjudicated``, and of each of `FAULTS` the share of the items read
        that have it: ``by_one`` by a single judge (the mean of the judges' own shares), ``by_most`` by most judges of the item, or by
        whoever decided it, with Wilson's interval ``low``, ``high``. Of a question without an answer nobody said more than that it is
        broken.
    """
    sets: dict[str, list[ItemVerdicts]] = {}
    for one in judged:
        sets.setdefault(one.of_set, []).append(one)
    return [_figures_of(name, sets[name]) for name in sorted(sets)]


def _figures_of(name: str, items: Sequence[ItemVerdicts]) -> dict[str, Any]:
    by_judge: dict[str, list[ReadItem]] = {}
    for item in items:
        for judge, said in item.said.items():
            by_judge.setdefault(judge, []).append(read_item({judge: said}))
    by_most = [read_item(item.said, item.adjudicated) for item in items]
    found: dict[str, Any] = {
        "set": name, "items": len(items), "judges": len(by_judge), "verdicts": sum(len(item.said) for item in items),
        "adjudicated": sum(item.adjudicated is not None for item in items),
    }  # fmt: skip
    for fault in FAULTS:
        count = sum(_has(one, fault) for one in by_most)
        low, high = wilson_interval(count, len(items))
        by_one = fmean(fmean(_has(one, fault) for one in own) for own in by_judge.values())
        found[fault] = {"by_one": by_one, "by_most": count / len(items), "low": low, "high": high}
    return found


def reading_table(figures: Sequence[Mapping[str, Any]], *, columns: int | None = None) -> str:
    """What readers found wrong, two lines a set; shares in percent.

    Args:
        figures: of `reading_figures`.
        columns: of the screen; None where nobody looks.
    """
    header = ["share of the questions read, %", "items", "judges", *FAULTS]
    rows = []
    for one in figures:
        single, most = ([f"{100 * one[fault][by]:.1f}" for fault in FAULTS] for by in ("by_one", "by_most"))
        rows.append([f"{one['set']}, by one judge", f"{one['items']:,}", f"{one['judges']:,}", *single])
        rows.append([f"{one['set']}, by most", "", "", *most])
    return "\n".join(table_lines(header, rows, columns, left=frozenset(header[:1])))


def _has(item: ReadItem, fault: str) -> bool:
    if fault == "ambiguous":
        return bool(item.fits_as_well)
    return bool(getattr(item, fault))


def _unanswered(found: OfSet) -> int:
    return sum(one["answer"] is None for item in found.items for one in item.said.values())
